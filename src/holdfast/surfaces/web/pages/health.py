"""Health: is all well, who is connected, how long hooks take, what takes space, what was removed and why."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.app import inbox, updates
from holdfast.app.status import TIMED_DAYS, agents, hook_times
from holdfast.journal import notices
from holdfast.sessions.archive import Archive
from holdfast.sessions.budget import sized
from holdfast.surfaces.web.handling import Visit, route
from holdfast.surfaces.web.rendering import signed

MAX_UPDATES = 15


def _health(visit: Visit) -> Response:
    workspace = visit.workspace
    usage, settings, groups = Archive(workspace.home).usage(), workspace.settings, workspace.store.groups()
    visit.site.look_soon(workspace)
    return visit.page(
        "health.html",
        memories=sum(group.memories for group in groups),
        bytes=sum(group.size for group in groups),
        waiting=len(inbox.inbox(workspace, visit.site.findings.found)),
        agents=agents(workspace),
        hooks=hook_times(workspace.journal),
        days=TIMED_DAYS,
        usage=usage,
        sized=sized,
        cap=settings.number("archive.raw_hard_cap_bytes"),
        updates=updates.updates(workspace, limit=MAX_UPDATES),
        most=MAX_UPDATES,
        notices=notices.unseen(workspace.home),
        checks=visit.site.checks,
        findings=visit.site.findings,
    )


def _check(visit: Visit) -> Response:
    visit.site.checks.look(visit.workspace)
    visit.site.findings.look(visit.workspace)
    visit.tell("Checked.")
    return visit.goto("/health")


def _update(visit: Visit) -> Response:
    listed, diff = updates.show(visit.workspace, visit.request.path_params["id"])
    return visit.page("update.html", listed=listed, lines=signed(diff.splitlines()))


ROUTES = [
    route("/health", _health),
    route("/health/check", _check, needs="write"),
    route("/update/{id}", _update),
]
