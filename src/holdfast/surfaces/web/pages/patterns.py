"""Patterns: what recurs, what is in the catalogue and distributed, and whether it helps."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.patterns import catalogue_edit, report
from holdfast.patterns import review as pattern_review
from holdfast.patterns.measure import measure
from holdfast.surfaces.web.charts import interval
from holdfast.surfaces.web.handling import Visit, route

MAX_SHOWN = 50


def _patterns(visit: Visit) -> Response:
    gathered = report.gather(visit.workspace)
    found = pattern_review.not_rejected(visit.workspace, report.find(visit.workspace, gathered))
    entries, problems = catalogue_edit.entries(visit.workspace)
    return visit.page(
        "patterns.html",
        found=[pattern_review.candidate(one) for one in found[:MAX_SHOWN]],
        total=len(found),
        sessions=gathered.sessions,
        waiting=gathered.waiting,
        entries=entries,
        problems=problems,
    )


def _measure(visit: Visit) -> Response:
    found = measure(visit.workspace, since=visit.asked("since"))
    followed = [*([found.everything] if found.everything else []), *found.patterns, *found.memories]
    return visit.page("measure.html", found=found, followed=followed, interval=interval)


ROUTES = [route("/patterns", _patterns), route("/measure", _measure)]
