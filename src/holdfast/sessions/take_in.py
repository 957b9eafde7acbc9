"""One transcript into the archive: read, cleaned, stored, digested and indexed as it passes, never held as a whole.

The order makes an interruption harmless: raw, then digest, then rows of the index, then the cursor. Whatever is missing
when it stops, the transcript has no cursor yet, so the next sweep reads it again and replaces what there is.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from holdfast import agents
from holdfast.agents.reading.base import Reading
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError, StoreFull
from holdfast.privacy.cleaning import Cleaner
from holdfast.privacy.erased import Erased
from holdfast.records import Problem, Session, SessionEvent, replace
from holdfast.sessions import prices
from holdfast.sessions.archive import Archive
from holdfast.sessions.cursors import REWRITTEN, Cursors, Transcript, TranscriptCursor, tail_of, unreadable
from holdfast.sessions.digest import RULES
from holdfast.sessions.facts import Digest
from holdfast.sessions.index import Indexing
from holdfast.sessions.raw import RawWriter
from holdfast.sessions.read_ahead import ONE_SESSION, CleanReading, NotAhead, ReadAhead, started_for
from holdfast.sessions.writers import Analysis, Writers
from holdfast.workspace import Workspace

# A session that was resumed so often in turn copies all of them; more are passed over as one.
_MAX_COPIES = 20
# An id that is shorter may be given to events of two sessions that have nothing to do with each other.
_UNIQUE = 16
T = TypeVar("T")


class Unread(Exception):
    """A reader failed in the middle of a transcript; nothing of it is stored."""


class OutOfTime(Exception):
    """The time of a sweep is over in the middle of a session; nothing of it is stored."""


@dataclass(slots=True)
class Taking:
    """A transcript that is being taken: its agent, up to where it was read, the marks of its sessions then and now."""

    transcript: Transcript
    marks_before: dict[str, str]
    marks: dict[str, str] = field(default_factory=dict)
    agent: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A session that was read to its end, what the archive has of it, its mark, its events and its digest."""

    session: Session
    there: Session | None
    mark: str
    writer: RawWriter | None
    analysis: Analysis


@dataclass(slots=True)
class Tally:
    """What a sweep did so far."""

    ingested: int = 0
    analysed: int = 0
    rewritten: int = 0
    forgotten: int = 0
    malformed: int = 0
    problems: list[Problem] = field(default_factory=list)


class Taker:
    """Takes transcripts into the archive until the time `end`. With `dry_run` it reads them and writes nothing.

    `log` is called with each digest that was made.
    """

    def __init__(
        self,
        workspace: Workspace,
        archive: Archive,
        cursors: Cursors,
        project_of: Callable[[str], str],
        log: Callable[[Digest], object],
        *,
        dry_run: bool,
        end: float = float("inf"),
    ) -> None:
        self.tally = Tally()
        self.cleaner = Cleaner()
        self._erased = Erased(workspace.home)
        self.tried: set[str] = set()
        self._end = end
        self._archive = archive
        self._cursors = cursors
        self._project_of = project_of
        self._indexing = None if dry_run else Indexing(workspace, project_of)
        self._writers = Writers(archive)
        self._done: list[tuple[str, TranscriptCursor]] = []
        self._index_failed = False
        self._everyone: list[str] = []
        self._log = log
        self._ahead: ReadAhead | None = None
        try:
            self._prices = prices.load(workspace.home)
        except HoldfastError as problem:
            # A slip in a table of prices is no reason to lose transcripts.
            path = os.path.join(workspace.home, prices.FILE)
            self.tally.problems.append(Problem("prices", path, str(problem), problem.hint, severity="error"))
            self._prices = prices.load()

    @contextmanager
    def reading_ahead(self, transcripts: Iterable[Transcript]) -> Iterator[None]:
        """Let a second process read these transcripts ahead while they are taken within the block, in their order."""
        # What was erased is known by more than an event tells.
        told = () if self._erased else [(one.agent, one.path, one.stamp.size) for one in transcripts]
        self._ahead = started_for(told)
        try:
            yield
        finally:
            if self._ahead:
                self._ahead.close()
            self._ahead = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Put into the index together what is taken within the block; only when that is done are cursors written."""
        self._done, self._index_failed = [], False
        try:
            with self._indexing.transaction() if self._indexing else nullcontext(), self._archive.looking_once():
                yield
                self._writers.settle_all()
        except sqlite3.Error as problem:
            self._cannot_index("index.db", problem)
        finally:
            self._writers.close()
        # Only when all is stored is it known which transcripts tell less than they did.
        for session in self._writers.shrunk:
            why = "it says less than it did, so what it said before was kept"
            hint = f"`holdfast sessions show {session.name} --raw --earlier` shows it."
            self.tally.problems.append(Problem("rewritten", session.source, why, hint))
        self._writers.shrunk.clear()
        if not self._index_failed:
            for path, cursor in self._done:
                self._cursors.put(path, cursor)

    def take(self, transcript: Transcript) -> bool:
        """Take one transcript; what is wrong with it becomes a problem, what is wrong with the store goes up.

        False: the time was over before its end, and it has to be taken again.
        """
        path = transcript.path
        taking = Taking(transcript, self._cursors.sessions(path, str(RULES)))
        try:
            ahead = self._ahead.reading(path) if self._ahead else None
            readings: Iterable[Reading | CleanReading] = (ahead,) if ahead else ()
            if ahead:
                taking.agent = ahead.agent
            else:
                taking.agent, readings = self._opened(transcript)
            for number, reading in enumerate(_guarded(readings)):
                self._session(taking, number, reading)
        except OutOfTime:
            return False
        except NotAhead:
            # The second process went on to the next one, so this one is read here.
            return self.take(transcript)
        except OSError as problem:
            self.tally.problems.append(unreadable(path, problem))
            return True
        except HoldfastError:
            raise
        except Exception as problem:
            # Whatever is wrong with one transcript takes only that one away.
            self.tally.problems.append(_failed("unread", path, problem.__cause__ or problem, "Report it, please."))
            return True
        self.tally.rewritten += transcript.state == REWRITTEN
        stamp = transcript.stamp
        if not taking.agent and stamp.size:
            why, hint = "no agent knows what it holds, so it was passed over", "It is looked at again when it changes."
            self.tally.problems.append(Problem("unread", path, why, hint))
        place = min(taking.place or stamp.size, stamp.size)
        # Where it went away while it was read, there is nothing to compare it with any more.
        with suppress(OSError):
            cursor = TranscriptCursor(stamp, place, tail_of(path, stamp, place), taking.agent, taking.marks, str(RULES))
            self._done.append((path, cursor))
        return True

    def _opened(self, transcript: Transcript) -> tuple[str, Iterable[Reading]]:
        """Return the agent whose content it is, and its sessions; nobody and none where no agent takes it."""
        for name in self._asked(transcript.agent):
            try:
                readings = agents.get(name).read_session(transcript.path)
            except OSError:
                raise
            except Exception as problem:
                raise Unread from problem
            if readings is not None:
                return name, readings
        # A reader that may not open a file says only that it is not its own.
        tail_of(transcript.path, transcript.stamp, 0)
        return "", ()

    def _asked(self, first: str) -> Iterator[str]:
        """Yield the agents to ask for a transcript; looking for all of them takes long, and the first mostly does."""
        if first:
            yield first
        self._everyone = self._everyone or agents.names()
        yield from (name for name in self._everyone if name != first)

    def _reopened(self, transcript: Transcript, number: int) -> Reading:
        for reading in islice(_guarded(self._opened(transcript)[1]), number, None):
            return reading
        raise Unread from ValueError("it changed while it was read")

    def _session(self, taking: Taking, number: int, reading: Reading | CleanReading) -> None:
        """Store one session, without what it copied from others."""
        transcript = taking.transcript
        skip: frozenset[str] = frozenset()
        parent = ""
        for copies in range(_MAX_COPIES + 1):
            with ExitStack() as handed:
                writer = handed.enter_context(self._archive.writing(reading.agent)) if self._indexing else None
                analysis = Analysis(self.cleaner, self._indexing)
                mark = self._pass_through(transcript, reading, writer, analysis)
                taking.place = max(taking.place, reading.offset)
                session = self._complete(reading, parent)
                self._writers.settled(session.name)
                there = None
                with suppress(HoldfastError):
                    there = self._archive.session(session.name) if self._archive.has(session.name) else None
                original = self._original(session)
                # Where the archive says that a copy begins, if it is not where the transcript does.
                is_copy = there is not None and bool(there.parent) and there.source == session.source
                own = there.beginning if there and is_copy and there.beginning != session.beginning else ""
                ids = self._copied(transcript, number, original, own) - {""}
                if ids <= skip or copies == _MAX_COPIES:
                    mark += f"{zlib.crc32(repr(session).encode('utf-8', 'replace')):x}"
                    self._keep(taking, Kept(session, there, mark, writer, analysis), handed)
                    return
            # An older version of the agent copied the history of another session into this one.
            skip |= ids
            parent = original.partition("/")[2] or (there.parent if there else "")
            reading = self._reopened(transcript, number)
            reading.skip = skip

    def _pass_through(
        self, transcript: Transcript, reading: Reading | CleanReading, writer: RawWriter | None, analysis: Analysis
    ) -> str:
        """Hand each event on as it comes; return a mark of them all, where the transcript may tell many sessions."""
        add, take, end, now = writer.add if writer else None, analysis.take, self._end, time.monotonic
        is_marked, mark = not transcript.path.endswith(ONE_SESSION), 0
        if isinstance(reading, CleanReading):
            events: Iterable[SessionEvent] = reading
        else:
            events = self.cleaner.events(_guarded(reading))
        facts = reading.facts
        if self._erased:
            events = self._erased.events(events, lambda: self._project_of(facts.get("folder", "")))
        for event in events:
            if now() > end:
                raise OutOfTime
            if is_marked:
                told = (len(event.text), len(event.input), len(event.output), event.at, event.failed)
                mark = zlib.crc32(repr((*told, event.milliseconds)).encode("utf-8", "replace"), mark)
            if add is not None:
                add(event)
            take(event)
        if isinstance(reading, CleanReading):
            self.cleaner.count(reading.found)
        return f"{mark:x}-" if is_marked else ""

    def _complete(self, reading: Reading | CleanReading, parent: str) -> Session:
        session = reading.session()
        session = replace(
            session,
            id=session.id or os.path.basename(reading.path).partition(".")[0] or "unnamed",
            # A file name need not be UTF-8.
            source=session.source.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            project=self._project_of(session.folder),
            parent=session.parent or parent,
        )
        session = self.cleaner.session(session)
        return self._erased.session(session) if self._erased else session

    def _original(self, session: Session) -> str:
        """Return another session that begins as this one does."""
        name = self._cursors.original(session.agent, session.beginning) if len(session.beginning) >= _UNIQUE else ""
        return name if name != session.name else ""

    def _copied(self, transcript: Transcript, number: int, original: str, own: str) -> frozenset[str]:
        """Return the ids of the events that a session has from its original; its own begin with the event `own`."""
        if original:
            self._writers.settled(original)
            with suppress(HoldfastError):
                return frozenset(event.id for event in self._archive.events(original) if event.id)
        # The original was evicted or forgotten, but an earlier reading of the copy knew where its own events begin.
        found: set[str] = set()
        for event in self.cleaner.events(_guarded(self._reopened(transcript, number))) if own else ():
            if event.id == own:
                return frozenset(found)
            found.add(event.id)
        return frozenset()

    def _keep(self, taking: Taking, kept: Kept, handed: ExitStack) -> None:
        """Store a session that was read to its end, unless there is a reason not to."""
        self.tally.malformed += kept.session.malformed
        session = _told_apart(kept.session, kept.there)
        # What has no event and not even a time, such as a file of titles of other sessions, is no session.
        if session is None or not (session.events or session.started):
            if kept.session.malformed:
                why, hint = "none of its lines could be read", "It is looked at again when it changes."
                self.tally.problems.append(Problem("unread", taking.transcript.path, why, hint))
            return
        name = session.name
        if (
            self._erased.leaves_out(session)
            or self._archive.is_forgotten(name)
            or self._archive.is_forgotten(self._original(session) or name)
        ):
            self.tally.forgotten += 1
            return
        may_be_same = "-" in kept.mark
        taking.marks[name] = kept.mark if may_be_same else ""
        if may_be_same and taking.marks_before.get(name) == kept.mark and kept.there:
            return
        digest = self._digest(session, kept.analysis)
        if kept.writer is None:
            self.tally.analysed += digest is not None
        else:
            self._writers.store(handed.pop_all(), kept.writer, session, digest)
            self._index(name, digest, kept.analysis)
        self.tally.ingested += 1
        self._cursors.begin(session.agent, session.beginning, name)

    def _digest(self, session: Session, analysis: Analysis) -> Digest | None:
        self.tried.add(session.name)
        try:
            return analysis.digest(session, self._prices)
        except HoldfastError:
            raise
        except Exception as problem:
            hint = "Its events are stored; it is digested again by the next version."
            self.tally.problems.append(_failed("digest", session.name, problem, hint))
            return None

    def _index(self, name: str, digest: Digest | None, analysis: Analysis) -> None:
        """Take note of a digest, make the rows by which it is found, and hand it to the log."""
        if digest is None:
            return
        self.tally.analysed += 1
        try:
            analysis.index(digest)
        except StoreFull:
            raise
        except Exception as problem:
            self._cannot_index(name, problem)
        try:
            self._log(digest)
        except (HoldfastError, OSError) as problem:
            self.tally.problems.append(_failed("log", digest.session.name, problem, "The next sweep tries again."))

    def _cannot_index(self, name: str, problem: Exception) -> None:
        self._index_failed = True
        self.tally.problems.append(_failed("index", name, problem, "`holdfast reindex` rebuilds the index."))

    def analyse_stored(self, name: str) -> None:
        """Digest a session from its raw events, because it has no digest or one by older rules."""
        analysis = Analysis(self.cleaner, self._indexing)
        try:
            session, events = self._archive.session(name), self._archive.events(name)
            for event in events:
                analysis.take(event)
        except HoldfastError as problem:
            self._read_again(_failed("archive", name, problem, ""), name)
            return
        if events.problem:
            self._read_again(events.problem, name)
        digest = self._digest(session, analysis)
        if digest is not None:
            self._archive.put_digest(digest)
        self._index(name, digest, analysis)

    def _read_again(self, problem: Problem, name: str) -> None:
        """Tell of a raw file that is damaged, and let the next sweep make it again from its transcript."""
        again = self._cursors.forget(name)
        hint = (
            "The next sweep reads its transcript again." if again else "Its transcript is gone, so this stays as it is."
        )
        self.tally.problems.append(replace(problem, hint=hint))


def _told_apart(session: Session, there: Session | None) -> Session | None:
    """Return the session under a name that is its own; None where another transcript tells it at no less length.

    Two transcripts of one id that begin with different events are two parts of it. With the same one, or where events
    have no ids at the same time, they are copies, or one was moved.
    """
    if there is None or there.source == session.source:
        return session
    if (there.beginning or there.started) != (session.beginning or session.started):
        part = f"{session.id}.{hash_of(session.source)[:8]}"
        return replace(session, id=part, parent=session.parent or session.id)
    is_less = there.events >= session.events and os.path.exists(there.source)
    return None if is_less else session


def _guarded(items: Iterable[T]) -> Iterator[T]:
    """Yield what a reader yields; whatever it raises becomes Unread, so that it is not taken for a fault of ours."""
    try:
        yield from items
    except OSError:
        raise
    except Exception as problem:
        raise Unread from problem


def _failed(kind: str, where: str, problem: BaseException, hint: str) -> Problem:
    return Problem(kind, where, f"{type(problem).__name__}: {problem}"[:500], hint, severity="error")
