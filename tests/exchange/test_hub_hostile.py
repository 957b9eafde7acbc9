"""A hub that means harm, or is none: whatever it answers, a laptop keeps its token, its words and its patience."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from holdfast.errors import StoreUnavailable
from holdfast.exchange import hub_calls
from holdfast.exchange.hub import join
from holdfast.memory.remember import remember
from holdfast.records import Filter
from holdfast.workspace import Workspace

ME = {"organisation": "acme", "person": "kim@acme.example", "teams": ["shop"], "rights": ["read"]}


class Hostile(ThreadingHTTPServer):
    """Answers what a test says, and notes which tokens it was shown."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answer, self.tokens, self.asked, self.last = b"", [], 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answering(BaseHTTPRequestHandler):
    """One request; an answer is JSON, bytes, or a function that writes it."""

    def do_GET(self):
        """Answer `me` as a hub does."""
        self.send(json.dumps(ME).encode())

    def do_POST(self):
        """Answer what the test says."""
        self.server.last = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["after"].get("shop", 0)
        self.server.tokens.append(self.headers["Authorization"])
        self.server.asked += 1
        answer = self.server.answer
        if callable(answer):
            answer = answer(self)
        if answer is not None:
            self.send(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    def send(self, body, status=200, **headers):
        """Send an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told):
        """Say nothing."""


@pytest.fixture
def hostile():
    """Return a server that answers what it is told to."""
    made = Hostile()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def client(hostile, tmp_path):
    """Return the client of a home that joined it and trusts its team."""
    workspace = Workspace(str(tmp_path / "home"), folder=str(tmp_path), project="shop", say=lambda text: None)
    found, _ = join(workspace, hostile.url, "hfh_the-token-of-kim")
    yield found
    workspace.close()


def change(number, kind="global", key="k", text="said", **more):
    header = "".join(f"{name}: {value}\n" for name, value in {"key": key, "scope": kind, **more}.items())
    return {"change": number, "kind": kind, "owner": "", "key": key, "text": f"---\n{header}---\n\n# T\n\n{text}\n"}


def told(*changes, more=False, team="shop"):
    return {"teams": {team: {"changes": list(changes), "more": more}}, "hub": "one"}


NO_ANSWERS = [
    *([1, 2], {}, {"teams": {}}, {"teams": {"shop": {}}, "hub": "one"}, b"<html>", b"[" * 200_000, b""),
    *(told(team=name) for name in ("", "@receipts", "../up", "a\nb", "A")),
    *(told({**change(1), name: wrong}) for name, wrong in (("change", "1"), ("change", 0), ("key", []), ("text", 5))),
    *(told({**change(1), name: wrong}) for name, wrong in (("change", 1 << 63), ("kind", None), ("owner", 1))),
    told(more=True),
    told(change(2), more=True),
]


@pytest.mark.parametrize("answer", NO_ANSWERS, ids=lambda answer: str(answer)[:60])
def test_what_no_hub_answers_stops_a_sync_and_nothing_else(client, hostile, answer):
    """An answer of another shape, or one that goes on for ever, is an error that names the hub; nothing is lost."""
    remember(client.workspace, "Deploys need the VPN.", key="mine")
    hostile.answer = answer
    with pytest.raises(StoreUnavailable):
        client.sync()
    assert hostile.asked <= 3
    hostile.answer = told()
    assert client.sync().total() == 0
    assert [one.key for one in client.workspace.store.find(Filter(None))] == ["mine"]


@pytest.mark.parametrize("path", ["mine", "trace", "figures", "proposals", "decide", "take_back"])
def test_what_is_shown_is_of_a_hub_or_an_error(client, hostile, path):
    """A command that asks a hub to show something takes no other answer for one."""
    given = {"trace": ("k",), "figures": ("shop", "agent"), "decide": (1,)}.get(path, ())
    hostile.answer = {}
    with pytest.raises(StoreUnavailable):
        getattr(client, path)(*given, **({"approve": True, "reason": "r"} if path == "decide" else {}))


def test_a_token_goes_to_the_address_that_was_joined_alone(client, hostile):
    """A redirection is not followed: the token would go along."""
    other = Hostile()
    hostile.answer = lambda asked: asked.send(b"", 302, Location=f"{other.url}/steal")
    with pytest.raises(StoreUnavailable, match="answers 302"):
        client.sync()
    assert hostile.tokens == ["Bearer hfh_the-token-of-kim"] and other.tokens == []
    other.shutdown()
    other.server_close()


def test_an_answer_has_an_end(client, hostile, monkeypatch):
    """One that is too long, or drips, is given up; it is not held in memory first."""
    monkeypatch.setattr(hub_calls, "MAX_ANSWER", 100_000)
    hostile.answer = b'{"teams": {}, "hub": "' + b"a" * 200_000 + b'"}'
    with pytest.raises(StoreUnavailable, match="more than 100,000 bytes"):
        client.sync()

    def drip(asked):
        asked.send(b" ", **{"Content-Length": 1_000_000})
        for _ in range(200):
            asked.wfile.write(b" ")
            asked.wfile.flush()
            time.sleep(0.05)

    monkeypatch.setattr(hub_calls, "WHOLE_SECONDS", 0.3)
    hostile.answer = drip
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="no whole answer"):
        client.sync()
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("what", [b" ", b"HTTP/1.1 200 OK\r\n"])
def test_a_sweep_waits_no_longer_than_its_time_for_a_hub_that_drips(client, hostile, what):
    """The time is that of the whole sync, and the head of an answer is within it."""

    def drip(asked):
        if what == b" ":
            asked.send(b" ", **{"Content-Length": 1_000_000})
        asked.wfile.write(what)
        for _ in range(200):
            asked.wfile.write(b"X" if what != b" " else b" ")
            asked.wfile.flush()
            time.sleep(0.05)

    hostile.answer = drip
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="no whole answer"):
        client.sync(0.5)
    assert time.monotonic() - began < 6


@pytest.mark.parametrize("trust", [True, False])
def test_what_a_team_says_of_a_person_or_a_session_does_not_come_in(client, hostile, trust):
    """No team says who somebody is, nor what one session or profile knows; nor with a rule's force, or a secret."""
    client.allow("shop", [], trust=trust)
    secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    said = (
        change(1, "session", "a") | {"owner": "s-1"},
        change(2, "agent", "b") | {"owner": "codex"},
        change(3, key="c", type="user"),
        change(4, key="d", type="feedback", text=f"Use {secret}.", enforce="deny", when="git", pinned="true"),
    )
    hostile.answer = lambda asked: told(*(one for one in said if one["change"] > hostile.last))
    client.sync()
    client.allow("shop", client.plan("shop"), trust=trust)
    (one,) = client.workspace.store.find(Filter(None))
    assert (one.key, one.trust, one.pinned, one.enforce) == ("d", "import", False, "") and secret not in one.body
    assert client.gate.waits() == {}
