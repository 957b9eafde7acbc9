"""Texts brought to one short line, such that nothing stands together that stood apart before."""

from __future__ import annotations

import re

CUT = "…"
# A control character becomes a space and is not dropped: two halves of a secret must not become one.
_NOT_PLAIN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Of a long text this many times its bound is looked at.
_LOOK = 8


def one_line(text: str, most: int) -> str:
    """Return the text on one line, in at most so many characters, cut between words where one ends near the cut."""
    if len(text) <= most and text.isprintable() and "  " not in text:
        return text.strip()
    line = " ".join(text[: most * _LOOK].split())
    if not line.isprintable():
        line = " ".join(_NOT_PLAIN.sub(" ", line).split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    space = head.rfind(" ")
    return (head[:space] if space > most * 2 // 3 else head) + CUT


def ends_of(text: str, most: int) -> str:
    """Return the text, of a long one the beginning and the end, on lines of their own."""
    return text if len(text) <= 2 * most else f"{text[:most]}\n{text[-most:]}"
