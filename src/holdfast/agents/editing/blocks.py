"""Blocks of ours, each between two marker lines, in a text that is otherwise the person's.

The block of memories stands once in a rules file, and is written again whenever they change. A pattern's block has its
name, and a digest by which an edit by hand is known; the two line ends before it are ours too, so a text without its
blocks is what it was, byte for byte. A file of our own holds one such block and nothing else.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from holdfast.base.marker_lines import markers

BEGIN = "<!-- holdfast:begin (written by Holdfast; changes in here are lost) -->"
END = "<!-- holdfast:end -->"
# The first line of a rules file that is wholly ours: somebody may have written one under the same name.
NOTE = "<!-- Written by Holdfast. Changes in here are lost. -->\n"
_BEGINS = "<!-- holdfast:begin"
MARK = "holdfast:pattern-begin"
_BEGIN = f"<!-- {MARK} "
_END = "<!-- holdfast:pattern-end {} -->"
_CLOSE = "-->"
_DIGEST = 12


def newline_of(text: str) -> str:
    """Return how lines end in this text."""
    return "\r\n" if "\r\n" in text else "\n"


def put_memories(text: str, block: str) -> str:
    """Return the text with the block of memories in it: in its old place, or at the end."""
    newline = newline_of(text)
    lines = newline.join([BEGIN, *block.rstrip("\n").splitlines(), END])
    found = find_memories(text)
    if found is not None:
        return text[: found[0]] + lines + text[found[1] :]
    # A last line without a line end keeps none, so that the text can be restored exactly.
    end = newline if not text or text.endswith("\n") else ""
    return text + (newline if text else "") + lines + end


def drop_memories(text: str) -> str:
    """Return the text without the block of memories; without one it is returned as it is."""
    found = find_memories(text)
    if found is None:
        return text
    newline = newline_of(text)
    before, after = text[: found[0]], text[found[1] :].removeprefix(newline)
    return (before if after else before.removesuffix(newline)) + after


def find_memories(text: str) -> tuple[int, int] | None:
    """Return where the block of memories stands. A begin without its end, and an end without its begin, are left."""
    start = -1
    for place, marker, _ in markers(text):
        if marker.startswith(_BEGINS):
            start = place
        elif marker == END and start >= 0:
            # A fence inside the block must not make it look like an example that the person wrote.
            emptied = markers(f"{text[:start]}{BEGIN}\n{text[place:]}")
            if (start, BEGIN, False) in emptied:
                return start, place + len(END)
            start = -1
    return None


@dataclass(frozen=True, slots=True)
class PatternBlock:
    """A block and where its two lines begin and end; `inner` is what stands between them.

    `is_whole` is false where its last line is missing, and then nobody can tell what is ours.
    """

    name: str
    start: int
    end: int
    inner: str
    digest: str
    newline: str
    is_whole: bool = True


def pattern_blocks(text: str) -> list[PatternBlock]:
    """Return every block in a text, as they stand."""
    found = []
    at = text.find(_BEGIN)
    while at >= 0:
        block = _block(text, at) if at == 0 or text[at - 1] == "\n" else None
        if block is not None:
            found.append(block)
        at = text.find(_BEGIN, block.end if block is not None else at + 1)
    return found


def find(text: str, name: str) -> PatternBlock | None:
    """Return the block of that name; the first of several."""
    return next((block for block in pattern_blocks(text) if block.name == name), None)


def _block(text: str, at: int) -> PatternBlock | None:
    close = text.find(_CLOSE, at)
    told = text[at + len(_BEGIN) : close].split()
    if close < 0 or "\n" in text[at:close] or len(told) < 2:
        return None
    first = close + len(_CLOSE)
    newline = "\r\n" if text.startswith("\r\n", first) else "\n"
    last = _END.format(told[0])
    end = text.find(last, first)
    following = text.find(_BEGIN, first)
    if end < 0 or 0 <= following < end:
        return PatternBlock(told[0], at, first, "", told[1], newline, is_whole=False)
    inner = text[first:end].removeprefix(newline).removesuffix(newline)
    return PatternBlock(told[0], at, end + len(last), inner, told[1], newline)


def is_untouched(text: str, block: PatternBlock, *, own: bool) -> bool:
    """Whether nobody changed the block since we wrote it; of a file of our own, whether nobody changed the file."""
    if own:
        return text[block.end :] == block.newline and _digest(text[: block.start] + block.inner) == block.digest
    return block.is_whole and _digest(block.inner) == block.digest


def put(text: str, name: str, body: str) -> str:
    """Return the text with the block in it: in its old place, or at the end."""
    newline = newline_of(text)
    lines = _lines(name, body, _digest(body), newline)
    found = find(text, name)
    if found is not None:
        return text[: found.start] + lines + text[found.end :]
    if not text:
        return lines + newline
    end = len(text.removesuffix("\n").removesuffix("\r")) if text.endswith("\n") else len(text)
    return text[:end] + newline * 2 + lines + text[end:]


def drop(text: str, name: str) -> str:
    """Return the text without the blocks of that name, and without the line ends that are ours."""
    while (block := find(text, name)) is not None and block.is_whole:
        before, after, newline = text[: block.start], text[block.end :], block.newline
        if before:
            before = before.removesuffix(newline).removesuffix(newline)
        else:
            after = after.removeprefix(newline)
            # Text after a lone block was put there behind two line ends of its own.
            after = after.removeprefix(newline) if after.startswith(newline + _BEGIN) else after
        text = before + after
    return text


def whole(name: str, head: str, body: str) -> str:
    """Return the text of a file of our own: what it must begin with, and the block."""
    return head + _lines(name, body, _digest(head + body), "\n") + "\n"


def _lines(name: str, body: str, digest: str, newline: str) -> str:
    first = f"{_BEGIN}{name} {digest} (written by Holdfast) {_CLOSE}"
    return newline.join([first, *body.split("\n"), _END.format(name)])


def _digest(text: str) -> str:
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8")).hexdigest()[:_DIGEST]
