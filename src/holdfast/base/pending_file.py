"""A file that has no name yet, so that many can be made durable at once and only then get their names.

Three steps: `write` and `close` it, `sync` it, `settle` it under its name. The caller then makes the names in the
folder durable. What has a name is therefore whole, also after a power cut; what has none yet goes without a trace.
"""

from __future__ import annotations

import contextlib
import os

from holdfast.base import files


class PendingFile:
    """One file on its way into a folder, which is made when the first byte comes unless `make_folder` is false."""

    def __init__(self, folder: str, *, make_folder: bool = True) -> None:
        self.folder = folder
        self._make_folder = make_folder
        self._temporary = ""
        self._descriptor = -1

    def write(self, data: bytes) -> None:
        """Add some bytes."""
        try:
            if not self._temporary:
                self._open()
            files.write_all(self._descriptor, data)
        except OSError as problem:
            raise files.unavailable(problem, self.folder) from problem

    def _open(self) -> None:
        if self._make_folder:
            files.make_folder(self.folder)
        temporary = files.temporary_in(self.folder)
        self._descriptor = files.open_new(temporary)
        self._temporary = temporary

    def close(self, at: int = 0) -> None:
        """End the file and give it a time, in nanoseconds; 0 is now."""
        try:
            if at:
                os.utime(self._descriptor, ns=(at, at))
            self._close()
        except OSError as problem:
            raise files.unavailable(problem, self.folder) from problem

    def sync(self) -> None:
        """Wait until all that was written would survive a power cut."""
        try:
            files.sync(self._temporary)
        except OSError as problem:
            raise files.unavailable(problem, self.folder) from problem

    def settle(self, path: str) -> None:
        """Give the file its name, in place of what has it; a link is not written through."""
        files.refuse_link(path)
        try:
            os.rename(self._temporary, path)
        except OSError as problem:
            raise files.unavailable(problem, path) from problem
        self._temporary = ""

    def discard(self) -> None:
        """Let go of what has no name yet."""
        with contextlib.suppress(OSError):
            self._close()
        if self._temporary:
            files.discard(self._temporary)
        self._temporary = ""

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
