"""Blocks of ours, each under a name, in a text that is otherwise the person's; or in a file that holds nothing else.

A block stands between two lines that carry its name. The first has a digest, too, by which an edit by hand is known.
The two line ends before a block are ours as well, so a text without its blocks is what it was, byte for byte.
"""

from __future__ import annotations

import hashlib

from holdfast.base.light_records import dataclass

MARK = "holdfast:pattern-begin"
_BEGIN = f"<!-- {MARK} "
_END = "<!-- holdfast:pattern-end {} -->"
_CLOSE = "-->"
_DIGEST = 12


@dataclass(frozen=True, slots=True)
class Block:
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


def blocks(text: str) -> list[Block]:
    """Return every block in a text, as they stand."""
    found = []
    at = text.find(_BEGIN)
    while at >= 0:
        block = _block(text, at) if at == 0 or text[at - 1] == "\n" else None
        if block is not None:
            found.append(block)
        at = text.find(_BEGIN, block.end if block is not None else at + 1)
    return found


def find(text: str, name: str) -> Block | None:
    """Return the block of that name; the first of several."""
    return next((block for block in blocks(text) if block.name == name), None)


def _block(text: str, at: int) -> Block | None:
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
        return Block(told[0], at, first, "", told[1], newline, is_whole=False)
    inner = text[first:end].removeprefix(newline).removesuffix(newline)
    return Block(told[0], at, end + len(last), inner, told[1], newline)


def is_untouched(text: str, block: Block, *, own: bool) -> bool:
    """Whether nobody changed the block since we wrote it; of a file of our own, whether nobody changed the file."""
    if own:
        return text[block.end :] == block.newline and _digest(text[: block.start] + block.inner) == block.digest
    return block.is_whole and _digest(block.inner) == block.digest


def put(text: str, name: str, body: str) -> str:
    """Return the text with the block in it: in its old place, or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
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
    while (found := find(text, name)) is not None and found.is_whole:
        text = _without(text, found)
    return text


def _without(text: str, block: Block) -> str:
    before, after, newline = text[: block.start], text[block.end :], block.newline
    if before:
        return before.removesuffix(newline).removesuffix(newline) + after
    after = after.removeprefix(newline)
    # What followed an only block was put there behind two line ends of its own.
    return after.removeprefix(newline) if after.startswith(newline + _BEGIN) else after


def whole(name: str, head: str, body: str) -> str:
    """Return the text of a file of our own: what it must begin with, and the block."""
    return head + _lines(name, body, _digest(head + body), "\n") + "\n"


def _lines(name: str, body: str, digest: str, newline: str) -> str:
    first = f"{_BEGIN}{name} {digest} (written by Holdfast) {_CLOSE}"
    return newline.join([first, *body.split("\n"), _END.format(name)])


def _digest(text: str) -> str:
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8")).hexdigest()[:_DIGEST]
