"""What the events of one session pass on their way into the archive, each of them once."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from holdfast.sessions.digest import Digesting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.privacy.cleaning import Cleaner
    from holdfast.records import Session, SessionEvent
    from holdfast.sessions.facts import Digest
    from holdfast.sessions.index import Indexing
    from holdfast.sessions.prices import Prices


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


class Marked:
    """Passes events on; `sum` then differs from that of events of other lengths, times or ends."""

    def __init__(self, events: Iterable[SessionEvent]) -> None:
        self._events = events
        self.sum = 0

    def __iter__(self) -> Iterator[SessionEvent]:
        for event in self._events:
            told = (len(event.text), len(event.input), len(event.output), event.at, event.failed, event.milliseconds)
            self.sum = zlib.crc32(repr(told).encode("utf-8", "replace"), self.sum)
            yield event


class Nowhere:
    """In the place of a raw file where nothing may be written."""

    kept_earlier = False

    def __enter__(self) -> Nowhere:
        return self

    def __exit__(self, *problem: object) -> None:
        return

    def add(self, event: SessionEvent) -> None:
        """Take an event to nowhere."""

    def keep(self, session: Session) -> None:
        """Keep nothing."""
