"""Now: what is being done in a project, its to-dos, decisions and log; and what hooks store, as they store it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from holdfast.base import files, rows
from holdfast.base.text import one_line
from holdfast.continuity import log, notes, todo, working_state
from holdfast.journal import Journal
from holdfast.records import Filter
from holdfast.surfaces.web import security
from holdfast.surfaces.web.handling import Visit, known_projects, route
from holdfast.surfaces.web.site import Site

MAX_DAYS = 5
MAX_DECISIONS = 20
MAX_TOLD = 160
MAX_FEEDS = 8
_SECONDS = 0.7
_HEARTBEAT = 20
_TELLING = ("prompt", "text", "title", "tool", "key")


def _now(visit: Visit) -> Response:
    workspace, projects = visit.workspace, known_projects(visit.workspace)
    project = workspace.project_if_any()
    if project is None:
        return visit.page("now.html", project="", projects=projects)
    workspace.refresh(workspace.visible("project"))
    folders = notes.folders(workspace)
    days = [(day, log.entries(folder, day)[0]) for folder in folders for day in log.days(folder)]
    return visit.page(
        "now.html",
        project=project.id,
        projects=projects,
        state=working_state.read(workspace),
        todos=todo.todos(workspace, everything=True),
        decisions=list(workspace.store.find(Filter(workspace.visible("project"), ("decision",)), MAX_DECISIONS)),
        days=sorted(days, reverse=True, key=lambda one: one[0])[:MAX_DAYS],
    )


def _todo(visit: Visit) -> Response:
    project = visit.asked("project")
    if visit.given("text").strip():
        todo.add(visit.workspace, visit.given("text"))
    elif visit.given("done"):
        todo.done(visit.workspace, (visit.given("done"),), numbers=False)
    elif visit.given("reopen"):
        todo.reopen(visit.workspace, (visit.given("reopen"),), numbers=False)
    return visit.goto("/now", project=project)


async def _feed(request: Request) -> Response:
    """Send what the journal gets, as server-sent events, until the browser goes."""
    await security.need(request, "read")
    site: Site = request.app.state.site
    if site.feeds >= MAX_FEEDS:
        return Response(status_code=503)
    return StreamingResponse(_told(request, site), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _told(request: Request, site: Site) -> AsyncIterator[str]:
    with site.workspace() as workspace:
        journal = workspace.journal
    place, quiet = _end(journal), 0
    site.feeds += 1
    try:
        yield ": open\n\n"
        while not await request.is_disconnected():
            await anyio.sleep(_SECONDS)
            new, place = _since(journal, place)
            quiet = 0 if new else quiet + 1
            if quiet >= _HEARTBEAT:
                quiet = 0
                yield ": still here\n\n"
            for line in new:
                yield f"data: {line}\n\n"
    finally:
        site.feeds -= 1


def _end(journal: Journal) -> tuple[str, int]:
    name = journal.days()[-1] if journal.days() else ""
    return name, os.path.getsize(os.path.join(journal.folder, name)) if name else 0


def _since(journal: Journal, place: tuple[str, int]) -> tuple[list[str], tuple[str, int]]:
    """Return what the newest file of the journal has behind a place, and the place behind that."""
    name, size = _end(journal)
    start = place[1] if name == place[0] else 0
    if not name or size <= start:
        return [], (name, size)
    data = files.read(os.path.join(journal.folder, name))[start:size]
    whole = data[: data.rfind(b"\n") + 1]
    events = [rows.object_in(line, 1 << 20) for line in whole.split(b"\n")]
    return [_line(event) for event in events if event], (name, start + len(whole))


def _line(event: dict[str, object]) -> str:
    """Return an event as the page shows it: what it says, and who told it."""
    said = next((str(event[name]) for name in _TELLING if event.get(name)), "")
    about = [str(event[name]) for name in ("agent", "project", "at") if event.get(name)]
    text = one_line(f"{event.get('kind', '')}: {said}" if said else str(event.get("kind", "")), MAX_TOLD)
    return json.dumps({"text": text, "about": " · ".join(about)})


ROUTES = [route("/now", _now), route("/now/todo", _todo, needs="write"), Route("/now/feed", _feed)]
