"""Times that people write: `7d`, `yesterday`, `2026-11-01`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from holdfast.errors import BadInput

_UNITS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
_NAMES = {"today": 0, "yesterday": 1}


def moment(text: str, now: str) -> str:
    """Return the time that the text means, as ISO 8601 in UTC."""
    today = datetime.fromisoformat(now)
    wish = text.strip().lower()
    if wish in _NAMES:
        start = today.replace(hour=0, minute=0, second=0)
        return _iso(start - timedelta(days=_NAMES[wish]))
    if wish[:-1].isdigit() and wish[-1] in _UNITS:
        return _ago(today, int(wish[:-1]) * _UNITS[wish[-1]], text)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(f"{text!r} is no time", "Use 2026-11-01, 7d, 2w, 3m, 12h, today or yesterday.") from None
    return _iso(found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC))


def days_between(earlier: str, later: str) -> float:
    """Return how many days lie between two times of memory files; never below zero."""
    gap = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0.0, gap.total_seconds() / 86_400)


def _ago(today: datetime, days: float, text: str) -> str:
    try:
        return _iso(today - timedelta(days=days))
    except OverflowError:
        raise BadInput(f"{text!r} is too long ago", "Use a date, for example 2026-11-01.") from None


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
