"""What a sweep has to read: every transcript of every agent, less those that did not change."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.base import Place
from holdfast.records import Problem
from holdfast.sessions.cursors import UNCHANGED, Cursors, TranscriptStamp, stamp_of


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript that changed: where it is, which agent names it, its stamp, and how it differs from before."""

    path: str
    agent: str
    stamp: TranscriptStamp
    state: str


@dataclass(frozen=True, slots=True)
class Where:
    """Where to look: among the transcripts of these agents (none: of all), or among these paths in place of them.

    What did not change after `since_ns` is left out.
    """

    agents: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since_ns: int = 0


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look around found: `changed` the oldest first, and what could not be looked at."""

    discovered: int
    unchanged: int
    changed: tuple[Transcript, ...]
    problems: tuple[Problem, ...]


def look(cursors: Cursors, environment: Mapping[str, str], rules: str, where: Where) -> Looked:
    """Find what changed since the cursors were put, by these rules."""
    problems: list[Problem] = []
    discovered = unchanged = 0
    changed: list[Transcript] = []
    seen: set[str] = set()
    given = [("", os.path.abspath(path)) for path in where.paths]
    for agent, path in given or _found(where.agents, environment, problems):
        if path in seen:
            continue
        seen.add(path)
        try:
            if not where.since_ns and cursors.stands(path, rules):
                discovered, unchanged = discovered + 1, unchanged + 1
                continue
            stamp = stamp_of(path)
            if stamp.mtime_ns < where.since_ns:
                continue
            discovered += 1
            state = cursors.state(path, stamp, rules)
        except OSError as problem:
            problems.append(unreadable(path, problem))
            continue
        unchanged += state == UNCHANGED
        if state != UNCHANGED:
            changed.append(Transcript(path, agent, stamp, state))
    if where == Where() and not problems:
        cursors.drop_gone(seen)
    changed.sort(key=lambda one: (one.stamp.mtime_ns, one.path))
    return Looked(discovered, unchanged, tuple(changed), tuple(problems))


def _found(
    names: tuple[str, ...], environment: Mapping[str, str], problems: list[Problem]
) -> Iterator[tuple[str, str]]:
    """Yield agent and path of each transcript; an agent that cannot be asked takes only its own away."""
    person = os.path.abspath(environment.get("HOME") or os.path.expanduser("~"))
    place = Place(person, person, "user", environment)
    for name in names or agents.names():
        try:
            for path in agents.get(name).find_sessions(place):
                yield name, path
        except Exception as problem:
            why = f"the transcripts of {name} cannot be found: {type(problem).__name__}: {problem}"
            problems.append(Problem("agent", name, why, "The other agents were swept.", severity="error"))


def unreadable(path: str, problem: OSError) -> Problem:
    """Return what to tell of a transcript that cannot be read."""
    why = problem.strerror or str(problem)
    return Problem("unreadable", path, f"it cannot be read: {why}", "Check its owner and mode.", severity="error")
