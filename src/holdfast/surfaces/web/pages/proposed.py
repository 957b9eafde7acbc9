"""Review on a hub: what was proposed to a team that is reviewed, as a difference, and deciding on it with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.responses import Response

from holdfast.errors import BadInput, NotFound
from holdfast.store import postgres_review
from holdfast.store.postgres_connection import Asks
from holdfast.surfaces.web.handling import Visit, route
from holdfast.surfaces.web.rendering import signed

if TYPE_CHECKING:
    from holdfast.store.postgres_review import HubProposal
    from holdfast.surfaces.web.hub_pages import HubPages


def _waiting(visit: Visit) -> tuple[HubPages, Asks, list[HubProposal]]:
    """Return what waits in the team that is shown, as far as whoever asks made it or reviews it."""
    site, who = cast("HubPages", visit.site), visit.request.scope["principal"]
    asks = Asks(who.organisation, who.person, who.team)
    found = postgres_review.proposals(site.keys.pool, asks)
    return site, asks, [one for one in found if one.team == who.team]


def _review(visit: Visit) -> Response:
    _, asks, found = _waiting(visit)
    # Where in the text a change is says little about a few lines.
    shown = [(one, [line for line in signed(one.diff()[2:]) if line[0] != "@"]) for one in found]
    reviews = "review" in visit.request.scope["principal"].may
    return visit.page("proposed.html", proposals=shown, reviews=reviews, me=asks.person)


def _decide(visit: Visit) -> Response:
    site, asks, found = _waiting(visit)
    given, act = visit.given("id"), visit.given("act")
    one = next((each for each in found if str(each.id) == given), None)
    if one is None:
        raise NotFound("that does not wait for you in this team", "Load the page again.")
    if act not in ("approve", "reject"):
        raise BadInput(f"{act!a} cannot be decided", "Approve it, or reject it.")
    postgres_review.decide(site.keys.pool, asks, one.id, approve=act == "approve", reason=visit.given("reason"))
    visit.tell(f"{'Approved' if act == 'approve' else 'Rejected'}: {one.key}")
    return visit.goto("/review")


ROUTES = [route("/review", _review), route("/review/decide", _decide, needs="review")]
