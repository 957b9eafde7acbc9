"""Which sessions were harvested, as they were, and by which rules: `state/harvested`, one line of JSON each.

It may be lost: harvesting again adds nothing. The last line of a session holds.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.minijson import dumps

_NAME = "harvested"
_LOCK_SECONDS = 0.2
# So many lines more than sessions are kept before the file is written anew.
_SLACK = 2_000


class Harvested:
    """What was done by these rules in one home."""

    def __init__(self, home: str, rules: str) -> None:
        self._home = home
        self._path = os.path.join(home, "state", _NAME)
        self._rules = rules
        self._marks: dict[str, str] = {}
        lines = rows.read(self._path)
        for row in map(rows.triple_in, lines):
            if row is not None and row[2] == rules:
                self._marks[row[0]] = row[1]
        self._is_long = len(lines) > len(self._marks) + _SLACK

    def lock(self) -> files.Lock:
        """Return the lock of a harvest; StoreBusy where another one is at work."""
        return files.lock_of(self._home, _NAME, _LOCK_SECONDS)

    def is_done(self, name: str, mark: str) -> bool:
        """Whether the session was harvested as it is now."""
        return self._marks.get(name) == mark

    def has(self, name: str) -> bool:
        """Whether the session was ever harvested."""
        return name in self._marks

    def add(self, name: str, mark: str) -> None:
        """Note that the session was harvested as it is now."""
        self._marks[name] = mark
        files.make_folder(os.path.dirname(self._path))
        if self._is_long:
            lines = [self._line(name, mark) + "\n" for name, mark in self._marks.items()]
            files.write(self._path, "".join(lines).encode("utf-8", "replace"), durable=False)
            self._is_long = False
        else:
            rows.append(self._path, [self._line(name, mark)], durable=False)

    def _line(self, name: str, mark: str) -> str:
        return dumps([name, mark, self._rules])
