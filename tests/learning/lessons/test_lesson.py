"""Lessons of a project."""

from __future__ import annotations

import pytest

from holdfast.app.harvest import harvest
from holdfast.errors import ScopeUnknown
from holdfast.learning.lessons import lesson
from holdfast.learning.lessons.lesson import MARK
from support.learned import DELETED, REMOVED, SHOP, complained

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


def test_the_source_is_cleaned_too(cli, shop, home) -> None:
    """A secret in the source is written nowhere: not on the page, not into the learned lesson, not into its memory."""
    assert cli("lesson", "Rotate tokens", "--source", TOKEN, "--json").json["redacted"] == ["github-token"]
    written = [path for path in home.rglob("*") if path.is_file()]
    assert len(written) > 3 and [path for path in written if TOKEN.encode() in path.read_bytes()] == []


def test_the_letter_of_a_replaced_lesson_may_be_small(cli, shop) -> None:
    """A lesson that is replaced by its id is superseded as a memory, however the id is written."""
    cli("lesson", "Always run the linter before pushing")
    cli("lesson", "Deploy only from the blue host", "--replaces", "l1")
    assert "linter before pushing  (replaced by l2-deploy-only-from-the-blue-host)" in cli("list").out
    assert "linter" not in cli("lesson").out


def test_without_a_project_it_fails(workspace, machine, home) -> None:
    """A lesson belongs to a project, and never falls into global."""
    with workspace(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        lesson.learn(opened, "x")
    assert not home.exists()


def test_what_was_learned_is_listed_beside_the_page(cli, workspace, shop) -> None:
    """Learned lessons come with id, status and how often; those that were rejected only with --all."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
    cli("lesson", "Migrate first")
    (found,) = cli("lesson", "--json").json["learned"]
    assert (found["status"], found["sessions"], found["weight"], found["project"]) == ("proposed", 1, 1.0, SHOP)
    told = cli("lesson").out
    assert "L1  20" in told and f'{found["id"]}  proposed  Do not do this again: "{DELETED}"' in told
    assert "system, came up 1 time in 1 session\n" in told
    (told,) = cli("proposals", "reject", found["id"], "--json").json["decisions"]
    assert found["id"] not in cli("lesson").out and f"{found['id']}  rejected" in cli("lesson", "--all").out
    cli("updates", "undo", told["update"], "--yes")
    assert f"{found['id']}  proposed" in cli("lesson").out and found["id"] in cli("proposals").out


def test_a_proposal_that_a_stated_lesson_closes_is_named(cli, workspace, shop) -> None:
    """Who writes down what waits as a proposal is told that the proposal is closed; nobody else is."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
    (found,) = cli("proposals", "--json").json["proposals"]
    assert "proposal" not in cli("lesson", "Migrate first").err
    assert f"the proposal {found['id']} said the same" in cli("lesson", DELETED).err
    assert cli("proposals", "--json").json["proposals"] == []


def test_a_learned_lesson_is_shown_with_its_evidence(cli, workspace, shop) -> None:
    """The quote, the session and what the agent said before are there, also as JSON."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
    name = cli("lesson", "--json").json["learned"][0]["id"]
    told = cli("lesson", "show", name[:6]).out
    assert f"2026-05-04T10:30:00  rating  some-agent/s-1: {DELETED}\n        before: I cleaned up." in told
    assert cli("lesson", "show", name, "--json").json["evidence"][0]["quote"] == DELETED
    assert cli("lesson", "show", "zz").code == 3


def test_marks_move_a_learned_lesson(cli, workspace, shop) -> None:
    """Helpful adds one, harmful takes four; a standing one that does harm becomes a warning."""
    with workspace() as h:
        complained(h, shop)
        complained(h, shop, "s-2", REMOVED, day="2026-05-06")
        harvest(h)
    name = cli("lesson", "--json").json["learned"][0]["id"]
    assert cli("lesson", "helpful", name, "--json").json["weight"] == pytest.approx(3.0, abs=0.01)
    assert f"{name}  warning" in cli("lesson", "harmful", name).out
    assert "1 helpful, 1 harmful" in cli("lesson").out
    with workspace() as h:
        assert [event.data["rating"] for event in h.journal.events(MARK)] == ["helpful", "harmful"]


def test_lessons_of_another_project_are_not_listed(cli, workspace, shop, repository, monkeypatch) -> None:
    """What was learned in the shop is not shown in the till."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
    monkeypatch.chdir(repository("till"))
    assert cli("lesson", "--json").json["learned"] == []


def test_what_is_remembered_as_a_lesson_is_one(cli, shop, page) -> None:
    """`remember --type lesson` and `lesson` make the same thing: listed, on the page, recalled, with a history."""
    cli("remember", "Never squash a release branch.", "--type", "lesson", "--key", "squash")
    cli("lesson", "Migrate first", "--because", "the deploy broke")
    assert [one["key"] for one in cli("lesson", "--json").json["lessons"]] == ["l1-migrate-first", "squash"]
    assert "| squash |" in page.read_text() and "| L1 |" in page.read_text()
    assert [hit["key"] for hit in cli("recall", "release branch", "--json").json["hits"]] == ["squash"]
    assert [hit["key"] for hit in cli("recall", "migrate", "--json").json["hits"]] == ["l1-migrate-first"]
    cli("remember", "Never squash or rebase a release branch.", "--key", "squash")
    assert len(cli("history", "squash", "--json").json["statements"]) == 2
    assert "squash or rebase" in page.read_text() and cli("lesson", "withdraw", "squash").code == 0
    assert [one["id"] for one in cli("lesson", "--json").json["lessons"]] == ["L1"]
    (hit,) = cli("recall", "release branch", "--json").json["hits"]
    assert hit["superseded_by"] == "squash"


def test_a_row_that_a_person_writes_is_adopted(cli, shop, page) -> None:
    """A new row becomes a memory of theirs, a changed one what its memory says, a struck one is withdrawn."""
    cli("lesson", "Migrate first")
    cli("lesson", "Rest on Sundays")
    text = page.read_text().replace("Migrate first", "Migrate first, then deploy")
    text = text.replace("Rest on Sundays |  |  |\n", "~~Rest on Sundays~~ |  |  |\n| | | Ask Kim | she knows | |\n")
    page.write_text(f"Mine above.\n{text}Mine below, \u00e9.\n")
    told = {one["text"]: one for one in cli("lesson", "--json").json["lessons"]}
    assert [*told] == ["Migrate first, then deploy", "Ask Kim"] and told["Ask Kim"]["because"] == "she knows"
    memory = cli("show", told["Ask Kim"]["key"], "--json").json
    assert (memory["type"], memory["trust"], memory["body"]) == ("lesson", "user", "Ask Kim\n\nWhy: she knows")
    assert len(cli("history", "l1-migrate-first", "--json").json["statements"]) == 2
    assert page.read_text().startswith("Mine above.\n# Lessons\n") and page.read_text().endswith(
        "Mine below, \u00e9.\n"
    )


def test_a_list_that_a_person_kept_is_adopted_and_stays(cli, shop, page) -> None:
    """Items on a page without a table become lessons once; their lines stay where they are."""
    page.parent.mkdir(parents=True)
    page.write_text("# What we learned\n\n- Feed the cat before noon.\n- ~~Wake the dog.~~\n")
    cli("lesson", "Migrate first")
    assert {one["text"] for one in cli("lesson", "--json").json["lessons"]} == {
        "Feed the cat before noon.",
        "Migrate first",
    }
    assert page.read_text().startswith("# What we learned\n\n- Feed the cat before noon.\n- ~~Wake the dog.~~\n")
    assert cli("forget", "feed-the-cat-before-noon", "--yes").code == 0
    cli("lesson", "Rest")
    assert [one["text"] for one in cli("lesson", "--json").json["lessons"]] == ["Migrate first", "Rest"]


def test_a_lesson_for_a_profile_reaches_that_profile_alone(cli, workspace, shop, page) -> None:
    """Given with --profile it is a memory of the profile: on no page, and only that profile is told of it."""
    cli("lesson", "Migrate first")
    assert cli("lesson", "Read the tests before the code", "--profile", "reviewer").code == 0
    assert "tests before" not in cli("lesson").out and "tests before" not in page.read_text()
    told = cli("lesson", "--profile", "reviewer").out
    assert "Read the tests before the code\n    for reviewer\n" in told and "Migrate first" in told
    assert cli("recall", "tests before the code", "--json").json["hits"] == []
    (hit,) = cli("recall", "tests before the code", "--profile", "reviewer", "--json").json["hits"]
    assert (hit["scope"], hit["owner"], hit["type"]) == ("agent", "reviewer", "lesson")
    assert cli("lesson", "withdraw", hit["key"], "--profile", "reviewer").code == 0
    assert "tests before" not in cli("lesson", "--profile", "reviewer").out
