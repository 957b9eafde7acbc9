"""What the server does at each request: it opens a workspace for it, and answers in the words of the protocol.

Both ways in end here: the light one, which speaks the protocol itself (`light_server.py`), and the SDK's (`server.py`).
From one call to the next it keeps who calls, and a store that is told of changes. So it sees at once what other
processes stored, what a person edited, and settings that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

from holdfast.app.finish import see, write_pages
from holdfast.errors import BadInput, NotFound, ScopeUnknown
from holdfast.surfaces.mcp import prompts
from holdfast.surfaces.mcp.caller import CallContext, Caller, Request
from holdfast.surfaces.mcp.calls import Calls, say, words
from holdfast.surfaces.mcp.tools import OLD_NAMES, TOOLS

T = TypeVar("T")
# The codes of JSON-RPC.
INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32602, -32603
_LIST_SECONDS = 1.0


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol: its code, and what the agent is told."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Handlers:
    """The handlers of a connection, each in the thread of whoever calls. `context` is what came with the request."""

    def __init__(self, caller: Caller, seconds: float) -> None:
        self.caller = caller
        self.calls = Calls(seconds)
        # Whether the client was asked where it works.
        self.asked_roots = False
        # A hub has fewer of them.
        self.tools: Collection[str] = TOOLS
        self.prompts: Collection[str] = prompts.PROMPTS
        self.pages = prompts.PAGES

    def call_tool(
        self, name: str, arguments: Mapping[str, Any], meta: Mapping[str, Any], client: str, context: Any = None
    ) -> dict[str, Any]:
        """Run a tool. What goes wrong is a tool error in words, but for a tool that is none."""
        name, besides, renamed = OLD_NAMES.get(name, (name, {}, {}))
        tool = TOOLS.get(name)
        if tool is None or name not in self.tools:
            why = "there is no such tool" if tool is None else f"{name} is about the home of one machine"
            raise ProtocolError(INVALID_PARAMS, f"{why}; there is {', '.join(self.tools)}")
        here = {renamed.get(one, one): value for one, value in arguments.items()}
        try:
            asked = tool.arguments.of({**besides, **{one: value for one, value in here.items() if value is not None}})
        except BadInput as problem:
            return _error_of(f"{tool.name} was not called: {problem}")
        try:
            self.check(context, "read" if tool.reads or tool.looks(asked) else "write")
            told = CallContext(client, meta, getattr(asked, "profile", None) or "", not tool.reads)
            return self._run(context, told, lambda request: tool.call(request, asked), tool.flags(asked))
        except Exception as problem:
            return _error_of(words(problem))

    def check(self, context: Any, right: str) -> None:
        """Raise Refused where whoever calls lacks a right; who starts the process over stdio has them all."""

    def request(self, context: Any, told: CallContext, flags: Mapping[str, str]) -> Request:
        """Return one call with a workspace as whoever calls may have it."""
        return self.caller.request(told, flags, say)

    def look_at_roots(self, told: Mapping[str, Any] | None) -> None:
        """Stand where the client says that it works, by its answer; None is none."""
        result = told.get("result") if told is not None else None
        roots = result.get("roots") if isinstance(result, dict) else None
        if isinstance(roots, list) and all(isinstance(one, dict) and isinstance(one.get("uri"), str) for one in roots):
            self.caller.look_at_roots([one["uri"] for one in roots])
        else:
            say("the client did not say where it works")

    def list_resources(self, cursor: str | None, client: str, context: Any = None) -> dict[str, Any]:
        """Return one page of the resources."""
        try:
            told = CallContext(client)
            listing = partial(prompts.resources, cursor=cursor, pages=self.pages)
            return self._run(context, told, listing, most=_LIST_SECONDS)
        except BadInput as problem:
            raise ProtocolError(INVALID_PARAMS, words(problem)) from None
        except Exception:
            # Agents list resources before the first prompt, in front of a waiting person.
            return {"resources": self.pages}

    def read_resource(self, uri: str, client: str, context: Any = None) -> dict[str, Any]:
        """Return the text of a resource."""
        text = self._worded(context, client, lambda request: prompts.resource(request, uri))
        return {"contents": [{"mimeType": prompts.MARKDOWN, "text": text, "uri": uri}]}

    def get_prompt(self, name: str, given: Mapping[str, str], client: str, context: Any = None) -> dict[str, Any]:
        """Return the messages of a prompt."""
        return self._worded(context, client, lambda request: prompts.prompt(request, name, given))

    def _worded(self, context: Any, client: str, work: Callable[[Request], T]) -> T:
        """Return what the work returns; what goes wrong is an error of the protocol, in words."""
        try:
            return self._run(context, CallContext(client), work)
        except Exception as problem:
            of_the_caller = isinstance(problem, (BadInput, NotFound, ScopeUnknown))
            raise ProtocolError(INVALID_PARAMS if of_the_caller else INTERNAL_ERROR, words(problem)) from None

    def _run(
        self,
        context: Any,
        told: CallContext,
        work: Callable[[Request], T],
        flags: Mapping[str, str] | None = None,
        most: float | None = None,
    ) -> T:
        def opened() -> T:
            request = self.request(context, told, flags or {})
            with request.workspace as workspace:
                see(workspace)
                answer = work(request)
                write_pages(workspace)
                return answer

        return self.calls.run(opened, most)


def _error_of(text: str) -> dict[str, Any]:
    """Return a tool error that the agent can read and act on."""
    return {"content": [{"text": text, "type": "text"}], "isError": True}
