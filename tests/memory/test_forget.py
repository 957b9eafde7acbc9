"""Forgetting memories one by one."""

from __future__ import annotations

import pytest

from holdfast.app.erase import forget_memory
from holdfast.errors import NotFound
from holdfast.memory import forget
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall


def test_the_plan_names_what_would_go(three, home, tree) -> None:
    """A plan has a step with target, title and bytes for each key once, and changes nothing."""
    before = tree(home)
    with three() as h:
        memories, steps = forget.plan(h, ("a", "c", "a"))
    assert [step.target for step in steps] == ["project:example.com--acme--shop/a", "global/c"]
    assert all(step.act == "forget" and step.size > 0 and step.reason.startswith("Apples") for step in steps)
    assert [memory.key for memory in memories] == ["a", "c"] and tree(home) == before


def test_the_file_goes_and_a_tombstone_stays(three, home) -> None:
    """What is forgotten is gone from disk, recall and index page; the tombstone has none of its words."""
    with three() as h:
        forget_memory(h, "a")
    with three() as h:
        assert "a" not in [hit.memory.key for hit in recall(h, "apples")]
    folder = home / "memory" / "projects" / "example.com--acme--shop"
    assert not (folder / "memories" / "a.md").exists()
    assert "[a]" not in (folder / "index.md").read_text() and "[b]" in (folder / "index.md").read_text()
    assert "pples" not in (folder / ".forgotten").read_text()


def test_what_a_forgotten_memory_replaced_is_told_no_more(cli, shop) -> None:
    """What was merged into a memory goes with it, step by step; what another memory replaces too stays replaced."""
    for key, text in (("a", "Indent with tabs"), ("b", "Use tabs for Go"), ("c", "Tabs it is"), ("d", "Ports are odd")):
        cli("remember", text, "--key", key)
    cli("merge", "b", "c")
    cli("merge", "a", "b")
    cli("remember", "Ports are even", "--key", "e", "--supersedes", "d")
    cli("remember", "Ports are even or zero", "--key", "f", "--supersedes", "d")
    plan = cli("forget", "a", "e", "--dry-run", "--json").json["plan"]
    assert [step["target"].rpartition("/")[2] for step in plan] == ["a", "e", "b", "c"]
    cli("forget", "a", "e", "--yes")
    left = {one["key"]: one["superseded_by"] for one in cli("list", "--json").json["memories"]}
    assert left == {"d": "f", "f": ""} and "abs" not in cli("preview").out


def test_one_unknown_key_stops_all(three, home, tree) -> None:
    """When one of the keys is not there, nothing is forgotten."""
    before = tree(home)
    with three() as h, pytest.raises(NotFound):
        forget.plan(h, ("a", "gone"))
    assert tree(home) == before


def test_no_word_of_it_is_left_on_disk(workspace, home) -> None:
    """After a forget no file of the home holds the words, not even the pages of the index."""
    with workspace() as h:
        remember(h, "Unobtainium is quixotic.", key="rare")
        remember(h, "Something else.", key="other")
    with workspace() as h:
        forget_memory(h, "rare")
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"nobtainium" in path.read_bytes()] == []


@pytest.mark.parametrize("forgets", [lambda h: forget.remove_for(h, h.locate("second"), "codex"), forget_memory])
def test_what_an_agents_memory_replaced_is_not_told_again(workspace, cli, forgets) -> None:
    """An agent that forgets a memory takes along what only that one replaced, in acts that can be undone."""
    with workspace() as h:
        remember(h, "Deploys go through the bastion.", key="first", trust="agent")
        remember(h, "Deploys go through the gateway.", key="second", trust="agent", supersedes=("first",))
        h.caller = "agent"
        forgets(*([h] if forgets is not forget_memory else [h, "second"]))
    assert cli("list", "--json").json["memories"] == []
    for act in cli("updates", "--command", "forget", "--json").json["updates"]:
        assert cli("updates", "undo", act["id"], "--yes").code == 0
    assert cli("show", "first").code == cli("show", "second").code == 0
