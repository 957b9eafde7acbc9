"""How a view is answered: its form is checked, its work runs in a thread with a workspace, and errors are pages."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from holdfast.app.finish import finish, see
from holdfast.base import files
from holdfast.errors import BadInput, HoldfastError
from holdfast.sessions.browse import ask
from holdfast.surfaces.web import security
from holdfast.surfaces.web.rendering import rendered
from holdfast.surfaces.web.security import Browser, NotKnown
from holdfast.surfaces.web.site import Site
from holdfast.workspace import Workspace

MAX_FIELDS = 5_000
Form = dict[str, list[str]]
T = TypeVar("T")


@dataclass
class Visit:
    """One request as a view sees it: the open workspace, the query, the form, and the browser that asks."""

    request: Request
    site: Site
    workspace: Workspace
    browser: Browser
    form: Form

    def asked(self, name: str, default: str = "") -> str:
        """Return what the address asks for by that name."""
        return self.request.query_params.get(name, default)

    def given(self, name: str, default: str = "") -> str:
        """Return what a form gave by that name."""
        return self.form.get(name, [default])[0]

    @property
    def is_part(self) -> bool:
        """Whether a part of a page is asked for, to be put into one that is there."""
        return self.request.headers.get("hx-request") == "true"

    def page(self, name: str, *, status: int = 200, **data: Any) -> Response:
        """Return a page made of a template."""
        return answer(self.request, name, {"home": self._home, **data}, status, self.browser)

    @property
    def _home(self) -> str:
        """The home as people write it; a hub has none."""
        if not self.workspace.has_home:
            return ""
        person = self.workspace.environment.get("HOME", "")
        inside = person and self.workspace.home.startswith(f"{person}{os.sep}")
        return f"~{self.workspace.home[len(person) :]}" if inside else self.workspace.home

    def tell(self, text: str, undo: str = "", kind: str = "done") -> None:
        """Have the next page say what was done or refused, with the updates by which it can be undone."""
        self.browser.told.append((text, undo, kind))

    def goto(self, path: str, **query: str) -> Response:
        """Return a redirect to a page of ours, which a browser fetches again."""
        asked = urlencode({name: value for name, value in query.items() if value})
        return RedirectResponse(f"{path}?{asked}" if asked else path, 303)


def known_projects(workspace: Workspace) -> list[str]:
    """Return the projects of which there are memories or sessions, in order."""
    owners = set(files.folders_in(os.path.join(workspace.home, "memory", "projects")))
    return sorted(owners | {name for name, _, _ in ask(workspace, lambda table: table.totals("project")) if name})


def answer(
    request: Request, name: str, data: dict[str, Any], status: int = 200, browser: Browser | None = None
) -> Response:
    """Return a page; what waits to be told is told on it."""
    told = browser.told[:] if browser else []
    is_part = request.headers.get("hx-request") == "true"
    values = {
        "layout": "part.html" if is_part else "base.html",
        "path": request.url.path,
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "asked": lambda name: request.query_params.get(name, ""),
        "csrf": browser.csrf if browser else "",
        "known": browser is not None,
        "told": told,
        **request.app.state.site.frame(request),
        **data,
    }
    text = rendered(name, values)
    if browser:
        del browser.told[: len(told)]
    return HTMLResponse(text, status, headers={"Vary": "HX-Request"})


def route(path: str, handler: Callable[[Visit], Response], *, needs: str = "read", sends: bool | None = None) -> Route:
    """Return the route of a view; one that needs more than to read is sent as a form, and has its token checked.

    So is one that only `sends`: what it changes is the browser's own.
    """
    sends = needs != "read" if sends is None else sends

    async def endpoint(request: Request) -> Response:
        principal = await security.need(request, needs)
        form = await form_of(request) if request.method == "POST" else {}
        browser = security.check_form(request, form.get("csrf", [""])[0]) if form else security.browser(request)
        assert browser is not None
        site: Site = request.app.state.site

        def work() -> Response:
            with site.workspace(**_where(request), principal=principal) as workspace:
                if request.method != "POST":
                    return handler(Visit(request, site, workspace, browser, form))
                see(workspace)
                try:
                    return handler(Visit(request, site, workspace, browser, form))
                finally:
                    finish(workspace)

        found = await in_thread(site, work)
        site.keys.leave(request, found)
        return found

    return Route(path, endpoint, methods=["POST"] if sends else ["GET"])


async def in_thread(site: Site, work: Callable[[], T]) -> T:
    """Return what work returns that may wait for a store; few are at it at once."""
    return await anyio.to_thread.run_sync(work, limiter=site.limiter)


def _where(request: Request) -> dict[str, str]:
    """Return from where the home is seen: from the owner of the scope that the address names, or from a project."""
    kind, owner = request.path_params.get("kind", ""), request.path_params.get("owner", "")
    option = {"project": "project", "session": "session", "agent": "profile"}.get(kind)
    return {option: owner} if option else {"project": request.query_params.get("project", "")}


async def form_of(request: Request) -> Form:
    """Return what a form sent, by its names."""
    kind = request.headers.get("content-type", "").split(";")[0]
    if kind != "application/x-www-form-urlencoded":
        raise BadInput(f"a form is not sent as {kind or 'nothing'}", "Send it from the page.")
    try:
        sent = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as problem:
        raise BadInput("the form cannot be read", "Load the page again and send it once more.") from problem
    # A browser sends line ends as CRLF; files have LF.
    return {"csrf": [""], **{name: [one.replace("\r\n", "\n") for one in several] for name, several in sent.items()}}


async def on_problem(request: Request, problem: Exception) -> Response:
    """Return the page of an error: what went wrong, and the way out."""
    status, text, hint = told_of(problem, request.app.state.site)
    way_in = request.app.state.site.keys.way_in(request) if isinstance(problem, NotKnown) else ""
    if way_in and request.method == "GET" and request.headers.get("hx-request") != "true":
        return RedirectResponse(way_in, 303)
    found = security.browser(request)
    return answer(request, "error.html", {"status": status, "text": text, "hint": hint}, status, found)


def told_of(problem: Exception, site: Site) -> tuple[int, str, str]:
    """Return the status of a problem, what it says, and its hint; a fault of ours is told only by its kind."""
    if isinstance(problem, HoldfastError):
        return problem.http_status, str(problem), problem.hint
    if isinstance(problem, ClientDisconnect):
        return 400, "the request did not come whole", "Send it once more."
    if isinstance(problem, sqlite3.Error):
        return 503, "the index cannot be used", "`holdfast doctor --fix` rebuilds it."
    if isinstance(problem, OSError):
        return 503, problem.strerror or "the system refused", "Run `holdfast doctor`."
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    site.say(f"{type(problem).__name__} at {where}")
    return 500, f"something unexpected failed ({type(problem).__name__})", "The terminal says where."
