"""The command line: in this process by the adapter that the program uses, or as a program of its own."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.base.terminal import HarmlessStream
from holdfast.surfaces.cli.main import run
from support.forking import Program


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


@contextmanager
def environment_of(environment: dict[str, str], folder: Path) -> Iterator[None]:
    """Stand in that folder with that environment and nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in set(os.environ) - set(environment):
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def program(*words: str, environment: dict[str, str], folder: Path, columns: int = 0, hears: bool = True) -> Ended:
    """Run the whole program in a process of its own.

    It prints into a pipe, or on a terminal of so many columns; `hears` says whether its errors go there, too.
    """
    ours, theirs = pty.openpty() if columns else os.pipe()
    if columns:
        termios.tcsetwinsize(theirs, (50, columns))
    streams = {"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": theirs if hears else subprocess.DEVNULL}
    process = Program([*words], env=environment, cwd=folder, **streams)
    os.close(theirs)
    data = b""
    try:
        while piece := os.read(ours, 65_536):
            data += piece
    except OSError:
        pass  # The other end of a terminal is closed and everything was read.
    os.close(ours)
    return Ended(process.wait(), data.decode().replace("\r\n", "\n"), "")
