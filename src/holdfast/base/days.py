"""How many days lie between two times, without `datetime`: a session's start asks it of every memory that it ranks."""

from __future__ import annotations

_PLAIN = "dddd-dd-ddTdd:dd:ddZ"
_DAY = 86_400
# The number of the first of March in the year one.
_FIRST_OF_MARCH = 366


def days_between(earlier: str, later: str) -> float:
    """Return how many days lie between two times of memory files; never below zero."""
    return max(0.0, (_seconds(later) - _seconds(earlier)) / _DAY)


def _seconds(text: str) -> float:
    """Return the seconds from the beginning of the calendar to that time."""
    if not _is_plain(text):
        return _by_datetime(text)
    month, day = int(text[5:7]), int(text[8:10])
    # A year begins in March here, so that the leap day is its last.
    year = int(text[:4]) - (month <= 2)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day
    return days * _DAY + int(text[11:13]) * 3_600 + int(text[14:16]) * 60 + int(text[17:19])


def _is_plain(text: str) -> bool:
    """Whether the time is written as Holdfast itself does."""
    if not text.isascii() or "".join(["d" if letter.isdigit() else letter for letter in text]) != _PLAIN:
        return False
    return "01" <= text[5:7] <= "12" and "01" <= text[8:10] <= "31"


def _by_datetime(text: str) -> float:
    # Only for what a person wrote by hand.
    from datetime import UTC, datetime

    found = datetime.fromisoformat(text)
    at = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return (at - datetime(1, 3, 1, tzinfo=UTC)).total_seconds() + _FIRST_OF_MARCH * _DAY
