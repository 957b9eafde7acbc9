"""Marker lines of ours in a person's text: each a line of its own outside of fenced code.

Anywhere else, in a sentence or in an example, a marker is something that the person writes about.
"""

from __future__ import annotations

from io import StringIO

_MARKER = "<!-- holdfast:"
_FENCES = ("```", "~~~")
_BULLETS = ("- ", "* ", "+ ")
_BYTE_ORDER_MARK = "\ufeff"


def markers(text: str) -> list[tuple[int, str, bool]]:
    """Return where each marker line begins, what it says, and whether it stands within fenced code."""
    if _MARKER not in text:
        return []
    lines, at = lines_of(text), 0
    found = []
    for line, is_code in zip(lines, in_code(lines), strict=True):
        bare = line.strip(" \t\r\n" + _BYTE_ORDER_MARK)
        if bare.startswith(_MARKER) and bare.endswith("-->") and bare.count("<!--") == 1:
            found.append((at + line.find(bare), bare, is_code))
        at += len(line)
    return found


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their endings; only CR and LF end a line."""
    return list(StringIO(text, newline=""))


def in_code(lines: list[str]) -> list[bool]:
    """Say of each line whether it belongs to fenced code; a fence that is never closed hides nothing."""
    fences = [(place, *fence(line)) for place, line in enumerate(lines) if "```" in line or "~~~" in line]
    closing = {"`": 0, "~": 0, "": 0}
    are_closed: list[bool] = []
    for _, sign, length, may_close in reversed(fences):
        are_closed.append(closing[sign] >= length > 0)
        closing[sign] = max(closing[sign], length if may_close else 0)
    code = [False] * len(lines)
    first, until, least = -1, "", 0
    for (place, sign, length, may_close), is_closed in zip(fences, reversed(are_closed), strict=True):
        if first < 0 and is_closed:
            first, until, least = place, sign, length
        elif first >= 0 and may_close and sign == until and length >= least:
            code[first : place + 1] = [True] * (place + 1 - first)
            first = -1
    return code


def is_fence(line: str) -> bool:
    """Whether the line may begin or end fenced code."""
    return bool(fence(line)[0])


def fence(line: str) -> tuple[str, int, bool]:
    """Return the sign and the length of the fence on a line, and whether it may close one; no sign for no fence."""
    text = line.strip(" \t\r\n" + _BYTE_ORDER_MARK)
    # Code may begin right after the bullet of a list, but it does not end after one.
    bare = text[2:].lstrip() if text.startswith(_BULLETS) else text
    sign = bare[:1]
    rest = bare.lstrip(sign) if bare.startswith(_FENCES) else bare
    # Backticks with more of them later in the line are code within a sentence.
    if rest == bare or (sign == "`" and sign in rest):
        return "", 0, False
    return sign, len(bare) - len(rest), not rest and bare == text
