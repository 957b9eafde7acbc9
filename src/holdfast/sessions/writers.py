"""Sessions on their way into the archive: what their events pass, each once, and how they become durable.

They become durable while the next ones are read: waiting for the disk takes longer than the work itself. A session is
written beside its place by another thread, raw file and digest. Many are then made durable together, and only after
that do they get their names: all raw files, then all digests. Nobody may rely on a session before it `settled`; what
went wrong is raised there.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress

from holdfast.base import files
from holdfast.base.pending_file import PendingFile
from holdfast.privacy.cleaning import Cleaner
from holdfast.records import Session, SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import Digesting
from holdfast.sessions.facts import Digest
from holdfast.sessions.index import Indexing
from holdfast.sessions.prices import Prices
from holdfast.sessions.raw import RawWriter

_THREADS = 4
# Each holds the last text of its session that is not compressed yet.
_MAX_GOING = 8
# So many are made durable together at most; a crash loses no more than these, and the next sweep brings them again.
_MAX_WAITING = 200


class Analysis:
    """Digest and index rows of one session in the making; what goes wrong is told when they are asked for."""

    def __init__(self, cleaner: Cleaner, indexing: Indexing | None) -> None:
        self._digesting = Digesting(cleaner.text, cleaner.harmless)
        self._indexing = indexing
        if indexing:
            # What was taken of a session that was not kept must not become part of this one.
            indexing.clear()
        self._digest_problem: Exception | None = None
        self._index_problem: Exception | None = None

    def take(self, event: SessionEvent) -> None:
        """Take the next event."""
        if self._digest_problem is None:
            try:
                self._digesting.take(event)
            except Exception as problem:
                self._digest_problem = problem
        if self._indexing is not None and self._index_problem is None:
            try:
                self._indexing.take(event)
            except Exception as problem:
                self._index_problem = problem

    def digest(self, session: Session, table: Prices) -> Digest:
        """Return the digest, or raise what was wrong with an event."""
        if self._digest_problem is not None:
            raise self._digest_problem
        return self._digesting.done(session, table)

    def index(self, digest: Digest) -> None:
        """Write the rows, or raise what was wrong with an event."""
        if self._index_problem is not None:
            raise self._index_problem
        if self._indexing is not None:
            self._indexing.done(digest)


class _Stored:
    """A session that is written beside its place; `handed` is what clears away whatever has no name in the end."""

    def __init__(self, handed: ExitStack, writer: RawWriter, session: Session) -> None:
        self.handed = handed
        self.writer = writer
        self.session = session
        self.digest: PendingFile | None = None

    def write(self, archive: Archive, digest: Digest | None) -> _Stored:
        """Write what is to be stored, without waiting for the disk."""
        try:
            self.writer.finish(self.session)
            if digest is not None:
                self.digest = archive.pending_digest(digest, self.writer.at)
                self.handed.callback(self.digest.discard)
        except BaseException:
            self.handed.close()
            raise
        return self

    def sync(self) -> None:
        """Wait until both files would survive a power cut."""
        self.writer.sync()
        if self.digest is not None:
            self.digest.sync()


class Writers:
    """The sessions that are on their way to the disk."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pool: ThreadPoolExecutor | None = None
        self._going: dict[str, Future[_Stored]] = {}
        self._waiting: dict[str, _Stored] = {}
        # Sessions that told more before, which was kept beside what they tell now.
        self.shrunk: list[Session] = []

    def store(self, handed: ExitStack, writer: RawWriter, session: Session, digest: Digest | None) -> None:
        """Begin to store a session. `handed` is what closes the writer, which is the thread's from now on."""
        try:
            self.settled(session.name)
            while len(self._going) >= _MAX_GOING:
                self._written(next(iter(self._going)))
            if len(self._waiting) >= _MAX_WAITING:
                self.settle_all()
            stored = _Stored(handed, writer, session)
            self._going[session.name] = self._threads().submit(stored.write, self._archive, digest)
        except BaseException:
            handed.close()
            raise

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, "store")
        return self._pool

    def _written(self, name: str) -> None:
        """Wait until a session is written beside its place, or raise what was wrong."""
        self._waiting[name] = self._going.pop(name).result()

    def settled(self, name: str) -> None:
        """Wait until the session of that name is durable, or raise what was wrong; at once where none is going."""
        if name in self._going:
            self._written(name)
        if name in self._waiting:
            self._settle([self._waiting.pop(name)])

    def settle_all(self) -> None:
        """Wait until every session is durable, or raise what was wrong with the first that is not."""
        problem: Exception | None = None
        for name in list(self._going):
            try:
                self._written(name)
            except Exception as found:
                problem = problem or found
        together, self._waiting = list(self._waiting.values()), {}
        self._settle(together)
        if problem is not None:
            raise problem

    def _settle(self, together: list[_Stored]) -> None:
        """Make sessions durable and give them their names; what is wrong with one does not keep the others."""
        problems: list[Exception] = []
        try:
            syncing = {one: self._threads().submit(one.sync) for one in together}
            ready = _done(together, lambda one: syncing[one].result(), problems)
            ready = _done(ready, lambda one: one.writer.settle(), problems)
            self.shrunk += [one.session for one in ready if one.writer.kept_earlier]
            settle = self._archive.settle_digest
            _done(ready, lambda one: settle(one.session.name, one.digest) if one.digest else "", problems)
        finally:
            for one in together:
                one.handed.close()
        if problems:
            raise problems[0]

    def close(self) -> None:
        """Let the threads go, and what has no name yet."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None
        for name in list(self._going):
            with suppress(Exception):
                self._written(name)
        for stored in self._waiting.values():
            stored.handed.close()
        self._going.clear()
        self._waiting.clear()


def _done(sessions: list[_Stored], act: Callable[[_Stored], str | None], problems: list[Exception]) -> list[_Stored]:
    """Do something to each; return those with which it went well. The folders that it names are made durable."""
    done, folders = [], set()
    for one in sessions:
        try:
            folders.add(act(one))
            done.append(one)
        except Exception as problem:
            problems.append(problem)
    for folder in folders:
        if folder:
            files.sync_folder(folder)
    return done
