"""Makes sessions durable while the next ones are read: waiting for the disk takes longer than the work itself.

Each session is one piece of work in its own thread, raw file first, then digest. Nobody may rely on a session before it
`settled`; what went wrong is raised there.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import ExitStack

    from holdfast.records import Session
    from holdfast.sessions.archive import Archive
    from holdfast.sessions.facts import Digest
    from holdfast.sessions.raw import RawWriter

_THREADS = 4
# Each holds the last text of its session that is not compressed yet.
_MOST_WAITING = 8


class Writers:
    """The sessions that are on their way to the disk."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pool: ThreadPoolExecutor | None = None
        self._going: dict[str, Future[None]] = {}
        # Sessions that told more before, which was kept beside what they tell now.
        self.shrunk: list[Session] = []

    def store(self, handed: ExitStack, writer: RawWriter, session: Session, digest: Digest | None) -> None:
        """Begin to store a session. `handed` is what closes the writer, which is the thread's from now on."""
        try:
            self.settled(session.name)
            while len(self._going) >= _MOST_WAITING:
                self.settled(next(iter(self._going)))
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_THREADS, "store")
            self._going[session.name] = self._pool.submit(self._store, handed, writer, session, digest)
        except BaseException:
            handed.close()
            raise

    def _store(self, handed: ExitStack, writer: RawWriter, session: Session, digest: Digest | None) -> None:
        with handed:
            writer.keep(session)
            if writer.kept_earlier:
                self.shrunk.append(session)
            if digest is not None:
                self._archive.put_digest(digest)

    def settled(self, name: str) -> None:
        """Wait until the session of that name is durable, or raise what was wrong; at once where none is going."""
        going = self._going.pop(name, None)
        if going is not None:
            going.result()

    def settle_all(self) -> None:
        """Wait until every session is durable, or raise what was wrong with the first that is not."""
        problem: BaseException | None = None
        for name in list(self._going):
            try:
                self.settled(name)
            except Exception as found:
                problem = problem or found
        if problem is not None:
            raise problem

    def close(self) -> None:
        """Let what is going come to its end, and let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None
        self._going.clear()
