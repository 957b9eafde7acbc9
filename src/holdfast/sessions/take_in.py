"""One transcript into the archive: read, cleaned, stored, digested and indexed as it passes, never held as a whole.

The order makes an interruption harmless: raw, then digest, then rows of the index, then the cursor. Whatever is missing
when it stops, the transcript has no cursor yet, so the next sweep reads it again and replaces what there is.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from holdfast import agents
from holdfast.base.digests import short
from holdfast.base.light_records import dataclass
from holdfast.continuity import session_notes
from holdfast.errors import HoldfastError, StoreFull
from holdfast.privacy.cleaning import Cleaner
from holdfast.records import Problem, replace
from holdfast.sessions import prices
from holdfast.sessions.changed import unreadable
from holdfast.sessions.cursors import REWRITTEN, Cursor, tail_of
from holdfast.sessions.digest import RULES
from holdfast.sessions.index import Indexing
from holdfast.sessions.passing import Analysis, Marked, Nowhere
from holdfast.sessions.writers import Writers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.agents.reading.base import Reading
    from holdfast.records import Session
    from holdfast.sessions.archive import Archive
    from holdfast.sessions.changed import Transcript
    from holdfast.sessions.cursors import Cursors
    from holdfast.sessions.facts import Digest
    from holdfast.sessions.raw import RawWriter
    from holdfast.workspace import Workspace

# A session that was resumed so often in turn copies all of them; more are passed over as one.
_MAX_COPIES = 20
# An id that is shorter may be given to events of two sessions that have nothing to do with each other.
_UNIQUE = 16
# What ends so tells one session, and changes only with it.
_ONE_SESSION = (".jsonl", ".jsonl.zst")
T = TypeVar("T")


class Unread(Exception):
    """A reader failed in the middle of a transcript; nothing of it is stored."""


class OutOfTime(Exception):
    """The time of a sweep is over in the middle of a session; nothing of it is stored."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A session that was read to its end, what the archive has of it, its mark, its events and its digest."""

    session: Session
    there: Session | None
    mark: str
    writer: RawWriter | Nowhere
    analysis: Analysis


class Tally:
    """What a sweep did so far."""

    def __init__(self) -> None:
        self.ingested = 0
        self.analysed = 0
        self.rewritten = 0
        self.forgotten = 0
        self.malformed = 0
        self.problems: list[Problem] = []


class Taker:
    """Takes transcripts into the archive until the time `end`. With `dry_run` it reads them and writes nothing."""

    def __init__(
        self,
        workspace: Workspace,
        archive: Archive,
        cursors: Cursors,
        project_of: Callable[[str], str],
        *,
        dry_run: bool,
        end: float = float("inf"),
    ) -> None:
        self.tally = Tally()
        self.cleaner = Cleaner()
        self.tried: set[str] = set()
        self._end = end
        self._archive = archive
        self._cursors = cursors
        self._project_of = project_of
        self._indexing = None if dry_run else Indexing(workspace, project_of)
        self._writers = Writers(archive)
        self._done: list[tuple[str, Cursor]] = []
        self._index_failed = False
        self._everyone: list[str] = []
        self._workspace = workspace
        self._prices = self._loaded_prices()
        # Of the transcript that is being taken: its agent, up to where it was read, and the marks of its sessions.
        self._agent, self._place = "", 0
        self._marks_before: dict[str, str] = {}
        self._marks: dict[str, str] = {}

    def _loaded_prices(self) -> prices.Prices:
        try:
            return prices.load(self._workspace.home)
        except HoldfastError as problem:
            # A slip in a table of prices is no reason to lose transcripts.
            path = os.path.join(self._workspace.home, prices.FILE)
            self.tally.problems.append(Problem("prices", path, str(problem), problem.hint, severity="error"))
            return prices.load()

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
        self._tell_of_earlier()
        if not self._index_failed:
            for path, cursor in self._done:
                self._cursors.put(path, cursor)

    def take(self, transcript: Transcript) -> bool:
        """Take one transcript; what is wrong with it becomes a problem, what is wrong with the store goes up.

        False: the time was over before its end, and it has to be taken again.
        """
        path = transcript.path
        try:
            self._agent, self._place = "", 0
            self._marks_before = self._cursors.sessions(path, str(RULES))
            self._marks = {}
            self._sessions(transcript)
        except OutOfTime:
            return False
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
        self._remember(transcript)
        return True

    def _remember(self, transcript: Transcript) -> None:
        stamp = transcript.stamp
        place = min(self._place or stamp.size, stamp.size)
        try:
            tail = tail_of(transcript.path, stamp, place)
        except OSError:
            # It went away while it was read; there is nothing to compare it with any more.
            return
        self._done.append((transcript.path, Cursor(stamp, place, tail, self._agent, self._marks, str(RULES))))

    def _sessions(self, transcript: Transcript) -> None:
        self._agent, readings = self._opened(transcript)
        for number, reading in enumerate(_guarded(readings)):
            self._session(transcript, number, reading)

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

    def _session(self, transcript: Transcript, number: int, reading: Reading) -> None:
        """Store one session, without what it copied from others."""
        skip: frozenset[str] = frozenset()
        parent = ""
        for copies in range(_MAX_COPIES + 1):
            with ExitStack() as handed:
                writer = self._writing(reading.agent).__enter__()
                handed.push(writer)
                analysis = Analysis(self.cleaner, self._indexing)
                mark = self._pass_through(transcript, reading, writer, analysis)
                self._place = max(self._place, reading.offset)
                session = self._complete(reading, parent)
                there, original = self._archived(session.name), self._original(session)
                ids = self._copied(transcript, number, original, _own_beginning(session, there)) - {""}
                if ids <= skip or copies == _MAX_COPIES:
                    self._keep(Kept(session, there, f"{mark}{_mark_of(session)}", writer, analysis), handed)
                    return
            # An older version of the agent copied the history of another session into this one.
            skip |= ids
            parent = original.partition("/")[2] or (there.parent if there else "")
            reading = self._reopened(transcript, number)
            reading.skip = skip

    def _pass_through(
        self, transcript: Transcript, reading: Reading, writer: RawWriter | Nowhere, analysis: Analysis
    ) -> str:
        """Hand each event on as it comes; return a mark of them all, where the transcript may tell many sessions."""
        events = self.cleaner.events(_guarded(reading))
        marked = Marked(events) if not transcript.path.endswith(_ONE_SESSION) else None
        add, take, end, now = writer.add, analysis.take, self._end, time.monotonic
        for event in marked or events:
            if now() > end:
                raise OutOfTime
            add(event)
            take(event)
        return f"{marked.sum:x}-" if marked else ""

    def _complete(self, reading: Reading, parent: str) -> Session:
        session = reading.session()
        session = replace(
            session,
            id=session.id or _stem(reading.path),
            source=_writable(session.source),
            project=self._project_of(session.folder),
            parent=session.parent or parent,
        )
        return self.cleaner.session(session)

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
        return self._ids_before(own, self._reopened(transcript, number)) if own else frozenset()

    def _archived(self, name: str) -> Session | None:
        """Return a session as the archive has it, None where it has none that can be read."""
        self._writers.settled(name)
        try:
            return self._archive.session(name) if self._archive.has(name) else None
        except HoldfastError:
            return None

    def _ids_before(self, own: str, reading: Reading) -> frozenset[str]:
        found: set[str] = set()
        for event in self.cleaner.events(_guarded(reading)):
            if event.id == own:
                return frozenset(found)
            found.add(event.id)
        return frozenset()

    def _keep(self, kept: Kept, handed: ExitStack) -> None:
        """Store a session that was read to its end, unless there is a reason not to."""
        self.tally.malformed += kept.session.malformed
        session = _told_apart(kept.session, kept.there)
        # What has no event and not even a time, such as a file of titles of other sessions, is no session.
        if session is None or not (session.events or session.started):
            return
        name = session.name
        if self._archive.is_forgotten(name) or self._archive.is_forgotten(self._original(session) or name):
            self.tally.forgotten += 1
            return
        may_be_same = "-" in kept.mark
        self._marks[name] = kept.mark if may_be_same else ""
        if may_be_same and self._marks_before.get(name) == kept.mark and kept.there:
            return
        digest = self._digest(session, kept.analysis)
        if isinstance(kept.writer, Nowhere):
            self.tally.analysed += digest is not None
        else:
            self._writers.store(handed.pop_all(), kept.writer, session, digest)
            self._index(name, digest, kept.analysis)
        self.tally.ingested += 1
        self._cursors.begin(session.agent, session.beginning, name)

    def _tell_of_earlier(self) -> None:
        """Tell of transcripts that tell less than they did; only when all is stored is it known."""
        for session in self._writers.shrunk:
            why = "it tells less than it did, so what it told before was kept"
            hint = f"`holdfast sessions show {session.name} --raw --earlier` shows it."
            self.tally.problems.append(Problem("rewritten", session.source, why, hint))
        self._writers.shrunk.clear()

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
        """Take note of a digest, and make the rows by which it is found."""
        if digest is None:
            return
        self.tally.analysed += 1
        try:
            analysis.index(digest)
        except StoreFull:
            raise
        except Exception as problem:
            self._cannot_index(name, problem)
        self._log(digest)

    def _log(self, digest: Digest) -> None:
        """Tell the daily log of the project what the digest knows."""
        try:
            session_notes.after_sweep(self._workspace, digest)
        except (HoldfastError, OSError) as problem:
            self.tally.problems.append(_failed("log", digest.session.name, problem, "The next sweep tries again."))

    def _cannot_index(self, name: str, problem: Exception) -> None:
        self._index_failed = True
        self.tally.problems.append(_failed("index", name, problem, "`holdfast reindex` makes the index anew."))

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
        """Tell of a raw file that is damaged, and let the next sweep make it anew from its transcript."""
        again = self._cursors.forget(name)
        hint = "The next sweep reads its transcript again." if again else "Its transcript is gone, so it stays so."
        self.tally.problems.append(replace(problem, hint=hint))

    def _writing(self, agent: str) -> RawWriter | Nowhere:
        return self._archive.writing(agent) if self._indexing else Nowhere()


def _own_beginning(session: Session, there: Session | None) -> str:
    """Return where the archive says that a copy begins, if it is not where the transcript does."""
    is_copy = there is not None and bool(there.parent) and there.source == session.source
    return there.beginning if there and is_copy and there.beginning != session.beginning else ""


def _told_apart(session: Session, there: Session | None) -> Session | None:
    """Return the session under a name that is its own; None where another transcript tells it at no less length.

    Two transcripts of one id that begin with different events are two parts of it. With the same one, or where events
    have no ids at the same time, they are copies, or one was moved.
    """
    if there is None or there.source == session.source:
        return session
    if _start_of(there) != _start_of(session):
        part = f"{session.id}.{short(session.source)[:8]}"
        return replace(session, id=part, parent=session.parent or session.id)
    is_less = there.events >= session.events and os.path.exists(there.source)
    return None if is_less else session


def _start_of(session: Session) -> str:
    return session.beginning or session.started


def _mark_of(session: Session) -> str:
    return f"{zlib.crc32(repr(session).encode('utf-8', 'replace')):x}"


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


def _stem(path: str) -> str:
    return os.path.basename(path).partition(".")[0] or "unnamed"


def _writable(path: str) -> str:
    """Return a path as text that can be stored; a file name need not be UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
