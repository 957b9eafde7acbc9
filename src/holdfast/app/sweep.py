"""Sweep: find what changed in the transcripts of all agents, take it into the archive, and keep that within its budget.

A transcript that changed is read from its first byte and replaces what the archive had of its sessions, so one that
grew step by step and one that is read at once come to the same. Stop it anywhere, also by a power cut: what is done is
durable, and the next sweep does the rest.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby

from holdfast import agents as adapters
from holdfast.app import prune
from holdfast.app.harvest import Bounds, clear_leftovers, harvest
from holdfast.app.harvest import Pace as Learning
from holdfast.app.harvest_backlog import Waiting, leave, waiting
from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.package import __version__
from holdfast.base.text import count
from holdfast.continuity import follow_up, views
from holdfast.continuity.harvest import harvest as write_log_entry
from holdfast.errors import HoldfastError, StoreBusy
from holdfast.inject.hand_over import renew_rules_files
from holdfast.journal import notices
from holdfast.language import when
from holdfast.memory import anchors
from holdfast.records import Problem
from holdfast.sessions import budget
from holdfast.sessions import index as session_index
from holdfast.sessions.archive import LOSES_DATA, Archive, ArchiveEntry, Usage
from holdfast.sessions.cursors import Cursors, Looked, Transcript, Where, look
from holdfast.sessions.digest import RULES
from holdfast.sessions.index import ProjectOf
from holdfast.sessions.newest_first import newest_first
from holdfast.sessions.take_in import Taker
from holdfast.workspace import Workspace

# Files done, files in all, bytes done, bytes in all.
Pace = Callable[[int, int, int, int], None]
Say = Callable[[str], None]

# How much is put into the index before the cursors are written. Where that ends decides into which segments SQLite
# divides the words: two sweeps of the same may differ inside the full-text index, and not in what it finds.
_TOGETHER_FILES, _TOGETHER_BYTES, _TOGETHER_SECONDS = 100, 64_000_000, 2.0
# Surely so many bytes are read in a second. Where time is short, what is longer comes last, and holds up nothing.
_SURELY_A_SECOND = 10_000_000
# How long vectors are made; the rest waits for the next sweep that takes something in.
_VECTOR_SECONDS = 10.0
# So long is learned from sessions, and so long the judge reads; or, where that is longer, for these parts of the time
# that taking them in took. Those that are left wait for the next sweep.
_HARVEST_SECONDS, _LEARN_SHARE, _JUDGE_SHARE = 10.0, 1.0, 0.25


@dataclass(frozen=True, slots=True)
class Retained:
    """What the budget did: bytes freed, what is left, how many sessions went in each pass, and what was lost."""

    passes: dict[str, int]
    freed: int = 0
    final_usage: Usage = field(default_factory=Usage)
    data_loss: tuple[budget.Loss, ...] = ()
    alert: str = ""
    # Sessions of which only the digest is left.
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: `discovered` and `skipped_unchanged` count transcripts, `ingested` and `analysed` sessions.

    `waiting` transcripts were left for lack of time. `learned` counts what a harvest found new in the sessions,
    `to_learn` what it left for the next one, `expired` the memories that have expired.
    `redacted` says how often each kind of secret was taken out.
    """

    redacted: dict[str, int]
    retention: Retained
    discovered: int = 0
    ingested: int = 0
    skipped_unchanged: int = 0
    analysed: int = 0
    rewritten: int = 0
    forgotten_skipped: int = 0
    malformed: int = 0
    waiting: int = 0
    learned: int = 0
    to_learn: Waiting = field(default_factory=Waiting)
    expired: int = 0
    problems: tuple[Problem, ...] = ()
    dry_run: bool = False


def sweep(
    workspace: Workspace,
    *,
    agents: tuple[str, ...] = (),
    since: str = "",
    dry_run: bool = False,
    within: float = 0,
    paths: tuple[str, ...] = (),
    pace: Pace | None = None,
    doing: Say | None = None,
    taken_in: Callable[[Swept], None] | None = None,
    learning: Learning | None = None,
) -> Swept:
    """Take in what changed since the last sweep. `within` bounds it in seconds: what is not done by then waits.

    `since` leaves out transcripts that did not change after that time; `paths` are swept in place of all that agents
    have. With `dry_run` everything is read and nothing is written. What a person waits for comes first: `taken_in` is
    told when all of it can be found. Then it is learned from, and the judge comes last; `learning` is told how far
    that is, and `doing` what else goes on.
    """
    if not workspace.enabled:
        return Swept({}, Retained({}), dry_run=dry_run)
    for name in agents:
        adapters.get(name)
    end = time.monotonic() + within if within else float("inf")
    since_ns = int(datetime.fromisoformat(when.moment(since, now())).timestamp()) * 1_000_000_000 if since else 0
    where = Where(agents, paths, since_ns)
    if dry_run:
        return _Sweep(workspace, end, pace, dry_run=True).run(where)
    # A sweep mostly runs behind a hook or by a timer, where nobody sees what it prints.
    began = time.monotonic()
    with SweepLock(workspace.home), told_if_it_fails(workspace.home):
        run = _Sweep(workspace, end, pace, dry_run=False)
        swept = run.run(where)
    took = time.monotonic() - began
    with told_if_it_fails(workspace.home):
        # The lock is free by now: another sweep need not wait for this.
        if swept.ingested:
            _make_vectors(workspace, min(_VECTOR_SECONDS, end - time.monotonic()), doing)
        if taken_in:
            taken_in(swept)
        if swept.ingested or waiting(workspace.home) != Waiting():
            swept = _harvest(workspace, swept, run.taken, (took, end), learning)
        else:
            clear_leftovers(workspace)
        swept = _expire(workspace, swept)
    _tell(workspace.home, swept)
    return swept


def _expire(workspace: Workspace, swept: Swept) -> Swept:
    """Remove the memories that have expired; trouble with that takes nothing from the sweep."""
    try:
        views.adopt_all(workspace)
        follow_up.ask(workspace)
        anchors.settle(workspace)
        # Code that changed, or a branch that was switched, changes what a rules file says, too.
        renew_rules_files(workspace)
        return replace(swept, expired=prune.once_a_day(workspace))
    except HoldfastError as problem:
        failed = Problem("retention", workspace.home, f"retention could not be kept: {problem}", problem.hint)
        return replace(swept, problems=(*swept.problems, failed))


@contextmanager
def told_if_it_fails(home: str) -> Iterator[None]:
    """Report that a sweep could not go on; what it had done by then is done."""
    try:
        yield
    except Exception as problem:
        why = str(problem) if isinstance(problem, (HoldfastError, OSError)) else type(problem).__name__
        hint = "Run `holdfast sweep` to see whether it goes on."
        notices.report(home, "sweep", f"a sweep could not go on: {why}", hint=hint, severity="error")
        raise


def _tell(home: str, swept: Swept) -> None:
    """Report what was lost, what could not be read, and what only a person can mend."""
    lost, caps = swept.retention.data_loss, "Raise archive.raw_hard_cap_bytes, or pin what must stay."
    if lost:
        text = "a session was removed to stay under the hard cap of the archive, and it has no digest"
        notices.report(home, "data-loss", text, [one.name for one in lost], hint=caps, severity="error")
    if dropped := swept.retention.dropped:
        text = "the raw events of a session were removed to stay within the limits of the archive; its digest stays"
        notices.report(
            home, "archive-limits", text, dropped, hint="`holdfast sweep --help` names them.", severity="info"
        )
    if swept.retention.alert:
        text = "the archive is over its limit, and nothing in it may be removed automatically"
        notices.report(home, "archive", text, hint=swept.retention.alert, lasts=True)
    if swept.malformed:
        text = "lines of transcripts could not be read and were skipped"
        notices.report(home, "malformed", text, hint="The rest was read.", severity="info", lasts=True)
    for text, problems in groupby(sorted(swept.problems, key=lambda one: one.text), key=lambda one: one.text):
        found = list(problems)
        names = [one.path for one in found]
        notices.report(home, found[0].kind, text, names, hint=found[0].hint, severity=found[0].severity, lasts=True)


def _harvest(
    workspace: Workspace, swept: Swept, names: frozenset[str], times: tuple[float, float], learning: Learning | None
) -> Swept:
    """Learn from the sessions that were taken in, then from those that wait; failures are reported.

    `times` are how long it took to take them in, and when the sweep is over.
    """
    took, end = times
    left = end - time.monotonic()
    if left <= 0 or not workspace.settings.flag("learning.enabled"):
        return swept
    seconds = [max(_HARVEST_SECONDS, took * share) for share in (_LEARN_SHARE, _JUDGE_SHARE)]
    bounds = Bounds(min(seconds[0], left), seconds[1], end)
    try:
        found = harvest(workspace, names=names, everything=True, bounds=bounds, pace=learning)
    except HoldfastError as problem:
        failed = Problem("harvest", workspace.home, f"nothing was learned from what is new: {problem}", problem.hint)
        return replace(swept, problems=(*swept.problems, failed))
    learned = sum(one.kind != "signals" for one in found.found)
    return replace(swept, learned=learned, to_learn=found.waits, problems=(*swept.problems, *found.problems))


def _make_vectors(workspace: Workspace, seconds: float, doing: Say | None) -> None:
    """Make vectors of what was said for this long; without them it is found by its words."""
    try:
        waiting = session_index.waiting_passages(workspace) if seconds > 0 else 0
        if waiting:
            if doing:
                doing(f"making vectors of {count(waiting, 'passage')}")
            session_index.make_passage_vectors(workspace, seconds)
    except HoldfastError as problem:
        workspace.say(f"no vectors of what was said were made: {problem}")


class SweepLock:
    """One sweep at a time: held for the length of a `with` block, taken without waiting.

    It frees itself when its holder dies. Its file says who holds it and since when.
    """

    def __init__(self, home: str) -> None:
        self._lock = files.lock_of(home, "sweep", seconds=0.0)

    def __enter__(self) -> None:
        try:
            self._lock.__enter__()
        except StoreBusy:
            words: list[str] = []
            with suppress(HoldfastError):
                words = files.read(self._lock.path, 200).decode("utf-8", "replace").split()
            holder = f" (process {words[0]}, since {words[1]})" if len(words) == 2 else ""
            hint = "Wait for it to end; nothing is lost."
            raise StoreBusy(f"another sweep is running{holder}", hint) from None
        # Written in place: a file of that name that is new would be no lock.
        descriptor = os.open(self._lock.path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            # A full disk is told by what needs the space; the lock holds all the same.
            with suppress(OSError):
                os.write(descriptor, f"{os.getpid()} {now()}\n".encode())
        finally:
            os.close(descriptor)

    def __exit__(self, *problem: object) -> None:
        self._lock.__exit__(None, None, None)


class _Sweep:
    """One sweep of one home."""

    def __init__(self, workspace: Workspace, end: float, pace: Pace | None, *, dry_run: bool) -> None:
        self._workspace = workspace
        self._end = end
        self._pace = pace
        self._dry_run = dry_run
        self._archive = Archive(workspace.home)
        self._cursors = Cursors(workspace.home, f"{__version__} {RULES}", keep=not dry_run)
        self._taker = Taker(
            workspace,
            self._archive,
            self._cursors,
            ProjectOf(workspace.registry, workspace.settings.text("project.id")),
            # The daily log of the project tells what the digest knows.
            lambda digest: write_log_entry(workspace, digest),
            dry_run=dry_run,
            end=end,
        )

    @property
    def taken(self) -> frozenset[str]:
        """The sessions that were taken in or analysed."""
        return frozenset(self._taker.tried)

    def run(self, where: Where) -> Swept:
        """Look, take, analyse what is left, keep within the budget."""
        try:
            if not self._dry_run:
                self._archive.clear_leftovers()
            looked = look(self._cursors, self._workspace.environment, str(RULES), where)
            if self._cursors.fresh and looked.changed:
                # After the cursors were lost, learn from the archive which sessions a copy may have begun as.
                for one in self._archive.digests():
                    self._cursors.begin(one.session.agent, one.session.beginning, one.session.name)
            if looked.changed and not self._dry_run and self._workspace.settings.flag("learning.enabled"):
                # Whoever is killed on the way has what waits learned from by the next sweep.
                before = waiting(self._workspace.home)
                leave(self._workspace.home, replace(before, sessions=max(before.sessions, len(looked.changed))))
            left = self._take_all(looked)
            entries = self._analyse_the_rest()
            retention, unreadable = self._keep_within(entries)
        finally:
            self._cursors.close()
        tally = self._taker.tally
        return Swept(
            redacted=dict(sorted(self._taker.cleaner.found.items())),
            retention=retention,
            discovered=looked.discovered,
            ingested=tally.ingested,
            skipped_unchanged=looked.unchanged,
            analysed=tally.analysed,
            rewritten=tally.rewritten,
            forgotten_skipped=tally.forgotten,
            malformed=tally.malformed,
            waiting=left,
            problems=(*looked.problems, *tally.problems, *unreadable),
            dry_run=self._dry_run,
        )

    def _take_all(self, looked: Looked) -> int:
        """Take what changed, of much the newest first; return how many were left for lack of time."""
        total = sum(one.stamp.size for one in looked.changed)
        left = deque(newest_first(looked.changed) if total > _TOGETHER_BYTES else looked.changed)
        if self._end < float("inf"):
            most = (self._end - time.monotonic()) * _SURELY_A_SECOND
            left = deque(sorted(left, key=lambda one: one.stamp.size > most))
        done = 0
        with self._taker.reading_ahead(left):
            while left and not self._is_over():
                with self._taker.together():
                    for transcript in self._batch(left):
                        if not self._taker.take(transcript):
                            left.appendleft(transcript)
                            break
                        done += transcript.stamp.size
                        if self._pace:
                            self._pace(len(looked.changed) - len(left), len(looked.changed), done, total)
        return len(left)

    def _batch(self, left: deque[Transcript]) -> Iterator[Transcript]:
        began, size, count = time.monotonic(), 0, 0
        while left and count < _TOGETHER_FILES and size < _TOGETHER_BYTES:
            if self._is_over() or time.monotonic() - began > _TOGETHER_SECONDS:
                return
            transcript = left.popleft()
            count, size = count + 1, size + transcript.stamp.size
            yield transcript

    def _is_over(self) -> bool:
        return time.monotonic() >= self._end

    def _analyse_the_rest(self) -> list[ArchiveEntry]:
        """Digest what is stored without a digest, or with one by older rules; return all that is stored."""
        entries = self._archive.entries()
        left = [entry.name for entry in entries if entry.raw_bytes and self._needs_digest(entry)]
        if self._dry_run:
            return entries
        if left:
            entries = self._analysed(left, self._end)
        if not self._is_over():
            self._cursors.all_digested(str(RULES))
        return entries

    def _analysed(self, names: list[str], end: float) -> list[ArchiveEntry]:
        with self._taker.together():
            for name in names:
                if time.monotonic() >= end:
                    break
                self._taker.analyse_stored(name)
        return self._archive.entries()

    def _needs_digest(self, entry: ArchiveEntry) -> bool:
        if entry.name in self._taker.tried:
            return False
        if not entry.analysed or self._cursors.digested_by == str(RULES):
            return not entry.analysed
        try:
            return self._archive.digest(entry.name).rules != RULES
        except HoldfastError:
            return True

    def _keep_within(self, entries: list[ArchiveEntry]) -> tuple[Retained, tuple[Problem, ...]]:
        number = self._workspace.settings.number
        caps = budget.Caps(
            soft=number("archive.raw_soft_cap_bytes"),
            hard=number("archive.raw_hard_cap_bytes"),
            days=number("archive.raw_max_age_days"),
            distilled=number("archive.distilled_cap_bytes"),
        )
        plan = budget.plan(entries, caps, now())
        unreadable: tuple[Problem, ...] = ()
        if plan.data_loss and not self._dry_run and self._is_over():
            # What was skipped for lack of time is not missing.
            entries = self._analysed([loss.name for loss in plan.data_loss], float("inf"))
            plan = budget.plan(entries, caps, now())
        if plan.steps and not self._dry_run:
            plan, unreadable = budget.keep_within(self._archive, caps, now())
            try:
                # What was said in the sessions whose events are gone leaves the index.
                session_index.settle(self._workspace, self._archive)
            except HoldfastError as problem:
                path = os.path.join(self._workspace.home, "index.db")
                unreadable += (Problem("index", path, str(problem), "Run `holdfast reindex`."),)
        passes = {name.replace("-", "_"): count for name, count in plan.passes.items()}
        dropped = tuple(step.target for step in plan.steps if step.act != LOSES_DATA)
        return Retained(passes, plan.freed, plan.usage_after, plan.data_loss, plan.alert, dropped), unreadable
