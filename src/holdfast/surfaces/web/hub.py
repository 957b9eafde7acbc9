"""The hub over HTTP: what clients send and fetch, and what an operator looks at. Nothing is kept in the process.

Each request has a token, which stands for a person; the database decides what that person sees and changes. Several
such processes may run behind any proxy. `/healthz` says that the process answers, `/readyz` that its database does,
`/metrics` counts for Prometheus. A line of the log says path, status and time, and no contents.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any

import anyio
import msgspec
from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as ASGIScope

from holdfast.base.clock import iso, now, seconds
from holdfast.errors import BadInput, HoldfastError, NotFound, Refused, TooLarge
from holdfast.exchange.hub_digests import told_signal
from holdfast.memory.remember import put_shared
from holdfast.patterns.signal_files import KINDS
from holdfast.records import Draft, Scope
from holdfast.store import postgres_figures as figures
from holdfast.store import postgres_review as review
from holdfast.store.organisations import MAX_DAYS, ROLES, Bearer, bearer
from holdfast.store.postgres import PostgresStore
from holdfast.store.postgres_connection import MAX_CONNECTIONS, Asks, parse, pool_of, versions
from holdfast.store.postgres_feed import add_receipts, changes, check_based, trace, version_at
from holdfast.surfaces.web import api
from holdfast.surfaces.web.app import always, problem_handlers
from holdfast.surfaces.web.hub_pages import HubPages
from holdfast.surfaces.web.mcp import PATH, McpEndpoint
from holdfast.surfaces.web.pages import account, memories, proposed
from holdfast.surfaces.web.security import Guard, NotKnown

PROBES = ("/healthz", "/readyz", "/metrics")
MAX_BODY = 1_048_576
MAX_CHANGES = 500
# Bytes of text in one answer, so that a client on a slow line gets on.
MAX_ANSWER, _ROW = 2_000_000, 200
# How what was never sent whole is counted, as other servers do.
_GONE = 499
# The last number of a change that there can be.
_LAST = (1 << 63) - 1


class ChangesAsked(Struct, forbid_unknown_fields=True):
    """What a client has of each team: the number of the last change."""

    after: dict[str, Annotated[int, Meta(ge=0, le=_LAST)]] = {}
    limit: int = MAX_CHANGES
    # Of these teams alone; of all, where none is named.
    teams: list[str] = []


class SharedPlace(Struct, forbid_unknown_fields=True):
    """A memory of a team, and why it changes."""

    team: str
    kind: str
    owner: str
    key: str
    reason: str


class SharedMemory(SharedPlace, forbid_unknown_fields=True):
    """What somebody shares."""

    title: str
    text: str
    type: str = "project"
    tags: list[str] = []
    is_own: bool = False
    # The change that the laptop saw last of this memory, and which database numbered it. Older clients do not say.
    based: Annotated[int, Meta(ge=0, le=_LAST)] | None = None
    numbered: str = ""


class VerdictTold(Struct, forbid_unknown_fields=True):
    """A verdict on a proposal, and why."""

    id: Annotated[int, Meta(ge=1, le=_LAST)]
    approve: bool
    reason: str


class RuleSet(Struct, forbid_unknown_fields=True):
    """Whether what is shared with a team is reviewed, and whether who reviews may approve what they proposed."""

    team: str
    rule: str
    own: bool = False


class RoleSet(Struct, forbid_unknown_fields=True):
    """What a person may do in a team; an empty role takes them out of it."""

    team: str
    person: str
    role: str


class TokenWanted(Struct, forbid_unknown_fields=True):
    """A token that an admin makes for a person, or those that end where `days` is 0."""

    person: str
    name: str = "token"
    rights: tuple[str, ...] = ("read",)
    days: Annotated[int, Meta(ge=0, le=MAX_DAYS)] = 90


class DigestsTold(Struct, forbid_unknown_fields=True):
    """Figures of sessions that a person shares with a team."""

    team: str
    digests: list[figures.SharedDigest]


Version = Annotated[int, Meta(ge=0, le=_LAST)]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class ReceiptsTold(Struct, forbid_unknown_fields=True):
    """What sessions of a person were given: kind, owner, key, version and time of each."""

    team: str
    receipts: list[tuple[str, str, str, Version, Moment]]


class HubSite:
    """One process of a hub, over one database."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pool = pool_of(parse(address)[0])
        self.limiter = anyio.CapacityLimiter(MAX_CONNECTIONS)
        self._lock = threading.Lock()
        self.counts: Counter[tuple[str, int]] = Counter()
        self.seconds: dict[str, float] = {}

    def bearer(self, request: Request, right: str) -> Bearer:
        """Return who asks; NotKnown where the token does not hold, Refused where it may not."""
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        found = bearer(self.pool, secret.strip()) if kind.lower() == "bearer" else None
        if found is None:
            raise NotKnown("this token is not valid", "Ask the operator for one: `holdfast hub token`.")
        if right not in found.rights:
            raise Refused(f"this token lacks the right {right!r}", "Make one that has it, or ask the operator.")
        return found

    def store(self, who: Bearer, team: str) -> PostgresStore:
        """Return the store of a team as this person sees it."""
        if team not in who.teams:
            raise NotFound(f"{who.person} is in no team {team}", f"Teams: {', '.join(who.teams) or 'none'}.")
        return PostgresStore(self.address, asks=Asks(who.organisation, who.person, team))

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count one answer, and log it."""
        with self._lock:
            self.counts[path, status] += 1
            self.seconds[path] = self.seconds.get(path, 0.0) + seconds
        line = {"at": now(), "path": path, "status": status, "ms": round(seconds * 1000, 1)}
        sys.stderr.write(json.dumps(line) + "\n")
        # Who follows the log sees it now, and a process that is killed has told all it did.
        sys.stderr.flush()

    def metrics(self) -> str:
        """Return the counts as Prometheus reads them."""
        with self._lock:
            lines = ["# TYPE holdfast_requests_total counter"]
            lines += [
                f'holdfast_requests_total{{path="{path}",status="{status}"}} {number}'
                for (path, status), number in sorted(self.counts.items())
            ]
            lines.append("# TYPE holdfast_request_seconds_total counter")
            lines += [
                f'holdfast_request_seconds_total{{path="{path}"}} {seconds:.6f}'
                for path, seconds in sorted(self.seconds.items())
            ]
        lines += ["# TYPE holdfast_connections_idle gauge", f"holdfast_connections_idle {self.pool.idle}"]
        return "\n".join(lines) + "\n"


def _me(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    return {"organisation": who.organisation, "person": who.person, "teams": who.teams, "rights": who.rights}


def _changes(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    asked = _decoded(body, ChangesAsked)
    limit = max(1, min(asked.limit, MAX_CHANGES))
    after = {team: asked.after.get(team, 0) for team in who.teams if not asked.teams or team in asked.teams}
    teams, size = dict[str, object](), 0
    # Two more tell whether there are more: a memory that moved has its two places under one number, never torn apart.
    for team, found in changes(site.pool, _asks(who), after, limit + 2).items():
        kept: list[dict[str, Any]] = []
        for one in found:
            is_full = len(kept) >= limit or size > MAX_ANSWER
            if is_full and not (kept and kept[-1]["change"] == one.change):
                break
            size += len(one.text or "") + _ROW
            kept.append(one._asdict())
        teams[team] = {"changes": kept, "more": len(found) > len(kept)}
    return {"teams": teams, "hub": site.pool.numbered}


def _share(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, SharedMemory)
    store = site.store(who, given.team)
    store.reason = given.reason.strip()
    draft = Draft(
        *(given.text, Scope(given.kind, given.owner), given.key, given.title, given.type, tuple(given.tags)),
        trust="user" if given.is_own else "agent",
        source=f"hub:{who.person}",
    )
    based = given.based if given.numbered in ("", site.pool.numbered) else 0
    with store.writing() as db:
        check_based(db, store, draft, based)
        stored = put_shared(store, draft)
        change, _, _ = version_at(db, store.here, draft.scope, given.key)
    return {"action": stored.action, "key": stored.memory.key, "id": int(stored.proposal or 0), "change": change}


def _withdraw(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, SharedPlace)
    store = site.store(who, given.team)
    store.reason = given.reason
    store.remove(Scope(given.kind, given.owner), given.key, forget=True)
    return {"action": "withdrawn", "key": given.key}


def _receipts(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, ReceiptsTold)
    if wrong := next((at for *_, at in given.receipts if iso(seconds(at)) != at), ""):
        raise BadInput(f"{wrong} is not a time", "Give one as in 2026-11-18T10:00:00Z.")
    # A laptop whose clock is ahead was given it now at the latest.
    told = [(*one, min(at, now())) for *one, at in given.receipts[:MAX_CHANGES]]
    add_receipts(site.store(who, given.team), told)
    return {"noted": len(told)}


def _trace(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    asked = request.query_params
    team = asked.get("team", "")
    if team and team not in who.teams:
        raise NotFound(f"{who.person} is in no team {team}", f"Teams: {', '.join(who.teams) or 'none'}.")
    found = trace(site.pool, _asks(who), asked.get("key", ""), team)
    return {"given": [one._asdict() for one in found]}


def _proposals(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    asked = request.query_params
    which = asked.get("id", "")
    if which and not (which.isdecimal() and len(which) < 19):
        raise BadInput(f"{which!a} is not the number of a proposal", "`holdfast hub review` lists them.")
    found = review.proposals(site.pool, _asks(who), asked.get("state", "open"), int(which) if which else None)
    return {"proposals": [{**one._asdict(), "diff": one.diff()} for one in found]}


def _decide(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, VerdictTold)
    team = review.decide(site.pool, _asks(who), given.id, approve=given.approve, reason=given.reason)
    return {"team": team, "id": given.id, "state": "approved" if given.approve else "rejected"}


def _rule(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, RuleSet)
    review.set_rule(site.pool, _asks(who), given.team, given.rule, own=given.own)
    return {"team": given.team, "rule": given.rule, "own": given.own}


def _role(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, RoleSet)
    if given.role and given.role not in ROLES:
        raise BadInput(f"{given.role!a} is not a role", f"Use one of {', '.join(ROLES)}.")
    review.set_role(site.pool, _asks(who), given.team, given.person, given.role)
    return {"team": given.team, "person": given.person, "role": given.role}


def _team(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    return review.team_people(site.pool, _asks(who), request.query_params.get("team", "everyone"))


def _tokens(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, TokenWanted)
    if not given.days:
        return {"ended": review.end_tokens(site.pool, _asks(who), given.person, given.name)}
    token = review.new_token(site.pool, _asks(who), given.person, given.name, list(given.rights), given.days)
    return {"token": token, "person": given.person}


def _asks(who: Bearer) -> Asks:
    return Asks(who.organisation, who.person, "")


def _digests(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, DigestsTold)
    # A client of an earlier version told more.
    kept = [
        replace(one, signals=sorted({told_signal(*signal) for signal in one.signals if signal[0] in KINDS}))
        for one in given.digests[:MAX_CHANGES]
    ]
    figures.add_digests(site.store(who, given.team), kept)
    return {"noted": len(kept)}


def _mine(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    return {"digests": figures.own_digests(site.pool, _asks(who))}


def _take_back(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    return {"withdrawn": figures.take_back(site.pool, _asks(who))}


def _figures(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    team, by = request.query_params.get("team", ""), request.query_params.get("by", "agent")
    if by == "signal":
        return {"groups": [one._asdict() for one in figures.signals(site.pool, _asks(who), team)]}
    return {"groups": [one._asdict() for one in figures.figures(site.pool, _asks(who), team, by)]}


Act = Callable[[HubSite, Bearer, Request, bytes], object]
ACTS: dict[str, tuple[str, str, Act]] = {
    "/hub/v1/me": ("GET", "read", _me),
    "/hub/v1/changes": ("POST", "read", _changes),
    "/hub/v1/share": ("POST", "write", _share),
    "/hub/v1/withdraw": ("POST", "write", _withdraw),
    "/hub/v1/receipts": ("POST", "read", _receipts),
    "/hub/v1/trace": ("GET", "read", _trace),
    "/hub/v1/proposals": ("GET", "read", _proposals),
    "/hub/v1/decide": ("POST", "review", _decide),
    "/hub/v1/rule": ("POST", "admin", _rule),
    "/hub/v1/role": ("POST", "admin", _role),
    "/hub/v1/tokens": ("POST", "admin", _tokens),
    "/hub/v1/team": ("GET", "admin", _team),
    "/hub/v1/digests": ("POST", "read", _digests),
    "/hub/v1/mine": ("GET", "read", _mine),
    "/hub/v1/take-back": ("POST", "read", _take_back),
    "/hub/v1/figures": ("GET", "read", _figures),
}


def create(
    address: str,
    port: int = 0,
    public_url: str = "",
    flags: Mapping[str, str] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Starlette:
    """Return the application of a hub over the database at an address, with the page, REST and MCP."""
    site = HubSite(address)
    pages = HubPages(address, port, public_url, flags or {}, environment)
    mcp = McpEndpoint(pages)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.running():
            yield
        site.pool.close()

    clients = [_route(site, path, *row) for path, row in ACTS.items()]
    outside = (*PROBES, "/hub/v1/")
    app = Starlette(
        routes=[
            *_probes(site),
            *clients,
            *always("/memories"),
            *proposed.ROUTES,
            *memories.ROUTES,
            *account.ROUTES,
            *api.routes(on_hub=True),
            Route(PATH, mcp),
        ],
        middleware=[
            Middleware(Counted, site=site),
            Middleware(Guard, pages.hosts, pages.origins, linked=True, outside=outside),
        ],
        exception_handlers=problem_handlers(),
        lifespan=lifespan,
    )
    app.state.site = pages
    return app


def _probes(site: HubSite) -> list[Route]:
    """Return what an operator asks: is the process there, does its database answer, what was counted."""
    newest = versions()[-1][0]

    async def ready(request: Request) -> Response:
        def look() -> Response:
            try:
                with site.pool.transaction(Asks("", "", "")) as db:
                    done = db.execute("SELECT coalesce(max(number), 0) FROM holdfast.migration").fetchone()[0]
                if done < newest:
                    return PlainTextResponse(f"migration {newest} is not done: `holdfast hub migrate URL`\n", 503)
                return PlainTextResponse("ready\n")
            except HoldfastError as problem:
                return PlainTextResponse(f"{problem}\n", 503)

        return await anyio.to_thread.run_sync(look)

    async def alive(request: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def metrics(request: Request) -> Response:
        return PlainTextResponse(site.metrics(), media_type="text/plain; version=0.0.4")

    return [Route(path, act) for path, act in zip(PROBES, (alive, ready, metrics), strict=True)]


class Counted:
    """Pure ASGI: counts and logs each answer by its route, which names no memory, and not by its address."""

    def __init__(self, app: ASGIApp, site: HubSite) -> None:
        self.app = app
        self.site = site

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer one request, and count it."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begun, status = time.monotonic(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except ClientDisconnect:
            # Nobody is there to be answered, and nothing of ours failed.
            status = _GONE
        finally:
            path = getattr(scope.get("route"), "path", "other")
            if path not in PROBES:
                self.site.count(path, status, time.monotonic() - begun)


def _route(site: HubSite, path: str, method: str, right: str, act: Act) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request)
            answered = await anyio.to_thread.run_sync(
                lambda: act(site, site.bearer(request, right), request, body), limiter=site.limiter
            )
            found = Response(msgspec.json.encode(answered), media_type="application/json")
        except HoldfastError as problem:
            told = {"title": type(problem).__name__, "detail": str(problem), "hint": problem.hint}
            if problem.http_status == HTTPStatus.SERVICE_UNAVAILABLE:
                # Which database that is, and how it fares, is its operator's to know: `/readyz` says it.
                told |= {"detail": "the hub cannot use its database now", "hint": "Try again later."}
            found = Response(msgspec.json.encode(told), problem.http_status, media_type="application/problem+json")
        return found

    return Route(path, endpoint, methods=[method])


async def _body(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise TooLarge(f"a request has at most {MAX_BODY:,} bytes", "Send less at once.")
        parts.append(part)
    return b"".join(parts)


def _decoded(body: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as problem:
        raise BadInput(f"this cannot be read: {problem}", "docs/hub.md says what is sent.") from None
