"""Health: is all well, who is connected, how long hooks take, what takes space, what was removed and why."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.app import updates
from holdfast.app.status import TIMED_DAYS, agents, hook_times
from holdfast.journal import notices
from holdfast.memory import proposals
from holdfast.sessions.archive import Archive
from holdfast.sessions.budget import sized
from holdfast.surfaces.web.handling import Visit, route

MAX_UPDATES = 15


def _health(visit: Visit) -> Response:
    workspace = visit.workspace
    usage, settings, groups = Archive(workspace.home).usage(), workspace.settings, workspace.store.groups()
    return visit.page(
        "health.html",
        memories=sum(group.memories for group in groups),
        bytes=sum(group.size for group in groups),
        proposals=proposals.count(workspace),
        agents=agents(workspace),
        hooks=hook_times(workspace.journal),
        days=TIMED_DAYS,
        usage=usage,
        sized=sized,
        cap=settings.number("archive.raw_hard_cap_bytes"),
        updates=updates.updates(workspace, limit=MAX_UPDATES),
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
    lines = [(line[:1] if line[:1] in "+-@" else " ", line) for line in diff.splitlines()]
    return visit.page("update.html", listed=listed, lines=[(s, t if s in "@ " else t[1:]) for s, t in lines])


ROUTES = [
    route("/health", _health),
    route("/health/check", _check, needs="write"),
    route("/update/{id}", _update),
]
