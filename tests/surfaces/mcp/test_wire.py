"""The wire: bad lines, huge lines, an end of the input, and a store that is stuck."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

# Each test starts one server or more.
pytestmark = pytest.mark.slow
MEGABYTE = 1024 * 1024


def test_bad_lines_are_answered_and_survived(talk) -> None:
    """Each line that is no message gets an error, with its id where it has one; the next call works."""
    server = talk()
    bad = {
        b"garbage": (None, -32700),
        b"\xff\xfe\x00": (None, -32700),
        b"[" * 100_000: (None, -32700),
        b'"text"': (None, -32600),
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]': (None, -32600),
        b'{"id": 77, "method": "ping"}': (77, -32600),
        b'{"jsonrpc":"2.0","id":78,"method":"ping","params":[1]}': (78, -32600),
        b'{"jsonrpc":"2.0","id":{"a":1},"method":5}': (None, -32600),
    }
    for line, (number, code) in bad.items():
        server.send(line)
        answer = server.hear()
        assert (answer["id"], answer["error"]["code"]) == (number, code), line[:50]
    server.send(b"")
    assert server.ask("ping")["result"] == {}


def test_wrong_methods_and_params(talk) -> None:
    """An unknown method, params of the wrong kind and a call before the greeting are errors of the protocol."""
    server = talk()
    assert server.ask("memory/explode")["error"]["code"] == -32601
    assert server.ask("tools/call", {"name": 5})["error"]["code"] == -32602
    assert server.ask("tools/call", {"name": "memory_list", "arguments": "all"})["error"]["code"] == -32602
    assert server.ask("resources/read", {"uri": "file:///etc/passwd"})["error"]["code"] == -32602
    assert server.ask("resources/read", {"uri": "memory://project/../../x"})["error"]["code"] == -32602
    assert server.ask("resources/list", {"cursor": "-1"})["error"]["code"] == -32602
    assert server.ask("prompts/get", {"name": "explode"})["error"]["code"] == -32602
    early = talk(greet=False)
    assert "error" in early.ask("tools/list")


def test_ten_megabytes_of_content(started, home) -> None:
    """A text far too long is refused in words, and the server's memory stays below 300 MB."""
    server = started()
    for letter in ("x", "日"):
        told = server.refused("memory_store", content=letter * (10 * MEGABYTE // len(letter.encode())))
        assert "at most 262,144" in told
    assert peak(server.process.pid) < 300 * MEGABYTE
    assert not home.exists()


def test_a_line_that_is_too_long(started) -> None:
    """A line over the limit is passed over without being kept, its request gets an error, and the next call works."""
    server = started()
    for shape in (b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"%s"}}', b'{"params":{"x":"%s"},"id":%d}'):
        filler = b"x" * (40 * MEGABYTE)
        server.send(shape % ((91, filler) if shape.startswith(b'{"jsonrpc"') else (filler, 91)))
        answer = server.hear()
        assert answer["id"] == 91 and "more than" in answer["error"]["message"]
    assert server.ask("ping")["result"] == {}
    assert peak(server.process.pid) < 300 * MEGABYTE


def peak(process: int) -> int:
    """Return the most memory that a process ever had, in bytes."""
    with open(f"/proc/{process}/status") as status:
        (line,) = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def test_it_ends_when_its_input_ends(started) -> None:
    """When the input closes the process ends with 0, nothing on standard error and no child left."""
    server = started()
    server.call("memory_store", content="Apples are red.")
    assert children(server.process.pid) == []
    assert server.end() == (0, "")


def children(process: int) -> list[str]:
    """Return the child processes of a process."""
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        # A thread may end while the list is read; what it had started is then its process's.
        with suppress(FileNotFoundError), open(f"/proc/{process}/task/{task}/children") as file:
            found += file.read().split()
    return found


def test_what_came_before_the_end_is_answered(shop, home) -> None:
    """A program that writes all of its requests and closes gets all of the answers."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
    store = {"name": "memory_store", "arguments": {"content": "Apples are red.", "key": "apples"}}
    lines = [{"id": 1, "method": "initialize", "params": client}, {"method": "notifications/initialized"}]
    lines += [{"id": number, "method": "tools/call", "params": store} for number in (2, 3, 4)]
    sent = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    command = [sys.executable, "-m", "holdfast", "mcp"]
    ended = subprocess.run(command, input=sent.encode(), capture_output=True, timeout=300, check=True, cwd=shop)
    answers = {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}
    assert sorted(answers) == [1, 2, 3, 4]
    actions = [answers[number]["result"]["structuredContent"]["action"] for number in (2, 3, 4)]
    assert sorted(actions) == ["created", "unchanged", "unchanged"]


def test_an_interrupt_ends_it(started) -> None:
    """Ctrl-C ends the server though its input is open."""
    server = started()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(300) == 130


def test_a_stuck_store_does_not_hang_the_server(talk, started, home) -> None:
    """While another program holds the store, calls are given up in time, the server answers, and it ends."""
    with_memory = talk()
    with_memory.call("state_update", focus="Apples")
    with_memory.end()
    server = started(HOLDFAST_MCP_TIMEOUT_MS="1000")
    with open(home / "state" / "locks" / "buffer-example.com--acme--shop.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for _ in range(6):
            server.post("tools/call", {"name": "state_update", "arguments": {"focus": "Pears"}})
        assert server.post("ping") and server.hear()["result"] == {}
        told = [server.hear()["result"] for _ in range(6)]
        assert all(one["isError"] and "did not answer within a second" in one["content"][0]["text"] for one in told)
        assert server.end()[0] == 0


def test_a_call_under_way_does_not_keep_the_process(talk, started, home) -> None:
    """When the input ends while a call waits for another program, the process ends all the same."""
    talk().call("state_update", focus="Apples")
    server = started()
    with open(home / "state" / "locks" / "buffer-example.com--acme--shop.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server.post("tools/call", {"name": "state_update", "arguments": {"focus": "Pears"}})
        assert server.end()[0] == 0


def test_two_servers_see_each_other_at_once(talk) -> None:
    """What one server stored, changed or forgot, another one that was running all along recalls at once."""
    one, other = talk("--agent", "codex"), talk("--agent", "gemini-cli")
    assert other.call("memory_recall", query="apples")["memories"] == []
    for number in range(3):
        one.call("memory_store", content=f"Apples cost {number} euros.", key="price")
        assert other.call("memory_recall", query="apples")["memories"][0]["content"] == f"Apples cost {number} euros."
    one.call("memory_forget", key="price")
    assert other.call("memory_recall", query="apples")["memories"] == []


def test_a_file_that_a_person_edits_is_seen(talk, home) -> None:
    """A memory edited by hand, and a setting changed, hold for the next call of a running server."""
    server = talk()
    stored = server.call("memory_store", content="Apples are red.", key="apples")
    with open(stored["file_path"], "r+") as file:
        text = file.read().replace("Apples are red.", "Apples are blue.")
        file.seek(0)
        file.write(text)
    assert server.call("memory_recall", query="apples")["memories"][0]["content"] == "Apples are blue."
    (home / "config.toml").write_text("enabled = false\n")
    assert server.call("memory_recall", query="apples")["disabled"] is True


def test_many_calls_at_once(talk, started, home) -> None:
    """Many stores sent at once by two clients are all answered, and none is lost."""
    servers = [started(), talk()]
    for number in range(30):
        for name, server in enumerate(servers):
            given = {"content": f"Fact {number} of {name}.", "key": f"fact-{name}-{number}"}
            server.post("tools/call", {"name": "memory_store", "arguments": given})
            server.post("tools/call", {"name": "state_update", "arguments": {"decisions": [f"{name}-{number}"]}})
    for server in servers:
        results = [server.hear()["result"] for _ in range(60)]
        assert not any(result.get("isError") for result in results)
    assert len(list((home / "memory" / "projects").glob("*/memories/fact-*.md"))) == 60
    assert len(servers[0].call("memory_list", limit=200)["memories"]) == 60
    assert peak(servers[0].process.pid) < 300 * MEGABYTE
