"""Names of folders and files after a time."""

from __future__ import annotations

import os

import pytest

from holdfast.base.stamps import month_of, stamp_of
from holdfast.learning.research.model import Report, add


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
