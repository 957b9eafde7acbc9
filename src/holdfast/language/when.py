"""Times that people write: `7d`, `yesterday`, `2026-11-01`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from holdfast.errors import BadInput

_UNITS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
_NAMES = {"today": 0, "yesterday": 1}
_MAX_DIGITS = 6


def moment(text: str, now: str) -> str:
    """Return the time that the text means, as ISO 8601 in UTC."""
    try:
        found = _meant(text.strip(), datetime.fromisoformat(now))
    except ValueError:
        raise BadInput(f"{text!a} is not a time", "Use 2026-11-01, 7d, 2w, 3m, 12h, today or yesterday.") from None
    except OverflowError:
        raise BadInput(f"{text!a} is too long ago", "Use a date, for example 2026-11-01.") from None
    # Not strftime: it leaves out the leading zeros of early years, and times are compared as texts.
    return found.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _meant(wish: str, today: datetime) -> datetime:
    name = wish.lower()
    if name in _NAMES:
        return today.replace(hour=0, minute=0, second=0) - timedelta(days=_NAMES[name])
    if name[:-1].isascii() and name[:-1].isdecimal() and name[-1] in _UNITS:
        if len(name) > _MAX_DIGITS:
            raise OverflowError
        return today - timedelta(days=int(name[:-1]) * _UNITS[name[-1]])
    found = datetime.fromisoformat(wish)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
