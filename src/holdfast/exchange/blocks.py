"""Markdown as blocks: headings, paragraphs, list items and tables, each with the line where it begins.

Only as much of Markdown is understood as tells one statement from the next. What belongs to a block stays with it: the
nested items of an item, its indented lines, the code below a paragraph. Comments are no text and are left out.
"""

from __future__ import annotations

import re

from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,4}[.)])([ \t]+)(\S.*)$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TAB = 4


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `kind` is heading, text, item or table; `level` that of a heading, `mark` what opens an item."""

    kind: str
    line: int
    lines: tuple[str, ...]
    level: int = 0
    mark: str = ""

    @property
    def text(self) -> str:
        """What it says, without the sign that opens it."""
        return "\n".join(self.lines).strip("\n")

    @property
    def is_ordered(self) -> bool:
        """Whether it is one step of several, in order."""
        return self.mark[:1].isdigit()

    @property
    def listed(self) -> str:
        """An item as it stands in a list."""
        first, *rest = self.text.split("\n")
        sign = self.mark if self.is_ordered else "-"
        return "\n".join([f"{sign} {first}", *(f"  {line}" if line else "" for line in rest)])


def blocks(lines: Sequence[str], first: int = 1) -> list[Block]:
    """Return the blocks of the lines, of which the first is that number of its file."""
    reader = _Reader()
    for number, line in enumerate(without_comments(lines), first):
        reader.take(number, line.expandtabs(_TAB) if "\t" in line and not reader.fence else line)
    return [block.closed() for block in reader.found]


def without_comments(lines: Sequence[str]) -> list[str]:
    """Return the lines without HTML comments, as many as before; what stands in code is no comment."""
    kept: list[str] = []
    fence, inside = "", False
    for line in lines:
        if not inside:
            before, fence = fence, fence_after(fence, line)
            if before or fence:
                kept.append(line)
                continue
        line, inside = _without_comment(line, inside)
        kept.append(line)
    return kept


def fence_after(fence: str, line: str) -> str:
    """Return the fence of the code that is open after this line, or nothing."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and line.strip() == found[1]
    return "" if closes else fence


def _without_comment(line: str, inside: bool) -> tuple[str, bool]:
    kept = ""
    while line:
        before, sign, line = line.partition("-->" if inside else "<!--")
        kept += "" if inside else before
        inside = inside != bool(sign)
    return kept.rstrip() if kept.strip() else "", inside


class _Open:
    """A block that may still grow."""

    def __init__(self, kind: str, line: int, text: str, indent: int = 0, mark: str = "", level: int = 0) -> None:
        self.kind, self.line, self.indent, self.mark, self.level = kind, line, indent, mark, level
        self.lines = [text]

    @property
    def inset(self) -> int:
        """How far the lines of its own stand in."""
        return self.indent + len(self.mark) + 1 if self.mark else 0

    def add(self, line: str, after_blank: bool) -> None:
        """Add a line that belongs to it."""
        own = line[: self.inset].strip() + line[self.inset :] if self.mark else line
        self.lines += ["", own] if after_blank else [own]

    def closed(self) -> Block:
        return Block(self.kind, self.line, tuple(line.rstrip() for line in self.lines), self.level, self.mark)


class _Reader:
    """Takes one line after the other and knows which block it belongs to."""

    def __init__(self) -> None:
        self.found: list[_Open] = []
        self.fence = ""
        self.blank = True

    def take(self, number: int, line: str) -> None:
        before, self.fence = self.fence, fence_after(self.fence, line)
        if before:
            self.found[-1].add(line, after_blank=False)
        elif not line.strip() or (_RULE.match(line) and not self._is_underline(line)):
            self.blank = True
        else:
            self._take_text(number, line)
            self.blank = False

    def _take_text(self, number: int, line: str) -> None:
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if self.fence:
            self._take_code(number, line)
        elif heading:
            self.found.append(_Open("heading", number, heading[2], level=len(heading[1])))
        elif self._is_underline(line):
            last = self.found[-1]
            last.kind, last.level = "heading", 1 if "=" in line else 2
        elif item and not self._is_nested(len(item[1])):
            self.found.append(_Open("item", number, item[4], len(item[1]), item[2]))
        elif self._continues(line):
            self.found[-1].add(line, self.blank)
        else:
            self.found.append(_Open("table" if line.lstrip().startswith("|") else "text", number, line.strip()))

    def _take_code(self, number: int, line: str) -> None:
        last = self.found[-1] if self.found else None
        goes_on = last is not None and (last.kind == "text" or self._continues(line))
        if last is not None and goes_on:
            last.add(line, self.blank)
        else:
            self.found.append(_Open("text", number, line))

    def _is_underline(self, line: str) -> bool:
        if self.blank or not self.found or not _UNDERLINE.match(line):
            return False
        return self.found[-1].kind == "text" and len(self.found[-1].lines) == 1

    def _is_nested(self, indent: int) -> bool:
        return bool(self.found) and self.found[-1].kind == "item" and indent > self.found[-1].indent

    def _continues(self, line: str) -> bool:
        if not self.found:
            return False
        last, indent = self.found[-1], len(line) - len(line.lstrip())
        if last.kind == "item":
            return indent > last.indent or not self.blank
        if last.kind == "table" or line.lstrip().startswith("|"):
            return last.kind == "table" and not self.blank and line.lstrip().startswith("|")
        return last.kind == "text" and (not self.blank or indent >= _TAB)
