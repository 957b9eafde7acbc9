"""Moving a memory to another scope or key."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, BadKey, Conflict, NotFound, ScopeUnknown
from holdfast.memory import move
from holdfast.memory.remember import remember
from holdfast.memory.show import show
from holdfast.recall.recall import recall


def go(workspace, key: str, **where) -> list:
    """Plan and move, as the command does; return the steps."""
    with workspace() as h:
        planned, steps = move.plan(h, key, **where)
        move.apply(h, planned)
    return steps


@pytest.fixture
def linked(workspace):
    """A memory with a history, and others that name it."""
    with workspace() as h:
        remember(h, "Apples are red.", key="apple", tags=("fruit",), pinned=True)
        remember(h, "Apples are green.", key="apple")
        remember(h, "See [[apple]] and [[apple|them]], not [[apple-pie]].", key="pie")
        remember(h, "Cooked [[apple-pie]].", key="other")
        remember(h, "Apples are blue.", key="blue", supersedes=("apple",))
    return workspace


def test_a_new_key_takes_its_links_along(linked) -> None:
    """`[[old]]` and `supersedes` follow to the new key; a longer key and history stay as they are."""
    steps = go(linked, "apple", new_key="fruit")
    assert sorted((s.act, s.target.rsplit("/")[1]) for s in steps) == [
        ("move", "apple"),
        ("relink", "blue"),
        ("relink", "pie"),
    ]
    with linked() as h:
        memory = show(h, "fruit")
        assert (memory.tags, memory.pinned, memory.history[0].text) == (("fruit",), True, "Apples are red.")
        assert show(h, "pie").body == "See [[fruit]] and [[fruit|them]], not [[apple-pie]]."
        assert show(h, "pie").history == ()
        assert next(hit for hit in recall(h, "apples green") if hit.memory.key == "fruit").superseded_by == "blue"
        with pytest.raises(NotFound):
            show(h, "apple")


def test_another_scope(linked, home) -> None:
    """A memory goes to global with history, tags and dates, and is gone from the project."""
    with linked() as h:
        before = show(h, "apple")
    go(linked, "apple", to="global")
    with linked(folder="/") as h:
        after = show(h, "apple")
    assert (after.created, after.updated, after.history, after.tags) == (
        before.created,
        before.updated,
        before.history,
        before.tags,
    )
    assert not (home / "memory" / before.path).exists()


def test_to_global_under_another_key(linked) -> None:
    """Links of the project follow to global, where they can be read."""
    go(linked, "apple", to="global", new_key="fruit")
    with linked() as h:
        assert "[[fruit]]" in show(h, "pie").body


def test_a_global_memory_takes_links_of_projects_along(workspace) -> None:
    """A project that links to a global memory follows it; one with a memory of that key of its own does not."""
    with workspace() as h:
        remember(h, "Tea.", key="drink", scope="global")
        remember(h, "With [[drink]].", key="a")
    with workspace(project="other") as h:
        remember(h, "Coffee.", key="drink")
        remember(h, "With [[drink]].", key="b")
    with workspace() as h:
        planned, _ = move.plan(h, "drink", scope="global", new_key="beverage")
        move.apply(h, planned)
        assert show(h, "a").body == "With [[beverage]]."
    with workspace(project="other") as h:
        assert show(h, "b").body == "With [[drink]]."


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ({}, BadInput),
        ({"to": "project"}, BadInput),
        ({"new_key": "Not A Key"}, BadKey),
        ({"to": "session"}, ScopeUnknown),
        ({"scope": "global"}, BadInput),
        ({"scope": "global", "to": "project"}, NotFound),
    ],
)
def test_a_move_that_cannot_be(linked, home, tree, where, error) -> None:
    """A move to nowhere, to where it is, to a bad key or from where it is not is refused, and nothing changes."""
    before = tree(home)
    with linked() as h, pytest.raises(error) as caught:
        move.plan(h, "apple", **where)
    assert caught.value.hint and tree(home) == before


def test_a_place_that_is_taken(linked, home, tree) -> None:
    """A key that is there already is a conflict in the plan, as a dry run shows it, and both memories stay."""
    before = tree(home / "memory")
    with linked() as h, pytest.raises(Conflict) as caught:
        move.plan(h, "apple", new_key="pie")
    assert caught.value.exit_code == 4 and tree(home / "memory") == before
