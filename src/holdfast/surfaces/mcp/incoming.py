"""Standard input and output of the server: lines of which none can fill the memory."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from holdfast import settings
from holdfast.base import files
from holdfast.errors import HoldfastError

# A memory has at most a quarter of a megabyte; more than this would only fill our own memory.
MAX_BYTES = 12 * 1024 * 1024
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')
_LOOK = 1_000


class TooLong(Exception):
    """A line over the limit, with the id of its request where that can be seen."""

    def __init__(self, number: int | str | None) -> None:
        super().__init__(f"the message has more than {MAX_BYTES:,} bytes")
        self.number = number


class Incoming:
    """Reads lines and writes them. What began a connection can be given back, for the SDK to hear it, too."""

    def __init__(self, incoming: int, out: int) -> None:
        self._file = os.fdopen(incoming, "rb")
        self._out = out
        self._given_back: list[bytes | TooLong] = []
        self._writing = threading.Lock()
        # The requests that have got their answer, if the SDK should hear of them as well.
        self.answered: set[int | str] = set()

    def next(self) -> bytes:
        """Return the next line; nothing at the end. A line that was too long raises TooLong."""
        if self._given_back:
            line = self._given_back.pop(0)
            if isinstance(line, TooLong):
                raise line
            return line
        try:
            return self._line()
        except (OSError, ValueError):
            return b""

    def give_back(self, lines: Sequence[bytes | TooLong]) -> None:
        """Let these lines be the next."""
        self._given_back[:0] = lines

    def write(self, data: bytes) -> None:
        """Write a whole line; a reader that is gone hears nothing more."""
        with self._writing, suppress(OSError):
            files.write_all(self._out, data)

    def is_answered(self, number: Any) -> bool:
        """Whether this request has got its answer already; it is asked once, when the SDK answers, too."""
        if number not in self.answered:
            return False
        self.answered.discard(number)
        return True

    def close(self) -> None:
        """Read no more."""
        self._file.close()

    def _line(self) -> bytes:
        """Return the next line; nothing at the end. A line that is too long is passed over and raises TooLong."""
        line = self._file.readline(MAX_BYTES + 1)
        if len(line) <= MAX_BYTES or line.endswith(b"\n"):
            return line
        tail = b""
        while (piece := self._file.readline(65_536)) and not piece.endswith(b"\n"):
            tail = piece
        raise TooLong(_seen_id(line[:_LOOK]) or _seen_id((tail + piece)[-_LOOK:]))


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
        return settings.Settings(dict(settings.DEFAULTS), {})


def begin() -> Incoming:
    """Take over standard input and output and listen; nothing else can read from the one or print into the other."""
    return Incoming(_taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY))


def _taken(descriptor: int, flags: int) -> int:
    """Return a private copy of a standard descriptor; the descriptor itself leads nowhere from now on."""
    private = os.dup(descriptor)
    os.set_blocking(private, True)
    nowhere = os.open(os.devnull, flags)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return private
