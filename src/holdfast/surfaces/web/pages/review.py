"""Review: everything that waits for a person."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.memory import proposals
from holdfast.surfaces.web.handling import Visit, route


def _review(visit: Visit) -> Response:
    found, problems = proposals.waiting(visit.workspace)
    return visit.page("review.html", waiting=found, problems=problems)


ROUTES = [route("/review", _review)]
