"""Looking around before there is a home makes none."""

from __future__ import annotations

import pytest

READS = [
    "recall apples",
    "list",
    "list --everywhere",
    "status",
    "lint",
    "doctor",
    "doctor --fix",
    "project",
    "config",
    "config get recall.limit",
    "prune --dry-run",
    "heal --dry-run",
    "tidy --dry-run",
    "init --dry-run",
    "sessions",
    "sessions --everywhere",
    "sessions cost",
    "sessions search apples",
    "timeline",
    "activity --recent",
    "todo",
    "decide --all",
    "lesson",
]


@pytest.mark.parametrize("words", READS)
def test_reading_makes_nothing(cli, shop, machine, tree, words) -> None:
    """A reading command in a fresh account ends with 0 and leaves not one file behind."""
    before = tree(machine, index=True)
    for more in ((), ("--json",)):
        assert cli(*words.split(), *more).code == 0
    assert tree(machine, index=True) == before


@pytest.mark.parametrize(
    "words", ["show apples", "history apples", "forget apples --yes", "pin apples", "move apples --to global"]
)
def test_what_is_not_there_makes_nothing(cli, shop, home, words) -> None:
    """Asking for a memory in a home that is not there is 3, and makes nothing."""
    assert cli(*words.split()).code == 3
    assert not home.exists()


def test_status_says_how_to_begin(cli, shop, home) -> None:
    """Status names the home that will be, and the command that makes it."""
    assert f"{home}  (not there yet: holdfast up)" in cli("status").out
