"""What the home holds."""

from __future__ import annotations

import time

import pytest

from holdfast.app import status as state
from holdfast.app.status import HookTimes, hook_times, status
from holdfast.base import clock
from holdfast.memory.remember import remember
from holdfast.records import Event
from support.archived import said, session, store


@pytest.fixture
def one(workspace):
    """A home with one memory."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    return workspace


def test_status(one, home) -> None:
    """Status tells the home, the project, and the memories and bytes of each scope."""
    with one() as h:
        remember(h, "Tea, please.", scope="global")
        found = status(h)
    assert (found["home"], found["exists"], found["enabled"], found["memories"]) == (str(home), True, True, 2)
    assert found["project"]["rule"] == "remote"
    assert {scope["scope"]: scope["memories"] for scope in found["scopes"]} == {"global": 1, "project": 1}
    assert found["bytes"] == sum(path.stat().st_size for path in home.rglob("memories/*.md"))


def test_status_where_there_is_no_project(workspace, home) -> None:
    """Outside a project, status says why there is none, and makes nothing."""
    with workspace(folder="/") as h:
        found = status(h)
    assert found["project"]["id"] == "" and "not a project" in found["project"]["reason"]
    assert not home.exists()


def told(h, agent: str, at: str, kind: str = "prompt") -> None:
    """Let the journal have an event of an agent's hook."""
    h.journal.append(Event(at, kind, {"agent": agent, "session": "s-1"}))


def test_agents_are_told_with_when_they_were_last_heard_from(one, machine, shop, cli) -> None:
    """Each agent that is here or connected has its state, its last word, and how many sessions it has."""
    (machine / ".codex").mkdir()
    (machine / ".grok").mkdir()
    assert cli("install", "codex", "--yes").code == 0
    with one() as h:
        store(h, session("s-1", shop, agent="codex"), said("human", "Hello."))
        told(h, "codex", "2026-11-14T09:00:00Z")
        told(h, "codex", "2026-11-15T10:00:00Z")
        told(h, "codex", "2026-11-15T11:00:00Z", kind="receipt")
        found = status(h)
    codex, grok = found["agents"]
    assert (codex["name"], codex["connected"], codex["heard"]) == ("codex", ["user"], "2026-11-15T10:00:00Z")
    assert codex["sessions"] == 1 == found["sessions"] and codex["last_session"]
    assert (grok["name"], grok["connected"], grok["heard"], grok["can_connect"]) == ("grok", [], "", True)
    lines = cli("status", "--utc").out.splitlines()
    assert [line.split() for line in lines if "codex" in line] == [
        ["agents", "codex", "connected", "(user)", "last", "heard", "from", "2026-11-15", "10:00", "1", "session"]
    ]
    assert any(line.split() == ["grok", "not", "connected"] for line in lines) and "sessions  1" in lines


def timed(h, ago: float, *took: float, kind: str = "prompt", **told: str) -> None:
    """Let the journal have rows of hooks, some days ago, that took so many milliseconds; 0: it was cut short."""
    for milliseconds in took:
        event = Event(clock.iso(time.time() - ago * clock.DAY_SECONDS), kind, {"agent": "codex", **told})
        h.journal.note_time(event, h.journal.append(event, durable=False, timed=True), milliseconds)


def test_hook_times_are_those_of_the_last_week(one) -> None:
    """Half and 95 of 100 hooks of a moment took no longer than told; older, untimed and other rows do not count."""
    with one() as h:
        timed(h, 0, *map(float, range(1, 100)), 0.0, prompt='she wrote: {"a": 1, "ms": 5}')
        timed(h, 6.9, 100.5)
        timed(h, 7.1, 5000.0)
        timed(h, 1, 12.0, kind="stop")
        timed(h, 1, 9.0, kind="receipt")
        told(h, "codex", clock.now(), kind="start")
        assert hook_times(h.journal) == [
            HookTimes("prompt", 100, 50.0, 95.0, 100.5),
            HookTimes("stop", 1, 12.0, 12.0, 12.0),
        ]


def test_a_busy_week_is_told_by_its_newest_hooks(one, home) -> None:
    """At most 20,000 rows count, the newest, whatever lies before them."""
    with one() as h:
        timed(h, 1, 3.0)
        (path,) = (home / "journal").iterdir()
        row = path.read_bytes()
        path.unlink()
        timed(h, 2, 7000.0)
        timed(h, 1, 8000.0)
        path.write_bytes(path.read_bytes() + row * 19_999)
        timed(h, 0, 4.0)
        assert hook_times(h.journal) == [HookTimes("prompt", 20_000, 3.0, 3.0, 4.0)]


def test_status_says_that_the_home_cannot_be_written_and_that_its_disk_is_nearly_full(one, cli, monkeypatch) -> None:
    """No notice is kept on such a disk, so that status, as doctor, looks at it itself."""
    monkeypatch.setattr(state, "_LOW_SPACE", 1 << 62)
    assert "less than 100 MB is free" in cli("status").out
    assert cli("status", "--json").json["notices"][0]["kind"] == "space"
    monkeypatch.setattr(state.os, "access", lambda place, mode: False)
    said = cli("status").out
    assert "it cannot be written" in said and "Set HOLDFAST_HOME" in said
