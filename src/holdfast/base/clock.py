"""The time, and times as text: ISO 8601 in UTC to the second with `Z`, so that the texts sort as the times do.

Whoever waits for another process waits here, too: a hook sets one deadline, which no lock and no database exceeds.

Hooks use all of this, so `datetime` is loaded only for a time that a person wrote by hand.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DAY_SECONDS = 86_400
UNDATED = "undated"
_PLAIN = "0000-00-00T00:00:00Z"
_FORM = "".join(["0" if chr(code).isdigit() else chr(code) for code in range(128)])
MADE_ONCE = ("_FORM",)
# The number of the first day of 1970, counted as in `_days`.
_FIRST_OF_1970 = 719_469


class Deadline:
    """Until when this process may wait for others, by `time.monotonic`; only a hook has such a time."""

    until = float("inf")

    @classmethod
    def is_set(cls) -> bool:
        """Whether somebody waits for this process, so that it may not wait for others as long as it likes."""
        return cls.until < float("inf")

    @classmethod
    def is_over(cls) -> bool:
        """Whether the time for waiting is over."""
        return time.monotonic() >= cls.until


def tries(seconds: float) -> Iterator[None]:
    """Yield for each attempt to get what another process holds, until the seconds or the deadline are over.

    There is always one try. The pauses between them grow.
    """
    end, pause = min(time.monotonic() + seconds, Deadline.until), 0.0002
    while True:
        yield
        left = end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(pause, left))
        pause = min(pause * 2, 0.02)


def now() -> str:
    """Return the present time."""
    return iso(time.time())


def iso(seconds: float) -> str:
    """Return a time that is given in seconds since 1970."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def seconds(at: str) -> float:
    """Return a time as seconds since 1970; NaN for what is not a time, which then compares with no other."""
    try:
        days = _days(int(at[:4]), int(at[5:7]), int(at[8:10])) - _FIRST_OF_1970
        return float(days * DAY_SECONDS + int(at[11:13]) * 3_600 + int(at[14:16]) * 60 + int(at[17:19]))
    except ValueError:
        return float("nan")


def _days(year: int, month: int, day: int) -> int:
    # Years are counted from March, so that the leap day is the last.
    year -= month <= 2
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day


def days_between(earlier: str, later: str) -> float:
    """Return how many days lie between two times, never below zero; ValueError where one of them is not a time."""
    return max(0.0, (_read(later) - _read(earlier)) / DAY_SECONDS)


def _read(text: str) -> float:
    """Return a time as seconds since 1970, also one that a person wrote by hand, in any form of ISO 8601."""
    if text.translate(_FORM) == _PLAIN and "01" <= text[5:7] <= "12" and "01" <= text[8:10] <= "31":
        return seconds(text)
    from datetime import UTC, datetime

    found = datetime.fromisoformat(text)
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def is_day(text: str) -> bool:
    """Whether the text is a day as it is written on pages and in file names: 2026-11-15."""
    return text[4:5] == text[7:8] == "-" and _are_digits(text[:4] + text[5:7] + text[8:], 8)


def is_date(text: str) -> bool:
    """Whether the text is a day that the calendar has: 2026-02-30 is not."""
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def month_of(at: str) -> str:
    """Return the month of a time, `YYYY-MM`; any other text is `undated`, so that it leads no path astray."""
    month = at[:7]
    return month if month[4:5] == "-" and _are_digits(month[:4] + month[5:], 6) else UNDATED


def stamp_of(at: str) -> tuple[str, str]:
    """Return the month and the moment that names of folders and files begin with; `undated` for what is no time."""
    month, day = month_of(at), at[8:10]
    clock = "".join([letter for letter in at[10:19] if letter.isdigit()])
    if month == UNDATED or at[7:8] != "-" or not _are_digits(day + clock, 8):
        return UNDATED, UNDATED
    return month, f"{month}-{day}-{clock}"


def _are_digits(text: str, count: int) -> bool:
    return len(text) == count and text.isascii() and text.isdigit()
