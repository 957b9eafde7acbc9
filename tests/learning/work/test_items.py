"""`holdfast work` and the MCP tool: list, show, add, criteria, evidence, nesting and closing, with JSON."""

from __future__ import annotations

import json
import os

import pytest

from holdfast.learning.work import items as work
from holdfast.learning.work import model as items
from holdfast.learning.work.criteria import Criteria
from holdfast.learning.work.model import Work
from holdfast.project.registry import add_alias

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def added(cli, shop):
    """Add a work item by the command and return its id."""

    def add(title: str = "Move the uploads", *more: str) -> str:
        ended = cli("work", "add", title, *more, "--json")
        assert ended.code == 0, ended
        return ended.json["work"]["id"]

    return add


def test_add_and_list(cli, added):
    """What was added by hand is listed, and its title is its criterion where none is given."""
    name = added()
    assert cli("work").out.startswith(name)
    shown = cli("work", "show", name, "--json").json
    assert shown["source"] == "MANUAL" and shown["status"] == "ACTIVE"
    assert [one["text"] for one in shown["criteria"]] == ["Move the uploads"]


def test_nothing_is_told(cli, shop, home):
    """Without any item that is said, with an example, and nothing is made."""
    ended = cli("work")
    assert ended.code == 0 and ended.out == "" and "holdfast work add" in ended.err
    assert not (home / "work").exists()


def test_criteria_and_evidence(cli, added, home):
    """A criterion is added once and verified with evidence, which lies in verification/."""
    name = added("Move the uploads", "--criterion", "Old links work", "--criterion", "No data is lost")
    assert cli("work", "criterion", name, "The docs say so", "--json").json["criterion"]["id"] == "c3"
    assert cli("work", "criterion", name, "the docs SAY so", "--json").json["action"] == "unchanged"
    assert cli("work", "criterion", name, "no new dependency", "--anti", "--json").json["criterion"]["id"] == "a1"
    told = cli("work", "verify", name, "c1", "--evidence", "clicked all 20", "--json").json
    assert told["action"] == "verified" and told["criterion"]["status"] == "SATISFIED"
    with open(told["file"], encoding="utf-8") as file:
        assert "clicked all 20" in file.read()
    assert told["work"]["satisfaction"] == {"pending": 2, "partial": 0, "satisfied": 1, "failed": 0}
    printed = cli("work", "show", name).out
    assert (
        "[x] c1  Old links work  clicked all 20 (verified " in printed
        and "a1  must not happen: no new dependency" in printed
    )


def test_close(cli, added):
    """A closed item leaves the list, stays with --all, and tells which criteria are not satisfied."""
    name = added()
    ended = cli("work", "close", name)
    assert ended.out.startswith("closed") and "1 of 1 criterion not satisfied" in ended.err
    assert cli("work").out == "" and "completed" in cli("work", "--all").out
    assert cli("work", "close", name, "--json").json["action"] == "unchanged"
    assert cli("work", "show", name, "--json").json["completed_at"]


def test_open_ones_come_first(cli, added):
    """With --all the completed ones stand behind the open ones."""
    first, second = added("First thing"), added("Second thing")
    cli("work", "close", second)
    assert [one["id"] for one in cli("work", "--all", "--json").json["work"]] == [first, second]


def test_nest(cli, added, home):
    """A nested item lies in children/, names its parent, and is found as before; twice is like once."""
    parent = added("The whole move")
    child = added("A part of it", "--parent", parent)
    other = added("Another part")
    told = cli("work", "nest", other, parent, "--json").json
    assert told["action"] == "nested" and told["work"]["parent"] == parent
    assert sorted(cli("work", "show", parent, "--json").json["parts"]["children"]) == sorted([child, other])
    assert cli("work", "nest", other, parent, "--json").json["action"] == "unchanged"
    assert cli("work", "nest", parent, child).code == 4
    assert cli("work", "criterion", child, "It is small").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("show", "nothing"), 3),
        (("show", "../../etc"), 3),
        (("verify", "move", "c9", "--evidence", "x"), 3),
        (("criterion", "move", " "), 2),
        (("criterion", "move", "x" * 500), 2),
        (("add", " "), 2),
        (("add", "Something", "--parent", "nothing"), 3),
    ],
)
def test_what_is_refused(cli, added, words, code, home, tree):
    """What cannot be done is told by its exit code, and nothing is changed."""
    added()
    before = tree(home / "work")
    assert cli("work", *words).code == code
    assert tree(home / "work") == before


def test_a_secret_is_taken_out(cli, added, home):
    """A token in a title, a criterion or evidence is in no file, and its kind is named."""
    name = added(f"Use {TOKEN} for uploads")
    cli("work", "criterion", name, f"it works with {TOKEN}")
    told = cli("work", "verify", name, "c1", "--evidence", f"curl with {TOKEN}", "--json").json
    assert told["redacted"]
    for path in (home / "work").rglob("*"):
        assert TOKEN not in str(path) and (not path.is_file() or TOKEN not in path.read_text())


def test_another_project_has_its_own(cli, added):
    """Items of one project are not listed or shown in another."""
    name = added()
    assert cli("work", "--project", "other", "--json").json["work"] == []
    assert cli("work", "show", name, "--project", "other").code == 3


def test_an_earlier_id_of_the_project_is_read(cli, added):
    """Items that were made under an earlier id of the project are still listed and can be closed."""
    cli("remember", "It was called so.", "--project", "old-name")
    old = cli("work", "add", "From before", "--project", "old-name", "--json").json["work"]["id"]
    assert cli("project", "alias", "old-name").code == 0
    assert old in cli("work").out
    assert cli("work", "close", old).code == 0


def test_switched_off(cli, added, monkeypatch):
    """Where memory is switched off nothing is listed and nothing is changed."""
    name = added()
    monkeypatch.setenv("HOLDFAST_ENABLED", "false")
    assert cli("work").out == "" and cli("work", "close", name).code == 6


def test_outside_a_project(cli, machine, monkeypatch):
    """Where there is no project that is told."""
    monkeypatch.chdir(machine)
    assert cli("work").code != 0


def test_a_broken_isc_is_told(cli, added, home):
    """An ISC.json that somebody broke is named, and not written over."""
    name = added()
    path = next((home / "work").rglob("ISC.json"))
    path.write_text("{")
    ended = cli("work", "criterion", name, "more")
    assert ended.code != 0 and "ISC.json" in ended.err and path.read_text() == "{"


def test_isc_is_as_it_is_documented(cli, added):
    """ISC.json has the fields that docs/learning.md names."""
    folder = cli("work", "show", added(), "--json").json["path"]
    with open(os.path.join(folder, "ISC.json"), encoding="utf-8") as file:
        plain = json.load(file)
    assert list(plain) == ["v", "ideal", "criteria", "anti_criteria", "current", "history", "updated_at"]
    assert list(plain["criteria"][0]) == ["id", "text", "status", "source_events"]


def test_an_item_of_an_older_id_is_found_by_its_beginning(workspace, home) -> None:
    """What was begun under an id that the project had before is named as briefly as everything else."""
    with workspace() as h:
        add_alias(h.registry, "old-shop", h.project().id)
    at = "2026-05-04T10:15:00Z"
    made = items.make(str(home), Work("", "Uploads", "old-shop", created_at=at, updated_at=at), Criteria())
    with workspace() as h:
        assert work.show(h, "upl").work == made
