"""Sessions in an archive, as tests put them there: written with the archive's own tools, without a sweep."""

from __future__ import annotations

from pathlib import Path

from holdfast.records import Cost, Session, SessionEvent, Spend, replace
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from holdfast.sessions.index import Indexing, ProjectOf
from holdfast.workspace import Workspace
from sessions.making import numbered

OPUS = "claude-opus-4-5"


def session(id: str, folder: Path | str, agent: str = "some-agent", day: str = "2026-05-04", **more) -> Session:
    """Return a session that took an hour and ten million tokens, all of them input."""
    cost = more.pop("cost", Cost(input=10_000_000))
    return Session(
        *(agent, id),
        folder=str(folder),
        started=f"{day}T10:00:00Z",
        ended=f"{day}T11:00:00Z",
        models=(OPUS,),
        cost=cost,
        spends=more.pop("spends", (Spend(day, OPUS, cost),)),
        **more,
    )


def said(role: str, text: str, at: str = "2026-05-04T10:00:00Z", folder: Path | str = "") -> SessionEvent:
    """Return what somebody said."""
    return SessionEvent(0, role, text, at, folder=str(folder))


def edited(path: Path | str, folder: Path | str) -> SessionEvent:
    """Return a change of a file."""
    given = f'{{"file_path": "{path}", "new_string": "x"}}'
    return SessionEvent(0, "tool", tool="Edit", input=given, output="ok", folder=str(folder), answered=True)


def store(workspace: Workspace, told: Session, *events: SessionEvent, index: bool = True) -> str:
    """Put a session into the archive and, unless told otherwise, into the index; return its name."""
    archive, project_of = Archive(workspace.home), ProjectOf(workspace.registry)
    listed = numbered(*events)
    told = replace(told, project=told.project or project_of(told.folder), events=len(listed))
    with archive.writing(told.agent) as writer:
        for event in listed:
            writer.add(event)
        writer.keep(told)
    made = digest(told, listed)
    archive.put_digest(made)
    if index:
        indexing = Indexing(workspace, project_of)
        for event in listed:
            indexing.take(event)
        indexing.done(made)
    return told.name
