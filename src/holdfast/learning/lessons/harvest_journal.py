"""Sessions that were rated low and that the archive does not have: what hooks told of them stands in the journal.

An agent may keep no transcript that can be read, or one that was gone before a sweep. Such a session is harvested from
the journal when its rating is old enough that no sweep will come any more; the outputs of its tools are not known.
"""

from __future__ import annotations

from datetime import datetime

from holdfast.errors import HoldfastError
from holdfast.learning.ratings.harvest import LOW, by_session
from holdfast.records import Session, SessionEvent
from holdfast.sessions.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.language.ratings import Rating
    from holdfast.records import Event
    from holdfast.sessions.archive import Archive
    from holdfast.sessions.facts import Digest
    from holdfast.workspace import Workspace

# The moments of which a session is told, and the field of each that says something.
_ROLES = {
    "prompt": ("human", "prompt"),
    "stop": ("assistant", "answer"),
    "tool": ("tool", ""),
    "tool-failed": ("tool", ""),
}
# So long after a rating a sweep may still bring its session.
_PATIENCE_SECONDS = 3_600


def unarchived(workspace: Workspace, archive: Archive, now: str) -> Iterator[tuple[str, list[Rating]]]:
    """Yield name and low ratings of each session that was rated low some time ago and is not in the archive."""
    for (agent, session), every in by_session(workspace.home).items():
        name, ratings = f"{agent}/{session}", [one for one in every if one.rating <= LOW]
        if not (agent and session and ratings and all(_is_old(one.at, now) for one in ratings)):
            continue
        try:
            is_known = archive.has(name) or archive.is_forgotten(name)
        except HoldfastError:
            continue
        if not is_known:
            yield name, ratings


def told(workspace: Workspace, name: str, ratings: list[Rating]) -> tuple[Digest, list[SessionEvent]]:
    """Return such a session as hooks told it, as far back as the newest part of the journal goes."""
    agent, _, id = name.partition("/")
    found = [
        event
        for kind in _ROLES
        for event in workspace.journal.latest(kind)
        if (event.data.get("agent"), event.data.get("session")) == (agent, id) and not event.data.get("subagent")
    ]
    events = [_session_event(place, event) for place, event in enumerate(sorted(found, key=lambda event: event.at))]
    folder = str(found[0].data.get("folder", "")) if found else ""
    times = [event.at for event in events] or [ratings[0].at]
    project = next((one.project for one in ratings if one.project), "")
    session = Session(agent, id, folder=folder, project=project, started=times[0], ended=times[-1], events=len(events))
    return digest(session, events), events


def _session_event(place: int, event: Event) -> SessionEvent:
    role, field = _ROLES[event.kind]
    data = {name: str(event.data.get(name, "")) for name in ("tool", "tool_input", "error", field)}
    return SessionEvent(
        *(place, role, data[field] if field else "", event.at),
        tool=data["tool"],
        input=data["tool_input"],
        output=data["error"],
        failed=event.kind == "tool-failed" or bool(data["error"]),
        answered=role == "tool",
    )


def _is_old(at: str, now: str) -> bool:
    try:
        return (datetime.fromisoformat(now) - datetime.fromisoformat(at)).total_seconds() > _PATIENCE_SECONDS
    except (ValueError, TypeError):
        return True
