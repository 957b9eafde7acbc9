"""Replay: what today's rules would have said in archived sessions, knowing at each moment only what was known then.

All sessions are walked together in the order of time, by the same functions that hooks and harvests use: a fix is known
from the call on that showed it, a memory from the time on that its file names, a correction from the message on that
said it. Nothing is written. A session of which only the digest is left has no moments, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from holdfast.agents.base import Agent
from holdfast.app import at_prompt
from holdfast.app.harvest import bounded
from holdfast.app.replay_records import Repeated, Replayed, ReplayMoment
from holdfast.app.replay_rules import RuleCall, RuleWalk
from holdfast.base.clock import now
from holdfast.base.text import one_line
from holdfast.errors import HoldfastError
from holdfast.inject.block import tokens_of
from holdfast.language import when
from holdfast.language.likeness import alike, words_of
from holdfast.learning.fixes import model
from holdfast.learning.fixes.harvest import walk
from holdfast.learning.fixes.model import Fix
from holdfast.learning.fixes.retries import Failure, FixStep, fitting, least_calls
from holdfast.learning.fixes.session_failures import best_of, line_at_failure, why_untold
from holdfast.parts import HookRun
from holdfast.patterns.session_acts import corrections
from holdfast.privacy import speech
from holdfast.privacy.fence import fenced
from holdfast.project.registry import Known
from holdfast.records import Filter, HookCall, Memory, Problem, Scope, Session
from holdfast.sessions.archive import Archive
from holdfast.store import kinds
from holdfast.store.read_only_index import ReadOnlyIndex
from holdfast.workspace import Workspace

_MAX_TEXT = 160
# What a session did at a failure whose fix was known: it found the same itself, or another way.
SAME, OTHERWISE = "same", "otherwise"
Pace = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Moment:
    """Something in a session that counts: a failure, a fix or a correction, and how many calls there were before it."""

    at: str
    session: Session
    whole: str
    place: int
    line: int
    calls: int
    what: Failure | Fix | FixStep | RuleCall | str


def replay(workspace: Workspace, *, since: str = "", project: str = "", pace: Pace | None = None) -> Replayed:
    """Replay the archive. What is before `since` is known and not counted; `project` is the id of the only one."""
    done = Replayed()
    if not workspace.enabled:
        return done
    start = when.moment(since, now()) if since else ""
    archive = Archive(workspace.home)
    moments: list[_Moment] = []
    entries, known = archive.entries(), workspace.registry.known()
    if not entries:
        return done
    walked = _Walk(workspace, done, start, known)
    for number, entry in enumerate(entries, 1):
        try:
            session = archive.session(entry.name)
            if not project or known.canonical(session.project) == project:
                moments += _read(archive, session, walked, start)
        except HoldfastError as problem:
            done.problems.append(Problem("session", entry.name, str(problem), problem.hint))
        if pace:
            pace(number, len(entries))
    for one in sorted(moments, key=lambda one: (one.at, one.session.name, one.place)):
        walked.take(one)
    walked.finish()
    return done


def _read(archive: Archive, session: Session, walked: _Walk, start: str) -> Iterator[_Moment]:
    """Yield the moments of a session."""
    done = walked.done
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
    found: list[tuple[int, int, Failure | Fix | FixStep | RuleCall | str]] = [
        (event.place, event.line, what) for event, what in walk(session, events)
    ]
    # A project has several folders: one for each worktree, and others on other machines.
    around = [path for path in walked.paths if f"{session.folder}/".startswith(f"{path.rstrip('/')}/")]
    root = max(around, key=len, default=session.folder)
    found += [(event.place, event.line, what) for event, what in walked.rules.calls_in(session, root, events)]
    if not session.is_subagent:
        found += [(act.place, act.line, act.text) for act in corrections(events)]
    for place, line, what in found:
        yield _Moment(times.get(place, at), session, whole, place, line, called.get(place, 0), what)


class _Walk:
    """Goes through the moments of all sessions in the order of time, and knows what was known by then."""

    def __init__(self, workspace: Workspace, done: Replayed, start: str, known: Known) -> None:
        self._workspace = workspace
        self.done = done
        self.paths = [path for _, path in known.paths()]
        self._start = start
        self._canonical = known.canonical
        workspace.refresh(None)
        found = [workspace.store.get(one.scope, one.key) for one in workspace.store.find(Filter(None))]
        self._memories = [_Known(one) for one in found if one.holds]
        self.rules = RuleWalk([one for one in found if one.holds], workspace.settings.text("rules.strongest"))
        self._fixes: dict[tuple[str, str], dict[str, Fix]] = {}
        self._failed: dict[tuple[str, str], _Moment] = {}
        self._again: dict[tuple[str, str], Repeated] = {}
        # What would have been said for each session and failure, and at which moment.
        self._told: dict[tuple[str, str], tuple[Fix | None, _Moment]] = {}
        self._ran: dict[str, list[str]] = {}
        self._corrected: dict[str, list[tuple[frozenset[str], _Moment]]] = {}
        self._kinds: set[tuple[str, str]] = set()
        self._copies: dict[tuple[str, str, object], str] = {}

    def take(self, moment: _Moment) -> None:
        """Take the next event. A session that continues in another file repeats its beginning there."""
        what = moment.what
        copy = moment.session.agent, moment.at, what.line if isinstance(what, Failure) else what
        if moment.at and self._copies.setdefault(copy, moment.session.name) != moment.session.name:
            return
        project = self._canonical(moment.session.project)
        if isinstance(what, Failure):
            self._take_failure(moment, project, what)
        elif isinstance(what, Fix):
            self._take_fix(moment, project, what)
        elif isinstance(what, FixStep):
            self._ran.setdefault(moment.session.name, []).append(what.what)
        elif isinstance(what, RuleCall):
            where = moment.session.name, moment.line, moment.at
            self.rules.take(where, project, what, counts=moment.at >= self._start)
        else:
            self._take_correction(moment, project, what)

    def _take_failure(self, moment: _Moment, project: str, failure: Failure) -> None:
        counts = moment.at >= self._start
        if not failure.fingerprint:
            return
        place = project, failure.fingerprint
        if counts:
            self.done.failures.total += 1
            self._kinds.add(place)
        known = self._fixes.setdefault(place, {})
        # The fix that the session had found did not hold.
        known.pop(model.id_of(moment.session.agent, moment.session.id, failure.fingerprint), None)
        first = self._failed.setdefault(place, moment)
        session = moment.session.name, failure.fingerprint
        if not project or first.whole == moment.whole or session in self._told:
            return
        ran = self._ran.get(moment.session.name, ())
        fits = fitting(model.best_first([*known.values()]), failure.line, failure.error, failure.names)
        fix = best_of(fits, (failure.line, *ran))
        self._told[session] = fix, moment
        if not counts:
            return
        self.done.failures.known_well += fix is not None and fix.times > 1
        text = one_line(f"`{failure.line}`: {failure.error}", _MAX_TEXT)
        again = self._again.setdefault(place, Repeated(project, text, _named(first), fix is not None))
        if fits and fix is None:
            again.untold = why_untold(fits[0]) or "the session had taken its step before"
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
        self.done.failures.spared += max(0, calls - least_calls(said)) if same else 0

    def _take_correction(self, moment: _Moment, project: str, text: str) -> None:
        found, words = self.done.corrections, words_of(text)
        memory = next((one for one in self._memories if one.says(words, project, moment)), None)
        before = self._corrected.setdefault(project, [])
        earlier = next((one for told, one in before if one.whole != moment.whole and alike(told, words)), None)
        before.append((words, moment))
        self.rules.corrected(moment.session.name, words)
        if moment.at < self._start:
            return
        found.total += 1
        found.stood += memory is not None
        found.given += memory is not None and self._brings(moment, project, memory.memory)
        found.repeated += earlier is not None
        if memory is not None or earlier is not None:
            said = memory.memory.body if memory else str(earlier.what if earlier else "")
            source = str(memory.memory.key) if memory else _named(earlier)
            where = moment.session.name, moment.line, moment.at, one_line(text, _MAX_TEXT)
            found.examples.append(ReplayMoment(*where, one_line(said, _MAX_TEXT), source))

    def _brings(self, moment: _Moment, project: str, memory: Memory) -> bool:
        """Whether one of the prompts of the session up to a moment would have brought a memory."""
        environment = {**self._workspace.environment, "HOLDFAST_PROJECT": project}
        bar = self._workspace.settings.number("inject.relevance") / 100
        for event in Archive(self._workspace.home).events(moment.session.name):
            prompt = speech.typed(event.text) if event.role == "human" and event.place < moment.place else ""
            if not prompt:
                continue
            call = HookCall(moment.session.agent, "prompt", "", session=moment.session.id, prompt=prompt)
            run = HookRun(self._workspace.home, Agent(), call, environment)
            with ReadOnlyIndex(run.home, lambda: False) as index:
                found = [one.memory for _, one in at_prompt.marked(run, index, bar)]
            if any((one.scope, one.key) == (memory.scope, memory.key) for one in found):
                return True
        return False

    def finish(self) -> None:
        """Count what would have been said at failures, and what became of it; what came most often stands first."""
        found = self.done.failures
        found.kinds = sorted(self._again.values(), key=lambda one: -len(one.times))
        times = [one for kind in found.kinds for one in kind.times]
        found.different = len(self._kinds)
        found.repeated, found.in_hand = len(found.kinds), sum(one.in_hand for one in found.kinds)
        found.again, found.said = len(times), sum(bool(one.said) for one in times)
        found.same, found.in_vain = (sum(one.became == how for one in times) for how in (SAME, OTHERWISE))
        found.tokens = sum(one.tokens for one in times)
        self.done.rules, self.done.with_condition = self.rules.uses(), self.rules.count


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
