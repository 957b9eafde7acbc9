"""A corpus of made-up sessions of several agents in an archive: noise, planted patterns, and traps.

A trap recurs in many sessions and is no pattern: text that a program put in, our own text, what is told to sub-agents,
a failure in a session of which there are copies, tests that are run again after each change.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from noise import Noise
from planted import Planted
from script import DIALECTS, Script

from holdfast.records import Session, SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from holdfast.sessions.facts import Digest

PROJECTS = ("github.com--acme--shop", "github.com--acme--api", "github.com--acme--site", "gitlab.com--zest--tools")
_FIRST_DAY = 1_780_000_000.0
_DAY = 86_400.0
_REMINDER = "<system-reminder>\nNo, never use tabs. The build fails: error: tabs are not allowed.\n</system-reminder>"
_OURS = "<holdfast-memory>\nDon't use yarn. `yarn build` fails: error: integrity check failed\n</holdfast-memory>"
_TASK = "No, don't look at the vendor folder. Stop reading vendored code and report what the parser does."


@dataclass(frozen=True)
class Corpus:
    """What was planted: by its name, the sessions in which it is; and how many sessions there are."""

    planted: dict[str, frozenset[str]]
    sessions: int


def make(
    archive: Archive,
    agents: list[str],
    seed: int,
    sessions: int,
    planted: Sequence[Planted],
    unwanted: Sequence[Planted] = (),
) -> Corpus:
    """Write a corpus into an archive and return where what was planted, each in five to nine sessions.

    What is unwanted recurs as often, and is no pattern.
    """
    where: dict[str, set[str]] = {one.name: set() for one in planted}
    source = random.Random(seed)
    for told, events, parts in _sessions(source, agents, sessions, [*planted, *unwanted], (5, 9)):
        put(archive, told, events)
        for one in [one for one in parts if one.name in where]:
            where[one.name].add(told.name)
    for told, events in _traps(source, agents):
        put(archive, told, events)
    return Corpus({name: frozenset(found) for name, found in where.items()}, sessions)


def digests(agents: list[str], seed: int, sessions: int, planted: Sequence[Planted]) -> Iterator[Digest]:
    """Yield the digests of so many made-up sessions."""
    often = (sessions // 60, sessions // 30)
    for told, events, _ in _sessions(random.Random(seed), agents, sessions, planted, often):
        yield digest(told, events)


def put(archive: Archive, told: Session, events: list[SessionEvent]) -> None:
    """Put a session into an archive, as a sweep does."""
    with archive.writing(told.agent) as writer:
        for event in events:
            writer.add(event)
        writer.keep(told)
    archive.put_digest(digest(told, events))


def _sessions(
    source: random.Random, agents: list[str], sessions: int, planted: Sequence[Planted], occurrences: tuple[int, int]
) -> Iterator[tuple[Session, list[SessionEvent], list[Planted]]]:
    parts = _parts(source, len(agents), sessions, planted, occurrences)
    for number in range(sessions):
        agent, project = number % len(agents), PROJECTS[(number // len(agents)) % len(PROJECTS)]
        start = _FIRST_DAY + number * _DAY / 4
        script = Script(source, DIALECTS[agent % len(DIALECTS)], start, f"/srv/{project}", when=_iso)
        _play(script, source, parts[number])
        yield _told(agents[agent], f"s{number:05d}", project, script), script.events, parts[number]


def _parts(
    source: random.Random, agents: int, sessions: int, planted: Sequence[Planted], occurrences: tuple[int, int]
) -> list[list[Planted]]:
    """Return what is planted in each session."""
    parts: list[list[Planted]] = [[] for _ in range(sessions)]
    for one in planted:
        project = source.randrange(len(PROJECTS))
        fitting = [n for n in range(sessions) if not one.one_project or (n // agents) % len(PROJECTS) == project]
        for number in source.sample(fitting, source.randint(*occurrences)):
            parts[number].append(one)
    return parts


def _play(script: Script, source: random.Random, parts: list[Planted]) -> None:
    noise = Noise(source)
    script.put_in("injected", _REMINDER)
    script.put_in("ours", _OURS)
    noise.ask(script)
    for one in parts:
        noise.some(script, source.randrange(3, 10))
        one.play(script, noise)
    noise.some(script, source.randrange(4, 16))
    _tested_again(script, noise)
    script.say("All of it is done.")


def _tested_again(script: Script, noise: Noise) -> None:
    """Run the same tests after each of a few changes."""
    for _ in range(3):
        script.edit(str(noise.words()["path"]))
        script.run("pytest -q", "41 passed in 2.0s")


def _traps(source: random.Random, agents: list[str]) -> Iterator[tuple[Session, list[SessionEvent]]]:
    """Yield sessions of sub-agents that were told the same, and copies of one session."""
    for number in range(6):
        script = Script(source, DIALECTS[0], _FIRST_DAY + number * _DAY, "/srv/x", when=_iso)
        script.say("I start.")
        script.put_in("task", _TASK)
        Noise(source).look(script, 5)
        more = {"parent": f"s{number:05d}", "is_subagent": True}
        yield _told(agents[0], f"sub{number}", PROJECTS[0], script, **more), script.events
    copied = Script(source, DIALECTS[0], _FIRST_DAY, "/srv/x", when=_iso)
    copied.ask("Build the handbook.")
    copied.run("mdbook build", "error: book.toml has no title for chapter nine", 1)
    for number in range(5):
        parent = "copy0" if number else ""
        yield _told(agents[0], f"copy{number}", PROJECTS[0], copied, parent=parent), copied.events


def _told(agent: str, id: str, project: str, script: Script, **more: Any) -> Session:
    first, last = script.events[0].at, script.events[-1].at
    count = len(script.events)
    return Session(agent, id, folder=script.folder, project=project, started=first, ended=last, events=count, **more)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
