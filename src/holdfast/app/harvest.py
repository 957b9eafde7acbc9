"""Harvest: look through archived sessions of every agent and project for what can be learned from them.

The harvest part of each feature reads the events of one session and yields what it found; keeping that is idempotent,
so that a session may be harvested again at any time. `state/harvested` remembers which sessions were done, as they were
and by which rules, only so that nobody does it in vain.

Reading a person's messages with the judge takes far longer than all the rest, so it comes behind that, newest sessions
first, with time and a file (`state/judged`) of its own. `state/to-learn` says what a harvest left for the next one.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from holdfast.app.features import FEATURES
from holdfast.app.harvest_backlog import Waiting, leave
from holdfast.base import clock, files, rows
from holdfast.base.clock import now
from holdfast.base.text import ends_of
from holdfast.errors import HoldfastError, NotFound, StoreBusy
from holdfast.learning.incidents import harvest as incident
from holdfast.learning.lessons import harvest as lesson_harvest
from holdfast.learning.lessons import lesson_table
from holdfast.learning.ratings.harvest import LOW, low_ratings
from holdfast.learning.ratings.rate import Rated
from holdfast.learning.said.judgements import MAX_DAYS, judgements
from holdfast.learning.synthesis import write as synthesis
from holdfast.learning.work import turns as work_turns
from holdfast.patterns import signal_files
from holdfast.recall.meaning import model_of
from holdfast.recall.vectors import make_vectors
from holdfast.records import Problem, SessionEvent, Step, replace
from holdfast.sessions.archive import Archive, ArchiveEntry
from holdfast.sessions.facts import Digest
from holdfast.sessions.names import stem_of
from holdfast.sessions.parts import MAX_CHARACTERS, MAX_EVENTS, Finding
from holdfast.workspace import Workspace

# Set before numpy is loaded: on matrices this small its threads wait for each other longer than they work, and take
# twice the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

Find = Callable[[Workspace, Digest, Sequence[SessionEvent]], Iterable[Finding]]
# What is done, to how many sessions it is done already and to how many it will be, and for how many seconds at most.
Pace = Callable[[str, int, int, float], None]
_UNBOUNDED = float("inf")

RECENT = 10
_LEARN_SECONDS = 20
# Raised when the finders change, so that every session is looked at again.
RULES = 4
# The most characters of one session that the finders see together.
_MAX_OF_A_SESSION = 40_000_000
_SHORTER = 500
# How many incidents are made before their budget is checked again.
_INCIDENTS_TOGETHER = 50
_FILE = "harvested"
# What a sweep took in is harvested in portions of so many sessions, the newest portion first, each from its oldest.
_TOGETHER = 50
_LOCK_SECONDS = 0.2
# How many more lines than sessions the file may have before it is rewritten.
_SLACK = 2_000
# A transformer model, where somebody has chosen one, takes a moment for each.
_MAX_VECTORS = 40
# The exit code for a store that cannot be used: then nothing else can be done either.
_STORE = 5


@dataclass(frozen=True, slots=True)
class Taken:
    """One finding, and whether it was new; a dry run keeps none and reports them all."""

    kind: str
    text: str
    at: str
    session: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """For how many seconds is learned, for how many the judge reads, and when both are over, by the monotonic clock."""

    learn: float = _UNBOUNDED
    judge: float = _UNBOUNDED
    end: float = _UNBOUNDED


@dataclass(frozen=True, slots=True)
class Harvest:
    """What a harvest did: how many sessions it looked at, passed over as done, and left for lack of time.

    `found` are the findings; of those that are not new only the count is in `known`. `dropped` is what the budget of
    incidents took.
    """

    sessions: int = 0
    unchanged: int = 0
    waiting: int = 0
    unjudged: int = 0
    judge_seconds: float = 0.0
    found: tuple[Taken, ...] = ()
    known: int = 0
    dropped: tuple[Step, ...] = ()
    problems: tuple[Problem, ...] = ()
    dry_run: bool = False

    @property
    def waits(self) -> Waiting:
        """What is left for the next harvest."""
        return Waiting(self.waiting, self.unjudged, self.judge_seconds)


def harvest(
    workspace: Workspace,
    *,
    recent: int = RECENT,
    everything: bool = False,
    session: str = "",
    names: Iterable[str] | None = None,
    dry_run: bool = False,
    bounds: Bounds = Bounds(),
    pace: Pace | None = None,
) -> Harvest:
    """Harvest the sessions that ended last, or all, or one; `names` are those that a sweep took in, which come first.

    What was done already as it is now is passed over, unless one session is asked for by its name. What is not done
    within the `bounds` waits for the next one, also where this one is interrupted. `pace` is told how far it is.
    """
    if not workspace.enabled:
        return Harvest(dry_run=dry_run)
    archive = Archive(workspace.home)
    wanted = _wanted(archive, recent, everything, session, names)
    run = _Run(workspace, archive, bounds, pace, dry_run=dry_run, again=bool(session))
    # Only where a person asks for all: a sweep, which comes often, has no time to read every file.
    run.mends = everything and names is None
    if dry_run:
        return run.all(wanted)
    run.leaves = everything
    try:
        with run.done.lock():
            signal_files.clear_leftovers(workspace.home)
            done = run.all(wanted)
            # A failure to prepare what the next session needs is reported with the rest.
            problems = make_ready(workspace, run.done.has, learned=any(one.kind == "lesson" for one in done.found))
            if everything:
                leave(workspace.home, done.waits)
            return replace(done, problems=(*done.problems, *problems))
    except StoreBusy:
        # Another harvest is running; the next one does what it leaves.
        return Harvest(waiting=len(wanted))


def clear_leftovers(workspace: Workspace) -> None:
    """Remove what a harvest that was killed left half-written; not while another one is at work."""
    try:
        with Harvested(workspace.home, str(RULES)).lock():
            signal_files.clear_leftovers(workspace.home)
    except StoreBusy:
        return


def _wanted(
    archive: Archive, recent: int, everything: bool, session: str, names: Iterable[str] | None
) -> list[ArchiveEntry]:
    """Return the sessions that are asked for and still have their events, in the order in which they are to be read.

    The oldest come first, so that what recurs comes after what it recurs to. Of those that a sweep took in the newest
    portion comes first, and behind them the rest newest first, as time may not be enough for all.
    """
    entries = [entry for entry in archive.entries() if entry.raw_bytes and entry.analysed]
    if session:
        name = archive.resolve(session)
        found = [entry for entry in entries if entry.name == name]
        if not found:
            raise NotFound(f"the archive has no events of {name}", "`holdfast sweep` takes them in, where they are.")
        return found
    if names is not None:
        chosen = frozenset(names)
        rest = [entry for entry in reversed(entries) if entry.name not in chosen] if everything else []
        taken = [entry for entry in entries if entry.name in chosen]
        portions = [taken[max(0, end - _TOGETHER) : end] for end in range(len(taken), 0, -_TOGETHER)]
        return [*chain.from_iterable(portions), *rest]
    return entries if everything else entries[-recent:]


class Harvested:
    """Which sessions were harvested, as they were and by these rules: `state/harvested`, one line of JSON each.

    It may be lost: harvesting again adds nothing. The last line of a session holds. `state/judged` is the judge's.
    """

    def __init__(self, home: str, rules: str, name: str = _FILE) -> None:
        self._home = home
        self._path = os.path.join(home, "state", name)
        self._rules = rules
        self._marks: dict[str, str] = {}
        lines = rows.read(self._path)
        for row in map(rows.triple_in, lines):
            if row is not None and row[2] == rules:
                self._marks[row[0]] = row[1]
        self._is_long = len(lines) > len(self._marks) + _SLACK

    def lock(self) -> files.Lock:
        """Return the lock of a harvest; StoreBusy where another one is at work."""
        return files.lock_of(self._home, _FILE, _LOCK_SECONDS)

    def is_done(self, name: str, mark: str) -> bool:
        """Whether the session was harvested as it is now."""
        return self._marks.get(name) == mark

    def has(self, name: str) -> bool:
        """Whether the session was ever harvested."""
        return name in self._marks

    def add(self, name: str, mark: str) -> None:
        """Note that the session was harvested as it is now."""
        self._marks[name] = mark
        files.make_folder(os.path.dirname(self._path))
        if self._is_long:
            lines = [self._line(name, mark) + "\n" for name, mark in self._marks.items()]
            files.write(self._path, "".join(lines).encode("utf-8", "replace"), durable=False)
            self._is_long = False
        else:
            rows.append(self._path, [self._line(name, mark)], durable=False)

    def _line(self, name: str, mark: str) -> str:
        return json.dumps([name, mark, self._rules], ensure_ascii=False)


class _Run:
    """One harvest of one home. With `mends` a session of which the signals are lost or broken is done again.

    With `leaves` it notes what it has not done yet before the judge reads.
    """

    mends = leaves = False

    def __init__(
        self, workspace: Workspace, archive: Archive, bounds: Bounds, pace: Pace | None, *, dry_run: bool, again: bool
    ) -> None:
        self.done = Harvested(workspace.home, str(RULES))
        self._judged = Harvested(workspace.home, str(RULES), "judged")
        self._workspace = workspace
        self._archive = archive
        self._bounds = bounds
        self._pace = pace or (lambda what, done, total, seconds: None)
        self._dry_run = dry_run
        self._again = again
        self._finders = parts("harvests", "harvest")
        self._judges = parts("judges", "judged")
        self._found: list[Taken] = []
        self._problems: list[Problem] = []
        self._dropped: list[Step] = []
        self._incidents = 0
        self._counts: Counter[str] = Counter()

    def all(self, wanted: list[ArchiveEntry]) -> Harvest:
        """Harvest these sessions, let the judge read the newest of them, and keep incidents within their budget."""
        end = min(time.monotonic() + self._bounds.learn, self._bounds.end)
        for number, entry in enumerate(wanted):
            if (now_at := time.monotonic()) >= end:
                self._counts["waiting"] = len(wanted) - number
                break
            self._pace("learning", number, len(wanted), end - now_at)
            self._one(entry)
        else:
            # Low ratings of sessions that are known from hooks alone.
            told = [] if self._again else lesson_harvest.unarchived(self._workspace, self._archive, now())
            for name, ratings in told:
                mark = f"told {len(ratings)}"
                if not self.done.is_done(name, mark):
                    self._look_at(name, mark, *lesson_harvest.told(self._workspace, name, ratings))
        unjudged, seconds = self._judge(wanted)
        if self._incidents:
            self._dropped += incident.keep_within(self._workspace, dry_run=self._dry_run)
        return Harvest(
            *(self._counts["sessions"], self._counts["unchanged"], self._counts["waiting"], unjudged, seconds),
            found=tuple(self._found),
            known=self._counts["known"],
            dropped=tuple(self._dropped),
            problems=tuple(self._problems),
            dry_run=self._dry_run,
        )

    def _judge(self, wanted: list[ArchiveEntry]) -> tuple[int, float]:
        """Let the judge read the sessions of late, where time is short the newest first; return what is left of them.

        That is how many, and for how many seconds it would read them.
        """
        late = clock.iso(time.time() - MAX_DAYS * clock.DAY_SECONDS)
        marks = {entry: f"{entry.at} {entry.raw_bytes}" for entry in wanted if entry.at >= late}
        due = [entry for entry, mark in marks.items() if self._again or not self._judged.is_done(entry.name, mark)]
        if self.leaves and due:
            # For whoever is stopped while the judge reads.
            leave(self._workspace.home, Waiting(self._counts["waiting"], len(due)))
        if self._bounds != Bounds():
            due.sort(key=lambda entry: entry.at, reverse=True)
        began, known = time.monotonic(), judgements(self._workspace.home, anew=True)
        end = min(began + self._bounds.judge, self._bounds.end)
        for number, entry in enumerate(due):
            now_at = time.monotonic()
            # At least one is always read, so that every sweep makes progress.
            if number and now_at >= end:
                return len(due) - number, (now_at - began) / number * (len(due) - number)
            self._pace("judging", number, len(due), end - now_at)
            if (read := self._read(entry)) is None:
                continue
            before = len(self._found)
            try:
                whole = [self._with(finder, find, *read) for finder, find in self._judges]
            finally:
                # What was read of a session is kept, also by whoever is stopped in the middle of it.
                if not self._dry_run:
                    known.keep()
            if all(whole) and not self._dry_run:
                self._judged.add(entry.name, marks[entry])
            if any(one.kind == "rating" for one in self._found[before:]):
                # Low ratings may teach a lesson.
                self._look_at(entry.name, "", *read, entry)
        return 0, 0.0

    def _one(self, entry: ArchiveEntry) -> None:
        mark = _mark_of(self._workspace, entry)
        if not self._again and self.done.is_done(entry.name, mark):
            names = stem_of(entry.agent), stem_of(entry.id)
            if not self.mends or signal_files.read(self._workspace.home, *names) is not None:
                self._counts["unchanged"] += 1
                return
        read = self._read(entry)
        if read is not None:
            self._counts["sessions"] += 1
            self._look_at(entry.name, "", *read, entry)

    def _read(self, entry: ArchiveEntry) -> tuple[Digest, list[SessionEvent]] | None:
        """Return the digest and the events of a session; None, with a problem reported, where they cannot be read."""
        try:
            return self._archive.digest(entry.name), bounded(self._archive.events(entry.name))
        except HoldfastError as problem:
            self._problems.append(Problem("session", entry.name, str(problem), problem.hint))
            return None

    def _look_at(
        self, name: str, mark: str, digest: Digest, events: Sequence[SessionEvent], entry: ArchiveEntry | None = None
    ) -> None:
        """Let every finder look at a session, and note that it is done if all went well."""
        whole = [self._with(finder, find, digest, events) for finder, find in self._finders]
        if all(whole) and not self._dry_run:
            # What a finding added to the ratings is known by now.
            self.done.add(name, _mark_of(self._workspace, entry) if entry else mark)

    def _with(self, name: str, find: Find, digest: Digest, events: Sequence[SessionEvent]) -> bool:
        """Keep what one finder finds; return whether all went well. A failure is reported, and the others go on."""
        try:
            for finding in find(self._workspace, digest, events):
                is_new = False if self._dry_run else finding.keep()
                if is_new or self._dry_run:
                    self._found.append(Taken(finding.kind, finding.text, finding.at, finding.session, is_new))
                    self._incidents += finding.kind == "incident"
                    if self._incidents >= _INCIDENTS_TOGETHER and not self._dry_run:
                        self._dropped += incident.keep_within(self._workspace)
                        self._incidents = 0
                else:
                    self._counts["known"] += 1
        except Exception as problem:
            if isinstance(problem, HoldfastError) and problem.exit_code == _STORE:
                raise
            text = f"{name} stopped: {type(problem).__name__}: {problem}"
            self._problems.append(Problem("harvest", digest.session.name, text, "The next harvest tries again."))
            return False
        return True


def parts(which: str, name: str) -> list[tuple[str, Find]]:
    """Return the functions of that name of the features that have it, each with the name of its feature."""
    return [(one.name, getattr(one.part("harvest"), name)) for one in FEATURES if getattr(one, which)]


def _mark_of(workspace: Workspace, entry: ArchiveEntry) -> str:
    """Return what tells whether a session, or what was rated in it, changed since it was harvested."""
    low = len(low_ratings(workspace.home, entry.agent, entry.id))
    return f"{entry.at} {entry.raw_bytes} {low}"


def bounded(events: Iterable[SessionEvent]) -> list[SessionEvent]:
    """Return the events of a session, of a long one the first and the last, each text of them within its bound."""
    first: list[SessionEvent] = []
    last: deque[SessionEvent] = deque(maxlen=MAX_EVENTS // 2)
    characters = 0
    for event in events:
        half = (MAX_CHARACTERS if characters < _MAX_OF_A_SESSION else _SHORTER) // 2
        text, given, output = (ends_of(one, half) for one in (event.text, event.input, event.output))
        if (text, given, output) != (event.text, event.input, event.output):
            event = replace(event, text=text, input=given, output=output)
        characters += len(text) + len(given) + len(output)
        (first if len(first) < MAX_EVENTS // 2 else last).append(event)
    return [*first, *last]


def learn_from(workspace: Workspace, rated: Rated) -> None:
    """Learn at once from a session that was rated poorly.

    One that is not archived yet is looked at by the sweep that takes it in.
    """
    row = rated.rating
    if rated.action != "added" or row.rating > LOW:
        return
    try:
        harvest(workspace, session=f"{row.agent}/{row.session}", bounds=Bounds(_LEARN_SECONDS, _LEARN_SECONDS))
    except NotFound:
        return
    except HoldfastError as problem:
        workspace.say(f"rated, but nothing was learned from the session: {problem}")


def make_ready(workspace: Workspace, is_harvested: Callable[[str], bool], *, learned: bool) -> list[Problem]:
    """Make what the next session need not wait for then, and return the trouble of each part that had some.

    Work that is met is closed. The table of standing lessons is made, the synthesis of the week that is over and, where
    a lesson was `learned`, its meaning, so that a prompt finds it. What could not be made is made by whoever needs it.
    """
    parts: dict[str, Callable[[Workspace], object]] = {
        "work": lambda workspace: work_turns.finish_learned(workspace.home, is_harvested, now()),
        "lessons": lambda workspace: lesson_table.renew(workspace.home),
        "synthesis": synthesis.due,
    }
    if learned:
        parts["meaning"] = _make_vectors
    problems = []
    for name, make in parts.items():
        try:
            make(workspace)
        except HoldfastError as problem:
            problems.append(Problem(name, workspace.home, str(problem), problem.hint))
    return problems


def _make_vectors(workspace: Workspace) -> None:
    """Make the vectors of the newest memories, by the model that the index uses."""
    model = model_of(workspace)
    if model is not None:
        workspace.store.ask(lambda tables: make_vectors(tables.memories, model, _MAX_VECTORS))
