"""Replay: what today's rules would have said in archived sessions, knowing at each moment only what was known then.

All sessions are walked together in the order of time, by the same functions that hooks and harvests use: a fix is known
from the call on that showed it, a memory from the time on that its file names, a correction from the message on that
said it. Nothing is written. A session of which only the digest is left has no moments, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from holdfast.app.harvest import bounded
from holdfast.base.clock import now
from holdfast.base.text import one_line
from holdfast.errors import HoldfastError
from holdfast.inject.block import tokens_of
from holdfast.language import when
from holdfast.language.likeness import alike, words_of
from holdfast.learning.fixes import model
from holdfast.learning.fixes.harvest import walk
from holdfast.learning.fixes.model import Fix
from holdfast.learning.fixes.retries import Failure, least_calls
from holdfast.learning.fixes.session_failures import best_of, line_at_failure
from holdfast.patterns.session_acts import corrections
from holdfast.privacy.fence import fenced
from holdfast.records import Filter, Memory, Problem, Scope, Session
from holdfast.sessions.archive import Archive
from holdfast.store import kinds
from holdfast.workspace import Workspace

_MAX_TEXT = 160
# What a session did at a failure whose fix was known: it found the same itself, or another way.
SAME, OTHERWISE = "same", "otherwise"
Pace = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ReplayMoment:
    """One moment: where it is, what happened, what would have been said, and where that came from.

    `became` is what the session did then, where that can be told; `calls` how many calls later.
    """

    session: str
    line: int
    at: str
    text: str
    said: str = ""
    source: str = ""
    became: str = ""
    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Repeated:
    """A failure that came again in a later session of its project: where it was first, and each later time.

    `in_hand`: what worked for it was known before the second time.
    """

    project: str
    text: str
    first: str
    in_hand: bool
    times: list[ReplayMoment] = field(default_factory=list)


@dataclass(slots=True)
class Failures:
    """Commands that failed in a way that can be told again, of how many `different` kinds, and what was known of them.

    `repeated` kinds came again in later sessions, `again` times. Where the fix would have been `said`, the session then
    found the `same` itself, with `spared` calls more than the fix takes, or another way (`in_vain`); of the rest nobody
    knows.
    """

    total: int = 0
    different: int = 0
    repeated: int = 0
    in_hand: int = 0
    again: int = 0
    said: int = 0
    same: int = 0
    spared: int = 0
    in_vain: int = 0
    tokens: int = 0
    kinds: list[Repeated] = field(default_factory=list)


@dataclass(slots=True)
class Corrections:
    """What the person corrected: a memory said the same by then (`stood`), or they did so in an earlier session."""

    total: int = 0
    stood: int = 0
    repeated: int = 0
    examples: list[ReplayMoment] = field(default_factory=list)


@dataclass(slots=True)
class Replayed:
    """What a replay found in so many sessions between two times; of `without_events` only a digest is left."""

    sessions: int = 0
    calls: int = 0
    first: str = ""
    last: str = ""
    without_events: int = 0
    failures: Failures = field(default_factory=Failures)
    corrections: Corrections = field(default_factory=Corrections)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Moment:
    """Something in a session that counts: a failure, a fix or a correction, and how many calls there were before it."""

    at: str
    session: Session
    whole: str
    place: int
    line: int
    calls: int
    what: Failure | Fix | str


def replay(workspace: Workspace, *, since: str = "", project: str = "", pace: Pace | None = None) -> Replayed:
    """Replay the archive. What is before `since` is known and not counted; `project` is the id of the only one."""
    done = Replayed()
    if not workspace.enabled:
        return done
    start = when.moment(since, now()) if since else ""
    archive = Archive(workspace.home)
    moments: list[_Moment] = []
    entries, canonical = archive.entries(), workspace.registry.known().canonical
    for number, entry in enumerate(entries, 1):
        try:
            session = archive.session(entry.name)
            if not project or canonical(session.project) == project:
                moments += _read(archive, session, start, done)
        except HoldfastError as problem:
            done.problems.append(Problem("session", entry.name, str(problem), problem.hint))
        if pace:
            pace(number, len(entries))
    walked = _Walk(workspace, done, start, canonical)
    for one in sorted(moments, key=lambda one: (one.at, one.session.name, one.place)):
        walked.take(one)
    walked.finish()
    return done


def _read(archive: Archive, session: Session, start: str, done: Replayed) -> Iterator[_Moment]:
    """Yield the moments of a session."""
    if not archive.has_raw(session.name):
        done.without_events += 1
        return
    events = bounded(archive.events(session.name))
    called = {event.place: number for number, event in enumerate(one for one in events if one.role == "tool")}
    at = session.started or session.ended
    times: dict[int, str] = {}
    for event in events:
        at = times[event.place] = event.at or at
    if at >= start:
        done.sessions += 1
        done.calls += len(called)
        done.first = min(filter(None, (done.first, session.started or at)), default="")
        done.last = max(done.last, at)
    whole = f"{session.agent}/{session.parent}" if session.parent and session.parent != session.id else session.name
    found: list[tuple[int, int, Failure | Fix | str]] = [
        (event.place, event.line, what) for event, what in walk(session, events)
    ]
    if not session.is_subagent:
        found += [(act.place, act.line, act.text) for act in corrections(events)]
    for place, line, what in found:
        yield _Moment(times.get(place, at), session, whole, place, line, called.get(place, 0), what)


class _Walk:
    """Goes through the moments of all sessions in the order of time, and knows what was known by then."""

    def __init__(self, workspace: Workspace, done: Replayed, start: str, canonical: Callable[[str], str]) -> None:
        self._done = done
        self._start = start
        self._canonical = canonical
        workspace.refresh(None)
        found = [workspace.store.get(one.scope, one.key) for one in workspace.store.find(Filter(None))]
        self._memories = [_Known(one) for one in found if one.holds]
        self._fixes: dict[tuple[str, str], dict[str, Fix]] = {}
        self._failed: dict[tuple[str, str], _Moment] = {}
        self._again: dict[tuple[str, str], Repeated] = {}
        # Of each session and failure what would have been said, and at which moment.
        self._told: dict[tuple[str, str], tuple[Fix | None, _Moment]] = {}
        self._corrected: dict[str, list[tuple[frozenset[str], _Moment]]] = {}
        self._kinds: set[tuple[str, str]] = set()
        self._copies: set[tuple[str, str, object]] = set()

    def take(self, moment: _Moment) -> None:
        """Take what comes next. A session that goes on in another file tells its beginning there again."""
        what = moment.what
        copy = moment.session.agent, moment.at, what.line if isinstance(what, Failure) else what
        if copy in self._copies and moment.at:
            return
        self._copies.add(copy)
        project = self._canonical(moment.session.project)
        if isinstance(what, Failure):
            self._take_failure(moment, project, what)
        elif isinstance(what, Fix):
            self._take_fix(moment, project, what)
        else:
            self._take_correction(moment, project, what)

    def _take_failure(self, moment: _Moment, project: str, failure: Failure) -> None:
        counts = moment.at >= self._start
        if not failure.fingerprint:
            return
        place = project, failure.fingerprint
        if counts:
            self._done.failures.total += 1
            self._kinds.add(place)
        known = self._fixes.setdefault(place, {})
        # What the session itself had found did not hold.
        known.pop(model.id_of(moment.session.agent, moment.session.id, failure.fingerprint), None)
        first = self._failed.setdefault(place, moment)
        session = moment.session.name, failure.fingerprint
        if not project or first.whole == moment.whole or session in self._told:
            return
        fix = best_of(model.fitting(known.values(), failure.names), (failure.line,))
        self._told[session] = fix, moment
        if not counts:
            return
        text = one_line(f"`{failure.line}`: {failure.error}", _MAX_TEXT)
        again = self._again.setdefault(place, Repeated(project, text, _named(first), fix is not None))
        line = line_at_failure(fix) if fix else ""
        source = f"{fix.agent}/{fix.session}" if fix else ""
        where = moment.session.name, moment.line, moment.at, text
        again.times.append(ReplayMoment(*where, line, source, tokens=tokens_of(fenced([f"- {line}"])) if line else 0))

    def _take_fix(self, moment: _Moment, project: str, fix: Fix) -> None:
        place = project, fix.fingerprint
        self._fixes.setdefault(place, {})[fix.id] = fix
        said, failed = self._told.get((moment.session.name, fix.fingerprint), (None, moment))
        again = self._again[place].times if place in self._again else []
        if said is None or not again or (again[-1].session, again[-1].became) != (moment.session.name, ""):
            return
        calls, same = moment.calls - failed.calls, not set(said.steps).isdisjoint(fix.steps)
        again[-1] = replace(again[-1], became=SAME if same else OTHERWISE, calls=calls)
        self._done.failures.spared += max(0, calls - least_calls(said)) if same else 0

    def _take_correction(self, moment: _Moment, project: str, text: str) -> None:
        found, words = self._done.corrections, words_of(text)
        memory = next((one for one in self._memories if one.says(words, project, moment)), None)
        before = self._corrected.setdefault(project, [])
        earlier = next((one for told, one in before if one.whole != moment.whole and alike(told, words)), None)
        before.append((words, moment))
        if moment.at < self._start:
            return
        found.total += 1
        found.stood += memory is not None
        found.repeated += earlier is not None
        if memory is not None or earlier is not None:
            said = memory.memory.body if memory else str(earlier.what if earlier else "")
            source = str(memory.memory.key) if memory else _named(earlier)
            where = moment.session.name, moment.line, moment.at, one_line(text, _MAX_TEXT)
            found.examples.append(ReplayMoment(*where, one_line(said, _MAX_TEXT), source))

    def finish(self) -> None:
        """Count what would have been said at failures, and what became of it; what came most often stands first."""
        found = self._done.failures
        found.kinds = sorted(self._again.values(), key=lambda one: -len(one.times))
        times = [one for kind in found.kinds for one in kind.times]
        found.different = len(self._kinds)
        found.repeated, found.in_hand = len(found.kinds), sum(one.in_hand for one in found.kinds)
        found.again, found.said = len(times), sum(bool(one.said) for one in times)
        found.same, found.in_vain = (sum(one.became == how for one in times) for how in (SAME, OTHERWISE))
        found.tokens = sum(one.tokens for one in times)


class _Known:
    """A memory, and since when it says what it says; its file tells that."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        told = [(one.at, one.text) for one in memory.history]
        since = memory.updated if told else memory.created
        self._told = [(at, words_of(kinds.parts(text)[0])) for at, text in (*told, (since, memory.body))]

    def says(self, words: frozenset[str], project: str, moment: _Moment) -> bool:
        """Whether it was there before that moment, from elsewhere, in sight of that project, and said the same."""
        scope = self.memory.scope
        if scope not in (Scope("global"), Scope("project", project)) or self.memory.session == moment.session.id:
            return False
        known = [told for at, told in self._told if at and at < moment.at]
        return bool(known) and alike(known[-1], words)


def _named(moment: _Moment | None) -> str:
    return f"{moment.session.name}:{moment.line}" if moment else ""
