"""Standard input and output as the wire of an MCP server: one JSON message a line.

The SDK has such a wire too. Ours bounds the length of a line, answers a line that is no message instead of leaving its
sender waiting, and when the input ends it lets calls that are under way end, for a moment, before the process does.
What comes in comes from `incoming.py`, which may have answered it already.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR
from mcp_types.jsonrpc import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from holdfast.surfaces.mcp.incoming import Incoming, TooLong
from holdfast.surfaces.mcp.light_server import GRACE_SECONDS
from holdfast.surfaces.mcp.protocol import is_id

Received = SessionMessage | Exception


class Wire:
    """The two ends of one connection, and the requests that were not answered yet."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self._open: set[RequestId] = set()
        self._answered = anyio.Event()

    async def read(self, to: ObjectSendStream[Received], answers: ObjectSendStream[SessionMessage]) -> None:
        """Hand on each message that comes in, until there are no more and those that came are answered."""
        async with to, answers:
            while await self._read_one(to, answers):
                pass
            with anyio.move_on_after(GRACE_SECONDS):
                while self._open:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def _read_one(self, to: ObjectSendStream[Received], answers: ObjectSendStream[SessionMessage]) -> bool:
        """Hand on one message, or answer a line that is none; return whether there may be more."""
        try:
            line = await anyio.to_thread.run_sync(self._incoming.next, abandon_on_cancel=True)
            message = jsonrpc_message_adapter.validate_json(line, by_name=False) if line.strip() else None
        except TooLong as problem:
            await answers.send(_refusal(INVALID_REQUEST, str(problem), problem.number))
            return True
        except ValidationError:
            await answers.send(_about(line))
            return True
        if message is not None and _has_bad_id(message, line):
            await answers.send(_about(line))
            return True
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._close((message.params or {}).get("requestId"))
        if message is not None:
            await to.send(SessionMessage(message))
        return bool(line)

    async def write(self, messages: ObjectReceiveStream[SessionMessage]) -> None:
        """Write each message that goes out."""
        async with messages:
            async for one in messages:
                answered = one.message.id if isinstance(one.message, (JSONRPCResponse, JSONRPCError)) else None
                if answered is None or not self._incoming.is_answered(answered):
                    await anyio.to_thread.run_sync(self._incoming.write, _written(one) + b"\n")
                self._close(answered)

    def _close(self, number: Any) -> None:
        if isinstance(number, (int, str)):
            self._open.discard(number)
        self._answered.set()


def _written(one: SessionMessage) -> bytes:
    """Return the line of a message; half a letter, which cannot be encoded, goes out as it came in, escaped."""
    try:
        return one.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except PydanticSerializationError:
        return json.dumps(one.message.model_dump(by_alias=True, exclude_unset=True), default=str).encode()


def _has_bad_id(message: JSONRPCMessage, line: bytes) -> bool:
    """Whether a request names an id that can be none; without one the SDK would take it for a notification."""
    if isinstance(message, JSONRPCNotification):
        return b'"id"' in line and "id" in json.loads(line)
    return not is_id(message.id) and not (isinstance(message, JSONRPCError) and message.id is None)


def _about(line: bytes) -> SessionMessage:
    """Return the answer to a line that is no message of JSON-RPC."""
    try:
        data = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "the line is not JSON", None)
    number = data.get("id") if isinstance(data, dict) else None
    return _refusal(INVALID_REQUEST, "the line is not a message of JSON-RPC 2.0 in UTF-8", number)


def _refusal(code: int, text: str, number: object) -> SessionMessage:
    known: Any = number if is_id(number) else None
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=text)))


@asynccontextmanager
async def standard_wire(
    incoming: Incoming,
) -> AsyncIterator[tuple[ObjectReceiveStream[Received], ObjectSendStream[SessionMessage]]]:
    """Give both ends of the wire to a server."""
    wire = Wire(incoming)
    to_server, messages = anyio.create_memory_object_stream[Received](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server, outgoing.clone())
        tasks.start_soon(wire.write, from_server)
        yield messages, outgoing
