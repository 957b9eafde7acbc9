"""A real `holdfast serve`, on a port that is free."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from io import TextIOWrapper
from pathlib import Path

from support.forking import Program


class Server:
    """One process that serves; `url` is where, `said` all that it printed."""

    def __init__(self, folder: Path | str, *words: str, environment: dict[str, str] | None = None) -> None:
        self._words = ["serve", "--port", "0", *words]
        self._folder = folder
        self._environment = dict(os.environ) if environment is None else environment
        self._lines: list[str] = []

    def __enter__(self) -> Server:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = Program(self._words, cwd=self._folder, env=self._environment, **streams)
        self._out = TextIOWrapper(self.process.stdout)
        first = self._out.readline()
        found = re.search(r"(http://[^/\s]+)/open\?token=\S+", first)
        assert found, first + self._out.read()
        self.url, self.opens = found[1], found[0]
        second = self._out.readline()
        self.port = int(re.search(r"port (\d+)", second)[1])
        self._lines += [first, second]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        self._lines.extend(self._out)

    @property
    def said(self) -> str:
        """All that it printed so far."""
        return "".join(self._lines)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end, and return how it did."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(600)
        self._reader.join(600)
        self._out.close()
        return code

    def __exit__(self, *problem: object) -> None:
        self.end()
