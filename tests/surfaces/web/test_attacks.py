"""Attacks on a real `holdfast serve`: none gets anything, leaves anything behind, or keeps others out."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from holdfast.app import tokens
from holdfast.surfaces.web import serving
from holdfast.surfaces.web.app import create
from holdfast.surfaces.web.serving import listening
from support.archived import edited, said, session, store
from support.serving import Server

from .conftest import ADDRESS

SCRIPT = "<script>alert(1)</script>"
PAGES = ("/review", "/receipts", "/memories", "/sessions", "/patterns", "/measure", "/health", "/now")
HOSTILE = f'{SCRIPT}<img src=x onerror=alert(2)><svg onload=alert(3)>[x](javascript:alert(4)) "onmouseover="alert(5)'


class Markup(HTMLParser):
    """Reads a page as a browser does: `hostile` has each element and attribute that could only come from a memory."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hostile: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("img", "svg") and ("onload" in given or given.get("src") == "x"):
            self.hostile.append(tag)
        if tag == "script" and not given.get("src", "").startswith("/static/"):
            self.hostile.append(tag)
        self.hostile += [name for name in given if name.startswith("on") or name == "style"]
        self.hostile += [value for value in given.values() if value.lower().startswith("javascript:")]


@pytest.fixture
def server(shop):
    """A real server as seen from the shop."""
    with Server(shop) as found:
        yield found


@pytest.fixture
def ask(server, cli):
    """Send a request with a token that may do all, and return status, headers and body."""
    secret = cli("tokens", "new", "attacker", "--may", "review").out.strip()

    def send(path: str, *, data: bytes | None = None, method: str | None = None, **headers: str):
        told = {
            "Authorization": f"Bearer {secret}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        request = urllib.request.Request(f"{server.url}{path}", data, told, method=method)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers, answer.read()

    send.secret = secret
    return send


def raw(server: Server, data: bytes) -> socket.socket:
    """Open a connection and send these bytes over it."""
    made = socket.create_connection(("127.0.0.1", server.port), 60)
    made.sendall(data)
    return made


def test_a_token_is_in_no_log_and_no_file(server, ask, home) -> None:
    """However a token is sent, right or wrong, neither what the server says nor a file of the home has it."""
    wrong = "holdfast_pat_" + "w" * 43
    assert ask("/api/v1/memories")[0] == 200
    ask(f"/api/v1/memories?token={ask.secret}")
    ask(f"/review?token={ask.secret}", Authorization="")
    ask("/api/v1/memories", Authorization=f"Bearer {wrong}")
    ask(
        "/api/v1/memories",
        data=json.dumps({"text": f"The token is {ask.secret}."}).encode(),
        Content_Type="application/json",
    )
    assert server.end() == 0
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    for secret in (ask.secret, wrong):
        assert secret not in server.said and not [data for data in files if secret.encode() in data]


def test_a_rebound_name_gets_nothing(ask) -> None:
    """A request whose Host is another name than the server's is answered by nobody, whatever it brings."""
    for path in ("/api/v1/memories", "/mcp", "/review", "/open?token=x", "/static/page.css"):
        for host in ("evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:7433"):
            assert ask(path, Host=host)[0] == 421, (path, host)


def test_a_form_of_another_site_changes_nothing(page, home) -> None:
    """What a form of another site can send, with the cookie of the person, stores nothing over the interface."""
    forms = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    for kind in forms:
        for origin in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {}):
            body = b'{"text": "Obey me."}'
            answer = page.client.post("/api/v1/memories", content=body, headers={"Content-Type": kind, **origin})
            assert answer.status_code == 403
    assert not list(home.rglob("memories/*.md"))


@pytest.mark.parametrize("how", ["length", "chunks"])
def test_a_body_of_100_megabytes_is_cut_off(server, ask, how) -> None:
    """It is refused by its length before it is read, or at the limit where it tells none; the server goes on."""
    head = f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {ask.secret}\r\n"
    head += "Content-Type: application/json\r\n"
    told = "Content-Length: 104857600\r\n\r\n" if how == "length" else "Transfer-Encoding: chunked\r\n\r\n"
    made = raw(server, (head + told).encode())
    piece, sent = b"10000\r\n" + b"x" * 65_536 + b"\r\n", 0
    try:
        while how == "chunks" and sent < 104_857_600:
            made.sendall(piece)
            sent += 65_536
    except OSError:
        pass
    made.settimeout(60)
    try:
        assert b" 413 " in made.recv(65_536)[:40]
    except ConnectionResetError:
        assert how == "chunks"
    made.close()
    assert sent < 104_857_600 and ask("/api/v1/memories")[0] == 200


def test_a_request_with_two_lengths_ends_its_connection(server) -> None:
    """What a proxy might count otherwise is refused, and what follows it on the connection is not answered."""
    head = f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    inner = f"GET /keys HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
    sent = f"{head}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"
    with raw(server, sent.encode()) as made:
        answered = b""
        while data := made.recv(65_536):
            answered += data
    assert answered.startswith(b"HTTP/1.1 400 ") and answered.count(b"HTTP/1.1 ") == 1


def test_half_sent_requests_keep_nobody_out(server, ask) -> None:
    """Hundreds of connections that never end their request make room for one that does, and their number is bounded."""
    half = f"GET /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Slow: ".encode()
    held = [raw(server, half) for _ in range(3 * serving.MAX_CONNECTIONS)]
    assert ask("/api/v1/memories")[0] == 200
    still = 0
    for one in held:
        one.setblocking(False)
        try:
            still += one.recv(1) != b""
        except BlockingIOError:
            still += 1
        except OSError:
            pass
        one.close()
    assert still <= serving.MAX_CONNECTIONS


def test_a_request_that_does_not_come_whole_is_let_go(site, monkeypatch) -> None:
    """When its time is over, a half-sent request is cut off, also on a connection that was answered before."""
    import threading

    import uvicorn

    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.2)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create(site), log_level="critical", http=serving.BoundedConnection, lifespan="on")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        for first in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.create_connection(listener.getsockname(), 60) as made:
                if first:
                    made.sendall(first)
                    assert made.recv(65_536)
                made.sendall(b"POST /api/v1/memories HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
                try:
                    while made.recv(65_536):
                        pass
                except ConnectionResetError:
                    pass
    finally:
        running.should_exit = True
        thread.join(600)
        listener.close()


def test_what_was_acknowledged_outlives_the_end(server, ask, cli) -> None:
    """Told to end while many store, it ends by itself; what it said to be stored is there."""
    done: list[str] = []

    def keep(number: int) -> None:
        body = json.dumps({"text": f"Statement number {number}.", "key": f"k-{number}"}).encode()
        try:
            if ask("/api/v1/memories", data=body, Content_Type="application/json")[0] == 201:
                done.append(f"k-{number}")
        except OSError:
            return
        if len(done) == 8:
            server.process.send_signal(signal.SIGTERM)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(keep, range(24)))
    assert server.end() == 0 and len(done) >= 8
    listed = {one["key"] for one in json.loads(cli("list", "--limit", "100", "--json").out)["memories"]}
    assert set(done) <= listed


def test_an_answer_does_not_wait_to_be_sent() -> None:
    """A connection sends small packets at once: asyncio sees to it where the listener names its protocol."""
    with listening("127.0.0.1", 0) as made:
        assert made.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(shop, how) -> None:
    """Ctrl-C and a termination both end it well, without a trace of the machinery."""
    with Server(shop) as server:
        assert server.end(how) == 0
    assert "Traceback" not in server.said


def test_a_port_that_is_taken_is_told_with_the_way_out(server, shop) -> None:
    """A second server on the port ends with a line that names it, and another port."""
    words = [sys.executable, "-m", "holdfast", "serve", "--port", str(server.port)]
    done = subprocess.run(words, cwd=shop, capture_output=True, text=True, timeout=600)
    assert done.returncode == 4 and str(server.port) in done.stderr and "--port" in done.stderr


def test_a_path_in_an_id_leads_nowhere(ask) -> None:
    """An id that would be a path, a header or nothing is refused, and no byte of another file comes back."""
    for path in (
        *("/memories/..%2f..%2ftokens.json", "/memories/%2e%2e", "/proposals/..%2F..%2Ftokens", "/proposals/%00abc"),
        *("/sessions/..%2f..%2f/x", "/sessions/claude-code/..%2f..%2f..%2ftokens.json", "/sessions/x/%2e%2e/events"),
        *("/memories/a%0d%0aSet-Cookie:x=1", "/memories?project=..%2f..", "/memories?session=..%2f.."),
        "/../../etc/passwd",
    ):
        status, headers, body = ask(f"/api/v1{path}")
        assert status in (404, 422) and b"digest" not in body and "Set-Cookie" not in headers, path


def test_stored_text_is_never_markup(page, site, workspace, shop, cli) -> None:
    """Script in a title, body, tag, key of a session, its text, a file's name and a proposal is text on every page."""
    cli("remember", f"{HOSTILE} is hostile.", "--key", "hostile", "--title", HOSTILE, "--tag", HOSTILE)
    (shop / "notes.md").write_text(f"- Kim says {HOSTILE} every day.\n")
    cli("import", "--file", str(shop / "notes.md"), "--scope", "project")
    with workspace() as h:
        told = session("told", shop, title=HOSTILE)
        store(h, told, said("human", HOSTILE), edited(shop / f"{SCRIPT.replace('/', '')}.py", shop))
    project = json.loads(cli("project", "--json").out)["id"]
    paths = [*PAGES, "/keys", f"/memory/project/{project}/hostile", "/session/claude-code/told"]
    for path in [*paths, *(f"{path}?q={HOSTILE}&project={HOSTILE}" for path in paths)]:
        assert Markup(page.get(path).text).hostile == [], path


@pytest.mark.parametrize("path", [*PAGES, "/now/feed", "/update/1234", "/memory/global/-/x", "/session/x/y"])
def test_a_page_is_for_the_person_alone(site, workspace, path) -> None:
    """A token opens no page, not even one that may review: pages bind nobody to a project."""
    with workspace() as h:
        secret = tokens.new(h, "script", may="review", projects=("shop",))[1]
    client = TestClient(create(site), base_url=ADDRESS, headers={"Authorization": f"Bearer {secret}"})
    assert client.get(path).status_code == 401


def test_an_answer_with_stored_text_is_no_page(ask, cli) -> None:
    """JSON says that it is JSON, and that nobody may take it for something else."""
    cli("remember", f"{HOSTILE} is hostile.", "--key", "hostile")
    for path in ("/api/v1/memories/hostile", "/api/v1/memories", "/api/v1/nothing/%3Cscript%3E"):
        _, headers, _ = ask(path)
        assert headers["Content-Type"] in ("application/json", "application/problem+json")
        assert (
            headers["X-Content-Type-Options"] == "nosniff"
            and "default-src 'none'" in headers["Content-Security-Policy"]
        )
        assert not [name for name in headers if name.lower().startswith("access-control-")]


def test_no_other_site_is_told_that_it_may(site) -> None:
    """A preflight of another site is refused, and nothing says that one may come."""
    answer = TestClient(create(site), base_url=ADDRESS).options(
        "/api/v1/memories", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    )
    assert answer.status_code == 403 and not [name for name in answer.headers if name.startswith("access-control-")]


def test_the_examples_of_the_document_do_what_they_say(server, ask) -> None:
    """Each line of docs/rest.md is sent as it stands there, and answered with the status that it names."""
    page = Path(__file__).parents[3] / "docs" / "rest.md"
    lines = re.findall(r"^curl (.+)  # (\d+)$", page.read_text(), flags=re.MULTILINE)
    assert len(lines) >= 12
    for line, status in lines:
        words = shlex.split(line.replace("$TOKEN", ask.secret).replace("$URL", server.url))
        given = {"-H": [], "-d": [], "-X": [], "": []}
        while words:
            option = words.pop(0) if words[0] in given else ""
            given[option].append(words.pop(0))
        headers = {"Authorization": "", **dict(one.split(": ", 1) for one in given["-H"])}
        if not headers["Authorization"]:
            del headers["Authorization"]
        body = given["-d"][0].encode() if given["-d"] else None
        request = urllib.request.Request(given[""][0], body, headers, method=given["-X"][0] if given["-X"] else None)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                assert answer.status == int(status), line
        except urllib.error.HTTPError as answer:
            assert answer.code == int(status), line
