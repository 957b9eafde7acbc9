"""Times that people write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.language.when import moment

NOW = "2026-11-15T09:30:00Z"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-11-01", "2026-11-01T00:00:00Z"),
        ("2026-11-01T10:00", "2026-11-01T10:00:00Z"),
        ("2026-11-01T10:00+02:00", "2026-11-01T08:00:00Z"),
        ("2026-11-01T10:00:00Z", "2026-11-01T10:00:00Z"),
        ("12h", "2026-11-14T21:30:00Z"),
        ("7d", "2026-11-08T09:30:00Z"),
        ("2W", "2026-11-01T09:30:00Z"),
        ("1m", "2026-10-16T09:30:00Z"),
        ("1y", "2025-11-15T09:30:00Z"),
        ("today", "2026-11-15T00:00:00Z"),
        (" Yesterday ", "2026-11-14T00:00:00Z"),
        ("0800-01-01", "0800-01-01T00:00:00Z"),
    ],
)
def test_a_time_as_people_write_it(text, meant) -> None:
    """Dates, times with a zone, spans and names mean one moment in UTC, written with all its digits."""
    assert moment(text, NOW) == meant


@pytest.mark.parametrize(
    "text",
    ["soon", "d", "", " ", "-3d", "²d", "٣d", "2026-13-01", "99999y", "9" * 5000 + "d", "0001-01-01T00:00+14:00"],
)
def test_what_is_no_time_is_refused(text) -> None:
    """A word that is no time, or a time before the calendar, is refused with a way out."""
    with pytest.raises(BadInput) as caught:
        moment(text, NOW)
    assert "2026-11-01" in caught.value.hint


@given(st.text(max_size=12))
def test_any_text_is_a_time_or_refused(text) -> None:
    """Whatever is typed, there is a time as memory files write it, or a clear error; nothing else."""
    try:
        found = moment(text, NOW)
    except BadInput:
        return
    assert len(found) == 20 and found.endswith("Z")
