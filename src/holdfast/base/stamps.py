"""How folders and files of learning are named after a time that somebody told."""

from __future__ import annotations

UNDATED = "undated"


def month_of(at: str) -> str:
    """Return the month of a time, `YYYY-MM`; what begins with none is `undated`, so that no path leads elsewhere."""
    month = at[:7]
    return month if month[4:5] == "-" and _are_digits(month[:4] + month[5:], 6) else UNDATED


def stamp_of(at: str) -> tuple[str, str]:
    """Return the month and the moment of a time as names of folders and files begin; `undated` for what is none."""
    month, day = month_of(at), at[8:10]
    clock = "".join([letter for letter in at[10:19] if letter.isdigit()])
    if month == UNDATED or at[7:8] != "-" or not _are_digits(day + clock, 8):
        return UNDATED, UNDATED
    return month, f"{month}-{day}-{clock}"


def _are_digits(text: str, count: int) -> bool:
    return len(text) == count and text.isascii() and text.isdigit()
