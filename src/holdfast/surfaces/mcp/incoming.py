"""What comes in over standard input: lines of which none can fill the memory, and the first ones answered at once."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Mapping
from queue import Queue
from typing import Any

from holdfast import settings
from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.surfaces.mcp.first_answers import FirstAnswers

# A memory has at most a quarter of a megabyte; more than this would only fill our own memory.
MAX_BYTES = 12 * 1024 * 1024
# First answers are given among so many first lines.
_FIRST_LINES = 16
_AHEAD = 16
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')
_LOOK = 1_000


class TooLong(Exception):
    """A line over the limit, with the id of its request where that can be seen."""

    def __init__(self, number: int | str | None) -> None:
        super().__init__(f"the message has more than {MAX_BYTES:,} bytes")
        self.number = number


class Incoming:
    """Reads lines ahead in a thread of its own, hands them on, and answers those that need no SDK."""

    def __init__(self, incoming: int, out: int, first: FirstAnswers) -> None:
        self._file = os.fdopen(incoming, "rb")
        self._out = out
        self._first = first
        self._queue: Queue[bytes | TooLong] = Queue(_AHEAD)
        self._writing = threading.Lock()
        self._answered: set[int | str] = set()
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
            files.write_all(self._out, data)

    def is_answered(self, number: Any) -> bool:
        """Whether this request has got its answer already; it is asked once, when the SDK answers, too."""
        if number not in self._answered:
            return False
        self._answered.discard(number)
        return True

    def _read(self) -> None:
        line, count = b"\n", 0
        while line:
            try:
                line = self._line()
            except TooLong as problem:
                self._queue.put(problem)
                continue
            except (OSError, ValueError):
                line = b""
            if count < _FIRST_LINES:
                self._answer(line)
                count += 1
            self._queue.put(line)

    def _line(self) -> bytes:
        """Return the next line; nothing at the end. A line that is too long is passed over and raises TooLong."""
        line = self._file.readline(MAX_BYTES + 1)
        if len(line) <= MAX_BYTES or line.endswith(b"\n"):
            return line
        tail = b""
        while (piece := self._file.readline(65_536)) and not piece.endswith(b"\n"):
            tail = piece
        raise TooLong(_seen_id(line[:_LOOK]) or _seen_id((tail + piece)[-_LOOK:]))

    def _answer(self, line: bytes) -> None:
        try:
            asked: Any = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            return
        result = self._first.to(asked)
        if result is not None:
            # Before the SDK can hear of it.
            self._answered.add(asked["id"])
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
            self.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _seen_id(part: bytes) -> int | str | None:
    found = _ID.search(part)
    return None if found is None else json.loads(found[1])


def settings_at_start(home: str, environment: Mapping[str, str], flags: Mapping[str, str]) -> settings.Settings:
    """Return the settings that the server starts with; what cannot be read is as usual.

    It starts even with a broken config.toml: each call then says what is wrong with it.
    """
    try:
        return settings.load(home, environment, flags)
    except HoldfastError as problem:
        sys.stderr.write(f"holdfast mcp: {problem}; the guidance is as usual\n")
        return settings.Settings({one.name: one.default for one in settings.SETTINGS}, {})


def begin(variant: str, home: str = "") -> Incoming:
    """Take over standard input and output and listen; nothing else can read from the one or print into the other."""
    return Incoming(_taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY), FirstAnswers(variant, home))


def _taken(descriptor: int, flags: int) -> int:
    """Return a private copy of a standard descriptor; the descriptor itself leads nowhere from now on."""
    private = os.dup(descriptor)
    os.set_blocking(private, True)
    nowhere = os.open(os.devnull, flags)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return private
