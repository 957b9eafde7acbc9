"""Whatever comes in over the wire, the server answers by the rules of JSON-RPC or passes it over, and goes on."""

from __future__ import annotations

import itertools
import json
import random

import pytest

# Each test starts one server or more.
pytestmark = pytest.mark.slow
SURROGATE = "\\ud800"
# As they stand in a line; some of them no JSON encoder of Python would write.
VALUES = (
    *("{}", "[]", "null", "true", "1.5", "-1", "0", '""', '"x"', f'"{SURROGATE}"', '"\\u0000"', "1e999", "9" * 400),
    *('{"a": {}}', "[[]]", "[" * 50 + "]" * 50, "[" * 3000 + "]" * 3000, '"' + "x" * 5_000 + '"'),
)
METHODS = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/get"),
    *("notifications/cancelled", "notifications/initialized", "notifications/roots/list_changed", "server/discover"),
    *("logging/setLevel", "completion/complete", "no/such"),
)
PARAMS = ("name", "arguments", "uri", "cursor", "requestId", "protocolVersion", "_meta", "clientInfo")


def line_of(**parts: str) -> str:
    """Return a line; each part is given as it stands there."""
    return "{" + ", ".join(f'"{name}": {value}' for name, value in {"jsonrpc": '"2.0"', **parts}.items()) + "}"


def malformed(count: int) -> list[str]:
    """Return lines with a wrong value in each place of a message, then mixed at random, the same ones each time."""
    lines = [line_of(id=id, method=f'"{method}"') for id, method in itertools.product(VALUES, METHODS[:4])]
    lines += [line_of(id=f'"m{number}"', method=value) for number, value in enumerate(VALUES)]
    lines += [line_of(jsonrpc=value, id='"j"', method='"ping"') for value in VALUES]
    lines += [line_of(id=value, result="{}") for value in VALUES]
    lines += [line_of(id=value, error='{"code": 1, "message": "x"}') for value in VALUES]
    chosen = random.Random(16)
    while len(lines) < count:
        inside = {name: chosen.choice(VALUES) for name in chosen.sample(PARAMS, 3)}
        parts = {"id": chosen.choice((*VALUES, '"a"', "3")), "method": f'"{chosen.choice(METHODS)}"'}
        parts["params"] = chosen.choice((*VALUES, *[line_of(**inside)] * len(VALUES)))
        if chosen.random() < 0.2:
            parts[chosen.choice(list(parts))] = chosen.choice(VALUES)
        line = line_of(**parts)
        lines.append(line if chosen.random() < 0.9 else line[: chosen.randrange(len(line))])
    return lines


@pytest.mark.parametrize("greet", [True, False], ids=["after the greeting", "before it"])
def test_malformed_messages_are_survived(talk, greet) -> None:
    """After each of hundreds of malformed messages the same server answers a ping; every answer is well-formed."""
    server = talk(greet=greet)
    for number, line in enumerate(malformed(400)):
        server.send(line.encode())
        server.send({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"})
        while (answer := server.hear()).get("id") != f"ping {number}":
            assert answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer), line
    assert server.process.poll() is None


def test_a_request_with_an_id_that_is_none_is_refused(talk) -> None:
    """An id that is no text and no number gets an error without an id, and so does half of a letter."""
    server = talk()
    for id in ("{}", "[1]", "true", "1.5", f'"{SURROGATE}"'):
        server.send(b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}' % id.encode())
        answer = server.hear()
        assert (answer["id"], answer["error"]["code"]) == (None, -32600), id
    assert server.ask("ping")["result"] == {}


def test_half_a_letter_in_a_text_is_refused_or_replaced(talk) -> None:
    """A text with half of a letter does not end the server, wherever it stands."""
    server = talk()
    lone = json.dumps({"content": "Apples are \ud800 red.", "key": "apples"})
    server.send(
        b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "memory_store", "arguments": %s}}'
        % lone.encode()
    )
    assert server.hear()["id"] in (7, None)
    server.send(b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "\\ud800"}}')
    assert server.hear()["id"] in (8, None)
    assert server.ask("ping")["result"] == {}
