"""The application: routes of the pages and of the interface, behind one guard."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from holdfast.errors import HoldfastError
from holdfast.surfaces.web import api
from holdfast.surfaces.web.handling import answer, on_problem
from holdfast.surfaces.web.mcp import PATH, McpEndpoint
from holdfast.surfaces.web.pages import health, memories, now, patterns, receipts, review, sessions
from holdfast.surfaces.web.security import Guard, browser
from holdfast.surfaces.web.site import Site

STATIC = os.path.join(os.path.dirname(__file__), "static")
PAGES = (review, receipts, memories, sessions, patterns, health, now)


def create(site: Site) -> Starlette:
    """Return the application of a site."""
    mcp = McpEndpoint(site)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.running():
            yield
        site.finish_due()
        site.stores.close()

    app = Starlette(
        routes=[
            Route("/open", _open),
            *always("/review"),
            *(one for page in PAGES for one in page.ROUTES),
            *api.routes(),
            Route(PATH, mcp),
        ],
        middleware=[Middleware(Guard, hosts=site.hosts, origins=site.origins)],
        exception_handlers=problem_handlers(),
        lifespan=lifespan,
    )
    app.state.site = site
    return app


def always(first: str) -> list[BaseRoute]:
    """Return the routes that every page has, whatever it is the page of; `first` is the view that it opens with."""

    async def begin(request: Request) -> Response:
        return RedirectResponse(first, 303)

    async def keys(request: Request) -> Response:
        return answer(request, "keys.html", {}, browser=browser(request))

    return [Route("/", begin), Route("/keys", keys), Mount("/static", _Static(directory=STATIC))]


def problem_handlers() -> dict[Any, Any]:
    """Return how each kind of problem becomes a page."""
    return {HoldfastError: on_problem, HTTPException: _on_http, Exception: on_problem}


class _Static(StaticFiles):
    """The files that ship; their names or their ETags change with them."""

    async def get_response(self, path: str, scope: object) -> Response:
        found = await super().get_response(path, scope)  # type: ignore[arg-type]
        found.headers["Cache-Control"] = "no-cache"
        return found


async def _open(request: Request) -> Response:
    """Take the one-time token out of the address, and give the browser its cookie for it."""
    site: Site = request.app.state.site
    value = site.keys.let_in(request.query_params.get("token", ""))
    found = RedirectResponse("/review", 303)
    found.set_cookie(
        site.keys.cookie, value, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/"
    )
    site.say(f"a browser was let in; for another one: {site.address}")
    return found


async def _on_http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    text = "there is no such page" if problem.status_code == 404 else problem.detail.lower()
    data = {"status": problem.status_code, "text": text, "hint": ""}
    return answer(request, "error.html", data, problem.status_code, browser(request))
