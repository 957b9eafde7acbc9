"""The MCP server: it hears a call, opens a workspace for it, and answers. `serve` is the life of one process.

From one call to the next it keeps who calls, and a store that is told of changes. So it sees at once what other
processes stored, what a person edited, and settings that changed.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from holdfast import settings
from holdfast.app.finish import see, write_pages
from holdfast.errors import BadInput, NotFound, ScopeUnknown
from holdfast.memory import recall_modes
from holdfast.surfaces.mcp import answers, picked, project_tools, results
from holdfast.surfaces.mcp import results as given
from holdfast.surfaces.mcp.answers import Answer
from holdfast.surfaces.mcp.caller import CallContext, Caller, Request
from holdfast.surfaces.mcp.calls import Calls, say, tell_fault, words
from holdfast.surfaces.mcp.first_answers import SERVER, guidance, listed
from holdfast.surfaces.mcp.incoming import Incoming
from holdfast.surfaces.mcp.results import complaint
from holdfast.surfaces.mcp.wire import standard_wire

T = TypeVar("T")
R = TypeVar("R", bound=types.Result)
Context = ServerRequestContext[Any]
_ROOTS_SECONDS = 2.0
_LIST_SECONDS = 1.0


class MemoryServer:
    """The handlers of one connection."""

    def __init__(self, caller: Caller, seconds: float) -> None:
        self.caller = caller
        self.calls = Calls(seconds)
        self._asked_roots = False

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a tool. What goes wrong is a tool error in words, but for a tool that is none."""
        name, besides, renamed = OLD_NAMES.get(params.name, (params.name, {}, {}))
        tool = TOOLS.get(name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no such tool; there is {', '.join(TOOLS)}")
        here = {renamed.get(one, one): value for one, value in (params.arguments or {}).items()}
        given = {**besides, **{one: value for one, value in here.items() if value is not None}}
        try:
            asked = tool.arguments.model_validate(given)
        except ValidationError as problem:
            return error_of(f"{tool.name} was not called: {complaint(problem, tool.arguments)}")
        try:
            self.check(context, "read" if tool.reads or tool.looks(asked) else "write")
            told = CallContext(
                meta=params.model_dump(by_alias=True).get("_meta") or {},
                profile=getattr(asked, "profile", None) or "",
                writes=not tool.reads,
            )
            return await self._run(context, lambda request: tool.call(request, asked), tool.flags(asked), told=told)
        except Exception as problem:
            return error_of(words(problem))

    def check(self, context: Context, right: str) -> None:
        """Raise Refused where whoever calls lacks a right; who starts the process over stdio has them all."""

    def request(self, context: Context, told: CallContext, flags: Mapping[str, str]) -> Request:
        """Return one call with a workspace as whoever calls may have it."""
        return self.caller.request(told, flags, say)

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Return one page of the resources."""
        cursor = params.cursor if params is not None else None
        try:
            return await self._run(context, lambda request: picked.resources(request, cursor), most=_LIST_SECONDS)
        except BadInput as problem:
            raise MCPError(types.INVALID_PARAMS, words(problem)) from None
        except Exception:
            # Agents list resources before the first prompt, in front of a waiting person.
            return types.ListResourcesResult(resources=picked.PAGES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the text of a resource."""
        uri = str(params.uri)
        text = await self._worded(context, lambda request: picked.resource(request, uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, text=text, mime_type="text/markdown")]
        )

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the messages of a prompt."""
        given = params.arguments or {}
        return await self._worded(context, lambda request: picked.prompt(request, params.name, given))

    async def roots_changed(self, context: Context, params: object) -> None:
        """Ask for the roots again before the next call."""
        self._asked_roots = False

    async def _worded(self, context: Context, work: Callable[[Request], T]) -> T:
        """Return what the work returns; what goes wrong is an error of the protocol, in words."""
        try:
            return await self._run(context, work)
        except Exception as problem:
            of_the_caller = isinstance(problem, (BadInput, NotFound, ScopeUnknown))
            code = types.INVALID_PARAMS if of_the_caller else types.INTERNAL_ERROR
            raise MCPError(code, words(problem)) from None

    async def _run(
        self,
        context: Context,
        work: Callable[[Request], T],
        flags: Mapping[str, str] | None = None,
        most: float | None = None,
        *,
        told: CallContext = CallContext(),  # noqa: B008
    ) -> T:
        await self._see_roots(context)
        client = context.session.client_params
        told = replace(told, client=client.client_info.name if client is not None else "")

        def opened() -> T:
            request = self.request(context, told, flags or {})
            with request.workspace as workspace:
                see(workspace)
                answer = work(request)
                write_pages(workspace)
                return answer

        return await self.calls.run(opened, most)

    async def _see_roots(self, context: Context) -> None:
        """Ask the client once where it works, where it offers to say so."""
        session = context.session
        offered = session.client_capabilities is not None and session.client_capabilities.roots is not None
        if self._asked_roots or not offered or not session.can_send_request:
            return
        self._asked_roots = True
        try:
            told = await session.send_request(types.ListRootsRequest(), types.ListRootsResult, _ROOTS_SECONDS)
        except Exception as problem:
            tell_fault(problem)
            return
        self.caller.look_at_roots([str(root.uri) for root in told.roots])


def _list_of(kind: str, result: type[R]) -> Callable[[Context, object], Awaitable[R]]:
    """Return a handler that answers with one of the lists that ship."""

    async def handler(context: Context, params: object) -> R:
        return result.model_validate({kind: listed(kind)})

    return handler


def server_of(handlers: MemoryServer, instructions: str) -> Server[Any]:
    """Return the SDK's server with our handlers."""
    server: Server[Any] = Server(
        SERVER["name"],
        version=SERVER["version"],
        title=SERVER["title"],
        instructions=instructions,
        get_tool_input_schema={tool["name"]: tool["inputSchema"] for tool in listed("tools")}.get,
        on_list_tools=_list_of("tools", types.ListToolsResult),
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=_list_of("resourceTemplates", types.ListResourceTemplatesResult),
        on_read_resource=handlers.read_resource,
        on_list_prompts=_list_of("prompts", types.ListPromptsResult),
        on_get_prompt=handlers.get_prompt,
    )
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots_changed
    )
    return server


def serve(home: str, flags: Mapping[str, str], agent: str, found: settings.Settings, incoming: Incoming) -> None:
    """Serve on the wire until its input ends; then nothing of it is left."""
    caller = Caller(dict(os.environ), agent=agent, home=home, flags=flags)
    variant, seconds = found.text("mcp.guidance"), found.number("mcp.timeout_ms") / 1000
    handlers = MemoryServer(caller, seconds)
    server = server_of(handlers, guidance(variant, home))
    # What the SDK logs may hold what was sent.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

    async def run() -> None:
        async with standard_wire(incoming) as (messages, outgoing):
            await server.run(messages, outgoing, server.create_initialization_options())

    anyio.run(run)
    if handlers.calls.running:
        # A call that was given up may still wait for somebody; it must not keep the process.
        os._exit(0)
    caller.stores.close()


@dataclass(frozen=True)
class Tool:
    """One tool. `reads`: it changes no memory; `destroys`: what it takes away is gone; `again`: twice is like once.

    `looks`: with these arguments it changes nothing either.
    """

    name: str
    arguments: type[given.ToolArguments]
    result: type[results.ToolResult]
    answer: Callable[..., results.ToolResult | Answer]
    reads: bool = False
    destroys: bool = False
    again: bool = False
    looks: Callable[[Any], bool] = lambda asked: False

    def flags(self, asked: given.ToolArguments) -> Mapping[str, str]:
        """Return the settings under which the workspace is opened for this call."""
        return recall_modes.FLAGS_OF.get(getattr(asked, "search_mode", ""), {})

    def call(self, request: Request, asked: given.ToolArguments) -> types.CallToolResult:
        """Return what the tool answers: the typed result, and a text that says the same."""
        off = self.result(success=False, disabled=True)
        answer = self.answer(request, asked) if request.workspace.enabled else off
        result, text = answer if isinstance(answer, tuple) else (answer, answer.model_dump_json())
        content = types.TextContent(text=text)
        return types.CallToolResult(content=[content], structured_content=result.model_dump(mode="json"))


TABLE = (
    Tool("memory_store", given.StoreArguments, results.StoredResult, answers.store, again=True),
    Tool("memory_recall", given.Recall, results.Recalled, answers.recall, reads=True),
    Tool("session_search", given.SessionSearch, results.Searched, answers.search_sessions, reads=True),
    Tool("memory_forget", given.Forget, results.ForgottenResult, answers.forget_one, destroys=True, again=True),
    Tool("memory_rate", given.Rate, results.RatedResult, answers.rate_one),
    Tool(
        *("working_state", given.StateArguments, results.State, answers.state),
        destroys=True,
        again=True,
        looks=lambda asked: not asked.model_fields_set,
    ),
    Tool(
        *("project_notes", given.ProjectNotes, results.Notes, project_tools.notes),
        again=True,
        looks=lambda asked: asked.action == "list",
    ),
    Tool(
        *("work_item", given.WorkItem, results.WorkShown, project_tools.work_item),
        again=True,
        looks=lambda asked: asked.action == "show",
    ),
)
TOOLS = {tool.name: tool for tool in TABLE}
# Names that agents learned earlier: not listed, but understood. Each has its tool, what is given besides, and how the
# arguments are called there.
OLD_NAMES: dict[str, tuple[str, dict[str, object], dict[str, str]]] = {
    "memory_list": ("memory_recall", {"titles": True}, {}),
    "session_rate": ("memory_rate", {}, {"rating": "session_rating", "words": "note"}),
    "state_read": ("working_state", {}, {}),
    "state_update": ("working_state", {}, {}),
}


def error_of(text: str) -> types.CallToolResult:
    """Return a tool error that the agent can read and act on."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
