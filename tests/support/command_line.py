"""The command line, run in this process by the adapter that the program uses."""

from __future__ import annotations

import io
import json
import sys

import pytest

from holdfast.base.terminal import HarmlessStream
from holdfast.surfaces.cli.main import run


class Ended:
    """How a command ended: its exit code, what it answered, and what it said besides."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        """The one document on standard output."""
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def play(*words: str, stdin: str | bytes = b"") -> Ended:
    """Run one command line and return how it ended."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (HarmlessStream(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    with pytest.MonkeyPatch.context() as streams:
        streams.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        streams.setattr(sys, "stdout", out)
        streams.setattr(sys, "stderr", err)
        code = run([*words])
    for stream in (out, err):
        stream.flush()
    return Ended(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
