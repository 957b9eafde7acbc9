"""The public Python API."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

SOURCE = str(Path(holdfast.__file__).parent.parent)


def test_public_is_a_list() -> None:
    """`__all__` is exactly what the package shows, and each name is there."""
    assert sorted(set(dir(holdfast)) - {"__version__"}) == sorted(holdfast.__all__)
    for name in holdfast.__all__:
        assert getattr(holdfast, name).__module__.startswith("holdfast")
    with pytest.raises(AttributeError, match="secret_door"):
        holdfast.secret_door  # noqa: B018


def test_the_import_is_light() -> None:
    """`import holdfast` loads nothing that costs: no click, no re, no dataclasses, no sqlite3, none of our packages."""
    code = (
        f"import sys; sys.path.insert(0, {SOURCE!r}); before = set(sys.modules); import holdfast;"
        " print(*sorted(set(sys.modules) - before))"
    )
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert not loaded & {"click", "re", "dataclasses", "sqlite3", "json", "typing"}
    assert [name for name in loaded if name.startswith("holdfast.")] == []


def test_store_find_show_forget(home, shop) -> None:
    """A program stores a memory, finds it, shows it with its history, and forgets it."""
    with holdfast.open(str(home), folder=str(shop)) as memory:
        stored = memory.remember("Deploys need the VPN.", key="vpn", tags=("deploy",))
        assert (stored.action, stored.memory.scope) == ("created", holdfast.Scope("project", "example.com--acme--shop"))
        assert memory.remember("Deploys need the VPN.", key="vpn").action == "unchanged"
        assert memory.remember("Deploys go through the bastion.", key="vpn").action == "updated"
        (hit,) = memory.recall("how do we deploy?")
        assert hit.memory.body == "Deploys go through the bastion." and hit.memory.source == "api"
        assert [earlier.text for earlier in memory.show("vpn").history] == ["Deploys need the VPN."]
        assert memory.forget("vpn").key == "vpn"
        with pytest.raises(holdfast.HoldfastError) as caught:
            memory.show("vpn")
        assert caught.value.exit_code == 3
        assert memory.recall("deploy") == []


def test_the_index_is_written_when_it_closes(home, shop) -> None:
    """After the block every index page is true."""
    with holdfast.open(str(home), folder=str(shop)) as memory:
        memory.remember("Answer in British English.", scope="global", key="tone")
    assert "[tone](memories/tone.md)" in (home / "memory" / "global" / "index.md").read_text()


def test_it_sees_from_the_folder_project_session_and_profile(home, shop, repository) -> None:
    """What is seen depends on the folder, the session and the profile that were given."""
    with holdfast.open(str(home), folder=str(shop), session="s1", profile="reviewer") as memory:
        for scope in ("project", "session", "agent", "global"):
            memory.remember(f"Apples are a fact of the {scope}.", scope=scope)
    with holdfast.open(str(home), folder=str(repository("blog"))) as other:
        assert [hit.memory.scope.kind for hit in other.recall("apples")] == ["global"]
    with holdfast.open(str(home), folder="/", project="example.com--acme--shop", session="s1") as named:
        assert {hit.memory.scope.kind for hit in named.recall("apples")} == {"project", "session", "global"}


def test_recall_takes_the_options_of_the_command(home, shop) -> None:
    """Scope, types, tags, times and a limit narrow what comes back; a single tag may be a plain text."""
    with holdfast.open(str(home), folder=str(shop)) as memory:
        memory.remember("Apples are red.", tags="fruit", type="lesson")
        memory.remember("Apples are green.", scope="global")
        assert [h.memory.body for h in memory.recall("apples", tags=("fruit",))] == ["Apples are red."]
        assert [h.memory.body for h in memory.recall("apples", types=("lesson",))] == ["Apples are red."]
        assert [h.memory.body for h in memory.recall("apples", scope="global")] == ["Apples are green."]
        assert memory.recall("apples", until="1d") == [] != memory.recall("apples", since="1d")
        assert len(memory.recall("apples", limit=1)) == 1


def test_another_project_agents_and_related(home, shop) -> None:
    """A program searches another project on purpose, filters by agent, and follows what is related."""
    with holdfast.open(str(home), project="blog") as memory:
        memory.remember("Apples are for the blog.", key="blog")
    with holdfast.open(str(home), folder=str(shop)) as memory:
        memory.remember("Apples are red, see [[green]].", key="red")
        memory.remember("Pears are green.", key="green")
        assert [hit.memory.key for hit in memory.recall("apples", project="blog")] == ["blog"]
        assert memory.recall("apples", agents=("codex",)) == []
        related = memory.related("red")
        assert (related[0].memory.key, related[0].why[0]) == ("green", "links to")
        assert isinstance(related[0], holdfast.Related)


def test_a_handle_outlives_its_index(home, shop) -> None:
    """When index.db is deleted under an open handle, the next recall is whole again, counts of use and all."""
    with holdfast.open(str(home), folder=str(shop)) as memory:
        memory.remember("Apples are red.")
        memory.recall("apples")
        before = memory.recall("apples")[0].score
        for path in home.glob("index.db*"):
            path.unlink()
        assert memory.recall("apples")[0].score == pytest.approx(before, abs=1e-4)


def test_reading_makes_nothing(home, shop, tmp_path) -> None:
    """Opening and reading a home that is not there makes nothing."""
    with holdfast.open(str(home), folder=str(shop)) as memory:
        assert memory.recall("apples") == []
    assert not home.exists()
