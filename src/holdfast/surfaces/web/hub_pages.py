"""The page, REST and MCP over a hub, for whoever is signed in; nothing is kept in the process.

Who. A browser has a cookie that is signed, says who signed in, and ends soon; a program has a token. What somebody may
is what their role in the team allows and, with a token, what that allows besides. Every request looks it up.

Which team. A page shows one team at a time, that of a cookie which is a choice and no right; REST and MCP take `team`.
A form is of the team that it was shown in: a choice made meanwhile in another window does not redirect it.

Keys. Cookies are signed with keys that all processes share; the first one signs, and those behind it still hold. What a
next page has to tell travels in a cookie, too. Without a key there is no page, and programs are answered all the same.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import quote

import anyio
from starlette.requests import Request
from starlette.responses import Response

from holdfast.app.hub import HubWorkspace
from holdfast.errors import BadInput, NotFound, Refused
from holdfast.settings import Settings, load
from holdfast.store.organisations import EVERYONE, bearer_of, digest_of, roles_of
from holdfast.store.postgres_connection import MAX_CONNECTIONS, Asks, Pool, parse, pool_of
from holdfast.surfaces.web.oidc import CALLBACK, provider_of
from holdfast.surfaces.web.security import Browser, Keys, NotKnown, Principal
from holdfast.surfaces.web.signing import Claims, Signer
from holdfast.surfaces.web.site import Site

VIEWS = (("/review", "Review", ""), ("/memories", "Memories", "/memory/"), ("/account", "Account", ""))
# What a role lets its person do.
RIGHTS_OF = {
    "reader": frozenset(("read",)),
    "writer": frozenset(("read", "write")),
    "reviewer": frozenset(("read", "write", "review")),
    "admin": frozenset(("read", "write", "review", "admin")),
}
# What stands for all teams of whoever asks, and where it does.
EVERY, OVER_TEAMS = "*", ("/api/v1/search",)
# What a next page may have to tell, in characters: a cookie has room for little.
_MAX_TOLD, _TOLD_SECONDS = 600, 60


@dataclass(frozen=True)
class HubPrincipal(Principal):
    """Who asks on a hub: the person, the team that is asked about, and their role in each of their teams."""

    organisation: str = ""
    person: str = ""
    team: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)


class HubKeys(Keys):
    """Who comes to a hub: by a cookie of ours or by a token; nobody is remembered."""

    def __init__(self, pool: Pool, signer: Signer | None, *, is_secure: bool, minutes: int) -> None:
        super().__init__(
            cookie="__Host-holdfast" if is_secure else "holdfast-hub",
            hint_locked="Sign in." if signer else "This hub has no page: its operator sets no key for cookies.",
            hint_token="Make one on the page, under Account, or ask the operator: `holdfast hub token`.",  # noqa: S106
        )
        self.pool, self.signer, self.is_secure, self.minutes = pool, signer, is_secure, minutes
        self.limiter = anyio.CapacityLimiter(MAX_CONNECTIONS)

    def put(self, response: Response, name: str, value: str, seconds: float) -> None:
        """Have the browser keep something of ours for so long; zero takes it away."""
        response.set_cookie(
            f"{self.cookie}{name}", value, max_age=int(seconds), path="/", secure=self.is_secure, httponly=True
        )

    def kept(self, request: Request, name: str) -> str:
        """Return what the browser keeps of ours."""
        return request.cookies.get(f"{self.cookie}{name}", "")

    def sign_in(self, response: Response, organisation: str, person: str, **more: Any) -> None:
        """Let the browser that gets this answer in, as this person."""
        if self.signer is None:
            raise Refused("this hub has no page", self.hint_locked)
        told = {"org": organisation, "sub": person, "sid": secrets.token_urlsafe(16), **more}
        self.put(response, "", self.signer.signed("session", told, self.minutes * 60), self.minutes * 60)

    def sign_out(self, response: Response) -> None:
        """Let the browser that gets this answer in no more."""
        for name in ("", "-team", "-told"):
            self.put(response, name, "", 0)

    def session(self, request: Request) -> Claims | None:
        """Return who signed in with this browser, if that still holds."""
        return self.signer.opened("session", self.kept(request, "")) if self.signer else None

    def browser(self, request: Request) -> Browser | None:
        """Return the browser that asks, made of its cookies; the same one for all of a request."""
        if "holdfast.browser" not in request.scope:
            session = self.session(request)
            made = None
            if session is not None and self.signer is not None:
                team = self.kept(request, "-team")
                told = self.signer.opened("told", self.kept(request, "-told")) or {}
                csrf = self.signer.mark("form", str(session["sid"]), team)
                made = Browser(csrf, [(text, "", kind) for text, kind in told.get("told", [])])
            request.scope["holdfast.browser"] = made
        found: Browser | None = request.scope["holdfast.browser"]
        return found

    def leave(self, request: Request, response: Response) -> None:
        """Have the browser keep what the next page tells, and no longer what this one told."""
        browser = self.browser(request)
        if browser is not None and browser.told and self.signer is not None:
            told = [(text[:_MAX_TOLD], kind) for text, _, kind in browser.told[-3:]]
            self.put(response, "-told", self.signer.signed("told", {"told": told}, _TOLD_SECONDS), _TOLD_SECONDS)
        elif self.kept(request, "-told"):
            self.put(response, "-told", "", 0)

    def way_in(self, request: Request) -> str:
        """Return where somebody signs in, to come back to where they were."""
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return f"/sign-in?next={quote(here, safe='')}" if self.signer else ""

    async def of_browser(self, request: Request) -> Principal | None:
        """Return who asks by a cookie; None where their sign-in ended, or they are no longer a member."""
        session = self.session(request)
        if session is None:
            return None
        return await self._looked_up(request, partial(self._of_session, session), self.kept(request, "-team"))

    async def of_token(self, request: Request, secret: str) -> Principal | None:
        """Return whom a token stands for; None where it does not hold."""
        return await self._looked_up(request, partial(self._of_digest, digest_of(secret)), "", is_browser=False)

    async def _looked_up(
        self, request: Request, look: Callable[[], HubPrincipal | None], chosen: str, *, is_browser: bool = True
    ) -> Principal | None:
        found = await anyio.to_thread.run_sync(look, limiter=self.limiter)
        if found is not None:
            asked = request.query_params.get("team", "")
            if asked == EVERY and request.url.path in OVER_TEAMS and found.roles:
                found = replace(found, may=found.may & {"read"}, team=EVERY, is_browser=is_browser)
            else:
                found = _of_team(found, asked, chosen, is_browser=is_browser)
        request.scope["principal"] = found
        return found

    def _of_session(self, session: Claims) -> HubPrincipal | None:
        if session.get("tok"):
            return self._of_digest(str(session["tok"]))
        organisation, person = str(session["org"]), str(session["sub"])
        roles = roles_of(self.pool, organisation, person)
        may = RIGHTS_OF["admin"]
        return HubPrincipal(person, may, organisation=organisation, person=person, roles=roles) if roles else None

    def _of_digest(self, digest: str) -> HubPrincipal | None:
        found = bearer_of(self.pool, digest)
        if found is None:
            return None
        who = {"organisation": found.organisation, "person": found.person, "roles": found.roles}
        return HubPrincipal(found.name, frozenset(found.rights), **who)  # type: ignore[arg-type]


def _of_team(who: HubPrincipal, asked: str, chosen: str, *, is_browser: bool) -> HubPrincipal:
    """Return the principal in the team that is asked for, or was chosen, with what they may there."""
    own = sorted(team for team in who.roles if team != EVERYONE) or sorted(who.roles)
    if asked and asked not in who.roles:
        raise NotFound(f"{who.person} is in no such team", f"Teams: {', '.join(sorted(who.roles)) or 'none'}.")
    if not asked and not is_browser and len(own) > 1:
        raise BadInput("no team is named", f"Name one: team={own[0]}; also {', '.join(own[1:])}.")
    team = asked or (chosen if chosen in who.roles else own[0] if own else "")
    if not team:
        raise Refused(f"{who.person} is in no team", "An administrator of the organisation adds people.")
    may = who.may & RIGHTS_OF[who.roles[team]]
    # A token that may review may no more than its person, and a browser is the person.
    return HubPrincipal(who.name, may, None, is_browser, who.organisation, who.person, team, who.roles)


class HubPages(Site):
    """What one process of a hub serves besides the interface of clients."""

    has_home = False

    def __init__(
        self, address: str, port: int, public_url: str, flags: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        super().__init__(None, port, public_url, flags, environment=environment, looks_itself=False)
        self.database = address
        self.settings = settings = self.settings_now()
        named = settings.text("hub.key_from")
        signer = Signer(environment[named]) if environment.get(named, "").strip() else None
        is_secure = public_url.startswith("https://")
        pool, minutes = pool_of(parse(address)[0]), settings.number("hub.session_minutes")
        self.keys: HubKeys = HubKeys(pool, signer, is_secure=is_secure, minutes=minutes)
        self.limiter = self.keys.limiter
        self.provider = provider_of(settings, environment)
        self.callback = f"{public_url.rstrip('/') or f'http://127.0.0.1:{port}'}{CALLBACK}"

    def frame(self, request: Request) -> dict[str, Any]:
        """Return what every page shows beside its own: the views, who is signed in, and their teams."""
        who = request.scope.get("principal")
        return {"nav": VIEWS, "has_home": False, "who": who, "teams": sorted(who.roles) if who else []}

    def settings_now(self, flags: Mapping[str, str] | None = None) -> Settings:
        """Return the settings that hold now, and with more flags: those of the environment, for there is no file."""
        return load("", self.environment, {**self.flags, **(flags or {})}, os.devnull)

    def finish_soon(self, project: str) -> None:
        """There are no pages of a home to bring up to date."""

    def look_soon(self, workspace: object) -> None:
        """Nothing is looked through beside requests."""

    def workspace(
        self,
        project: str = "",
        *,
        caller: str = "person",
        session: str = "",
        profile: str = "",
        team: str = "",
        principal: Principal | None = None,
        via: str = "",
    ) -> HubWorkspace:
        """Return the workspace of whoever asks, in their team."""
        if not isinstance(principal, HubPrincipal):
            raise NotKnown("nobody is known", self.keys.hint_locked)
        via = via or ("page" if principal.is_browser else "api")
        more = {"caller": caller, "environment": self.environment, "via": via}
        teams = sorted(principal.roles) if principal.team == EVERY else [principal.team]
        asks = [Asks(principal.organisation, principal.person, one) for one in teams]
        first, *first.other_teams = [
            HubWorkspace(self.database, one, self.settings, project=project, **more)  # type: ignore[arg-type]
            for one in asks
        ]
        return first
