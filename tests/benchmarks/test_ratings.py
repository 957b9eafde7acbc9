"""The benchmark of ratings: what it promises of the messages that rules were written with."""

from __future__ import annotations

import pytest


@pytest.fixture
def report(cli):
    """The figures of the messages that rules may be written with."""
    return cli("bench", "ratings", "--part", "dev", "--json").json


def test_numbers_are_read_exactly(report) -> None:
    """Every message of the set gives exactly the rating and the comment that it should, or none."""
    numbers = report["explicit"]
    assert numbers["messages"] >= 250 and 0 < numbers["ratings"] < numbers["messages"]
    assert numbers["wrong"] == [] and numbers["exact"] == numbers["messages"]


def test_moods_are_rarely_found_where_there_is_none(report) -> None:
    """Nine of ten moods that are found are there, and some are found at all."""
    (dev,) = report["implicit"]
    for row in dev["rows"]:
        assert row["precision"] >= 0.9 and row["found"] >= row["labelled"] / 3, row


def test_it_prints_lines_for_people(cli) -> None:
    """Without --json each mood is a line with its precision and its recall."""
    lines = cli("bench", "ratings", "--part", "dev").out.splitlines()
    assert lines[0].startswith("by a number: ")
    assert [line.split()[:2] for line in lines[2:4]] == [["written", "praise"], ["written", "frustration"]]
    assert not any(line.startswith("{") for line in lines)
