"""Copilot and Qwen Code, one session each, and which agents leave their own memory out where it is switched off."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from holdfast import agents
from holdfast.agents.base import Place
from holdfast.sessions.archive import Archive
from outside import programs
from outside.agents import EVERY, MORE, Person
from outside.conftest import command_line
from outside.life import files
from outside.loopback import Model, Say
from outside.reading import events, given_once, hook_log
from support.sampling import LONG

pytestmark = pytest.mark.skipif(not LONG, reason="these agents run in `make test-long`")
# What else each tells besides a start, a prompt and a stop.
TELLS = {"copilot": {"end"}, "qwen": {"before-tool", "tool-failed"}}
# Where it keeps a memory of its own that it reads again.
OWN_MEMORY = {"codex": ".codex/memories/memory_summary.md"}
CODEX_MEMORIES = "\n[features]\nmemories = true\n"


@pytest.fixture
def somebody(machine: Path, repository, model: Model, request: pytest.FixtureRequest) -> Person:
    """A person who has the programs of one agent, which they use already."""
    agent = request.getfixturevalue("which")
    try:
        there = programs.more() if agent in MORE else programs.install()
    except programs.NotHere as problem:
        pytest.skip(f"the outside programs cannot be installed: {problem}")
    person = Person(machine, repository("shop"), there, model)
    person.has(agent)
    return person


@pytest.mark.parametrize("which", list(MORE))
def test_a_session_is_given_what_is_known_and_leaves_what_was_said(somebody: Person, which: str) -> None:
    """Memories at the start, the tools of the server, what the person said, every event once, and the transcript."""
    known, pier, said = (secrets.token_hex(8) for _ in range(3))
    holdfast, program = command_line(somebody), EVERY[which]
    holdfast("remember", "--scope", "global", f"The person likes to be called {known}.")
    holdfast("remember", "--key", "ferry", f"The ferry to the island leaves from pier {pier}.")
    holdfast("install", which, "--yes")
    steps = [
        program.shell("echo found"),
        program.shell("cat nowhere"),
        *program.tool("memory_recall", {"query": "ferry"}),
    ]
    prompt = f"Remember: our deploys always go through the host {said}."
    ran = somebody.run(which, prompt, [*steps, Say("done then")])
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], []), ran.err[-3000:]
    assert given_once(ran.first, known)
    assert any(pier in text and "memories" in text for text in ran.turns[-1].texts)
    told = [event for event in events(somebody.home) if event.get("agent") == which and "native" in event]
    kinds = [event["kind"] for event in told]
    assert [kinds.count(kind) for kind in ("start", "prompt", "stop")] == [1, 1, 1]
    assert TELLS[which] <= {event["kind"] for event in events(somebody.home)}
    assert hook_log(somebody.home) == "" and said in holdfast("list")
    holdfast("sweep")
    archive = Archive(str(somebody.home / ".holdfast"))
    [entry] = archive.entries()
    rows = list(archive.events(entry.name))
    assert [row.text for row in rows if row.role == "human"] == [prompt]
    calls = {
        row.input: row.failed for row in rows if row.role == "tool" and ("found" in row.input or "nowhere" in row.input)
    }
    assert sorted(calls.values()) == [False, True]
    holdfast("uninstall", which, "--yes", "--verify")
    left = [path for path, (_, data) in files(somebody.home).items() if b"surfaces/hook" in data]
    assert not [path for path in left if path.endswith(("settings.json", "hooks.json", "config.json"))]


@pytest.mark.parametrize("which", ["claude-code", "codex", "qwen"])
def test_a_memory_that_is_switched_off_is_not_in_the_request(somebody: Person, which: str) -> None:
    """What the agent noted itself reaches its model before `native off`, and not afterwards."""
    noted = secrets.token_hex(8)
    place = Place(scope="user", home=str(somebody.home), folder=str(somebody.folder), environment={})
    own = OWN_MEMORY.get(which) or agents.get(which).own_memory(place)
    path = somebody.home / own
    path.parent.mkdir(parents=True)
    path.write_text(f"# Memory\n\n- The parcel code is {noted}.\n")
    if which == "codex":
        config = somebody.home / ".codex" / "config.toml"
        config.write_text(config.read_text() + CODEX_MEMORIES)
    assert somebody.run(which, "hello").first.count(noted) == 1
    command_line(somebody)("native", "off", which, "--yes")
    assert somebody.run(which, "hello").first.count(noted) == 0
