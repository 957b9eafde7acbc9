"""Preparing the home, and what to do next."""

from __future__ import annotations

from holdfast.app.status import up
from holdfast.memory.remember import remember
from support.swept import talk, transcript, write


def test_up_prepares_and_says_what_to_do(workspace, home) -> None:
    """The first `up` prepares the home; a later one finds it ready; both say what to do next."""
    with workspace() as h:
        first = up(h)
    assert first["prepared"] and first["exists"] and any("holdfast demo" in line for line in first["next"])
    with workspace() as h:
        remember(h, "Apples are red.")
        later = up(h)
    assert later["prepared"] == 0 and later["memories"] == 1
    assert not any("demo" in line for line in later["next"])


def test_up_outside_a_project(workspace) -> None:
    """Where there is no project, the next steps store globally and say how to have one."""
    with workspace(folder="/") as h:
        steps = " ".join(up(h)["next"])
    assert "--scope global" in steps and "cd there" in steps


def test_up_offers_to_connect_the_agents_that_are_here(workspace, machine, cli) -> None:
    """An agent that is on this machine and not connected is a next step with its command; once connected it is not."""
    (machine / ".codex").mkdir()
    with workspace() as h:
        assert "Connect Codex: holdfast install codex" in up(h)["next"]
    cli("install", "codex", "--yes")
    with workspace() as h:
        assert not any(line.startswith("Connect") for line in up(h)["next"])


def test_up_says_how_to_take_in_what_is_there(workspace, machine, cli, home) -> None:
    """Sessions from before Holdfast are a next step, with how many they are, until a sweep took them in."""
    assert not any("sweep" in line for line in cli("up", "--json").json["next"])
    write(transcript(machine, "one"), talk("one", 1))
    with workspace() as h:
        assert up(h)["next"][0].startswith("Take in what your agents wrote so far (1 transcript, ")
    assert not (home / "state" / "transcripts.db").exists()
    cli("sweep")
    with workspace() as h:
        assert not any("Take in" in line for line in up(h)["next"])
