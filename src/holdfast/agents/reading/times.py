"""Times as every reader tells them: ISO 8601 in UTC with milliseconds and `Z`, such that their text sorts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def when(value: Any) -> str:
    """Return a time as text; nothing where it is none. Numbers are seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return value if _is_told_so(value) else _utc(moment)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return _utc(datetime.fromtimestamp(value / 1_000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        pass
    return ""


def _is_told_so(value: str) -> bool:
    """Whether a text that is a time has the form already; a week may stand where the month does."""
    return len(value) == 24 and value[10] == "T" and value[19] == "." and value[23] == "Z" and value[5] != "W"


def _utc(moment: datetime) -> str:
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def milliseconds(start: str, end: str) -> int:
    """Return the time between two times, 0 where either is missing or they run backwards."""
    try:
        gap = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (ValueError, TypeError):
        return 0
    return max(0, round(gap.total_seconds() * 1_000))
