"""Times in one form, whatever an agent writes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.reading.values import milliseconds, when

FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.mark.parametrize(
    ("told", "time"),
    [
        ("2026-03-01T10:00:01Z", "2026-03-01T10:00:01.000Z"),
        ("2026-03-01T10:00:01.2Z", "2026-03-01T10:00:01.200Z"),
        ("2026-03-01T10:00:01.234567Z", "2026-03-01T10:00:01.234Z"),
        ("2026-03-01T10:00:01.234Z", "2026-03-01T10:00:01.234Z"),
        ("2026-03-01T12:00:01.234+02:00", "2026-03-01T10:00:01.234Z"),
        ("2026-03-01 10:00:01", "2026-03-01T10:00:01.000Z"),
        ("2026-W09-7T10:00:01.234Z", "2026-03-01T10:00:01.234Z"),
        (1_772_359_201.5, "2026-03-01T10:00:01.500Z"),
        (1_772_359_201_500, "2026-03-01T10:00:01.500Z"),
        *[(nothing, "") for nothing in ("", "yesterday", "2026-13-01T10:00:01.234Z", None, True, -1, 1e300, [])],
    ],
)
def test_a_time_has_milliseconds_and_is_in_utc(told: object, time: str) -> None:
    """Seconds, fractions of any length, other zones and numbers become one form; what is no time is nothing."""
    assert when(told) == time


@given(st.text(max_size=30) | st.floats() | st.integers() | st.datetimes().map(str))
def test_whatever_is_told_has_the_form_or_is_nothing(told: object) -> None:
    """The text of times sorts, for each has the same form."""
    found = when(told)
    assert not found or FORM.fullmatch(found)
    assert when(found) == found


def test_the_time_between_two_times() -> None:
    """Where one is missing or they run backwards it is nothing."""
    first, second = "2026-03-01T10:00:01.000Z", "2026-03-01T10:00:02.500Z"
    assert (milliseconds(first, second), milliseconds(second, first), milliseconds("", second)) == (1_500, 0, 0)
