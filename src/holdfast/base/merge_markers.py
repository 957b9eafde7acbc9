"""The markers that a line merge of git leaves in a file, and the versions between them."""

from __future__ import annotations

_OURS, _BASE, _BETWEEN, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def versions(text: str) -> tuple[str, str, str] | None:
    """Return the base, our version and theirs of a text with markers; None where no merge left any.

    The base is empty where git gave none. All three signs stand there in their order, each at a line's beginning.
    """
    if _OURS not in text:
        return None
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    which: tuple[int, ...] = (0, 1, 2)
    is_there = False
    for line in text.splitlines(keepends=True):
        sign = line[:7] if line[7:8] in ("", " ", "\n", "\r") else ""
        if sign == _OURS and len(which) == 3:
            which = (1,)
        elif sign == _BASE and which == (1,):
            which = (0,)
        elif sign == _BETWEEN and which in ((1,), (0,)):
            which = (2,)
        elif sign == _THEIRS and which == (2,):
            which, is_there = (0, 1, 2), True
        else:
            for each in which:
                found[each].append(line)
    base, ours, theirs = ("".join(lines) for lines in found)
    return (base, ours, theirs) if is_there else None
