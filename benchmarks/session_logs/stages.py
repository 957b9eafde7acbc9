"""What each stage of a sweep costs: the stages are run one after the other, file by file, each with a clock of its own.

Between two stages the events of a file lie in a list, which a sweep avoids; otherwise it is what a sweep does. Each
part of learning is a stage, and what the judge reads is another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from holdfast import agents
from holdfast.agents.reading.base import Reading
from holdfast.app import harvest
from holdfast.privacy.cleaning import Cleaner
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import Digesting
from holdfast.sessions.index import Indexing
from holdfast.workspace import Workspace

STAGES = ("read", "clean", "store", "digest", "index")


class Stages:
    """The stages of a sweep into one home; `spent` has the CPU seconds of each."""

    def __init__(self, workspace: Workspace, agent: str) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)
        self.bytes = 0
        self._workspace = workspace
        self._adapter = agents.get(agent)
        self._archive = Archive(workspace.home)
        self._cleaner = Cleaner()
        self._indexing = Indexing(workspace, lambda folder: "bench")
        self._together = ExitStack()
        self._together.enter_context(self._indexing.transaction())

    def take(self, path: str) -> None:
        """Bring one file through all stages."""
        self.bytes += os.path.getsize(path)
        with self._clock("read"):
            readings = list(self._adapter.read_session(path) or ())
        for reading in readings:
            self._session(reading)

    def _session(self, reading: Reading) -> None:
        with self._clock("read"):
            told = list(reading)
            session = reading.session()
        with self._clock("clean"):
            events = list(self._cleaner.events(told))
            session = self._cleaner.session(session)
        with self._clock("store"), self._archive.writing(session.agent) as raw:
            for event in events:
                raw.add(event)
            raw.keep(session)
        with self._clock("digest"):
            digesting = Digesting(self._cleaner.text, self._cleaner.harmless)
            for event in events:
                digesting.take(event)
            digest = digesting.done(session)
        with self._clock("store"):
            self._archive.put_digest(digest)
        with self._clock("index"):
            for event in events:
                self._indexing.take(event)
            self._indexing.done(digest)

    def finish(self) -> None:
        """Write the rows that wait to be written together."""
        with self._clock("index"):
            self._together.close()

    def learn(self) -> None:
        """Learn from all that was taken, part by part."""
        finders = harvest.parts("harvests", "harvest")
        finders += [("judge", find) for _, find in harvest.parts("judges", "judged")]
        self.spent |= {name: 0.0 for name, _ in finders}
        for entry in self._archive.entries():
            digest = self._archive.digest(entry.name)
            events = harvest.bounded(self._archive.events(entry.name))
            for name, find in finders:
                with self._clock(name):
                    for finding in find(self._workspace, digest, events):
                        finding.keep()

    @contextmanager
    def _clock(self, stage: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.spent[stage] += time.process_time() - start


__all__ = ["STAGES", "Stages"]
