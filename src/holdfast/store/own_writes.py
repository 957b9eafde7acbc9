"""What this process alone did to a folder of very many files, so that nobody need compare all of their names for it.

The time of a folder says that a name came or went, but not whose doing that was. So the folder is watched while this
process writes into it. Where nobody else touched it since the index knew its names, the index knows them still; where
that is not certain (no watch, somebody else's change, a change within the last tick of the clock) the next look
compares them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.base import files

if TYPE_CHECKING:
    from holdfast.store.watch import Watch

# A change and a look within so many nanoseconds cannot be told apart by their times.
_TICK_NS = 50_000_000


class OwnWrites:
    """The folders that this process writes into, and the names of what it wrote."""

    def __init__(self) -> None:
        self._watch: Watch | None = None
        self._names: dict[str, set[str]] = {}
        self._shared: set[str] = set()

    def close(self) -> None:
        """Stop watching."""
        if self._watch is not None:
            self._watch.close()

    def begin(self, folder: str, name: str, listed: int) -> None:
        """Note that this process is about to write a file; `listed` is the time of the folder whose names are known."""
        if folder not in self._names and folder not in self._shared:
            if self._watch is None:
                # This loads ctypes, and few folders are that large.
                from holdfast.store.watch import Watch

                self._watch = Watch()
            # Watched first: changes from here on are reported, and the time covers all before.
            if not self._watch.add(folder) or files.written_at(folder) != listed:
                self._shared.add(folder)
                return
            self._names[folder] = set()
        if folder in self._names:
            self._names[folder].add(name)

    def is_alone(self, folder: str) -> bool:
        """Whether this process wrote into the folder, and no other changed a name there that may be a memory."""
        own = self._names.get(folder)
        if own is None or self._watch is None:
            return False
        touched = self._watch.touched(folder)
        if touched is None or any(name[:1] != "." and name not in own for name in touched):
            del self._names[folder]
            self._shared.add(folder)
            return False
        return True

    def doubt(self) -> None:
        """Note that the index does not have all that this process wrote, so that no names are known."""
        self._shared.update(self._names)
        self._names.clear()

    def known(self) -> dict[str, int]:
        """Return the folders in which this process was alone, each with its time, as of which its names are known."""
        times = {folder: files.written_at(folder) for folder in self._names}
        # A change within the same tick would leave the time as it is.
        latest = time.time_ns() - _TICK_NS
        return {folder: at for folder, at in times.items() if at < latest and self.is_alone(folder)}
