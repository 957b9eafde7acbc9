"""The server without the SDK, which takes longer to load than all of Holdfast.

It knows the handshake and the envelope, the lists, ping, calls of tools, resources, prompts, and where a client works.
Whatever else comes (another version, a method that it does not know, a line that is no message) is handed to the SDK
with all that follows, and with what began the connection, so that the SDK knows where it stands. Both end in the same
`handlers.py`; tests hold that they say the same to the byte.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from holdfast.surfaces.mcp import protocol
from holdfast.surfaces.mcp.incoming import Incoming, TooLong
from holdfast.surfaces.mcp.protocol import LISTS, META, is_id

if TYPE_CHECKING:
    from holdfast.surfaces.mcp.handlers import Handlers

GRACE_SECONDS = 3.0
ROOTS_SECONDS = 2.0
# So many calls are heard before the next line is read.
_MAX_OPEN = 64
_OUR_REQUEST = "holdfast/roots"
_OUR_DISCOVERY = "holdfast/discover"
# What each request may have besides `_meta`, and of which kind that is.
_TAKES: dict[str, dict[str, type]] = {
    "ping": {},
    "tools/call": {"name": str, "arguments": dict},
    "resources/list": {"cursor": str},
    "resources/read": {"uri": str},
    "prompts/get": {"name": str, "arguments": dict},
}
_NEEDS = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_LASTING = ("resources/list", "resources/read")
_Result = dict[str, Any]


class QuickServer:
    """One connection, as long as nothing unusual comes."""

    def __init__(self, incoming: Incoming, instructions: str, make_handlers: Callable[[], Handlers]) -> None:
        self._incoming = incoming
        self._instructions = instructions
        self._make_handlers = make_handlers
        self._handlers: Handlers | None = None
        self._making = threading.Lock()
        # What began the connection: the lines of a handshake, or a question that has the first envelope.
        self._opening: list[bytes] = []
        self._client = ""
        self._has_shaken = False
        self._offers_roots = False
        self._roots = threading.Condition()
        self._told_roots: _Result | None = None
        self._room = threading.Semaphore(_MAX_OPEN)
        self._open: set[int | str] = set()
        self._closed = threading.Condition()

    @property
    def handlers(self) -> Handlers:
        """What answers; it is loaded with the first request that needs it, once for all that come at the same time."""
        with self._making:
            if self._handlers is None:
                self._handlers = self._make_handlers()
            return self._handlers

    def run(self) -> bool:
        """Serve until the input ends, or until something comes that the SDK has to answer; return whether that came."""
        line = b"\n"
        while line:
            try:
                line = self._incoming.next()
                if self._take(line):
                    continue
                self._incoming.give_back([*self._opening, line])
            except TooLong as problem:
                self._incoming.give_back([*self._opening, problem])
            return True
        return False

    def wait(self) -> None:
        """Wait for the calls that are under way, for a moment."""
        until = time.monotonic() + GRACE_SECONDS
        with self._closed:
            self._closed.wait_for(lambda: not self._open, until - time.monotonic())

    @property
    def was_used(self) -> bool:
        """Whether a request came that needed the memory."""
        return self._handlers is not None

    def _take(self, line: bytes) -> bool:
        """Do what a line asks for; return whether it is of the usual kind."""
        if not line.strip():
            return True
        message = _message(line)
        if message is None:
            return False
        if "method" not in message:
            return self._heard_roots(message)
        params = message.get("params", {})
        if not isinstance(params, dict) or not isinstance(message["method"], str):
            return False
        if "id" not in message:
            return self._heard(message["method"], params, line)
        return is_id(message["id"]) and self._asked(message["id"], message["method"], params, line)

    def _asked(self, number: int | str, method: str, params: _Result, line: bytes) -> bool:
        if method == "initialize":
            return self._shake(number, params, line)
        meta = params.get("_meta", {})
        if not isinstance(meta, dict) or not isinstance(meta.get("progressToken", 0), (int, str)):
            return False
        if self._has_shaken:
            known = (self._client, meta) if f"{META}protocolVersion" not in meta else None
        else:
            known = protocol.envelope_of(params)
        if known is None:
            return False
        if not self._has_shaken and not self._opening:
            asked = {"jsonrpc": "2.0", "id": _OUR_DISCOVERY, "method": "server/discover", "params": {"_meta": meta}}
            self._opening = [json.dumps(asked).encode() + b"\n"]
            self._incoming.answered.add(_OUR_DISCOVERY)
        return self._answer_list(number, method, params) or self._begin(number, method, params, *known)

    def _shake(self, number: int | str, params: _Result, line: bytes) -> bool:
        version, info, capabilities = (
            params.get("protocolVersion"),
            params.get("clientInfo"),
            params.get("capabilities"),
        )
        if self._opening or not isinstance(version, str) or version not in protocol.HANDSHAKES:
            return False
        client = protocol.name_of(info, capabilities)
        if client is None:
            return False
        self._opening, self._has_shaken, self._client = [line], True, client
        self._offers_roots = "roots" in params["capabilities"]
        self._incoming.answered.add(number)
        self._tell(number, protocol.greeting(version, self._instructions))
        return True

    def _answer_list(self, number: int | str, method: str, params: _Result) -> bool:
        """Answer what needs no memory."""
        if params.keys() - {"_meta"}:
            return False
        if method in LISTS:
            result: _Result = {LISTS[method]: protocol.listed(LISTS[method])}
        elif method == "server/discover" and not self._has_shaken:
            result = protocol.discovery(self._instructions)
        elif method == "ping" and self._has_shaken:
            result = {}
        else:
            return False
        self._tell(number, result if self._has_shaken else protocol.enveloped(result, lasts=True))
        return True

    def _begin(self, number: int | str, method: str, params: _Result, client: str, meta: _Result) -> bool:
        """Answer in a thread what needs the memory."""
        takes = _TAKES.get(method)
        given = {name: value for name, value in params.items() if name != "_meta" and value is not None}
        if (
            takes is None
            or method == "ping"
            or not all(isinstance(one, takes.get(name, ())) for name, one in given.items())
        ):
            return False
        if _NEEDS.get(method, "") not in ("", *given):
            return False
        if method == "prompts/get" and not all(isinstance(one, str) for one in given.get("arguments", {}).values()):
            return False
        self._room.acquire()
        with self._closed:
            self._open.add(number)
        threading.Thread(target=self._run, args=(number, method, given, client, meta), daemon=True).start()
        return True

    def _run(self, number: int | str, method: str, given: _Result, client: str, meta: _Result) -> None:
        try:
            line = _line({"jsonrpc": "2.0", "id": number, **self._outcome(method, given, client, meta)})
            with self._closed:
                is_wanted = number in self._open
            if is_wanted:
                self._incoming.write(line)
        finally:
            self._close(number)
            self._room.release()

    def _outcome(self, method: str, given: _Result, client: str, meta: _Result) -> _Result:
        """Return the result of a request or its error: whatever goes wrong, the agent hears of it."""
        from holdfast.surfaces.mcp.handlers import INTERNAL_ERROR, ProtocolError

        try:
            result = self._result(method, given, client, meta)
        except ProtocolError as problem:
            return {"error": {"code": problem.code, "message": str(problem)}}
        except Exception as problem:
            return {"error": {"code": INTERNAL_ERROR, "message": f"the server failed: {type(problem).__name__}"}}
        return {"result": result if self._has_shaken else protocol.enveloped(result, lasts=method in _LASTING)}

    def _result(self, method: str, given: _Result, client: str, meta: _Result) -> _Result:
        handlers = self.handlers
        if self._offers_roots:
            self._see_roots(handlers)
        match method:
            case "tools/call":
                return handlers.call_tool(given["name"], given.get("arguments", {}), meta, client)
            case "resources/list":
                return handlers.list_resources(given.get("cursor"), client)
            case "resources/read":
                return handlers.read_resource(given["uri"], client)
        return handlers.get_prompt(given["name"], given.get("arguments", {}), client)

    def _see_roots(self, handlers: Handlers) -> None:
        """Ask the client once where it works; a call that comes meanwhile waits for that, too."""
        with self._roots:
            if handlers.asked_roots:
                return
            handlers.asked_roots = True
            self._told_roots = None
            self._incoming.write(_line({"jsonrpc": "2.0", "id": _OUR_REQUEST, "method": "roots/list"}))
            self._roots.wait_for(lambda: self._told_roots is not None, ROOTS_SECONDS)
            handlers.look_at_roots(self._told_roots)

    def _heard_roots(self, message: _Result) -> bool:
        """Take the answer to our only request; any other answer is unusual."""
        if message.get("id") != _OUR_REQUEST:
            return False
        with self._roots:
            self._told_roots = message
            self._roots.notify_all()
        return True

    def _heard(self, method: str, params: _Result, line: bytes) -> bool:
        """Take in a notification."""
        if method == "notifications/initialized" and self._has_shaken:
            self._opening = [*self._opening[:1], line]
        elif method == "notifications/cancelled":
            self._close(params.get("requestId"))
        elif method == "notifications/roots/list_changed" and self._has_shaken:
            # A server that was not asked anything yet has nothing to ask again.
            if self._handlers is not None:
                self._handlers.asked_roots = False
        else:
            return False
        return True

    def _tell(self, number: int | str, result: _Result) -> None:
        self._incoming.write(_line({"jsonrpc": "2.0", "id": number, "result": result}))

    def _close(self, number: Any) -> None:
        with self._closed:
            if isinstance(number, (int, str)):
                self._open.discard(number)
            self._closed.notify_all()


def _line(message: _Result) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _message(line: bytes) -> _Result | None:
    """Return the message in a line; None for what is none, or has what JSON does not: half a letter, no number."""
    try:
        found = json.loads(line.decode(), parse_constant=_refuse)
        if b"\\u" in line:
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(found, dict) and found.get("jsonrpc") == "2.0"
    return found if is_message and found.keys() <= {"jsonrpc", "id", "method", "params", "result", "error"} else None


def _refuse(name: str) -> None:
    raise ValueError(name)
