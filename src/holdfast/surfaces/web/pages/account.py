"""A hub's way in and out: signing in, choosing a team, and one's own tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from holdfast.errors import BadInput, NotFound, Refused
from holdfast.store import organisations
from holdfast.store.organisations import RIGHTS, bearer, digest_of
from holdfast.store.postgres_connection import Asks
from holdfast.surfaces.web.handling import Visit, answer, form_of, in_thread, route
from holdfast.surfaces.web.oidc import BEGIN_SECONDS, CALLBACK
from holdfast.surfaces.web.security import NotKnown

if TYPE_CHECKING:
    from holdfast.surfaces.web.hub_pages import HubPages
    from holdfast.surfaces.web.oidc import Provider
    from holdfast.surfaces.web.signing import Signer

_TEAM_SECONDS = 365 * 86_400
MAX_OWN_DAYS = 90


def own_path(asked: str) -> str:
    """Return where somebody goes on: a page of ours, whatever was asked for."""
    is_ours = asked.startswith("/") and not asked.startswith(("//", "/\\")) and asked.isprintable()
    return asked if is_ours and not asked.startswith("/sign") else "/memories"


async def _sign_in(request: Request) -> Response:
    """Show how one signs in; with a token that holds, sign in."""
    site: HubPages = request.app.state.site
    after = own_path(request.query_params.get("next", ""))
    if site.keys.signer is None:
        raise NotKnown("this hub has no page", site.keys.hint_locked)
    told = {"next": after, "provider": site.provider, "problem": ""}
    if request.method != "POST":
        return answer(request, "sign_in.html", told, browser=None)
    sent = await form_of(request)
    token = sent.get("token", [""])[0].strip()
    found = await in_thread(site, lambda: bearer(site.keys.pool, token))
    if found is None:
        site.keys.note_failed("bearer")
        told["next"] = own_path(sent.get("next", [""])[0])
        told["problem"] = "This token is not valid: it expired, was revoked, or is from another hub."
        return answer(request, "sign_in.html", told, 401, browser=None)
    response = RedirectResponse(own_path(sent.get("next", [""])[0]), 303)
    site.keys.sign_in(response, found.organisation, found.person, tok=digest_of(token))
    return response


def _needed(site: HubPages) -> tuple[Provider, Signer]:
    if site.provider is None or site.keys.signer is None:
        raise NotFound("this hub has no provider to sign in with", "Use a token.")
    return site.provider, site.keys.signer


async def _begin(request: Request) -> Response:
    """Send somebody to the provider; their browser keeps what its answer has to fit."""
    site: HubPages = request.app.state.site
    provider, signer = _needed(site)
    after = own_path(request.query_params.get("next", ""))
    address, kept = await in_thread(site, lambda: provider.begin(signer, site.callback, after))
    response = RedirectResponse(address, 303)
    site.keys.put(response, "-sign-in", kept, BEGIN_SECONDS)
    return response


async def _end(request: Request) -> Response:
    """Take the provider's answer, and let its person in."""
    site: HubPages = request.app.state.site
    provider, signer = _needed(site)
    kept, given = site.keys.kept(request, "-sign-in"), dict(request.query_params)
    organisation = site.settings.text("oidc.organisation")

    def work() -> tuple[str, str]:
        who, after = provider.end(signer, site.callback, kept, given)
        return organisations.sign_in(site.keys.pool, organisation, who.person, who.account, who.groups), after

    person, after = await in_thread(site, work)
    response = RedirectResponse(own_path(after), 303)
    site.keys.put(response, "-sign-in", "", 0)
    site.keys.sign_in(response, organisation, person)
    return response


def _sign_out(visit: Visit) -> Response:
    """Sign out here; who came by the provider goes on to sign out there."""
    site = cast("HubPages", visit.site)
    response = RedirectResponse("/signed-out" if site.provider and _is_by_provider(visit) else "/sign-in", 303)
    site.keys.sign_out(response)
    return response


async def _signed_out(request: Request) -> Response:
    """Send a browser on to the provider, as a page of ours: no form may be answered by another address."""
    site: HubPages = request.app.state.site
    provider, _ = _needed(site)
    leave = await in_thread(site, lambda: provider.way_out(f"{site.callback.removesuffix(CALLBACK)}/sign-in"))
    response = answer(request, "signed_out.html", {"leave": leave, "provider": provider}, browser=None)
    if leave:
        response.headers["Refresh"] = f"0;url={leave}"
    return response


def _team(visit: Visit) -> Response:
    """Choose the team that pages show."""
    site, team = cast("HubPages", visit.site), visit.given("team")
    if team not in visit.request.scope["principal"].roles:
        raise NotFound("that is not one of your teams", "Choose one of the list.")
    response = RedirectResponse("/memories", 303)
    site.keys.put(response, "-team", team, _TEAM_SECONDS)
    return response


def _account(visit: Visit, made: str = "") -> Response:
    site, asks = _asking(visit)
    listed = organisations.own_tokens(site.keys.pool, asks)
    return visit.page("account.html", tokens=listed, made=made, rights=RIGHTS, can_make=_is_by_provider(visit))


def _asking(visit: Visit) -> tuple[HubPages, Asks]:
    who = visit.request.scope["principal"]
    return cast("HubPages", visit.site), Asks(who.organisation, who.person, who.team)


def _is_by_provider(visit: Visit) -> bool:
    """Whether somebody signed in themselves: who came by a token would only make it last longer, or allow it more."""
    return not (cast("HubPages", visit.site).keys.session(visit.request) or {}).get("tok")


def _new_token(visit: Visit) -> Response:
    """Make a token of one's own, and show it, this once."""
    site, asks = _asking(visit)
    if not _is_by_provider(visit):
        raise Refused("whoever signed in with a token cannot make one", "Ask an admin of the organisation.")
    days, may = visit.given("days"), visit.given("may")
    if may not in RIGHTS or not (days.isdecimal() and 0 < int(days[:4]) <= MAX_OWN_DAYS):
        raise BadInput("a token needs a right, and days from 1 to 90", "Choose both.")
    rights = list(RIGHTS[: RIGHTS.index(may) + 1])
    name = visit.given("name").strip()
    return _account(visit, organisations.new_own_token(site.keys.pool, asks, name, rights, int(days)))


def _end_token(visit: Visit) -> Response:
    site, asks = _asking(visit)
    ended = organisations.end_own_tokens(site.keys.pool, asks, visit.given("name"))
    visit.tell("It is no longer valid." if ended else "There is no such token.", kind="done" if ended else "refused")
    return visit.goto("/account")


ROUTES = [
    Route("/sign-in", _sign_in, methods=["GET", "POST"]),
    Route("/sign-in/start", _begin),
    Route(CALLBACK, _end),
    route("/sign-out", _sign_out, sends=True),
    Route("/signed-out", _signed_out),
    route("/team", _team, sends=True),
    route("/account", _account),
    route("/account/token", _new_token, sends=True),
    route("/account/end-token", _end_token, sends=True),
]
