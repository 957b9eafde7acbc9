"""Which files were changed, by which agent, in which session, when and how often."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.actions.sessions import ask, in_folder, projects_here, span
from holdfast.light import dataclass
from holdfast.store.session_table import FileRow, Wanted

RECENT = "24h"
MOST = 100


@dataclass(frozen=True, slots=True)
class Activity:
    """Changes of files, the latest first; `project` is the one that was asked about, empty for all of them."""

    changes: tuple[FileRow, ...]
    project: str
    more: bool = False


def activity(
    house: House,
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
    if not house.enabled:
        return Activity((), "")
    everywhere = everywhere or (recent and not house.asked_project)
    projects = projects_here(house, everywhere=everywhere)
    wanted = Wanted(projects, agents, *span(since or (RECENT if recent else ""), until), file=in_folder(house, path))
    found = ask(house, lambda table: table.files(wanted, limit + 1))
    return Activity(tuple(found[:limit]), projects[0] if projects else "", len(found) > limit)
