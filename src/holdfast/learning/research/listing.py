"""List and show what sub-agents found out."""

from __future__ import annotations

from holdfast.learning.research import model as research
from holdfast.learning.research.model import Report
from holdfast.sessions.browse import projects_here, span
from holdfast.workspace import Workspace


def reports(workspace: Workspace, *, since: str = "", everywhere: bool = False, limit: int = 0) -> list[Report]:
    """Return the reports of this project, or of all, newest first; 0 is no limit."""
    if not workspace.enabled:
        return []
    projects, start = projects_here(workspace, everywhere=everywhere), span(since, "")[0]
    found = [
        report
        for report in research.all_reports(workspace.home)
        if (projects is None or report.project in projects) and report.at >= start
    ]
    return found[:limit] if limit else found


def show(workspace: Workspace, name: str) -> Report:
    """Return one report with its text, by its id or its file."""
    workspace.need_enabled()
    return research.find(workspace.home, name)
