"""The MCP server by the official SDK: over HTTP, and over standard input for what `light_server.py` does not know."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from holdfast.surfaces.mcp.calls import tell_fault
from holdfast.surfaces.mcp.handlers import Handlers, ProtocolError
from holdfast.surfaces.mcp.incoming import Incoming
from holdfast.surfaces.mcp.light_server import ROOTS_SECONDS
from holdfast.surfaces.mcp.protocol import SERVER, listed
from holdfast.surfaces.mcp.wire import standard_wire

R = TypeVar("R", bound=types.Result)
Context = ServerRequestContext[Any]


class MemoryServer:
    """Our handlers as the SDK calls them; each runs in a thread. `asks_roots`: a client may be asked where it works."""

    def __init__(self, handlers: Handlers, *, asks_roots: bool) -> None:
        self.handlers = handlers
        self._asks_roots = asks_roots

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a tool."""
        meta = params.model_dump(by_alias=True).get("_meta") or {}
        given = params.name, params.arguments or {}, meta
        return types.CallToolResult.model_validate(await self._run(context, self.handlers.call_tool, *given))

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Return one page of the resources."""
        cursor = params.cursor if params is not None else None
        return types.ListResourcesResult.model_validate(await self._run(context, self.handlers.list_resources, cursor))

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the text of a resource."""
        found = await self._run(context, self.handlers.read_resource, str(params.uri))
        return types.ReadResourceResult.model_validate(found)

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the messages of a prompt."""
        given = params.name, params.arguments or {}
        return types.GetPromptResult.model_validate(await self._run(context, self.handlers.get_prompt, *given))

    async def roots_changed(self, context: Context, params: object) -> None:
        """Ask for the roots again before the next call."""
        self.handlers.asked_roots = False

    async def _run(self, context: Context, work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
        if self._asks_roots:
            await self._see_roots(context)
        client = context.session.client_params
        name = client.client_info.name if client is not None else ""
        try:
            return await anyio.to_thread.run_sync(partial(work, *given, name, context), abandon_on_cancel=True)
        except ProtocolError as problem:
            raise MCPError(problem.code, str(problem)) from None

    async def _see_roots(self, context: Context) -> None:
        """Ask the client once where it works, where it offers to say so."""
        session = context.session
        offered = session.client_capabilities is not None and session.client_capabilities.roots is not None
        if self.handlers.asked_roots or not offered or not session.can_send_request:
            return
        self.handlers.asked_roots = True
        try:
            told = await session.send_request(types.ListRootsRequest(), types.ListRootsResult, ROOTS_SECONDS)
        except Exception as problem:
            tell_fault(problem)
            return
        self.handlers.caller.look_at_roots([str(root.uri) for root in told.roots])


def _list_of(kind: str, result: type[R], names: Collection[str] = ()) -> Callable[[Context, object], Awaitable[R]]:
    """Return a handler that answers with one of the lists that ship, or with those of it that have these names."""
    found = [one for one in listed(kind) if not names or one["name"] in names]

    async def handler(context: Context, params: object) -> R:
        return result.model_validate({kind: found})

    return handler


def server_of(memory: MemoryServer, instructions: str) -> Server[Any]:
    """Return the SDK's server with our memory."""
    server: Server[Any] = Server(
        SERVER["name"],
        version=SERVER["version"],
        title=SERVER["title"],
        instructions=instructions,
        get_tool_input_schema={tool["name"]: tool["inputSchema"] for tool in listed("tools")}.get,
        on_list_tools=_list_of("tools", types.ListToolsResult, memory.handlers.tools),
        on_call_tool=memory.call_tool,
        on_list_resources=memory.list_resources,
        on_list_resource_templates=_list_of("resourceTemplates", types.ListResourceTemplatesResult),
        on_read_resource=memory.read_resource,
        on_list_prompts=_list_of("prompts", types.ListPromptsResult, memory.handlers.prompts),
        on_get_prompt=memory.get_prompt,
    )
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, memory.roots_changed)
    return server


def serve(incoming: Incoming, handlers: Handlers, instructions: str) -> None:
    """Serve on the wire until its input ends."""
    server = server_of(MemoryServer(handlers, asks_roots=True), instructions)
    # What the SDK logs may hold what was sent.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)

    async def run() -> None:
        async with standard_wire(incoming) as (messages, outgoing):
            await server.run(messages, outgoing, server.create_initialization_options())

    anyio.run(run)
