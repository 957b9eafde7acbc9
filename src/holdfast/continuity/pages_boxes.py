"""The check boxes of a page: found wherever a person may write one, and changed in place, each in its one line."""

from __future__ import annotations

from holdfast.base import digests
from holdfast.base.light_records import dataclass
from holdfast.continuity.pages_lines import LEADING, Lines, body_of, is_day, opens_comment

_BULLETS = ("-", "*", "+")
_MAX_DIGITS = 9
_ID_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Todo:
    """One check box. `number` counts all of the page, so closing one moves no other; `id` goes by what it says."""

    number: int
    id: str
    text: str
    done: bool = False
    at: str = ""
    under: str = ""


class Boxes:
    """The check boxes of a text, in the order of the page."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self.todos: list[Todo] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._same: dict[str, int] = {}
        under = ""
        for place, line in enumerate(self.lines.every):
            if self.lines.hidden[place]:
                continue
            under = _heading(line) or under
            mark = _mark_in(line)
            if mark:
                self._add(place, mark, line, under)

    def _add(self, place: int, mark: int, line: str, under: str) -> None:
        done = line[mark] != " "
        text, at = _undated(body_of(line)[mark + 2 :].strip()) if done else (body_of(line)[mark + 2 :].strip(), "")
        name = self._free_id(text)
        self._places[name] = place, mark
        self.todos.append(Todo(len(self.todos) + 1, name, text, done, at, under))

    def _free_id(self, text: str) -> str:
        """Return an id that no box before this one has; the second of two equal texts gets another than the first."""
        while True:
            turn = self._same[text] = self._same.get(text, -1) + 1
            name = "t" + digests.short(text, str(turn), length=_ID_DIGITS)
            if name not in self._places:
                return name

    def add(self, text: str) -> None:
        """Put a new box at the end of the page."""
        last = self.lines.every[-1] if self.lines.every and not self.lines.hidden[-1] else ""
        self.lines.append([f"- [ ] {text}"], joins=_mark_in(last) > 0)

    def tick(self, todo: Todo, day: str) -> None:
        """Close a box, with the day at the end of its line."""
        place, mark = self._places[todo.id]
        line = self.lines.every[place]
        said = body_of(line).rstrip(" \t")
        self.lines.every[place] = f"{said[:mark]}x{said[mark + 1 :]} ({day}){line[len(said) :]}"

    def untick(self, todo: Todo) -> None:
        """Open a box again, and take the day from the end of its line."""
        place, mark = self._places[todo.id]
        line = self.lines.every[place]
        said = body_of(line).rstrip(" \t")
        kept = said[: mark + 2] + _undated(said[mark + 2 :])[0]
        self.lines.every[place] = f"{kept[:mark]} {kept[mark + 1 :]}{line[len(said) :]}"

    def remove(self, todo: Todo) -> None:
        """Take the line of a box out of the page."""
        place, _ = self._places[todo.id]
        self.lines.every[place] = ""

    def has_more_below(self, todo: Todo) -> bool:
        """Whether the lines below belong to this box: what is nested, its text that goes on, and its comment."""
        place, _ = self._places[todo.id]
        box = self.lines.every[place]
        follows_blank = False
        for below in range(place + 1, len(self.lines.every)):
            line = self.lines.every[below]
            if not line:
                # It was taken out just now.
                continue
            if self.lines.hidden[below] and not follows_blank and opens_comment(box):
                return True
            if body_of(line).strip(LEADING):
                return _belongs(line, box, follows_blank=follows_blank)
            follows_blank = True
        return False

    def line_of(self, todo: Todo) -> int:
        """Return the number of the line that the box stands in."""
        return self._places[todo.id][0] + 1


def _belongs(line: str, box: str, *, follows_blank: bool) -> bool:
    """Whether a line is a part of the box above it; in doubt it is, so that no text loses its owner."""
    own_quotes, own = _unquoted(box, len(box))
    quotes, rest = _unquoted(line, own_quotes)
    if quotes == own_quotes and _columns(rest) > _columns(own):
        return True
    # Without an empty line between them, text goes on even where it is not indented, or not quoted.
    return not follows_blank and not _begins_anew(rest.lstrip(" \t"))


def _unquoted(line: str, most: int) -> tuple[int, str]:
    """Return how many quote marks the line begins with, at most so many, and what stands behind them."""
    rest, found = line.lstrip("\ufeff"), 0
    while found < most and rest.lstrip(" \t").startswith(">"):
        rest, found = rest.lstrip(" \t")[1:], found + 1
    return found, rest


def _columns(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _begins_anew(said: str) -> bool:
    """Whether a line cannot be the rest of a paragraph: an item of a list, a heading, a quote, code, a rule, a tag."""
    said = body_of(said)
    number = said.lstrip("0123456789")
    if said[:1] in _BULLETS or (0 < len(said) - len(number) <= _MAX_DIGITS and number[:1] in (".", ")")):
        behind = said[1:] if said[:1] in _BULLETS else number[1:]
        if not behind or behind[0] in " \t":
            return True
    is_rule = said[:1] in ("-", "*", "_") and len(said.strip(said[0] + " \t")) == 0 and said.count(said[0]) > 2
    return is_rule or bool(_heading(said)) or said.startswith((">", "```", "~~~", "<!--")) or _is_tag(said)


def _is_tag(said: str) -> bool:
    """Whether a line begins with a tag of HTML; an address between such brackets is none."""
    name = said[1:].removeprefix("/")
    behind = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
    return said[:1] == "<" and len(behind) < len(name) and behind[:1] in ("", " ", "\t", ">", "/")


def _mark_in(line: str) -> int:
    """Return where the mark of a check box stands in the line, or 0 where there is none."""
    start = _indent(line)
    rest = line[start:]
    if rest[:1] in _BULLETS:
        bullet = 1
    else:
        bullet = len(rest) - len(rest.lstrip("0123456789"))
        if not 0 < bullet <= _MAX_DIGITS or rest[bullet : bullet + 1] not in (".", ")"):
            return 0
        bullet += 1
    box = rest[bullet:].lstrip(" \t")
    if len(box) == len(rest) - bullet or box[:1] != "[" or box[1:2] not in (" ", "x", "X") or box[2:3] != "]":
        return 0
    says = box[3:4] in (" ", "\t") and body_of(box[3:]).strip()
    return start + len(rest) - len(box) + 1 if says else 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(LEADING))


def _heading(line: str) -> str:
    """Return what a heading says, or nothing where the line is none."""
    said = body_of(line).lstrip(LEADING)
    text = said.lstrip("#")
    is_heading = 0 < len(said) - len(text) <= 6 and text[:1] in (" ", "\t")
    return text.strip().rstrip("#").rstrip() if is_heading else ""


def _undated(text: str) -> tuple[str, str]:
    """Return the text without the day at its end, and the day."""
    head, day = text[:-12], text[-11:-1]
    if text[-12:-11] == "(" and text[-1:] == ")" and is_day(day) and head[-1:] == " " and head.strip():
        return head[:-1], day
    return text, ""
