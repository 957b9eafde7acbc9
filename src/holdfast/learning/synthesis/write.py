"""Synthesis: write down what the ratings of a week, a month or all time say together.

`learning/synthesis/YYYY-MM/<kind>-<last day>.md`, with `_<project>` behind it for one project. The same period is the
same file, made anew from what is there; it holds nothing that is not in other files. A harvest writes the page of the
week that is over.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.learning.fixes import model as fixes
from holdfast.learning.incidents import model as incidents
from holdfast.learning.lessons import model as lessons
from holdfast.learning.ratings import model as signals
from holdfast.learning.synthesis import model as room
from holdfast.learning.synthesis import page as synthesis_page
from holdfast.learning.synthesis.model import Found, Period, Report
from holdfast.privacy import redact
from holdfast.workspace import Workspace

FOLDER = "learning/synthesis"
_MAX_PAGE = 4_194_304


@dataclass(frozen=True, slots=True)
class Written:
    """A synthesis: the report, its page, where that lies, and `added`, `changed` or `unchanged`; empty: not written."""

    report: Report
    text: str
    path: str
    action: str = ""


def synthesis(workspace: Workspace, kind: str = "week", *, dry_run: bool = False, today: str = "") -> Written:
    """Write the page of the days up to today, of one project where the workspace was asked for one, else of all.

    A period without ratings has no page; what is said about it is in the answer.
    """
    workspace.need_enabled()
    project = workspace.project() if workspace.asked_project else None
    names = frozenset((project.id, *project.aliases)) if project else None
    period = room.period(kind, today or now()[:10])
    return _written(workspace, period, project.id if project else "", names, dry_run=dry_run)


def due(workspace: Workspace) -> str:
    """Write the page of the last week that is over, unless it is there already, and return its path, or nothing.

    It is made anew only where ratings of that week came to be known later.
    """
    period = room.last_week(now()[:10])
    path = _path(workspace, period, "")
    written, rated = _changed(path), _changed(signals.path_of(workspace.home))
    # Of the same tick of the clock nobody knows which was first.
    if not rated or written > rated:
        return ""
    count = sum(period.has(row.at) for row in signals.read(workspace.home))
    if synthesis_page.ratings_told(_page(path)) == count:
        return ""
    page = _written(workspace, period, "", None, dry_run=False)
    return page.path if page.action in ("added", "changed") else ""


def _written(
    workspace: Workspace, period: Period, project: str, names: frozenset[str] | None, *, dry_run: bool
) -> Written:
    home = workspace.home
    found = Found(signals.read(home), lessons.room(home).all(), incidents.Incidents(home).all(), fixes.read(home))
    if names is not None:
        found = room.matching(found, lambda name: name in names)
    report = room.report(period, found, project, clean=lambda text: redact.redact(text)[0])
    text = redact.redact(synthesis_page.text_of(report))[0]
    path = _path(workspace, period, project)
    if dry_run or not report.ratings:
        return Written(report, text, path)
    before = _page(path)
    if before == text:
        return Written(report, text, path, "unchanged")
    files.refuse_links(workspace.home, os.path.relpath(os.path.dirname(path), workspace.home))
    files.make_folder(os.path.dirname(path))
    files.write(path, text.encode("utf-8", "replace"))
    return Written(report, text, path, "changed" if before else "added")


def _path(workspace: Workspace, period: Period, project: str) -> str:
    name = f"{period.name}_{project}.md" if project else f"{period.name}.md"
    return os.path.join(workspace.home, FOLDER, period.last[:7], name)


def _page(path: str) -> str:
    return files.read_if_there(path)[:_MAX_PAGE].decode("utf-8", "replace")


def _changed(path: str) -> int:
    """Return when a file was written last; 0 where there is none."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0
