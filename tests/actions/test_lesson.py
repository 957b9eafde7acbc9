"""Lessons of a project."""

from __future__ import annotations

import pytest

from holdfast.actions import lesson
from holdfast.errors import ScopeUnknown

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def page(home):
    """Where the page lies."""
    return home / "memory" / "projects" / SHOP / "lessons.md"


def test_a_lesson_says_the_rule_and_what_went_wrong(cli, shop, page) -> None:
    """A lesson is a row with id, day, rule, what went wrong and its source; it is listed with the reason."""
    words = ("lesson", "Migrate", "first", "--because", "the deploy broke", "--source", "review")
    assert cli(*words).out.startswith("added  L1  20")
    assert "| Id | Date | Lesson | What went wrong | Source |\n" in page.read_text()
    assert "| Migrate first | the deploy broke | review |\n" in page.read_text()
    (found,) = cli("lesson", "--json").json["lessons"]
    assert (found["text"], found["because"], found["source"]) == ("Migrate first", "the deploy broke", "review")
    assert "Migrate first\n    the deploy broke\n" in cli("lesson").out


def test_a_lesson_is_withdrawn_or_replaced(cli, shop, page) -> None:
    """What holds no longer is struck through and only listed with --all."""
    cli("lesson", "Migrate first")
    cli("lesson", "Migrate last", "--replaces", "L1")
    assert cli("lesson", "withdraw", "L2").out.startswith("withdrawn  L2")
    assert "~~Migrate first~~ (replaced by L2 20" in page.read_text()
    assert cli("lesson").out == "" and len(cli("lesson", "--all").out.splitlines()) == 2


def test_a_column_that_somebody_added_stays(cli, shop, page) -> None:
    """A table with further columns is written to as well: they are empty in a new row, and untouched in the others."""
    cli("lesson", "Migrate first")
    text = (
        page.read_text()
        .replace("Source |\n|---", "Source | Evidence |\n|---|---")
        .replace("|  |\n", "|  | 3 times |\n")
    )
    page.write_text(text)
    cli("lesson", "Rest")
    cli("lesson", "withdraw", "L1")
    assert "(withdrawn 20" in page.read_text() and "|  |  | 3 times |\n" in page.read_text()
    assert "| Rest |  |  |  |\n" in page.read_text()


def test_the_source_is_cleaned_too(cli, shop, page) -> None:
    """A secret in the source is not written."""
    assert cli("lesson", "Rotate tokens", "--source", TOKEN, "--json").json["redacted"] == ["github-token"]
    assert TOKEN not in page.read_text()


def test_without_a_project_it_fails(house, machine, home) -> None:
    """A lesson belongs to a project, and never falls into global."""
    with house(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        lesson.learn(opened, "x")
    assert not home.exists()
