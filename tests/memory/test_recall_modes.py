"""Recall by a mode and in an order."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, ScopeUnknown
from holdfast.memory import recall_modes
from holdfast.memory.remember import remember
from holdfast.recall.meaning import model_of


def keys(hits) -> list[str]:
    """Return the keys of hits."""
    return [hit.memory.key for hit in hits]


def test_a_mode_or_order_that_is_none(workspace) -> None:
    """An unknown mode or order is refused; there is no silent fall-back."""
    with workspace() as opened:
        with pytest.raises(BadInput, match="fuzzy"):
            recall_modes.recall_by(opened, "x", mode="fuzzy")
        with pytest.raises(BadInput, match="luck"):
            recall_modes.recall_by(opened, "x", order="luck")


def test_bm25_leaves_meaning_out(workspace) -> None:
    """By words alone, what shares no word with the query is not found, however near it is."""
    with workspace(flags=recall_modes.FLAGS_OF["bm25"]) as opened:
        remember(opened, "The automobile needs fuel.", key="car")
        assert model_of(opened) is None
        assert recall_modes.recall_by(opened, "vehicle petrol", mode="bm25") == []
        assert keys(recall_modes.recall_by(opened, "automobile", mode="bm25")) == ["car"]


def test_metadata_wants_every_word(workspace) -> None:
    """Each word must occur in text, title, key or tags, as a part too; scope and type narrow; newest first."""
    with workspace() as opened:
        remember(opened, "Apples are red.", key="one", tags=("fruit",))
        remember(opened, "Red cars are fast.", key="two", type="lesson")
        remember(opened, "Red is global.", key="three", scope="global")
        find = lambda query, **more: keys(recall_modes.recall_by(opened, query, mode="metadata", **more))  # noqa: E731
        assert find("FRUIT red") == ["one"] and find("car fast") == ["two"]
        assert find("red", scope="global") == ["three"] and find("red", types=("lesson",)) == ["two"]
        assert len(find("red", limit=2)) == 2 and find("red nothing") == []


def test_an_order_arranges_only_what_was_found(workspace, write) -> None:
    """The newest first, or the most used first, of the best hits; the score still says which those are."""
    for day, key in ((1, "old"), (3, "new")):
        write(
            f"global/memories/{key}.md", f"---\nupdated: 2026-01-0{day}T00:00:00Z\n---\n\nApples of the {key} kind.\n"
        )
    write("global/memories/other.md", "---\nupdated: 2026-01-09T00:00:00Z\n---\n\nCars are fast.\n")
    with workspace() as opened:
        assert keys(recall_modes.recall_by(opened, "apples kind", order="recency")) == ["new", "old"]
        opened.store.add_uses([(opened.scope("global"), "old", f"2099-01-0{day}T00:00:00Z") for day in (1, 2)])
        assert keys(recall_modes.recall_by(opened, "apples kind", order="usage")) == ["old", "new"]
        assert keys(recall_modes.recall_by(opened, "", order="usage", limit=1)) == ["old"]


def test_a_key_brings_its_memory_first(workspace) -> None:
    """A query that is the key of a memory finds it, whatever its text says, and counts it as used."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.", key="zz-9")
        remember(opened, "The thing zz-9 is a part of the engine.", key="engine")
        assert keys(recall_modes.recall_by(opened, "zz-9"))[0] == "zz-9"
        assert opened.store.uses(opened.scope("project"), "zz-9")[0] == 1
        assert keys(recall_modes.recall_by(opened, "zz-9", scope="global")) == []


def test_switched_off_and_unknown_scopes(workspace) -> None:
    """Nothing is found while memory is off; a scope that has no owner here is an error."""
    with workspace(flags={"enabled": "false"}) as opened:
        assert recall_modes.recall_by(opened, "apples", mode="metadata") == []
    with workspace() as opened, pytest.raises(ScopeUnknown):
        recall_modes.recall_by(opened, "apples", scope="session")
