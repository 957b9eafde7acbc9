"""The reports of sub-agents in the archive, where no hook told of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdfast.learning.research import model
from holdfast.privacy.fence import kept
from holdfast.session_records import SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import MAX_CHARACTERS, Finding
from holdfast.workspace import Workspace


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what a sub-agent handed over in the end."""
    session = digest.session
    if not session.is_subagent:
        return
    event = _last_answer(events)
    if event is not None and len(event.text) >= MAX_CHARACTERS:
        # What finders see of a long answer lacks its middle.
        event = _last_answer(Archive(workspace.home).events(session.name))
    if event is None or len(event.text.strip()) < model.MIN_TEXT:
        return
    told = event.at or session.ended
    report = model.Report(
        at=f"{told[:19]}Z" if told else "",
        agent=session.agent,
        session=session.id,
        parent=session.parent,
        project=session.project,
        text=kept(event.text, model.MAX_TEXT),
    )
    summary = model.summary_of(report.text)
    yield Finding("research", summary, report.at, session.name, lambda: bool(model.add(workspace.home, report)))


def _last_answer(events: Iterable[SessionEvent]) -> SessionEvent | None:
    """Return what the agent said last."""
    last = None
    for event in events:
        if event.role == "assistant" and event.text.strip():
            last = event
    return last
