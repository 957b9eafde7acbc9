"""A real `holdfast serve`, on a port that is free."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path


class Server:
    """One process that serves; `url` is where, `said` all that it printed."""

    def __init__(self, folder: Path | str, *words: str, environment: dict[str, str] | None = None) -> None:
        self._words = [sys.executable, "-m", "holdfast", "serve", "--port", "0", *words]
        self._folder = folder
        self._environment = dict(os.environ) if environment is None else environment
        self._lines: list[str] = []

    def __enter__(self) -> Server:
        self.process = subprocess.Popen(
            self._words,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        first = self.process.stdout.readline()
        found = re.search(r"(http://[^/\s]+)/open\?token=\S+", first)
        assert found, first + self.process.stdout.read()
        self.url, self.opens = found[1], found[0]
        second = self.process.stdout.readline()
        self.port = int(re.search(r"port (\d+)", second)[1])
        self._lines += [first, second]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        self._lines.extend(self.process.stdout)

    @property
    def said(self) -> str:
        """All that it printed so far."""
        return "".join(self._lines)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end, and return how it did."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        self._reader.join(60)
        self.process.stdout.close()
        return code

    def __exit__(self, *problem: object) -> None:
        self.end()
