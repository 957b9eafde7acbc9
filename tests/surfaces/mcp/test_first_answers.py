"""The first answers: they are what the SDK says, they come from our own tables, and each is given once."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from holdfast.surfaces.mcp import first_answers
from holdfast.surfaces.mcp.caller import Caller
from holdfast.surfaces.mcp.first_answers import ENVELOPE, HANDSHAKES, LISTS, FirstAnswers
from holdfast.surfaces.mcp.server import MemoryServer, server_of

CLIENT = {"name": "Probe 1", "version": "1"}
META = "io.modelcontextprotocol/"
ABOUT = {f"{META}protocolVersion": ENVELOPE, f"{META}clientInfo": CLIENT, f"{META}clientCapabilities": {}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(number: int, method: str, params: object = None) -> dict:
    """Return a request as it comes over the wire."""
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def handshake(version: str, **more: object) -> dict:
    """Return the request that begins a connection."""
    return request(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **more})


def of_the_sdk(variant: str, messages: list[dict]) -> list[dict]:
    """Return what the SDK alone answers to these messages, one after the other."""
    server = server_of(MemoryServer(Caller({}, flags={}), 5.0), first_answers.guidance(variant))

    async def talk() -> list[dict]:
        to_server, incoming = anyio.create_memory_object_stream(0)
        outgoing, from_server = anyio.create_memory_object_stream(0)
        answers = []
        async with anyio.create_task_group() as tasks, to_server, incoming, outgoing, from_server:
            tasks.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
            for one in messages:
                await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(one, by_name=False)))
                if "id" in one:
                    answer = await from_server.receive()
                    answers.append(json.loads(answer.message.model_dump_json(by_alias=True, exclude_unset=True)))
            tasks.cancel_scope.cancel()
        return answers

    return anyio.run(talk)


@pytest.mark.parametrize("version", HANDSHAKES)
@pytest.mark.parametrize("variant", ["minimal", "normal", "eager"])
def test_the_sdk_says_the_same_after_a_handshake(version, variant):
    """With every version that begins with a handshake, each first answer is the SDK's."""
    lists = [request(number, method) for number, method in enumerate(LISTS, 1)]
    first = FirstAnswers(variant)
    given = [first.to(one) for one in (handshake(version), *lists)]
    told = of_the_sdk(variant, [handshake(version), INITIALIZED, *lists])
    assert given == [one["result"] for one in told]


def test_the_sdk_says_the_same_in_the_envelope():
    """With the version that has an envelope, each first answer is the SDK's."""
    asked = [request(number, method, {"_meta": ABOUT}) for number, method in enumerate(("server/discover", *LISTS))]
    first = FirstAnswers("normal")
    assert [first.to(one) for one in asked] == [one["result"] for one in of_the_sdk("normal", asked)]


def test_the_lists_are_those_of_our_tables():
    """Whoever changes a tool, its arguments or a prompt and does not make the lists anew is told."""
    made = json.loads(Path(first_answers.__file__).with_name("lists.json").read_text(encoding="utf-8"))
    script = runpy.run_path(str(Path(__file__).parents[3] / "training" / "mcp_lists.py"))
    assert made == script["lists"](), "run python training/mcp_lists.py"


@pytest.mark.parametrize(
    "unusual",
    [
        handshake("1999-01-01"),
        handshake("2025-11-25", clientInfo={"name": "x"}),
        handshake("2025-11-25", capabilities=None),
        request(0, "initialize", ["x"]),
        request(0, "tools/list"),
        request(0, "tools/list", {"_meta": {**ABOUT, f"{META}protocolVersion": "2030-01-01"}}),
        request(0, "tools/list", {"_meta": {f"{META}protocolVersion": ENVELOPE}}),
        request(0, "server/discover", {"_meta": "x"}),
    ],
)
def test_what_is_unusual_is_left_to_the_sdk_with_all_that_follows(unusual):
    """Another version, a client that does not say who it is, or a list before the handshake is not answered here."""
    first = FirstAnswers("normal")
    assert first.to(unusual) is None
    assert first.to(handshake("2025-11-25")) is None and first.to(request(2, "tools/list")) is None


def test_each_kind_is_answered_once():
    """The second request of a kind is the SDK's, and so are another place in a list and a second handshake."""
    first = FirstAnswers("normal")
    assert first.to(handshake("2025-11-25")) and first.to(request(1, "tools/list", {"_meta": {"progressToken": 1}}))
    assert first.to(request(2, "tools/list")) is None and first.to(handshake("2025-11-25")) is None
    assert first.to(request(3, "prompts/list", {"cursor": "x"})) is None


@pytest.mark.parametrize("other", [None, [], "x", {}, {"id": True, "method": "initialize"}, {"method": "tools/list"}])
def test_what_is_no_first_request_changes_nothing(other):
    """A notification, a request without a proper id and what is no message leave the handshake to be answered."""
    first = FirstAnswers("normal")
    assert first.to(other) is None and first.to(handshake("2025-11-25"))


def test_a_server_answers_each_request_once(talk, home):
    """A real server gives the first answers and those of the SDK, none twice, and leaves no file behind."""
    with talk() as one:
        for method in LISTS:
            assert one.ask(method) == {**one.ask(method), "id": one._number - 1}
        assert one.greeting["instructions"] == first_answers.guidance("normal")
        assert one.call("memory_recall", titles=True)["success"]
    with talk(HOLDFAST_MCP_GUIDANCE="minimal") as one:
        assert one.greeting["instructions"] == first_answers.guidance("minimal")
    assert not home.exists()


def test_the_first_answer_does_not_wait_for_the_sdk():
    """What gives the first answers loads neither the SDK nor pydantic."""
    code = "import sys; import holdfast.surfaces.mcp.incoming; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"mcp", "mcp_types", "pydantic", "anyio"} & set(loaded)
