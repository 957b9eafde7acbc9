"""The hub over HTTP: what clients send and fetch, and what an operator looks at. Nothing is kept in the process.

Each request has a token, which stands for a person; the database decides what that person sees and changes. Several
such processes may run behind any proxy. `/healthz` says that the process answers, `/readyz` that its database does,
`/metrics` counts for Prometheus. A line of the log says path, status and time, and no contents.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import anyio
import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from holdfast.base.clock import now
from holdfast.errors import BadInput, HoldfastError, NotFound, Refused, TooLarge
from holdfast.memory.remember import put_shared
from holdfast.records import Draft, Scope
from holdfast.store.organisations import Bearer, bearer
from holdfast.store.postgres import PostgresStore, pool_of
from holdfast.store.postgres_connection import MAX_CONNECTIONS, Asks, parse
from holdfast.store.postgres_feed import add_receipts, changes, trace
from holdfast.surfaces.web.security import HEADERS, NotKnown

MAX_BODY = 1_048_576
MAX_CHANGES = 500
# Bytes of text in one answer, so that a client on a slow line gets on.
MAX_ANSWER = 2_000_000


class ChangesAsked(Struct, forbid_unknown_fields=True):
    """What a client has of each team: the number of the last change."""

    after: dict[str, int] = {}
    limit: int = MAX_CHANGES


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


class ReceiptsTold(Struct, forbid_unknown_fields=True):
    """What sessions of a person were given: kind, owner, key, version and time of each."""

    team: str
    receipts: list[tuple[str, str, str, int, str]]


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
            raise NotKnown("this token does not hold", "Ask the operator for one: `holdfast hub token`.")
        if right not in found.rights:
            raise Refused(f"this token may not {right}", "Ask the operator for one that may.")
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
    teams: dict[str, object] = {}
    for team in who.teams:
        found = changes(site.store(who, team), asked.after.get(team, 0), limit + 1)
        kept: list[dict[str, Any]] = []
        size = 0
        for one in found[:limit]:
            size += len(one.text or "")
            if kept and size > MAX_ANSWER:
                break
            kept.append(one._asdict())
        teams[team] = {"changes": kept, "more": len(found) > len(kept)}
    return {"teams": teams}


def _share(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, SharedMemory)
    store = site.store(who, given.team)
    store.reason = given.reason
    scope = Scope(given.kind, given.owner)
    stored = put_shared(
        store,
        Draft(
            *(given.text, scope, given.key, given.title, given.type, tuple(given.tags)),
            trust="user" if given.is_own else "agent",
            source=f"hub:{who.person}",
        ),
    )
    return {"action": stored.action, "key": stored.memory.key}


def _withdraw(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, SharedPlace)
    store = site.store(who, given.team)
    store.reason = given.reason
    store.remove(Scope(given.kind, given.owner), given.key, forget=True)
    return {"action": "withdrawn", "key": given.key}


def _receipts(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    given = _decoded(body, ReceiptsTold)
    add_receipts(site.store(who, given.team), given.receipts[:MAX_CHANGES])
    return {"noted": len(given.receipts[:MAX_CHANGES])}


def _trace(site: HubSite, who: Bearer, request: Request, body: bytes) -> object:
    asked = request.query_params
    found = trace(site.store(who, asked.get("team", "")), asked.get("key", ""))
    return {"given": [one._asdict() for one in found]}


Act = Callable[[HubSite, Bearer, Request, bytes], object]
ACTS: dict[str, tuple[str, str, Act]] = {
    "/hub/v1/me": ("GET", "read", _me),
    "/hub/v1/changes": ("POST", "read", _changes),
    "/hub/v1/share": ("POST", "write", _share),
    "/hub/v1/withdraw": ("POST", "write", _withdraw),
    "/hub/v1/receipts": ("POST", "read", _receipts),
    "/hub/v1/trace": ("GET", "read", _trace),
}


def create(address: str) -> Starlette:
    """Return the application of a hub over the database at an address."""
    site = HubSite(address)

    async def ready(request: Request) -> Response:
        def look() -> Response:
            try:
                with site.pool.transaction(Asks("", "", "")) as db:
                    db.execute("SELECT 1")
                return PlainTextResponse("ready\n")
            except HoldfastError as problem:
                return PlainTextResponse(f"{problem}\n", 503)

        return await anyio.to_thread.run_sync(look)

    async def alive(request: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def metrics(request: Request) -> Response:
        return PlainTextResponse(site.metrics(), media_type="text/plain; version=0.0.4")

    probes = [Route("/healthz", alive), Route("/readyz", ready), Route("/metrics", metrics)]
    return Starlette(routes=[*probes, *(_route(site, path, *row) for path, row in ACTS.items())])


def _route(site: HubSite, path: str, method: str, right: str, act: Act) -> Route:
    async def endpoint(request: Request) -> Response:
        begun = time.monotonic()
        try:
            body = await _body(request)
            answered = await anyio.to_thread.run_sync(
                lambda: act(site, site.bearer(request, right), request, body), limiter=site.limiter
            )
            found = Response(msgspec.json.encode(answered), media_type="application/json")
        except HoldfastError as problem:
            told = {"title": type(problem).__name__, "detail": str(problem), "hint": problem.hint}
            found = Response(msgspec.json.encode(told), problem.http_status, media_type="application/problem+json")
        found.headers.update(HEADERS)
        site.count(path, found.status_code, time.monotonic() - begun)
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
