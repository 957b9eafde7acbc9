"""The clock: times as text, counted without a calendar, and names of folders and files after a time."""

from __future__ import annotations

import math
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.base.clock import days_between, is_date, iso, month_of, now, seconds, stamp_of
from holdfast.learning.research.model import Report, add

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


@given(TIMES.filter(lambda at: at.year >= 1000))
def test_a_time_and_its_seconds_are_the_same(at) -> None:
    """The seconds of a time are those that the calendar says, and make the same text again."""
    assert seconds(written(at)) == at.timestamp()
    assert iso(at.timestamp()) == written(at)


def test_now_has_the_form_of_every_time() -> None:
    """The present time has a month and a moment, and lies no day from itself."""
    at = now()
    assert stamp_of(at) != ("undated", "undated") and days_between(at, at) == 0


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-15", "2026-11-15Tnoon"])
def test_what_is_no_time_is_not_a_number(text) -> None:
    """It is near to no other time, not even to itself."""
    assert math.isnan(seconds(text))


@pytest.mark.parametrize("at", ["2026-05-04T10:15:30Z", "2026-05-04 10:15:30", "2026-05-04T10:15:30.123+02:00"])
def test_a_time_names_its_month_and_moment(at) -> None:
    """Whatever stands between the parts and behind the seconds, the name is the same."""
    assert stamp_of(at) == ("2026-05", "2026-05-04-101530") and month_of(at) == "2026-05"


@pytest.mark.parametrize(
    "at",
    [
        *("", "yesterday", "2026", "2026-05-04", "../2026/1115123456x", "../1-23456789012345", "/1234-5678901234567"),
        *("2026/05/04T10:15:30", "2026-0５-04T10:15:30", "2026-05/04T10:15:30", "\0" * 19),
    ],
)
def test_what_is_no_time_is_undated(at) -> None:
    """A text that would lead to another folder names none."""
    assert stamp_of(at) == ("undated", "undated")
    assert month_of(at) in ("2026-05", "undated")


def test_a_time_leads_to_no_other_folder(home) -> None:
    """A report whose time climbs out of its folder is kept as one without a time."""
    path = add(str(home), Report("../2026/1115123456x", "codex", "s1", "", "shop", "The cache is never cleared. " * 20))
    assert path.startswith("research/undated/") and os.listdir(home / "research") == ["undated"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2026-11-15", True), ("2028-02-29", True), ("2026-02-29", False), ("2026-W46-7", False), ("20261115", False)],
)
def test_a_date_is_a_day_that_the_calendar_has(text, expected) -> None:
    """A date is a day of the calendar, written in the one form that pages have."""
    assert is_date(text) is expected
