"""Projects: explain, alias, mark and merge."""

from __future__ import annotations

import pytest

from holdfast.app import project
from holdfast.app.erase import forget_memory
from holdfast.errors import BadId, BadInput, ScopeUnknown
from holdfast.memory.remember import remember
from holdfast.memory.show import show
from holdfast.recall.recall import recall
from holdfast.records import Scope
from support.archived import said, session, store

SHOP = "example.com--acme--shop"


@pytest.fixture
def two(workspace):
    """The shop, and an old id of it with memories of its own."""
    with workspace(project="old") as h:
        remember(h, "Only the old id knows of apples.", key="only")
        remember(h, "Apples are the same.", key="same")
        remember(h, "Apples were green.", key="differs", tags=("old",))
        remember(h, "Apples are secret.", key="unwanted")
    with workspace() as h:
        remember(h, "Apples are the same.", key="same")
        remember(h, "Apples are red.", key="differs", tags=("new",))
        remember(h, "Apples are secret.", key="unwanted")
        forget_memory(h, "unwanted")
    return workspace


def merge(workspace) -> list:
    """Plan and merge, as the command does; return the steps."""
    with workspace() as h:
        target, acts, steps = project.plan_merge(h, "old")
        project.apply_merge(h, "old", target, acts)
    return steps


def test_which_project_and_why(workspace, shop, home) -> None:
    """From a sub-folder the project is that of the repository; the rule is named, and nothing is written."""
    (shop / "src").mkdir()
    with workspace(folder=str(shop / "src")) as h:
        found = h.project()
    assert (found.id, found.rule, found.root) == (SHOP, "remote", str(shop))
    assert "origin" in found.reason and not home.exists()


@pytest.mark.parametrize("folder", ["/", "~", ""])
def test_where_there_is_no_project(workspace, machine, folder) -> None:
    """The root, the home folder and a working folder that is gone are no project; the error says what to do."""
    with (
        workspace(folder=str(machine) if folder == "~" else folder or "/no/such/folder") as h,
        pytest.raises(ScopeUnknown) as caught,
    ):
        h.project()
    assert "--scope global" in caught.value.hint


def test_an_alias_reads_the_old_memories(two, home, tree) -> None:
    """An alias lets the old id's memories be read here; no file moves."""
    before = tree(home / "memory")
    with two() as h:
        target, steps = project.plan_alias(h, "old")
        assert (target, steps[0].act) == (SHOP, "alias")
        project.apply_alias(h, "old", target)
    with two() as h:
        assert h.project().aliases == ("old",)
        assert "only" in [hit.memory.key for hit in recall(h, "apples")]
    assert tree(home / "memory") == before


@pytest.mark.parametrize(("old", "error"), [("../x", BadId), ("", BadId), (SHOP, BadInput)])
def test_an_alias_that_cannot_be(workspace, old, error) -> None:
    """A bad id, or the project itself, is refused."""
    with workspace() as h, pytest.raises(error):
        project.plan_alias(h, old)


def test_the_plan_of_a_merge(two, home, tree) -> None:
    """The plan says of each memory whether it moves, is dropped or combined, and changes nothing."""
    before = tree(home)
    with two() as h:
        _, _, steps = project.plan_merge(h, "old")
    assert {(step.act, step.target) for step in steps} == {
        ("move", "project:old/only"),
        ("drop", "project:old/same"),
        ("combine", "project:old/differs"),
        ("drop", "project:old/unwanted"),
        ("alias", "old"),
    }
    assert tree(home) == before


def test_a_merge(two, home) -> None:
    """After a merge all of the old id is here, each statement is kept, and the old id means this project."""
    assert len(merge(two)) == 5
    with two() as h:
        assert show(h, "only").scope == Scope("project", SHOP)
        differs = show(h, "differs")
        assert {differs.body, *(s.text for s in differs.history)} == {"Apples are red.", "Apples were green."}
        assert set(differs.tags) == {"old", "new"}
        assert list((home / "memory" / "projects" / "old" / "memories").iterdir()) == []
    with two(project="old") as h:
        assert h.project().id == SHOP and show(h, "only").scope.owner == SHOP
    assert "combine into" in next((home / "updates").glob("*.md")).read_text()


def test_what_was_forgotten_does_not_come_back_by_a_merge(two) -> None:
    """A fact that the target has forgotten is dropped from the old id."""
    merge(two)
    with two() as h:
        assert "unwanted" not in [hit.memory.key for hit in recall(h, "apples secret", everywhere=True)]


def test_what_the_old_id_forgot_stays_forgotten(two) -> None:
    """The tombstones of the old id hold in the new project too."""
    with two(project="old") as h:
        forget_memory(h, "only")
    merge(two)
    with two() as h, pytest.raises(Exception, match="forgotten"):
        remember(h, "Only the old id knows of apples.", key="only", trust="import")


def test_a_mark_follows_a_renamed_folder(workspace, machine) -> None:
    """A folder without git that was marked is the same project after it is renamed."""
    plain = machine / "code" / "plain"
    plain.mkdir(parents=True)
    with workspace(folder=str(plain)) as h:
        marked = project.mark(h)
        remember(h, "Apples are red.", key="a")
    plain.rename(machine / "code" / "renamed")
    with workspace(folder=str(machine / "code" / "renamed")) as h:
        assert h.project().id == marked.id and show(h, "a").body == "Apples are red."


def test_every_project_is_listed_once(workspace, shop, cli) -> None:
    """Each has its memories, sessions, last change and folder; an id that means another project counts there."""
    assert "no project is known yet" in cli("project", "list").err
    cli("remember", "Old.", "--project", "before-git")
    cli("remember", "The shop sells tea.")
    cli("remember", "The blog is static.", "--project", "blog")
    cli("project", "alias", "before-git")
    with workspace() as h:
        store(h, session("s-1", shop, day="2999-01-01"), said("human", "Hello."))
    ended = cli("project", "list", "--json")
    found = {one["id"]: one for one in ended.json["projects"]}
    assert list(found) == [SHOP, "blog"] and found[SHOP]["aliases"] == ["before-git"]
    assert (found[SHOP]["memories"], found[SHOP]["sessions"], found[SHOP]["last"][:4]) == (2, 1, "2999")
    assert (found[SHOP]["folder"], found["blog"]["folder"], found["blog"]["memories"]) == (str(shop), "", 1)
    assert cli("project", "list").out.splitlines()[0].split("\t")[:3] == [SHOP, "2", "1"]


def test_a_renamed_folder_gets_its_memory_back(machine, cli, monkeypatch) -> None:
    """Status and doctor name the project that a renamed folder was, and the command that they name brings it back."""
    (machine / "notes").mkdir()
    monkeypatch.chdir(machine / "notes")
    assert cli("remember", "The pump runs on port 4711.").code == 0
    (machine / "notes").rename(machine / "renamed")
    monkeypatch.chdir(machine / "renamed")
    assert "4711" not in cli("recall", "pump").out
    old = next((machine / ".holdfast" / "memory" / "projects").iterdir()).name
    for command in ("status", "project", "doctor"):
        assert f"holdfast project merge {old}" in cli(command).out
    assert cli("project", "merge", old, "--yes").code == 0
    assert "4711" in cli("recall", "pump").out
    assert "project merge" not in cli("status").out
