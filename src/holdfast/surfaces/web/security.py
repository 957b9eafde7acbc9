"""Who may ask, and what an answer may do in a browser.

A page on loopback can be reached by every site that the person visits, so nothing rests on the address alone. `Guard`
stands before everything: the Host and the Origin are on an exact list, no other site made the browser ask, a body has a
limit, and every answer carries a
policy under which no markup from elsewhere runs. `principal` says who asks: a browser that was opened with the one-time
token and got a cookie for it, a program with a token of `holdfast tokens`, or nobody. What nobody asks for is refused
by the routes, each of which names its need.
"""

from __future__ import annotations

import hmac
import math
import secrets
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.app import tokens
from holdfast.errors import Refused, TooLarge

MAX_BODY = 2_097_152
MAX_FAILED = 10
FAILED_SECONDS = 60.0
MAX_BROWSERS = 50
# What a principal may be allowed.
SCOPES = ("read", "write", "review")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: under that a browser sends the Origin of a form as `null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class NotKnown(Refused):
    """Nobody is known by what came with the request."""

    http_status = 401


class TooManyFailed(Refused):
    """Too many wrong tokens were tried lately; `after` so many seconds the next one is looked at."""

    http_status = 429

    def __init__(self, after: int) -> None:
        super().__init__("too many wrong tokens", "Try again in a minute.")
        self.after = after


@dataclass(frozen=True)
class Principal:
    """Who asks: by what name, what they may do (of SCOPES), and in which projects; None is all of them.

    `is_browser`: by a cookie, which a browser sends on its own.
    """

    name: str
    may: frozenset[str]
    projects: frozenset[str] | None = None
    is_browser: bool = False


@dataclass
class Browser:
    """One browser that was let in; `told` waits to be shown: a text, the updates that undo it, and a kind."""

    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    told: list[tuple[str, str, str]] = field(default_factory=list)


PERSON = Principal("browser", frozenset(SCOPES), is_browser=True)


@dataclass
class Keys:
    """The one-time token, the browsers that came in by one, and how often a wrong one was tried."""

    cookie: str
    one_time: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    browsers: dict[str, Browser] = field(default_factory=dict)
    failed: dict[str, list[float]] = field(default_factory=dict)
    hint_locked: str = "Open it with the address that the terminal shows."
    hint_token: str = "`holdfast tokens new NAME` makes one that does."  # noqa: S105

    def let_in(self, token: str) -> str:
        """Return a cookie's value for the one-time token, which is then used up."""
        if not hmac.compare_digest(token.encode(), self.one_time.encode()):
            self.note_failed("open")
            raise NotKnown("this address was used already, or is not whole", "The terminal shows the one that holds.")
        self.one_time = secrets.token_urlsafe(24)
        while len(self.browsers) >= MAX_BROWSERS:
            del self.browsers[next(iter(self.browsers))]
        value = secrets.token_urlsafe(32)
        self.browsers[value] = Browser()
        return value

    def browser(self, request: Request) -> Browser | None:
        """Return the browser that asks, by its cookie."""
        return self.browsers.get(request.cookies.get(self.cookie, ""))

    async def of_browser(self, request: Request) -> Principal | None:
        """Return who asks by a cookie: the person whose page it is."""
        return PERSON if self.browser(request) is not None else None

    async def of_token(self, request: Request, secret: str) -> Principal | None:
        """Return whom a token stands for; None where it does not hold."""
        found = tokens.check(request.app.state.site.home, secret)
        return Principal(found.name, frozenset(found.rights), frozenset(found.projects) or None) if found else None

    def way_in(self, request: Request) -> str:
        """Return where somebody is sent who is not known: nowhere, for the terminal shows the way in."""
        return ""

    def leave(self, request: Request, response: Response) -> None:
        """Note on an answer what the browser has to keep: nothing, for all of it is known here."""

    def note_failed(self, way: str) -> None:
        """Count a wrong token that came in a way; TooManyFailed where too many did. One that holds is never counted."""
        now = time.monotonic()
        lately = self.failed[way] = [at for at in self.failed.get(way, []) if at > now - FAILED_SECONDS]
        if len(lately) >= MAX_FAILED:
            raise TooManyFailed(math.ceil(lately[-MAX_FAILED] + FAILED_SECONDS - now))
        lately.append(now)


def browser(request: Request) -> Browser | None:
    """Return the browser that asks, by its cookie."""
    keys: Keys = request.app.state.site.keys
    return keys.browser(request)


async def principal(request: Request, *, programs: bool = False) -> Principal | None:
    """Return who asks: a browser by its cookie or, where they may come, a program by its token; None is nobody."""
    keys: Keys = request.app.state.site.keys
    sent = request.headers.getlist("authorization")
    if not sent or not programs:
        return await keys.of_browser(request)
    kind, _, secret = sent[0].partition(" ")
    found = await keys.of_token(request, secret.strip()) if kind.lower() == "bearer" else None
    if found is None or len(sent) > 1:
        keys.note_failed("bearer")
        raise NotKnown("this token is not valid", keys.hint_token)
    return found


async def need(request: Request, scope: str, *, programs: bool = False) -> Principal:
    """Return who asks, if they may; NotKnown or Refused otherwise. Pages are for the person alone: they bind nobody."""
    found = await principal(request, programs=programs)
    if found is None:
        raise NotKnown("this page is locked", request.app.state.site.keys.hint_locked)
    if scope not in found.may:
        raise Refused(f"{found.name} may not {scope}", "Use a token that may.")
    return found


def check_form(request: Request, token: str) -> Browser:
    """Return the browser that sent a form of ours; Refused where the form is somebody else's."""
    found = browser(request)
    if found is None or not hmac.compare_digest(token.encode(), found.csrf.encode()):
        raise Refused("this form is not from this page", "Load the page again and send it once more.")
    return found


class Guard:
    """Pure ASGI: turns away wrong hosts and origins and bodies over the limit, and puts HEADERS on every answer."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str],
        origins: frozenset[str],
        *,
        linked: bool = False,
        outside: tuple[str, ...] = (),
    ) -> None:
        """Guard an application; one that is `linked` may be come to from other sites, by links and by a sign-in.

        What lies `outside` takes no cookie, and is asked for by addresses that only a network knows.
        """
        self.app = app
        self.hosts = hosts
        self.origins = origins
        self.linked = linked
        self.outside = outside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; anything but HTTP is refused."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        is_outside = bool(self.outside) and scope["path"].startswith(self.outside)
        headers = Headers(scope=scope)
        refused = (None if is_outside else self._refused(headers, scope["method"])) or _refused_body(headers)
        if refused is not None:
            return await refused(scope, receive, guarded)
        return await self.app(scope, _bounded(receive), guarded)

    def _refused(self, headers: Headers, method: str) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            text = "This address is not one of this page. Behind a tunnel, start it with --public-url.\n"
            return PlainTextResponse(text, 421)
        if len(origins) > 1 or any(origin.lower() not in self.origins for origin in origins):
            return PlainTextResponse("A request from another site is not answered.\n", 403)
        # A browser says who made it ask. Cookies of 127.0.0.1 go to all of its ports, so another port is another site.
        # A link only looks: it brings up a whole page, which the other site cannot read.
        follows = self.linked and method == "GET" and headers.getlist("sec-fetch-mode") == ["navigate"]
        asked_by = [site.lower() for site in headers.getlist("sec-fetch-site")]
        if not follows and any(site not in ("same-origin", "none") for site in asked_by):
            return PlainTextResponse("A request from another site is not answered. Type or paste the address.\n", 403)
        return None


def _refused_body(headers: Headers) -> PlainTextResponse | None:
    """Return the answer to what tells two lengths, or one that is too much, before any of it is read."""
    if "transfer-encoding" in headers and "content-length" in headers:
        # Whoever stands in between may count by the other one, and take a part of the body for a request.
        text = "A request has a length or comes in chunks, not both.\n"
        return PlainTextResponse(text, 400, {"Connection": "close"})
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BODY:
        return PlainTextResponse(f"A body has at most {MAX_BODY} bytes.\n", 413)
    return None


def _bounded(receive: Receive) -> Receive:
    """Return `receive` that stops at the limit, whatever length was told."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY:
            raise TooLarge(f"a body has at most {MAX_BODY} bytes", "Send less.")
        return message

    return bounded
