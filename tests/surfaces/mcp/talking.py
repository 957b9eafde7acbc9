"""A program that speaks with the real server, line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from support.forking import Program

PATIENCE = 60.0
PROGRAM = (sys.executable, "-m", "holdfast")


class Talk:
    """One server as a subprocess. Every wait has an end: a server that hangs is killed, and the test fails.

    It is forked, unless a test looks at the process itself.
    """

    def __init__(
        self, *words: str, folder: Path, greet: bool = True, roots: str = "", forked: bool = True, **variables: str
    ) -> None:
        self.roots = roots
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        started, start = (["mcp", *words], Program) if forked else ([*PROGRAM, "mcp", *words], subprocess.Popen)
        self.process = start(started, cwd=folder, env={**os.environ, **variables}, **streams)
        self._watch = threading.Timer(PATIENCE, self.process.kill)
        self._watch.start()
        self._number = 0
        self.greeting = self._greet() if greet else {}

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *problem: object) -> None:
        self.end()

    def _greet(self) -> dict:
        capabilities = {"roots": {}} if self.roots else {}
        client = {"name": "Probe 1", "version": "1"}
        told = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client}
        greeting = self.ask("initialize", told)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return greeting

    def send(self, message: object) -> None:
        """Send one line: bytes as they are, anything else as JSON."""
        line = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict:
        """Return the next message, after answering what the server asks for itself."""
        line = self.process.stdout.readline()
        assert line, f"the server is gone: {self.process.stderr.read().decode()}"
        message = json.loads(line)
        if message.get("method") == "roots/list":
            roots = [{"uri": self.roots}]
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}})
            return self.hear()
        return message

    def post(self, method: str, params: dict | None = None) -> int:
        """Send a request and return its number."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        return self._number

    def ask(self, method: str, params: dict | None = None) -> dict:
        """Send a request and return its answer."""
        number = self.post(method, params)
        answer = self.hear()
        assert answer["id"] == number, answer
        return answer

    def call(self, tool: str, **arguments: object) -> dict:
        """Call a tool and return its typed result."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool and return its text."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["content"][0]["text"]

    def refused(self, tool: str, **arguments: object) -> str:
        """Call a tool that must fail, and return what it says."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["isError"] is True, result
        return result["content"][0]["text"]

    def end(self) -> tuple[int, str]:
        """Close its input and return how it ended and what it said on standard error."""
        if self.process.poll() is None or not self.process.stdin.closed:
            self.process.stdin.close()
        said = self.process.stderr.read().decode() if not self.process.stderr.closed else ""
        code = self.process.wait(PATIENCE)
        self._watch.cancel()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, said
