"""Sessions: list, timeline, changed files and cost; and one session as a conversation."""

from __future__ import annotations

from itertools import islice
from typing import Any

from starlette.responses import Response

from holdfast.errors import NotFound
from holdfast.records import SessionEvent
from holdfast.sessions import browse
from holdfast.sessions import search as session_search
from holdfast.sessions.facts import OUTCOMES
from holdfast.store.session_table import BY
from holdfast.surfaces.web.charts import bars
from holdfast.surfaces.web.handling import Visit, known_projects, route

PAGE = 50
MAX_EVENTS = 150
MAX_MATCHES = 200
VIEWS = {"": "List", "timeline": "Timeline", "files": "Changed files", "cost": "Cost"}


def _sessions(visit: Visit) -> Response:
    view, everywhere = visit.asked("view"), not visit.asked("project")
    shared: dict[str, Any] = {"views": VIEWS, "view": view, "projects": known_projects(visit.workspace)}
    if view == "timeline":
        found = browse.timeline(visit.workspace, since=visit.asked("since"), everywhere=everywhere, limit=100)
        return visit.page("timeline.html", found=found, **shared)
    if view == "files":
        changed = browse.activity(visit.workspace, path=visit.asked("q"), everywhere=everywhere)
        return visit.page("files.html", found=changed, **shared)
    if view == "cost":
        return _cost(visit, shared)
    if visit.asked("q"):
        hits = session_search.search(visit.workspace, visit.asked("q"), everywhere=everywhere, limit=30).hits
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
    chart = bars([(row.group, row.dollars) for row in reversed(days)], lambda dollars: f"${dollars:,.2f}")
    return visit.page(
        "cost.html", chart=chart, rows=rows, total=browse.total(rows), by=by, ways=BY, since=since, **shared
    )


def _session(visit: Visit) -> Response:
    name, q = visit.request.path_params["name"], visit.asked("q").strip()
    digest = browse.digest_of(visit.workspace, name)
    at = visit.asked("at", "0")
    first = (int(at) if at.isdecimal() and len(at) < 9 else 0) // MAX_EVENTS * MAX_EVENTS
    matches: list[SessionEvent] = []
    try:
        if q:
            wanted, every = q.casefold(), browse.events_of(visit.workspace, name)
            texts = ((one, f"{one.text}\n{one.tool}\n{one.input}\n{one.output}") for one in every)
            matches = list(islice((one for one, text in texts if wanted in text.casefold()), MAX_MATCHES))
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
        dollars=digest.dollars + sum(row.dollars for row in helpers),
    )


ROUTES = [route("/sessions", _sessions), route("/session/{name:path}", _session)]
