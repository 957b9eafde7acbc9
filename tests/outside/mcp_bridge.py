"""A bridge on loopback for the conformance suite, which speaks HTTP only: each message goes to `holdfast mcp` and back.

A client that begins with `initialize` gets a process of its own, named by its session header. Newer clients begin with
nothing and say with each message which protocol they speak; they share a process, so their ids are replaced on the way
and put back. What comes without either goes to a process apart, for the first message decides what a process speaks.
"""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

from support.forking import Program

SECONDS = 600
PATH = "/mcp"
SESSION = "mcp-session-id"
VERSION = "io.modelcontextprotocol/protocolVersion"
LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Server:
    """One process of the MCP server, with a queue for each request that waits for its answer."""

    def __init__(self, environment: dict[str, str], folder: str) -> None:
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = Program(["mcp"], env=environment, cwd=folder, **streams)
        self._waiting: dict[str, queue.Queue[dict]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def send(self, message: dict) -> None:
        """Pass on a message that nobody answers."""
        self._write(message)

    def ask(self, message: dict) -> dict:
        """Pass on a request and return its answer."""
        number = f"bridge-{next(self._numbers)}"
        answer = self._waiting[number] = queue.Queue()
        self._write({**message, "id": number})
        try:
            return {**answer.get(timeout=SECONDS), "id": message["id"]}
        finally:
            del self._waiting[number]

    def _write(self, message: dict) -> None:
        with self._lock:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        for line in self._process.stdout:
            message = json.loads(line)
            waiting = self._waiting.get(message.get("id"))
            if waiting is not None and "method" not in message:
                waiting.put(message)

    def close(self) -> None:
        """End the process as a client does: by closing its input."""
        self._process.stdin.close()
        self._process.wait(SECONDS)
        self._reader.join()
        self._process.stdout.close()


class Bridge:
    """The HTTP side. Use it in a `with` block; `url` is where the suite finds it."""

    def __init__(self, environment: dict[str, str], folder: str) -> None:
        self._make = lambda: Server(environment, folder)
        self._servers: dict[str, Server] = {}
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"bridge": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}{PATH}"

    def __enter__(self) -> Bridge:
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        for server in self._servers.values():
            server.close()

    def begin(self) -> str:
        """Start a process for a new session and return the session's name."""
        name = uuid4().hex
        self._servers[name] = self._make()
        return name

    def server(self, session: str, message: dict) -> Server | None:
        """Return the process of that session; without a session one of the two that all share."""
        with self._lock:
            name = session or ("newer" if _is_newer(message) else "neither")
            if not session and name not in self._servers:
                self._servers[name] = self._make()
        return self._servers.get(name)

    def end(self, session: str) -> bool:
        """End a session; whether there was one."""
        server = self._servers.pop(session, None) if session else None
        if server is not None:
            server.close()
        return server is not None


def _is_newer(message: dict) -> bool:
    params = message.get("params")
    about = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(about, dict) and VERSION in about


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bridge: Bridge

    def log_message(self, *words: object) -> None:
        return

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self._is_local():
            self._send(403)
            return
        try:
            message = json.loads(body)
        except ValueError:
            self._send(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}})
            return
        session = self.headers.get(SESSION, "")
        if message.get("method") == "initialize":
            session = self.bridge.begin()
        server = self.bridge.server(session, message)
        if server is None:
            self._send(404)
        elif "id" in message and "method" in message:
            self._send(200, server.ask(message), session)
        else:
            server.send(message)
            self._send(202)

    def do_GET(self) -> None:
        self._send(405)

    def do_DELETE(self) -> None:
        self._send(200 if self.bridge.end(self.headers.get(SESSION, "")) else 404)

    def _is_local(self) -> bool:
        """Whether a page of some other host could not have sent this."""
        host = self.headers.get("host", "").rpartition(":")[0]
        origin = self.headers.get("origin", "")
        return host in LOCAL and (not origin or origin.partition("//")[2].rpartition(":")[0] in LOCAL)

    def _send(self, status: int, message: dict | None = None, session: str = "") -> None:
        data = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if session:
            self.send_header(SESSION, session)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
