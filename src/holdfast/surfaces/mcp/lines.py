"""The lines that come in over the wire, of which none can fill the memory."""

from __future__ import annotations

import json
import os
import re

# A memory has at most a quarter of a megabyte; more than this would only fill our own memory.
MAX_BYTES = 12 * 1024 * 1024
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')
_LOOK = 1_000


class TooLong(Exception):
    """A line over the limit, with the id of its request where that can be seen."""

    def __init__(self, number: int | str | None) -> None:
        super().__init__(f"the message has more than {MAX_BYTES:,} bytes")
        self.number = number


class Lines:
    """The lines of a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb")

    def next(self) -> bytes:
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
