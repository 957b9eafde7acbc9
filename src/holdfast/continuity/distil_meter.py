"""How many tokens help with distilling took today, within the cap of a day: `state/distil/tokens.day`.

Before a model is asked, what it may take is written down; afterwards that is replaced by what it took. So a call that
dies counts in full, and two at once do not get past the cap together. A file that is no meter counts nothing.

What is known of a project stands beside it in `<id>.tsv`, so no project can have the name of this file.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.errors import NotFound

_WAIT_SECONDS = 20.0
_NAME = "tokens.day"
# Where it stood before; a project of the id `tokens` keeps its to-dos there, so it is read and never written.
_FORMER_NAME = "tokens.tsv"
_DIGITS = "0123456789"
# A thousand billion: no day takes as many, so a longer number is no count.
_MAX_DIGITS = 12
_MAX_BYTES = 64


class Meter:
    """The tokens of one day."""

    def __init__(self, home: str, day: str, cap: int) -> None:
        self.folder = os.path.join(home, "state", "distil")
        self.day, self.cap = day, cap
        self._path = os.path.join(self.folder, _NAME)

    def spent(self) -> int:
        """Return what was spent today, or is set aside for a call that runs."""
        day, number = self._read(_NAME)
        if day < self.day:
            day, number = self._read(_FORMER_NAME)
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
            if self._read(_NAME)[0] <= self.day:
                self._write(max(0, self.spent() - aside) + took)

    def _read(self, name: str) -> tuple[str, int]:
        """Return the day and the count of a file; neither where it is missing or says anything else."""
        try:
            data = files.read(os.path.join(self.folder, name), _MAX_BYTES)
        except NotFound:
            return "", 0
        day, _, number = data.decode("utf-8", "replace").removesuffix("\n").partition("\t")
        is_count = 0 < len(number) <= _MAX_DIGITS and not number.strip(_DIGITS)
        return (day, int(number)) if is_count and _has_form_of_day(day) else ("", 0)

    def _lock(self) -> files.Lock:
        files.make_folder(self.folder)
        return files.Lock(os.path.join(self.folder, "tokens.lock"), _WAIT_SECONDS)

    def _write(self, tokens: int) -> None:
        files.write(self._path, f"{self.day}\t{tokens}\n".encode())


def _has_form_of_day(text: str) -> bool:
    digits = text[:4] + text[5:7] + text[8:]
    return len(text) == 10 and text[4] == text[7] == "-" and not digits.strip(_DIGITS)
