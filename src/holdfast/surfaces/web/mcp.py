"""MCP over streamable HTTP at `/mcp`: the tools of `holdfast mcp`, for whoever has a token.

Whoever speaks here is an agent, whatever its token may: it at most proposes what would change the person's own words. A
token that may only read calls no tool that writes, and one of a project sees and changes nothing beside it. The folder
of the agent is not known, so the project is that of the token, of `/mcp?project=ID`, or of the folder of the server.

The SDK is loaded when somebody first asks: it takes longer than all else that is served.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from holdfast.errors import StoreBusy
from holdfast.surfaces.web import security
from holdfast.surfaces.web.api.endpoints import problem_of
from holdfast.surfaces.web.security import NotKnown
from holdfast.surfaces.web.site import Site

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus

    from holdfast.surfaces.web.mcp_sessions import TokenSessions

PATH = "/mcp"


class McpEndpoint:
    """The endpoint of a site. Sessions of the older protocol belong to the token that began them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._tasks: TaskGroup | None = None
        self._starting = anyio.Lock()
        self._manager: TokenSessions | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be there for requests; at the end, end every session."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of somebody with a token."""
        request = Request(scope, receive)
        try:
            principal = await security.need(request, "read", programs=True)
            if principal.is_browser:
                raise NotKnown("a browser is not an agent", "An agent uses a token: holdfast tokens new NAME")
            manager = await self._started()
        except Exception as problem:
            await problem_of(problem, self._site)(scope, receive, send)
            return
        await manager.answer(scope, receive, send, principal)

    async def _started(self) -> TokenSessions:
        """Return the sessions of the SDK, which live as long as the server does."""
        async with self._starting:
            if self._manager is None:
                if self._tasks is None:
                    raise StoreBusy("the server is not ready", "Try again.")
                self._manager = await self._tasks.start(self._run)
        return self._manager

    async def _run(self, *, task_status: TaskStatus[TokenSessions]) -> None:
        manager = await anyio.to_thread.run_sync(self._loaded)
        async with manager.run():
            task_status.started(manager)
            await anyio.sleep_forever()

    def _loaded(self) -> TokenSessions:
        from holdfast.surfaces.web.mcp_sessions import TokenSessions

        return TokenSessions.of(self._site)
