"""Agents that are only read: their adapters find and read sessions, and are harmless otherwise."""

from __future__ import annotations

import pytest

from agents.reading.told import write_lines
from holdfast import agents
from holdfast.agents.base import Place
from holdfast.agents.launcher import Launcher

STARTED = {"type": "session_start", "id": "d", "cwd": "/x"}
# Where each keeps a session, and how that begins.
KEPT = {
    "pi": (".pi/agent/sessions/--x--/t_s.jsonl", {"type": "session", "id": "s", "cwd": "/x"}),
    "droid": (".factory/sessions/-x/d.jsonl", STARTED),
    "kimi": (".kimi-code/sessions/wd/s/agents/main/wire.jsonl", {"type": "metadata", "protocol_version": "1"}),
    "antigravity": (
        ".gemini/antigravity/brain/a/.system_generated/logs/transcript.jsonl",
        {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "x"},
    ),
}


@pytest.fixture
def place(tmp_path) -> Place:
    """A person's home and a project."""
    return Place(str(tmp_path), str(tmp_path / "project"), "user", {"PATH": ""})


@pytest.mark.parametrize("name", KEPT)
def test_its_sessions_are_found_and_read(name, place, tmp_path) -> None:
    """A session where the agent keeps it is found by its adapter and by no other, and is that agent's."""
    path = write_lines(tmp_path / KEPT[name][0], KEPT[name][1])
    for other in agents.BUILT_IN:
        adapter = agents.get(other)
        assert list(adapter.find_sessions(place)) == ([str(path)] if other == name else [])
        assert (adapter.read_session(str(path)) is not None) == (other == name)
    [reading] = agents.get(name).read_session(str(path))
    assert len(list(reading)) == reading.session().events
    assert reading.session().agent == name and reading.session().id


@pytest.mark.parametrize("name", KEPT)
def test_it_installs_nothing(name, place, cli, tree, machine) -> None:
    """It has neither hooks nor parts, is found by its folder, and an install says that there is nothing to do."""
    adapter = agents.get(name)
    assert adapter.events == {} and adapter.parts(place, Launcher("p", "r", ("h",))) == [] and adapter.title
    assert adapter.detect(place) is None and adapter.folder(place).startswith(place.home)
    before = tree(machine)
    ended = cli("install", name, "--yes")
    assert ended.code == 0 and "read without an install" in ended.err
    assert {path for path in tree(machine) if not path.startswith(".holdfast")} == set(before)
    (listed,) = [one for one in cli("install", "--json").json["agents"] if one["name"] == name]
    assert listed["gets"] == ["its sessions are read, without an install"]
