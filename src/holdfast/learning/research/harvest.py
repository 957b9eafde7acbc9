"""The reports of sub-agents in the archive, where no hook told of them: in sessions of their own, or in a result.

Not every agent keeps a session for each of its sub-agents. What one handed over then stands only in the result of the
call that set it to work, which also says of which type it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from holdfast.errors import HoldfastError
from holdfast.language import tools
from holdfast.learning.research import model
from holdfast.privacy.fence import kept
from holdfast.records import Session
from holdfast.session_records import SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import MAX_CHARACTERS, Finding
from holdfast.workspace import Workspace

_MIN_RESULT = 400
_MAX_KIND = 60


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what sub-agents handed over in the end."""
    session = digest.session
    found = _own(workspace, digest, events) if session.is_subagent else _results(workspace, digest, events)
    for report in found:
        summary = model.summary_of(report.text)

        def keep(report: model.Report = report) -> bool:
            return bool(model.add(workspace.home, report))

        yield Finding("research", summary, report.at, session.name, keep)


def _results(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[model.Report]:
    """Yield what calls that set a sub-agent to work gave back."""
    session = digest.session
    calls = [event for event in events if event.role == "tool" and tools.spawns(event.tool)]
    if any(len(event.output) >= MAX_CHARACTERS for event in calls):
        # What finders see of a long output lacks its middle.
        places = {event.place for event in calls}
        calls = [event for event in Archive(workspace.home).events(session.name) if event.place in places]
    for event in calls:
        text = event.output.partition("\nagentId: ")[0].strip()
        # Shorter is the notice that it was set to work; fields are no report.
        if event.answered and not event.failed and len(text) >= _MIN_RESULT and text[0] not in "{[<":
            kind = tools.spawned(event.tool, event.input)
            kind = kept(kind, _MAX_KIND) if kind != event.tool else model.KIND
            yield _report(session, event.at, session.id, text, kind)


def _own(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[model.Report]:
    """Yield what a sub-agent with a session of its own said last."""
    session = digest.session
    event = _last_answer(events)
    if event is not None and len(event.text) >= MAX_CHARACTERS:
        # What finders see of a long answer lacks its middle.
        event = _last_answer(Archive(workspace.home).events(session.name))
    if event is None or len(event.text.strip()) < model.MIN_TEXT:
        return
    yield _report(session, event.at, session.parent, event.text, _kind_of(workspace, digest, event.text))


def _report(session: Session, at: str, parent: str, text: str, kind: str) -> model.Report:
    """Return what was told at this time, or at the end of the session where no time is known."""
    told = at or session.ended
    return model.Report(
        at=f"{told[:19]}Z" if told else "",
        agent=session.agent,
        session=session.id,
        parent=parent,
        project=session.project,
        text=kept(text, model.MAX_TEXT),
        kind=kind,
    )


def _kind_of(workspace: Workspace, digest: Digest, text: str) -> str:
    """Return the type of a sub-agent; only the call says it that set it to work: the one with its id or its answer."""
    session = digest.session
    if not session.parent:
        return model.KIND
    own, answer = session.id.rpartition("agent-")[2], model.id_of("", "", text)
    for kind, output in _spawned(workspace.home, f"{session.agent}/{session.parent}"):
        if (own and own in output) or model.id_of("", "", output.partition("\nagentId: ")[0]) == answer:
            return kept(kind, _MAX_KIND)
    return model.KIND


@lru_cache(maxsize=1)
def _spawned(home: str, parent: str) -> tuple[tuple[str, str], ...]:
    """Return type and answer of every sub-agent that a session set to work; its sub-agents come one after the other."""
    try:
        calls = [event for event in Archive(home).events(parent) if event.role == "tool" and tools.spawns(event.tool)]
    except HoldfastError:
        return ()
    found = [(tools.spawned(event.tool, event.input), event) for event in calls]
    return tuple((kind, event.output) for kind, event in found if kind and kind != event.tool)


def _last_answer(events: Iterable[SessionEvent]) -> SessionEvent | None:
    """Return what the agent said last; what it says before a call announces that, and reports nothing."""
    last = None
    for event in events:
        if event.role == "tool":
            last = None
        elif event.role == "assistant" and event.text.strip():
            last = event
    return last
