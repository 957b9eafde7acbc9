"""The command line: in this process by the adapter that the program uses, or as a program of its own."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
import termios
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

import holdfast.__main__
from holdfast.base.terminal import HarmlessStream
from holdfast.surfaces.cli.command_line import COMMANDS
from holdfast.surfaces.cli.main import cli, main, run


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
    """Run the whole program in a process of its own: forked, for most of a start is loading what is loaded here.

    It prints into a pipe, or on a terminal of so many columns; `hears` says whether its errors go there, too.
    """
    for name in COMMANDS:
        cli.get_command(None, name)
    ours, theirs = pty.openpty() if columns else os.pipe()
    if columns:
        termios.tcsetwinsize(theirs, (50, columns))
    with warnings.catch_warnings():
        # Later versions of Python warn of threads.
        warnings.simplefilter("ignore")
        process = os.fork()
    if not process:
        nothing = os.open(os.devnull, os.O_RDWR)
        for place, to in enumerate((nothing, theirs, theirs if hears else nothing)):
            os.dup2(to, place)
        _be_the_program(words, environment, folder)
    os.close(theirs)
    data = b""
    try:
        while piece := os.read(ours, 65_536):
            data += piece
    except OSError:
        pass  # The other end of a terminal is closed and everything was read.
    os.close(ours)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return Ended(code, data.decode().replace("\r\n", "\n"), "")


def _be_the_program(words: tuple[str, ...], environment: dict[str, str], folder: Path) -> NoReturn:
    code: object = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        sys.argv = [holdfast.__main__.__file__, *words]
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)
