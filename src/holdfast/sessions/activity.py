"""What was done in a project: which files were changed by whom, and each day's sessions with what came of them."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sessions.browse import ask, in_folder, projects_here, span
from holdfast.store.session_table import FileRow, SessionRow, Wanted
from holdfast.workspace import Workspace

RECENT = "24h"
MAX_CHANGES = 100
MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True)
class Activity:
    """Changes of files, the latest first; `project` is the one that was asked about, empty for all of them."""

    changes: tuple[FileRow, ...]
    project: str
    more: bool = False


def activity(
    workspace: Workspace,
    *,
    path: str = "",
    recent: bool = False,
    agents: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    everywhere: bool = False,
    limit: int = MAX_CHANGES,
) -> Activity:
    """Return the changes of this project's files, or of all; `recent` is the last day in every project."""
    if not workspace.enabled:
        return Activity((), "")
    everywhere = everywhere or (recent and not workspace.asked_project)
    projects = projects_here(workspace, everywhere=everywhere)
    wanted = Wanted(
        projects, agents, *span(since or (RECENT if recent else ""), until), file=in_folder(workspace, path)
    )
    found = ask(workspace, lambda table: table.files(wanted, limit + 1))
    return Activity(tuple(found[:limit]), projects[0] if projects else "", len(found) > limit)


@dataclass(frozen=True, slots=True)
class DoneSession:
    """One session of a day with the files that it changed, the most changed first."""

    session: SessionRow
    files: tuple[FileRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC) and the sessions that ended on it, the last first."""

    day: str
    sessions: tuple[DoneSession, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days, the last first; `project` is the one that was asked about, empty for all of them."""

    days: tuple[Day, ...]
    project: str
    more: bool = False


def timeline(
    workspace: Workspace, *, since: str = "", until: str = "", everywhere: bool = False, limit: int = MAX_SESSIONS
) -> Timeline:
    """Return what was done in this project, or in all; sub-agents work for a session and are not told apart."""
    if not workspace.enabled:
        return Timeline((), "")
    projects = projects_here(workspace, everywhere=everywhere)
    wanted = Wanted(projects, (), *span(since, until), subagents=False)
    found = ask(workspace, lambda table: table.find(wanted, limit + 1))
    shown = found[:limit]
    # A session may have worked elsewhere too: what it changed there is told there.
    changes = Wanted(projects, names=tuple(row.name for row in shown))
    files = ask(workspace, lambda table: table.files(changes)) if shown else []
    by_session: dict[str, list[FileRow]] = {}
    for file in files:
        by_session.setdefault(file.session, []).append(file)
    days: dict[str, list[DoneSession]] = {}
    for row in shown:
        changed = sorted(by_session.get(row.name, ()), key=lambda file: (-file.changes, file.path))
        days.setdefault(row.ended[:10], []).append(DoneSession(row, tuple(changed)))
    told = tuple(Day(day, tuple(sessions)) for day, sessions in days.items())
    return Timeline(told, projects[0] if projects else "", len(found) > limit)
