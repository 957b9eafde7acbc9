"""Listing memories."""

from __future__ import annotations

from holdfast.memory.remember import remember
from holdfast.memory.show import list_memories, replaced_by


def test_list_is_newest_first(workspace, write) -> None:
    """List orders by the last update and takes the wishes of recall."""
    for day, name in ((2, "b"), (3, "c"), (1, "a")):
        write(f"global/memories/{name}.md", f"---\nupdated: 2026-01-0{day}\ntype: lesson\n---\nNumber {name}.\n")
    with workspace() as h:
        assert [memory.key for memory in list_memories(h)] == ["c", "b", "a"]
        assert [memory.key for memory in list_memories(h, since="2026-01-02", limit=1)] == ["c"]
        assert list_memories(h, types=("user",)) == []


def test_list_sees_only_what_is_visible_here(workspace, repository) -> None:
    """Another project's memories are not listed, but everywhere they are."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    with workspace(folder=str(repository("blog"))) as h:
        assert list_memories(h) == []
        assert [memory.key for memory in list_memories(h, everywhere=True)] == ["a"]


def test_what_was_replaced_says_by_what(workspace) -> None:
    """A superseded memory names its replacement, and the replacement names none."""
    with workspace() as h:
        remember(h, "Deploys use ftp.", key="old")
        remember(h, "Deploys use ssh.", key="new", supersedes=("old",))
        assert {memory.key: replaced_by(h, memory) for memory in list_memories(h)} == {"old": "new", "new": ""}
