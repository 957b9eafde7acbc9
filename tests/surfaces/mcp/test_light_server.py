"""The server without the SDK: it says the same to the byte, knows what it does not know, and loads nothing needless."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from holdfast.surfaces.mcp import protocol
from holdfast.surfaces.mcp.caller import Caller
from holdfast.surfaces.mcp.handlers import Handlers
from holdfast.surfaces.mcp.incoming import Incoming
from holdfast.surfaces.mcp.light_server import QuickServer
from holdfast.surfaces.mcp.protocol import ENVELOPE, HANDSHAKES, LISTS, META
from holdfast.surfaces.mcp.server import MemoryServer, server_of

CLIENT = {"name": "Probe 1", "version": "1"}
ABOUT = {f"{META}protocolVersion": ENVELOPE, f"{META}clientInfo": CLIENT, f"{META}clientCapabilities": {}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
STORED = {"content": 'Äpfel \u2028 are "red" \x7f, 20 % of them 日.', "key": "apples", "tags": ["a", "b"]}
ASKED = (
    *(
        ("tools/call", {"name": "memory_recall", "arguments": given})
        for given in ({"query": "apples"}, {"limit": 0}, {})
    ),
    ("tools/call", {"name": "memory_recall", "arguments": {"query": "apples", "limit": "1", "include_related": "yes"}}),
    ("tools/call", {"name": "memory_recall", "arguments": {"titles": True, "scope": None}, "_meta": {"x": 1}}),
    ("tools/call", {"name": "memory_list"}),
    ("tools/call", {"name": "memory_store", "arguments": {**STORED, "tags": "a,b"}}),
    ("tools/call", {"name": "memory_store", "arguments": {"content": 5, "colour": "red", "scope": "moon"}}),
    ("tools/call", {"name": "memory_forget", "arguments": {"key": "nothing"}}),
    ("tools/call", {"name": "session_search", "arguments": {"query": "apples"}}),
    ("tools/call", {"name": "working_state", "arguments": {}}),
    ("tools/call", {"name": "project_notes", "arguments": {"action": "list"}}),
    ("tools/call", {"name": "work_item", "arguments": {"action": "show"}}),
    ("tools/call", {"name": "no_such_tool", "arguments": {}}),
    ("resources/list", {}),
    ("resources/list", {"cursor": "x"}),
    ("resources/read", {"uri": "memory://index"}),
    ("resources/read", {"uri": "memory://project/apples"}),
    ("resources/read", {"uri": "memory://project/none"}),
    ("prompts/get", {"name": "catch_up"}),
    ("prompts/get", {"name": "review", "arguments": {"scope": "project"}}),
    ("prompts/get", {"name": "none"}),
    *((method, {}) for method in LISTS),
)


def request(number: int | str, method: str, params: object = None) -> dict:
    """Return a request as it comes over the wire."""
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def handshake(version: str, **more: object) -> dict:
    """Return the request that begins a connection."""
    return request(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **more})


def enveloped(number: int, method: str, params: dict) -> dict:
    """Return a request with an envelope."""
    return request(number, method, {**params, "_meta": {**params.get("_meta", {}), **ABOUT}})


def of_the_sdk(handlers: Handlers, messages: list[dict]) -> list[str]:
    """Return what the SDK alone answers to these messages, one after the other."""
    server = server_of(MemoryServer(handlers, asks_roots=True), protocol.guidance("normal"))

    async def talk() -> list[str]:
        to_server, incoming = anyio.create_memory_object_stream(0)
        outgoing, from_server = anyio.create_memory_object_stream(0)
        answers = []
        async with anyio.create_task_group() as tasks, to_server, incoming, outgoing, from_server:
            tasks.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
            for one in messages:
                await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(one, by_name=False)))
                if "id" in one:
                    answer = await from_server.receive()
                    answers.append(answer.message.model_dump_json(by_alias=True, exclude_unset=True))
            tasks.cancel_scope.cancel()
        return answers

    return anyio.run(talk)


class Quick:
    """The server without the SDK in a thread, on two pipes."""

    def __init__(self, make_handlers: Callable[[], Handlers]) -> None:
        reads, self._writes = os.pipe()
        ours, out = os.pipe()
        self._answers, self._out = open(ours, "rb"), out  # noqa: SIM115
        self.incoming = Incoming(reads, out)
        self._server = QuickServer(self.incoming, protocol.guidance("normal"), make_handlers)
        self.is_left: list[bool] = []
        self._thread = threading.Thread(target=lambda: self.is_left.append(self._server.run()), daemon=True)
        self._thread.start()

    def send(self, message: object) -> None:
        """Send one line."""
        os.write(self._writes, message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def hear(self) -> str:
        """Return the next line that the server writes."""
        return self._answers.readline().decode().rstrip("\n")

    def end(self) -> tuple[bool, list[bytes]]:
        """Close its input; return whether it leaves the rest to the SDK, and what lines it hands on."""
        os.close(self._writes)
        self._thread.join(600)
        self._server.wait()
        os.close(self._out)
        assert not self._answers.read()
        self._answers.close()
        lines = list(iter(self.incoming.next, b"")) if self.is_left[0] else []
        self.incoming.close()
        return self.is_left[0], lines


def quickly(handlers: Handlers, messages: list[dict]) -> list[str]:
    """Return what the server without the SDK answers to these messages, one after the other."""
    server, answers = Quick(lambda: handlers), []
    for one in messages:
        server.send(one)
        answers += [server.hear()] if "id" in one else []
    assert server.end() == (False, [])
    return answers


def handlers_of(folder: Path) -> Handlers:
    """Return handlers as of a server that was started in a folder."""
    return Handlers(Caller(dict(os.environ), flags={}, folder=str(folder)), 30.0)


def both(folder: Path, home: Path, messages: list[dict]) -> tuple[list[str], list[str]]:
    """Return what each way answers in the same home, which is put back in between."""
    kept = home.with_name("kept")
    shutil.copytree(home, kept)
    told = of_the_sdk(handlers_of(folder), messages)
    shutil.rmtree(home)
    shutil.move(kept, home)
    return quickly(handlers_of(folder), messages), told


@pytest.mark.parametrize("version", [*HANDSHAKES, ENVELOPE])
def test_the_sdk_says_the_same_to_the_byte(version, shop, home):
    """In every version of the protocol each answer, good or bad, is the SDK's, byte for byte."""
    Handlers(Caller(dict(os.environ), flags={}, folder=str(shop)), 30.0).call_tool("memory_store", STORED, {}, "probe")
    if version == ENVELOPE:
        asked = [enveloped(number, *one) for number, one in enumerate((*ASKED, ("server/discover", {})))]
    else:
        usual = [request(number, *one) for number, one in enumerate((*ASKED, ("ping", {})), 1)]
        asked = [handshake(version), INITIALIZED, *usual]
    given, told = both(shop, home, asked)
    shipped = {"initialize", "server/discover", *LISTS}
    for one, ours, theirs in zip([one for one in asked if "id" in one], given, told, strict=True):
        # What ships as a file is said in the order of the file.
        assert (json.loads(ours) == json.loads(theirs)) if one["method"] in shipped else ours == theirs, one


def test_a_request_that_fails_unexpectedly_is_answered_and_so_is_the_next():
    """A server that cannot even begin says so to each request; none waits for ever, however many come."""

    def failing() -> Handlers:
        raise OSError("the disk is gone")

    server = Quick(failing)
    server.send(handshake(HANDSHAKES[-1]))
    server.hear()
    for number in range(1, 100):
        server.send(request(number, "tools/call", {"name": "memory_list"}))
        assert json.loads(server.hear())["error"] == {"code": -32603, "message": "the server failed: OSError"}
    assert server.end() == (False, [])


def test_the_lists_are_those_of_our_tables():
    """Whoever changes a tool, its arguments or a prompt and does not make the lists anew is told."""
    made = json.loads(Path(protocol.__file__).with_name("lists.json").read_text(encoding="utf-8"))
    script = runpy.run_path(str(Path(__file__).parents[3] / "training" / "mcp_lists.py"))
    assert made == script["lists"](), "run python training/mcp_lists.py"


@pytest.mark.parametrize(
    "unusual",
    [
        handshake("1999-01-01"),
        handshake("2025-11-25", clientInfo={"name": "x"}),
        handshake("2025-11-25", capabilities=None),
        handshake("2025-11-25", capabilities={"roots": 5}),
        request(0, "initialize", ["x"]),
        request(0, "tools/list"),
        request(0, "tools/list", {"_meta": {**ABOUT, f"{META}protocolVersion": "2030-01-01"}}),
        request(0, "tools/list", {"_meta": {f"{META}protocolVersion": ENVELOPE}}),
        request(0, "server/discover", {"_meta": "x"}),
        b"no JSON\n",
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}\n',
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n',
    ],
)
def test_what_is_unusual_is_left_to_the_sdk_with_all_that_follows(unusual, shop, home):
    """Another version, a client that does not say who it is, or what is no message is not answered here."""
    server = Quick(lambda: handlers_of(shop))
    server.send(unusual)
    server.send(handshake("2025-11-25"))
    left, lines = server.end()
    assert left and len(lines) == 2 and b"2025-11-25" in lines[1]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("logging/setLevel", {"level": "info"}),
        ("tools/list", {"cursor": "x"}),
        ("tools/call", {"arguments": {}}),
        ("tools/call", {"name": "memory_recall", "arguments": "all"}),
        ("tools/call", {"name": "memory_recall", "task": {}}),
        ("tools/call", {"name": "memory_recall", "_meta": ABOUT}),
        ("tools/call", {"name": "memory_recall", "_meta": {"progressToken": {}}}),
        ("resources/read", {"uri": 5}),
        ("prompts/get", {"name": "review", "arguments": {"scope": 5}}),
        ("server/discover", {}),
    ],
)
def test_an_unusual_request_comes_to_the_sdk_with_the_handshake(method, params, shop, home):
    """What the SDK has to answer is handed on behind what began the connection, which is not answered twice."""
    server = Quick(lambda: handlers_of(shop))
    for one in (handshake("2025-11-25"), INITIALIZED, request(1, method, params)):
        server.send(one)
    assert json.loads(server.hear())["result"]["serverInfo"]["name"] == "holdfast"
    left, lines = server.end()
    assert left and [json.loads(line).get("method") for line in lines] == ["initialize", INITIALIZED["method"], method]
    assert server.incoming.is_answered(0)


def test_a_cancelled_call_is_not_answered(shop, home):
    """Who cancels a request hears nothing more of it, and the next one is answered."""
    handlers = handlers_of(shop)
    may_go = threading.Event()
    server = Quick(lambda: handlers)
    handlers.check = lambda context, right: may_go.wait(600) and None
    server.send(handshake("2025-11-25"))
    server.hear()
    server.send(request(1, "tools/call", {"name": "memory_recall"}))
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    server.send(request(2, "ping"))
    assert json.loads(server.hear()) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    may_go.set()
    server.send(request(3, "tools/call", {"name": "memory_recall"}))
    assert json.loads(server.hear())["id"] == 3
    server.end()


def test_the_sdk_takes_over_in_the_middle(talk, home):
    """After something unusual a real server goes on by the SDK: it knows the handshake, and nothing is said twice."""
    with talk() as one:
        for method in LISTS:
            assert one.ask(method) == {**one.ask(method), "id": one._number - 1}
        one.call("memory_store", content="Apples are red.", key="apples")
        first = one.ask("tools/call", {"name": "memory_recall", "arguments": {"query": "apples", "titles": True}})
        assert one.ask("memory/explode")["error"]["code"] == -32601
        again = one.ask("tools/call", {"name": "memory_recall", "arguments": {"query": "apples", "titles": True}})
        assert again["result"] == first["result"]
        assert one.greeting["instructions"] == protocol.guidance("normal")
    with talk(HOLDFAST_MCP_GUIDANCE="minimal") as one:
        assert one.greeting["instructions"] == protocol.guidance("minimal")


def test_a_connection_with_envelopes_goes_on_by_the_sdk(talk, home):
    """The SDK that takes over knows that the client sends envelopes, whatever came first."""
    with talk(greet=False) as one:
        assert one.ask("tools/call", {"name": "memory_recall", "_meta": ABOUT})["result"]["resultType"] == "complete"
        assert one.ask("ping", {"_meta": ABOUT})["error"]["code"] == -32601
        assert one.ask("initialize", handshake("2025-11-25")["params"])["error"]["data"]["supported"] == [ENVELOPE]
        assert one.ask("tools/call", {"name": "memory_recall", "_meta": ABOUT})["result"]["isError"] is False


def test_a_recall_does_not_wait_for_the_sdk(shop, home):
    """A whole conversation with a recall loads neither the SDK nor pydantic, and no part of learning or patterns."""
    lines = [handshake("2025-11-25"), INITIALIZED, request(1, "tools/list"), request(2, "tools/call", None)]
    lines[3]["params"] = {"name": "memory_recall", "arguments": {"query": "apples"}}
    code = (
        "import sys\nfrom holdfast.surfaces.cli.main import run\nerr = sys.stderr\n"
        "run(['mcp'])\nprint(*sys.modules, file=err)"
    )
    sent = "".join(json.dumps(line) + "\n" for line in lines)
    ended = subprocess.run(
        [sys.executable, "-c", code], input=sent, capture_output=True, text=True, check=True, cwd=shop
    )
    assert json.loads(ended.stdout.splitlines()[-1])["result"]["isError"] is False
    loaded = set(ended.stderr.split())
    assert not {"mcp", "mcp_types", "pydantic", "anyio", "starlette", "asyncio"} & loaded
    assert not [name for name in loaded if name.startswith(("holdfast.learning.", "holdfast.patterns."))]
