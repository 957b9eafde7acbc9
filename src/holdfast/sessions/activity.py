"""Which files were changed, by which agent, in which session, when and how often."""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.sessions.browse import ask, in_folder, projects_here, span
from holdfast.store.session_table import FileRow, Wanted
from holdfast.workspace import Workspace

RECENT = "24h"
MOST = 100


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
    limit: int = MOST,
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
