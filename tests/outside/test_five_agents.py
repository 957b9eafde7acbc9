"""All five agents of one person at once: what one stores reaches the next, and nothing is recorded or given twice."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.workspace import Workspace
from outside.agents import PROGRAMS, Person, Ran
from outside.conftest import command_line
from outside.life import FACT, SCOPES
from outside.loopback import Model, Say
from outside.reading import events, given_once, hook_log
from support.distributing import approved
from support.places import make_repository

NAMES = list(PROGRAMS)
# What happens in a session of one prompt, whichever agent it is; some tell more.
LEAST = {"start", "prompt", "stop"}
# Grok does not say which session it starts an MCP server for.
NAME_THE_SESSION = frozenset(NAMES) - {"grok"}


@dataclass(frozen=True)
class Turn:
    """A session of one agent in the circle: what it was asked to store, and what the journal got of it."""

    agent: str
    stored: str
    ran: Ran
    told: list[dict]


@dataclass(frozen=True)
class Circle:
    """Each agent stores something in turn, and the first one comes once more in the end."""

    home: Path
    personal: str
    rule: str
    turns: list[Turn]
    listed: str


@pytest.fixture(scope="session")
def circle(installed: Path, tmp_path_factory) -> Iterator[Circle]:
    """One session of each agent in one project, and once more of the first, played once for all tests here."""
    home = tmp_path_factory.mktemp("circle")
    with Model() as model:
        person = Person(home, make_repository(home / "code", "shop"), installed, model)
        yield played(person, command_line(person))


def played(person: Person, holdfast) -> Circle:
    """Let each agent store something through the server."""
    personal, rule = secrets.token_hex(8), secrets.token_hex(8)
    for name in NAMES:
        person.has(name)
        for scope in SCOPES:
            holdfast("install", name, "--scope", scope, "--yes")
    holdfast("remember", "--scope", "global", f"{FACT} {personal}.")
    store = str(person.home / ".holdfast")
    with Workspace(store, folder=str(person.folder), environment=person.environment()) as workspace:
        approved(workspace, "aaaaaaaaaa", f"The tests of this shop are called {rule}.", title="The tests have a name")
    holdfast("patterns", "distribute", "aaaa", "--to", "rules", *(f"--agent={name}" for name in NAMES), "--yes")
    turns: list[Turn] = []
    for name in (*NAMES, NAMES[0]):
        mark, before = secrets.token_hex(8), len(events(person.home))
        content = f"The release train of this shop leaves from platform {mark}."
        call = PROGRAMS[name].tool("memory_store", {"content": content, "key": f"train-{len(turns)}"})
        if name in NAME_THE_SESSION:
            port = {"content": "The test port is 5433.", "scope": "session", "key": f"port-{len(turns)}"}
            call += PROGRAMS[name].tool("memory_store", port)
        ran = person.run(name, "store something", [*call, Say("stored")])
        turns.append(Turn(name, mark, ran, events(person.home)[before:]))
    return Circle(person.home, personal, rule, turns, holdfast("list"))


def test_what_an_agent_stores_reaches_a_different_agent(circle: Circle) -> None:
    """An agent calls memory_store in its session, and the next session of another agent is given that once."""
    for earlier, later in zip(circle.turns, circle.turns[1:], strict=False):
        assert (earlier.ran.code, earlier.ran.missing, earlier.ran.left_behind) == (0, [], []), earlier.agent
        assert earlier.stored in circle.listed, earlier.agent
        assert given_once(later.ran.first, earlier.stored), (earlier.agent, later.agent)


def test_each_event_is_recorded_once_and_injected_once(circle: Circle) -> None:
    """Some read the config of others; still a session leaves events of its agent alone, and is given a fact once."""
    for turn in circle.turns:
        assert given_once(turn.ran.first, circle.personal), turn.agent
        told = [event for event in turn.told if "native" in event]
        assert {event["agent"] for event in told} == {turn.agent}
        assert len({event["session"] for event in told}) == 1, turn.agent
        assert {event["kind"] for event in told} >= LEAST, turn.agent
        # An agent may pause more than once in a session with calls.
        once = [(event["native"], event.get("source")) for event in told if event["kind"] in ("start", "prompt")]
        assert [what for what, times in Counter(once).items() if times > 1] == [], turn.agent


def test_what_holds_for_this_session_is_stored_for_this_session(circle: Circle) -> None:
    """An agent stores for the scope session through its MCP server, and it is the session that its hooks tell of."""
    for number, turn in enumerate(circle.turns):
        found = (circle.home / ".holdfast" / "memory" / "sessions").rglob(f"port-{number}.md")
        told = {event["session"] for event in turn.told if "native" in event and turn.agent in NAME_THE_SESSION}
        assert {path.parts[-3] for path in found} == told, turn.agent


def test_five_agents_share_a_rule_where_they_can(circle: Circle) -> None:
    """Handed to all at once, each agent that reads the shared file alone has it once."""
    counts = {turn.agent: turn.ran.first.count(circle.rule) for turn in circle.turns}
    assert counts == {**dict.fromkeys(NAMES, 1), "grok": 2}


def test_an_agent_that_runs_the_hooks_of_another_gets_silence(person: Person, holdfast) -> None:
    """Grok does run the hooks of Claude Code, and they see that it is not their agent."""
    for name in ("claude-code", "grok"):
        person.has(name)
    holdfast("install", "claude-code", "--yes")
    holdfast("remember", "--scope", "global", f"The code name is {(mark := secrets.token_hex(8))}.")
    ran = person.run("grok", "say hello")
    assert ran.code == 0
    assert ran.first.count(mark) == 0
    assert [event for event in events(person.home) if "native" in event] == []
    assert "claude-code UserPromptSubmit" in hook_log(person.home)
