"""The meter of tokens: what of a file counts, and what the file of before has counted today."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.continuity.distil_ask import Meter

DAY = "2026-05-04"


def meter(home: Path, name: str, text: bytes) -> Meter:
    """Return the meter of a home where such a file has this text."""
    folder = home / "state" / "distil"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(text)
    return Meter(str(home), DAY, 1_000)


@pytest.mark.parametrize(
    "text",
    [
        b"2026-05-04\t" + b"9" * 4_000,
        b"2026-05-04\t" + b"9" * 5_000_000,
        b"2026-05-04\t1000000000000\n",
        b"2026-05-04\t-700\n",
        b"2026-05-04\t7e5\n",
        "2026-05-04\t٧٠٠\n".encode(),
        b"2026-05-04\t\n",
        b"2026-05-04\n",
        b"2026-05-04\t700\n2026-05-05\t700\n",
        b"zzzz\t700\n",
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_what_is_no_count_counts_nothing(home, text: bytes) -> None:
    """A number that cannot be and garbage do not stop a day; the next call writes a good file."""
    one = meter(home, "tokens.day", text)
    assert one.spent() == 0 and one.set_aside(60)
    one.settle(60, 10)
    assert (one.spent(), (home / "state" / "distil" / "tokens.day").read_text()) == (10, "2026-05-04\t10\n")


def test_the_file_of_before_counts_today(home) -> None:
    """What an earlier version counted today is taken over once, and its file stays as it is."""
    one = meter(home, "tokens.tsv", b"2026-05-04\t700\n")
    assert one.spent() == 700 and not one.set_aside(400) and one.set_aside(100)
    one.settle(100, 50)
    assert one.spent() == 750 and Meter(str(home), "2026-05-05", 1_000).spent() == 0
    assert (home / "state" / "distil" / "tokens.tsv").read_bytes() == b"2026-05-04\t700\n"


@pytest.mark.parametrize(
    "text", [b"0123456789abcdef\t2026-05-04\n", b"2026-05-03\t700\n", b"2026-05-04\t" + b"9" * 4_000]
)
def test_what_is_no_meter_of_today_is_not_taken_over(home, text: bytes) -> None:
    """The to-dos of a project with the id `tokens`, another day and a number that cannot be count nothing."""
    one = meter(home, "tokens.tsv", text)
    assert one.spent() == 0 and one.set_aside(1_000)
    assert (home / "state" / "distil" / "tokens.tsv").read_bytes() == text


def test_a_day_that_comes_later_is_not_taken_back(home) -> None:
    """A call that ends on the day after leaves what that day has counted, and its own day begins at nothing."""
    one = meter(home, "tokens.day", b"2026-05-05\t50\n")
    one.settle(60, 10)
    assert Meter(str(home), "2026-05-05", 1_000).spent() == 50
