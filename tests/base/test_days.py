"""How long ago: counted without a calendar, and the same as a calendar says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.base.days import days_between

NOW = "2026-11-15T09:30:00Z"
TIMES = st.datetimes(min_value=datetime(1, 1, 1), timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0))


def written(at: datetime) -> str:
    """Return the time as memory files have it."""
    return at.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def test_days_never_run_backwards() -> None:
    """A time in the future is no days ago, so that a wrong clock does not lift a memory."""
    assert days_between("2026-11-14T09:30:00Z", NOW) == 1
    assert days_between("2027-01-01T00:00:00Z", NOW) == 0


@given(TIMES, TIMES)
def test_days_are_those_of_the_calendar(one, other) -> None:
    """Between any two times lie as many days as the calendar says, leap years and all."""
    earlier, later = sorted([one, other])
    assert days_between(written(earlier), written(later)) == (later - earlier).total_seconds() / 86_400


@pytest.mark.parametrize("text", ["2026-11-14", "2026-11-14T01:00+01:00", "2026-11-14T00:00:00.000Z"])
def test_a_time_that_a_person_wrote_is_understood(text) -> None:
    """A day alone, another zone and parts of a second are times as well."""
    assert days_between(text, "2026-11-15T00:00:00Z") == days_between("2026-11-14T00:00:00Z", text) + 1
