"""How many tokens help with distilling took today, within the cap of a day: `state/distil/tokens.tsv`.

Before a model is asked, what it may take is written down; afterwards that is replaced by what it took. So a call that
dies counts in full, and two at once do not get past the cap together.
"""

from __future__ import annotations

import os

from holdfast.store import files

_WAIT_SECONDS = 20.0


class Meter:
    """The tokens of one day."""

    def __init__(self, home: str, day: str, cap: int) -> None:
        self.folder = os.path.join(home, "state", "distil")
        self.day, self.cap = day, cap
        self._path = os.path.join(self.folder, "tokens.tsv")

    def spent(self) -> int:
        """Return what was spent today, or is set aside for a call that runs."""
        day, number = self._read()
        return number if day == self.day else 0

    def set_aside(self, tokens: int) -> bool:
        """Take so many tokens of the day; False where the cap does not leave as many, and then nothing is taken."""
        with self._lock():
            spent = self.spent()
            if spent + tokens > self.cap:
                return False
            self._write(spent + tokens)
        return True

    def settle(self, aside: int, took: int) -> None:
        """Count what a call took in the place of what was set aside for it."""
        with self._lock():
            # A call that ends on the next day must not take back what that one has counted.
            if self._read()[0] <= self.day:
                self._write(max(0, self.spent() - aside) + took)

    def _read(self) -> tuple[str, int]:
        day, _, number = files.read_if_there(self._path).decode("utf-8", "replace").strip().partition("\t")
        return day, int(number) if number.isascii() and number.isdecimal() else 0

    def _lock(self) -> files.Lock:
        files.make_folder(self.folder)
        return files.Lock(os.path.join(self.folder, "tokens.lock"), _WAIT_SECONDS)

    def _write(self, tokens: int) -> None:
        files.write(self._path, f"{self.day}\t{tokens}\n".encode())
