"""The first answers of the server, given while the SDK is still being loaded.

Loading it takes the better part of a second, and there are agents that ask their model after one second without the
tools of a server that did not answer yet. What the SDK says to the first questions depends on nothing but the question,
this version and a setting. So what it said last time is kept in `state/mcp/` and said at once; the SDK gets the same
question, and its answer is compared and kept instead of being sent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from queue import Queue
from typing import Any

import holdfast
from holdfast import settings
from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.surfaces.mcp.lines import Lines, TooLong

# Whose answer no memory changes.
KEPT = ("initialize", "server/discover", "tools/list", "prompts/list", "resources/templates/list")
MAX_KEPT = 64
_AHEAD = 16
_HERE = os.path.dirname(os.path.abspath(__file__))


class Greeting:
    """The incoming end of the wire: it hands on every line, and answers those that it knows the answer to.

    `folder` is where answers are kept; without one, nothing is known and nothing is kept.
    """

    def __init__(self, incoming: int, out: int, folder: str, variant: str) -> None:
        self._lines = Lines(incoming)
        self._out = out
        self._folder = folder
        self._mark = _mark(variant) if folder else ""
        self._queue: Queue[bytes | TooLong] = Queue(_AHEAD)
        self._writing = threading.Lock()
        self._asked: set[str] = set()
        self._known: dict[int | str, tuple[str, str]] = {}
        threading.Thread(target=self._read, name="wire", daemon=True).start()

    def next(self) -> bytes:
        """Return the next line; nothing at the end. A line that was too long raises TooLong."""
        line = self._queue.get()
        if isinstance(line, TooLong):
            raise line
        return line

    def write(self, data: bytes) -> None:
        """Write a whole line."""
        with self._writing:
            view = memoryview(data)
            while view:
                view = view[os.write(self._out, view) :]

    def settle(self, number: object, answer: str) -> bool:
        """Keep the SDK's answer to a first question for the next time; return whether it was given already."""
        if not isinstance(number, (int, str)) or number not in self._known:
            return False
        path, given = self._known.pop(number)
        result = json.loads(answer).get("result")
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        if result is not None and text != given:
            self._keep(path, text)
        return bool(given)

    def _read(self) -> None:
        line = b"\n"
        while line:
            try:
                line = self._lines.next()
            except TooLong as problem:
                self._queue.put(problem)
                continue
            except (OSError, ValueError):
                line = b""
            if self._folder and len(self._asked) < len(KEPT):
                self._answer(line)
            self._queue.put(line)

    def _answer(self, line: bytes) -> None:
        """Answer a first question as last time, if this is one."""
        try:
            asked = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            return
        if not isinstance(asked, dict) or not self._is_first(asked):
            return
        self._asked.add(asked["method"])
        path = self._path(asked)
        given = _read_text(path)
        self._known[asked["id"]] = path, given
        if given:
            self.write(f'{{"jsonrpc":"2.0","id":{json.dumps(asked["id"])},"result":{given}}}\n'.encode())

    def _is_first(self, asked: dict[str, Any]) -> bool:
        """Whether it is the first question of its kind, and none that should have waited for another."""
        number, method = asked.get("id"), asked.get("method")
        if method not in KEPT or method in self._asked or isinstance(number, bool) or number in self._known:
            return False
        modern = isinstance(asked.get("params"), dict) and "_meta" in asked["params"]
        return isinstance(number, (int, str)) and (method == KEPT[0] or KEPT[0] in self._asked or modern)

    def _path(self, asked: dict[str, Any]) -> str:
        told = json.dumps([self._mark, asked["method"], asked.get("params")], sort_keys=True)
        return os.path.join(self._folder, sha256(told.encode("utf-8", "replace")).hexdigest()[:32] + ".json")

    def _keep(self, path: str, text: str) -> None:
        try:
            files.make_folder(self._folder)
            kept = os.listdir(self._folder)
            for name in kept[MAX_KEPT:]:
                os.unlink(os.path.join(self._folder, name))
            files.write(path, text.encode(), durable=False)
        except (OSError, HoldfastError):
            # Then the next start is as slow as this one.
            return


def settings_at_start(home: str, environment: Mapping[str, str], flags: Mapping[str, str]) -> settings.Settings:
    """Return the settings that the server starts with; what cannot be read is as usual.

    It starts even with a broken config.toml: each call then says what is wrong with it.
    """
    try:
        return settings.load(home, environment, flags)
    except HoldfastError as problem:
        sys.stderr.write(f"holdfast mcp: {problem}; the guidance is as usual\n")
        return settings.Settings({one.name: one.default for one in settings.SETTINGS}, {})


def begin(home: str, variant: str) -> Greeting:
    """Take the standard input and output as the wire, and listen; nothing else can read from it or print into it."""
    folder = os.path.join(home, "state", "mcp") if os.path.isdir(home) else ""
    return Greeting(_taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY), folder, variant)


def _taken(descriptor: int, flags: int) -> int:
    """Return a private copy of a standard descriptor; the descriptor itself leads nowhere from now on."""
    private = os.dup(descriptor)
    os.set_blocking(private, True)
    nowhere = os.open(os.devnull, flags)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return private


def _mark(variant: str) -> str:
    """Return what changes whenever the answers may: our code and texts, the SDK, Python, and the setting."""
    ours = [os.path.join(folder, name) for folder, _, names in os.walk(_HERE) for name in names]
    found = find_spec("mcp")
    places = sorted(path for path in ours if path.endswith((".py", ".md")))
    places += [found.origin] if found is not None and found.origin else []
    changed = [os.stat(path).st_mtime_ns for path in places]
    return json.dumps([holdfast.__version__, variant, sys.version, places, changed])


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        json.loads(text)
    except (OSError, ValueError, RecursionError):
        return ""
    return text
