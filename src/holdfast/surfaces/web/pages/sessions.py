"""Sessions: list, timeline, changed files and cost; and one session as a conversation."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from starlette.responses import Response

from holdfast.base.text import one_line
from holdfast.errors import NotFound
from holdfast.language import tools
from holdfast.records import SessionEvent
from holdfast.sessions import browse
from holdfast.sessions import search as session_search
from holdfast.sessions.facts import OUTCOMES
from holdfast.store.session_table import BY
from holdfast.surfaces.web.charts import bars, over_time
from holdfast.surfaces.web.handling import Visit, known_projects, route

PAGE = 50
MAX_EVENTS = 150
MAX_MATCHES = 200
VIEWS = {"": "List", "timeline": "Timeline", "files": "Changed files", "cost": "Cost"}
SPANS = {"7d": "a week", "30d": "a month", "90d": "three months", "365d": "a year", "3650d": "all time"}
_BESIDE = 90
_MAX_LINE = 120


def _sessions(visit: Visit) -> Response:
    view, everywhere = visit.asked("view"), not visit.asked("project")
    shared: dict[str, Any] = {"views": VIEWS, "view": view, "projects": known_projects(visit.workspace)}
    shared["agents"] = [name for name, _, _ in browse.ask(visit.workspace, lambda table: table.totals("agent"))]
    if view == "timeline":
        found = browse.timeline(visit.workspace, since=visit.asked("since"), everywhere=everywhere, limit=100)
        return visit.page("timeline.html", found=found, **shared)
    if view == "files":
        changed = browse.activity(visit.workspace, path=visit.asked("q"), everywhere=everywhere)
        return visit.page("files.html", found=changed, **shared)
    if view == "cost":
        return _cost(visit, shared)
    if visit.asked("q"):
        agents = (visit.asked("agent"),) if visit.asked("agent") else ()
        hits = session_search.search(
            visit.workspace, visit.asked("q"), agents=agents, everywhere=everywhere, limit=30
        ).hits
        return visit.page("sessions.html", hits=hits, found=None, page=0, outcomes=OUTCOMES, **shared)
    page = visit.asked("page", "0")
    number = int(page) if page.isdecimal() and len(page) < 6 else 0
    listed = browse.list_sessions(
        visit.workspace,
        outcomes=(visit.asked("outcome"),) if visit.asked("outcome") else (),
        agents=(visit.asked("agent"),) if visit.asked("agent") else (),
        since=visit.asked("since"),
        everywhere=everywhere,
        limit=PAGE * (number + 1),
    )
    rows = listed.sessions[PAGE * number :]
    return visit.page(
        "sessions.html", hits=None, found=rows, more=listed.more, page=number, outcomes=OUTCOMES, **shared
    )


def _cost(visit: Visit, shared: dict[str, Any]) -> Response:
    by = visit.asked("by", "project") if visit.asked("by", "project") in BY else "project"
    since = visit.asked("since", "30d")
    days = browse.cost(visit.workspace, by="day", since=since)
    rows = browse.cost(visit.workspace, by=by, since=since)
    spent, each = over_time({row.group: row.dollars for row in days})
    chart = bars(spent, lambda dollars: f"${dollars:,.2f}{f' in {each} days' if each > 1 else ' a day'}")
    spans = SPANS if since in SPANS else {since: since, **SPANS}
    shared |= {"rows": rows, "total": browse.total(rows), "by": by, "ways": BY, "since": since, "spans": spans}
    return visit.page("cost.html", chart=chart, **shared)


def _session(visit: Visit) -> Response:
    name, q = visit.request.path_params["name"], visit.asked("q").strip()
    digest = browse.digest_of(visit.workspace, name)
    at = visit.asked("at", "0")
    first = (int(at) if at.isdecimal() and len(at) < 9 else 0) // MAX_EVENTS * MAX_EVENTS
    matches: list[tuple[SessionEvent, tuple[str, str, str]]] = []
    try:
        if q:
            every = ((one, _beside(one, q)) for one in browse.events_of(visit.workspace, name))
            matches = list(islice(((one, found) for one, found in every if found), MAX_MATCHES))
        events = list(browse.events_of(visit.workspace, name, first, first + MAX_EVENTS - 1))
        kept = True
    except NotFound:
        events, kept = [], False
    helpers = browse.subagents_of(visit.workspace, digest.session.name)
    return visit.page(
        "session.html",
        digest=digest,
        events=events,
        matches=matches,
        kept=kept,
        first=first,
        page_size=MAX_EVENTS,
        helpers=helpers,
        most=MAX_MATCHES,
        line_of=_line,
        dollars=digest.dollars + sum(row.dollars for row in helpers),
    )


def _beside(event: SessionEvent, wanted: str) -> tuple[str, str, str] | None:
    """Return the words of an event around the first place that has what is wanted, in three parts; None without one."""
    text = "\n".join(one for one in (event.text, event.tool, event.input, event.output) if one)
    found = re.search(re.escape(wanted), text, re.IGNORECASE)
    if found is None:
        return None
    start, end = found.span()
    before = ("…" if start > _BESIDE else "") + text[max(0, start - _BESIDE) : start]
    return before, text[start:end], text[end : end + _BESIDE] + ("…" if len(text) > end + _BESIDE else "")


def _line(event: SessionEvent) -> str:
    """Return what a tool was called with, in a line: the command, the files, or whatever was given."""
    return one_line(tools.line_of(event.input) or ", ".join(tools.paths_in(event.input)) or event.input, _MAX_LINE)


ROUTES = [route("/sessions", _sessions), route("/session/{name:path}", _session)]
