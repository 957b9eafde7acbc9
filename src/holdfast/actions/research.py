"""List and show what sub-agents found out."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.actions.sessions import projects_here, span
from holdfast.learning import research
from holdfast.learning.research import Report


def reports(house: House, *, since: str = "", everywhere: bool = False, limit: int = 0) -> list[Report]:
    """Return the reports of this project, or of all, newest first; 0 is no limit."""
    if not house.enabled:
        return []
    projects, start = projects_here(house, everywhere=everywhere), span(since, "")[0]
    found = [
        report
        for report in research.all_reports(house.home)
        if (projects is None or report.project in projects) and report.at >= start
    ]
    return found[:limit] if limit else found


def show(house: House, name: str) -> Report:
    """Return one report with its text, by its id or its file."""
    house.need_enabled()
    return research.find(house.home, name)
