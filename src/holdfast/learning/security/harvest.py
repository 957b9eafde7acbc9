"""Security-relevant calls in the archive, where no hook told of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from holdfast import agents
from holdfast.errors import HoldfastError, NotFound
from holdfast.learning.security import model
from holdfast.learning.security.hook import is_of_project, own_folder
from holdfast.learning.security.judge import Sight, judge
from holdfast.learning.security.model import Record
from holdfast.project.registry import Registry
from holdfast.project.rules import resolve
from holdfast.session_records import Session, SessionEvent
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what a session has for the audit trail."""
    session = digest.session
    places, counts = _Places(workspace, session), Counter[tuple[str, str, str]]()
    for event in events:
        if event.role != "tool" or not event.input:
            continue
        at = event.at or session.started
        for sight in places.sights(event):
            whose = session.agent, session.id, session.project
            record = model.record_of(sight, f"{at[:19]}Z" if at else "", whose, event.tool)
            group = (record.at[:7], record.rule, record.text)
            counts[group] += 1
            yield _finding(workspace.home, session.name, record, counts[group])


def _finding(home: str, session: str, record: Record, number: int) -> Finding:
    text = f"{record.kind}, {record.rule}: {record.text}"
    return Finding("security", text, record.at, session, lambda: model.add(home, record, number) is not None)


class _Places:
    """What the folders of a session are: where its project begins, and where the agent keeps its own."""

    def __init__(self, workspace: Workspace, session: Session) -> None:
        self._registry = Registry(os.path.join(workspace.home, "projects.tsv"))
        self._roots: dict[str, str] = {}
        self._session = session
        self._own = ""
        try:
            self._own = own_folder(agents.get(session.agent), session.folder, workspace.environment)
        except NotFound:
            # It may come from a package that is gone.
            return

    def sights(self, event: SessionEvent) -> list[Sight]:
        """Return what a call has for the trail."""
        folder = event.folder or self._session.folder
        root = self._root(folder)
        also = (self._own, folder, self._root(self._session.folder))
        found = judge(event.tool, event.input, root, folder=folder, also=also)
        project = self._session.project
        return [one for one in found if not (project and is_of_project(one, (project,), self._registry))]

    def _root(self, folder: str) -> str:
        if folder and folder not in self._roots:
            try:
                found = resolve(folder, self._registry).root if os.path.isdir(folder) else folder
            except (HoldfastError, OSError, ValueError):
                found = folder
            self._roots[folder] = found
        return self._roots.get(folder, "")
