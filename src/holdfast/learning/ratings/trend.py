"""How ratings go: the last thirty days of a project beside the thirty before, as one line of numbers.

Nothing that a person wrote is in it. A hook reads the end of the file only.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.language.ratings import Rating

PLACE = os.path.join("learning", "signals", "ratings.jsonl")
DAYS = 30
# As many bytes of the newest rows are looked at: some hundred ratings.
_MAX_READ = 131_072
_MAX_ROWS = 200
_LAST = 5
# Fewer ratings than this, or a smaller difference, are no direction.
_FEWEST = 3
_MIN = 1.0
_HIGHEST = 10
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class GivenRating:
    """Of a rating what a trend needs: when, how good, and in which session."""

    at: str
    rating: int
    session: str


def recent(home: str, projects: Collection[str], since: str) -> list[GivenRating]:
    """Return the newest ratings of a project since a time, oldest first."""
    marks = [f'"project": {dumps(project)}'.encode() for project in projects]
    lines = [line for line in _end_of(os.path.join(home, PLACE)) if any(mark in line for mark in marks)]
    rows = [row for line in lines[-_MAX_ROWS:] if (row := _given(line)) is not None]
    return sorted([row for row in rows if row.at >= since], key=lambda row: row.at)


def line(home: str, projects: Collection[str], at: float) -> str:
    """Return the trend of a project as one line, or nothing where nobody rated it in the last thirty days."""
    now, middle, first = (iso(at - days * _DAY_SECONDS) for days in (0, DAYS, 2 * DAYS))
    rows = [row for row in recent(home, projects, first) if row.at <= now]
    late = [row for row in rows if row.at >= middle]
    if not late:
        return ""
    early = [row for row in rows if row.at < middle]
    sessions = len({row.session for row in late})
    counts = f"{_count(len(late), 'rating')} in {_count(sessions, 'session')}"
    told = f"{average(late):.1f} of 10 on average, {counts} of the last {DAYS} days"
    before = f"; {average(early):.1f} in the {DAYS} days before" if len(early) >= _FEWEST else ""
    last = ", ".join([str(row.rating) for row in late[-_LAST:]])
    return f"{told}{before}{_direction(early, late)}; the last: {last}"


def average(rows: Sequence[GivenRating] | Sequence[Rating]) -> float:
    """Return the mean of some ratings; of none it is 0, which no rating is."""
    return sum(row.rating for row in rows) / len(rows) if rows else 0.0


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _direction(early: Sequence[GivenRating], late: Sequence[GivenRating]) -> str:
    if min(len(early), len(late)) < _FEWEST:
        return ""
    by = average(late) - average(early)
    if abs(by) < _MIN:
        return ", about the same"
    return ", rising" if by > 0 else ", falling"


def _given(line: bytes) -> GivenRating | None:
    """Return what a row says, read at the names of its fields: a start has no time to decode some hundred of them.

    Quotes within a text are escaped, so no text can pass for a field.
    """
    at, rating = _field(line, b'"at": "', b'"'), _field(line, b'"rating": ', b",")
    if b'"source": "passed-on"' in line:
        # An agent says that the person said so, and nobody heard it.
        return None
    if not line.endswith(b"}") or not rating.isdigit() or not 1 <= int(rating) <= _HIGHEST:
        return None
    session = _field(line, b'"agent": "', b'"') + b"/" + _field(line, b'"session": "', b'"')
    return GivenRating(at.decode("utf-8", "replace"), int(rating), session.decode("utf-8", "replace"))


def _field(line: bytes, name: bytes, end: bytes) -> bytes:
    start = line.find(name)
    return line[start + len(name) : line.find(end, start + len(name))] if start >= 0 else b""


def _end_of(path: str) -> list[bytes]:
    """Return the last lines of the file; what could not be read has none."""
    try:
        data, start = files.read_tail(path, _MAX_READ)
    except OSError:
        return []
    lines = data.split(b"\n")
    # The first one is cut, unless the file begins with it.
    return lines[1:] if start else lines
