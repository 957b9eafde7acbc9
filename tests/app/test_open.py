"""Workspaces of a process that stays."""

from __future__ import annotations

import shutil

import pytest

from holdfast.app.finish import write_pages
from holdfast.app.open import PooledWorkspace, Stores
from holdfast.errors import NotFound
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall


@pytest.fixture
def standing(home, shop):
    """Open standing workspaces that share their stores; what was said lies in `standing.said`."""
    stores = Stores()

    def make(**options) -> PooledWorkspace:
        usual = {
            "folder": str(shop),
            "environment": {},
            "flags": {},
            "session": "",
            "profile": "",
            "caller": "agent",
            "say": make.said.append,
        }
        return PooledWorkspace(stores, str(home), **{**usual, **options})

    make.said, make.stores = [], stores
    yield make
    stores.close()


def found(workspace, query: str) -> list[str]:
    """Return what a recall finds, as texts."""
    return [hit.memory.body for hit in recall(workspace, query)]


def test_the_next_workspace_gets_the_store(standing, home) -> None:
    """A store is opened once and serves one workspace after the other; two at once have two."""
    with standing() as first:
        remember(first, "Apples are red.")
        write_pages(first)
        store = first.store
    with standing() as second, standing() as third:
        assert second.store is store and third.store is not store
        assert found(third, "apples") == ["Apples are red."]
    assert "apples-are-red" in next((home / "memory" / "projects").glob("*/index.md")).read_text()


def test_what_others_do_meanwhile_is_seen(standing, workspace, write) -> None:
    """What another process stored or forgot, or a person wrote by hand, is found by the next workspace."""
    with standing() as opened:
        remember(opened, "Apples are red.", key="apples")
    for _ in range(3):
        with standing() as opened:
            assert found(opened, "apples") == ["Apples are red."]
    with workspace() as other:
        remember(other, "Apples are green.", key="apples")
    with standing() as opened:
        assert found(opened, "apples") == ["Apples are green."]
    write("global/memories/pears.md", "# Pears\n\nPears are sweet.\n")
    with standing() as opened:
        assert found(opened, "pears")[0] == "Pears are sweet."


def test_a_home_that_comes_and_goes(standing, home) -> None:
    """A home that is made, deleted and made again under the process is always as it is now."""
    with standing() as opened:
        assert found(opened, "apples") == [] and not home.exists()
    for colour in ("red", "green"):
        with standing() as opened:
            remember(opened, f"Apples are {colour}.", key="apples")
        with standing() as opened:
            assert found(opened, "apples") == [f"Apples are {colour}."]
        shutil.rmtree(home)
    with standing() as opened:
        assert found(opened, "apples") == [] and not home.exists()


def test_settings_are_those_of_now(standing, home) -> None:
    """A setting that changed holds for the next workspace; another longest length gets another store."""
    with standing() as opened:
        remember(opened, "Apples are red.")
        store = opened.store
    (home / "config.toml").write_text("enabled = false\n[memory]\nlargest = 1000\n")
    with standing() as opened:
        assert not opened.enabled and opened.store is not store


def test_after_a_fault_the_store_is_closed(standing) -> None:
    """An error that somebody raised on purpose leaves the store; anything else may have broken it."""
    with standing() as opened:
        remember(opened, "Apples are red.")
        store = opened.store
    with pytest.raises(NotFound), standing() as opened:
        opened.locate("pears")
    with pytest.raises(ZeroDivisionError), standing() as opened:
        assert opened.store is store
        raise ZeroDivisionError
    with standing() as opened:
        assert opened.store is not store and found(opened, "apples") == ["Apples are red."]
