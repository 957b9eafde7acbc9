"""Sessions that the real agents wrote are read into the archive: by a sweep, and by the hook alone when they end."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

import pytest

from holdfast.records import SessionEvent
from holdfast.sessions.archive import Archive
from outside.agents import PROGRAMS, Person
from outside.loopback import Say
from outside.reading import OPEN, events, hook_log

FACT = "The person likes to be called by the code name"
PROJECT = "example.com--acme--shop"


@dataclass(frozen=True)
class Played:
    """What was asked and answered in a session, each with a word that stands nowhere else."""

    prompt: str
    good: str
    bad: str
    answer: str


def play(person: Person, agent: str) -> Played:
    """Let the agent be asked something, run a command that succeeds and one that fails, and answer."""
    told = [secrets.token_hex(6) for _ in range(4)]
    played = Played(f"please look after the parcel {told[0]}", told[1], told[2], f"the parcel is {told[3]}")
    shell = PROGRAMS[agent].shell
    steps = [shell(f"echo found-{played.good}"), shell(f"cat nowhere-{played.bad}"), Say(played.answer)]
    ran = person.run(agent, played.prompt, steps)
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], []), ran
    assert len(ran.turns) >= len(steps)
    return played


@pytest.fixture
def connected(person: Person, agent: str, holdfast) -> str:
    """An agent with our hooks, and a memory that they hand over."""
    holdfast("install", agent, "--yes")
    holdfast("remember", "--scope", "global", f"{FACT} Otter.")
    return agent


def archived(person: Person) -> tuple[Archive, str]:
    """Return the archive and the name of the one session in it that nobody else's session started."""
    archive = Archive(str(person.home / ".holdfast"))
    names = [entry.name for entry in archive.entries() if not archive.session(entry.name).is_subagent]
    assert len(names) == 1, names
    return archive, names[0]


def check(person: Person, agent: str, played: Played) -> None:
    """The session is whole in the archive, and nothing that we handed over counts as said by the person."""
    archive, name = archived(person)
    told = list(archive.events(name))
    session = archive.session(name)
    assert (session.agent, session.malformed, session.project) == (agent, 0, PROJECT)
    # One of the agents puts a prompt of several words into quotes itself.
    said = [event.text.strip('"') for event in told if event.role == "human"]
    assert said == [played.prompt], [(event.role, event.text[:200]) for event in told]
    assert any(played.answer in event.text for event in told if event.role == "assistant")
    check_calls(told, played)
    # The model on loopback says so for each of the three turns.
    assert session.models and (session.cost.input, session.cost.output) == (300, 30)
    assert not any(FACT in event.text or OPEN in event.text for event in told if event.role not in ("ours", "injected"))
    digest = archive.digest(name)
    assert digest.session.name == name and digest.first_ask is not None and played.prompt in digest.first_ask.text
    assert (digest.calls, digest.failed_calls) == (2, 1)


def check_calls(told: list[SessionEvent], played: Played) -> None:
    """Both calls are joined with their results, and only the second one failed."""
    calls = [event for event in told if event.role == "tool"]
    [good] = [event for event in calls if f"echo found-{played.good}" in event.input]
    [bad] = [event for event in calls if f"cat nowhere-{played.bad}" in event.input]
    assert f"found-{played.good}" in good.output and "No such file" in bad.output
    assert (good.failed, bad.failed, good.answered, bad.answered) == (False, True, True, True)


def test_a_sweep_reads_what_a_real_agent_wrote(person: Person, connected: str, holdfast) -> None:
    """Prompt, answer, both calls with results and failure, project, model, tokens and digest are in the archive."""
    played = play(person, connected)
    swept = json.loads(holdfast("sweep", "--json"))
    assert (swept["malformed"], swept["problems"], swept["waiting"]) == (0, [], 0)
    assert swept["ingested"] == swept["analysed"] >= 1
    check(person, connected, played)
    again = json.loads(holdfast("sweep", "--json"))
    assert again["ingested"] == 0 and again["skipped_unchanged"] == again["discovered"]


def test_the_hook_alone_brings_a_session_into_the_archive(person: Person, connected: str) -> None:
    """With hooks and without any command the session is in the archive soon after it ended, and no process is left."""
    person.sweeps = True
    played = play(person, connected)
    assert hook_log(person.home) == "" and {event["kind"] for event in events(person.home)} >= {"stop"}
    check(person, connected, played)


@pytest.mark.parametrize("agent", ["claude-code"], indirect=True)
def test_a_fork_counts_nothing_twice(person: Person, agent: str, holdfast) -> None:
    """A real fork has a copy of what was said before in its file; the archive has it once, and what it cost once."""
    person.run(agent, "look after the first parcel", [Say("the first is here")])
    person.run(agent, "look after the second parcel", [Say("the second is here")], "--continue", "--fork-session")
    holdfast("sweep")
    archive = Archive(str(person.home / ".holdfast"))
    told = {entry.name: archive.session(entry.name) for entry in archive.entries()}
    said = {name: [event.text for event in archive.events(name) if event.role == "human"] for name in told}
    assert sorted(said.values()) == [["look after the first parcel"], ["look after the second parcel"]]
    assert [session.cost.input for session in told.values()] == [100, 100]
    [fork] = [session for session in told.values() if session.parent]
    assert f"{agent}/{fork.parent}" in told
