"""One endpoint of the REST interface: its path, the right that it needs, and the types of what it takes and gives.

The types are those of its function: `asked` is the query, `given` the body, every other parameter but the call is a
part of the path. What cannot be decoded into them is refused before anything is opened, and the OpenAPI document is
made of the same table. The function runs in a thread with a workspace of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar, get_type_hints
from urllib.parse import parse_qsl

import anyio
import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from holdfast.app.finish import see
from holdfast.errors import BadInput, ChangedMeanwhile, HoldfastError, NotFound, Refused
from holdfast.records import Scope
from holdfast.surfaces.web import security
from holdfast.surfaces.web.api.shapes import SeenFrom
from holdfast.surfaces.web.handling import told_of
from holdfast.surfaces.web.security import NotKnown, Principal
from holdfast.surfaces.web.site import Site
from holdfast.workspace import Workspace

PREFIX = "/api/v1"
PROBLEM = "application/problem+json"
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class ProblemDetails(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong (RFC 9457): `type` names the section of docs/errors.md about it, `hint` the way out."""

    type: str
    title: str
    status: int
    detail: str
    hint: str = ""


class OfProtocol(BadInput):
    """What HTTP itself asks for and the request does not have."""

    def __init__(self, status: int, text: str, hint: str = "", **headers: str) -> None:
        super().__init__(text, hint)
        self.http_status = status
        self.headers = headers


@dataclass
class ApiCall:
    """One request as an endpoint sees it. `match` is the state that a change was made of."""

    workspace: Workspace
    principal: Principal
    match: str = ""
    etag: str = ""
    status: int = 200

    @property
    def is_person(self) -> bool:
        """Whether whoever asks speaks for the person."""
        return self.principal.is_browser or "review" in self.principal.may

    @property
    def trust(self) -> str:
        """Whose word a store is."""
        return "user" if self.is_person else "agent"

    @property
    def agent(self) -> str:
        """Who stores, where that is not the person."""
        return "" if self.is_person else self.principal.name

    def need_state(self, etag: str) -> None:
        """Refuse a change that was made of another state."""
        wanted = [one.strip() for one in self.match.split(",")]
        if etag not in wanted and "*" not in wanted:
            raise ChangedMeanwhile("it changed meanwhile; nothing was changed", "Get it again, and change that.")

    def need_whole_home(self) -> None:
        """Refuse what is about the whole home to a token that is bound to projects."""
        if self.principal.projects is not None:
            raise Refused("this is about more than the projects of this token", "Use a token of all projects.")

    def need_to_write(self, scope: Scope) -> None:
        """Refuse to write to a scope that whoever asks may not change."""
        self.workspace.need_reach(scope.kind)

    def may_see(self, scope: Scope, *, also_global: bool = True) -> bool:
        """Whether something of that scope is for whoever asks."""
        if self.principal.projects is None or (also_global and scope.kind == "global"):
            return True
        return scope.kind == "project" and scope in self.workspace.visible("project")

    def need_to_see(self, project: str, what: str) -> None:
        """Refuse, as if it were not there, what is of another project than those of the token."""
        if not self.may_see(Scope("project", project)):
            raise NotFound(f"no {what} of that name in the project", "The lists show what there is.")


@dataclass(frozen=True)
class Endpoint:
    """One line of the table. `changes`: it needs the state that it was made of; `statuses` are all that succeed.

    `on_hub`: it is about memories alone, and a hub has it, too.
    """

    method: str
    path: str
    needs: str
    act: Callable[..., Any]
    asked: type[SeenFrom]
    given: type[Struct] | None
    gives: Any
    parts: tuple[str, ...]
    changes: bool
    tagged: bool
    statuses: tuple[int, ...]
    on_hub: bool


TABLE: list[Endpoint] = []
_NOT_PATH = ("call", "asked", "given", "return")


def endpoint(
    method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"],
    path: str,
    needs: str = "read",
    *,
    changes: bool = False,
    tagged: bool = False,
    statuses: tuple[int, ...] = (200,),
    on_hub: bool = False,
) -> Callable[[F], F]:
    """Return a decorator that puts a function into the table; its docstring is what the document says about it."""

    def add(act: F) -> F:
        types = get_type_hints(act, include_extras=True)
        parts = tuple(name for name in types if name not in _NOT_PATH)
        TABLE.append(
            Endpoint(
                *(method, path, needs, act, types.get("asked", SeenFrom), types.get("given"), types["return"], parts),
                *(changes, tagged, statuses, on_hub),
            )
        )
        return act

    return add


class OnePath:
    """Answers every method of one path; every problem is told as RFC 9457 has it."""

    def __init__(self, path: str = "", *, on_hub: bool = False) -> None:
        there = [one for one in TABLE if one.path == path]
        self._here = {one.method: one for one in there if one.on_hub or not on_hub}
        self._is_of_a_home = bool(there)

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except Exception as problem:
            response = problem_of(problem, request.app.state.site)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if not self._here and self._is_of_a_home:
            raise NotFound("this is about the home of one machine, and a hub has none", "Use it on your own machine.")
        if not self._here:
            raise NotFound("there is no such path", f"{PREFIX}/openapi.json lists them all.")
        found = self._here.get("GET" if request.method == "HEAD" else request.method)
        if found is None:
            raise OfProtocol(405, "that is not done here", "Allow names what is.", Allow=", ".join(sorted(self._here)))
        return await _answered(request, request.app.state.site, found)


async def _answered(request: Request, site: Site, found: Endpoint) -> Response:
    principal = await security.need(request, found.needs, programs=True)
    if principal.is_browser and found.method != "GET" and "origin" not in request.headers:
        # A page of ours always names its origin, and the guard has looked at it.
        raise Refused("this does not come from the page", "A program uses a token: holdfast tokens new NAME")
    asked = decoded(query_of(request, found.asked), found.asked, strict=False)
    given = await _body(request, found.given) if found.given is not None else None
    match = request.headers.get("if-match", "")
    if found.changes and not match:
        raise OfProtocol(428, "it is not said what the change was made of", "Send the ETag as If-Match; * is any.")
    parts = {name: request.path_params[name] for name in found.parts}

    def work() -> tuple[ApiCall, bytes]:
        with workspace_of(site, principal, asked) as workspace:
            call = ApiCall(workspace, principal, match)
            more = {"given": given} if given is not None else {}
            if found.needs == "read":
                return call, msgspec.json.encode(found.act(call, asked=asked, **more, **parts))
            see(workspace)
            try:
                return call, msgspec.json.encode(found.act(call, asked=asked, **more, **parts))
            finally:
                site.finish_soon(workspace.asked_project)

    call, data = await anyio.to_thread.run_sync(work, limiter=site.limiter)
    headers = {"ETag": call.etag} if call.etag else {}
    if call.etag and found.method == "GET" and request.headers.get("if-none-match") == call.etag:
        return Response(status_code=304, headers=headers)
    return Response(data, call.status, headers, "application/json")


def workspace_of(site: Site, principal: Principal, asked: SeenFrom) -> Workspace:
    """Return the workspace that whoever asks may have: never that of a project which is not theirs."""
    caller = "person" if principal.is_browser or "review" in principal.may else "unknown"
    bound = principal.projects
    if bound is not None and (asked.session or asked.profile or getattr(asked, "everywhere", False)):
        raise Refused("this token sees its projects only", "Leave out session, profile and everywhere.")
    project = own_project(principal, asked.project)
    where = {"session": asked.session, "profile": asked.profile, "team": asked.team}
    workspace = site.workspace(project, caller=caller, principal=principal, **where)
    return bound_to(workspace, principal)


def bound_to(workspace: Workspace, principal: Principal) -> Workspace:
    """Return the workspace if its project is one of the principal's; then it sees and changes nothing beside it."""
    try:
        if principal.projects is not None:
            workspace.session, workspace.profile, workspace.is_bound = "", "", True
            known = workspace.registry.known()
            if workspace.project().id not in {known.canonical(one) for one in principal.projects}:
                hint = f"It is for {', '.join(sorted(principal.projects))}."
                raise Refused("this token is not for that project", hint)
    except BaseException:
        workspace.close()
        raise
    return workspace


def own_project(principal: Principal, asked: str) -> str:
    """Return the project that is asked for, or the one of a principal that has one."""
    own = sorted(principal.projects or ())
    return asked or (own[0] if len(own) == 1 else "")


def query_of(request: Request, kind: type[Struct]) -> dict[str, object]:
    """Return the query by its names; what may be there several times is a list, all else is there once."""
    lists = _lists(kind)
    found: dict[str, Any] = {}
    try:
        pairs = parse_qsl(request.scope["query_string"].decode("ascii"), True, errors="strict", max_num_fields=200)
    except ValueError:
        raise BadInput("the query cannot be read", "Write it in UTF-8, percent-encoded.") from None
    for name, value in pairs:
        if name in lists:
            found.setdefault(name, []).append(value)
        elif name in found:
            raise BadInput(f"{name!a} is given twice", "Give it once.")
        else:
            found[name] = value
    return found


@cache
def _lists(kind: type[Struct]) -> frozenset[str]:
    """Return the names that may be given several times."""
    return frozenset(one.encode_name for one in msgspec.structs.fields(kind) if one.default_factory is list)


async def _body(request: Request, kind: type[T]) -> T:
    """Return the body as its type; JSON that says a thing twice is refused, since readers would differ on it."""
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != "application/json":
        raise OfProtocol(415, "the body is not said to be JSON", "Send it with Content-Type: application/json.")
    data = await request.body()
    try:
        found = msgspec.json.decode(data, type=kind)
        json.loads(data, object_pairs_hook=_once)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise _not_taken(problem) from None
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInput("a name stands twice in an object", "Give each name once.")
    return found


def decoded(values: object, kind: type[T], *, strict: bool) -> T:
    """Return values as their type, or refuse them with where and why."""
    try:
        return msgspec.convert(values, kind, strict=strict)
    except msgspec.MsgspecError as problem:
        raise _not_taken(problem) from None


def _not_taken(problem: Exception) -> BadInput:
    text = str(problem) if isinstance(problem, msgspec.MsgspecError) else "it is not JSON in UTF-8"
    return BadInput(f"what was sent cannot be used: {text}", f"{PREFIX}/openapi.json says what can.")


def problem_of(problem: Exception, site: Site) -> Response:
    """Return a problem as RFC 9457 has it; a fault of ours is told only by its kind."""
    status, text, hint = told_of(problem, site)
    kind = type(problem)
    title = (kind.__doc__ or "").partition("\n")[0] if isinstance(problem, HoldfastError) else "A fault of ours."
    # A kind that only this interface has is told as the one of docs/errors.md that it is a case of.
    named = next((one.__name__ for one in kind.__mro__ if one.__module__ == HoldfastError.__module__), "")
    told = ProblemDetails(
        type=f"urn:holdfast:error:{named}" if named else "about:blank",
        title=title,
        status=status,
        detail=text,
        hint=hint,
    )
    headers = dict(problem.headers) if isinstance(problem, OfProtocol) else {}
    if isinstance(problem, security.TooManyFailed):
        headers["Retry-After"] = str(problem.after)
    if isinstance(problem, NotKnown):
        headers["WWW-Authenticate"] = 'Bearer realm="holdfast"'
    return Response(msgspec.json.encode(told), status, headers, PROBLEM)
