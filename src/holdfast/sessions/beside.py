"""A file that is written beside its place, so that many can be made durable at once and only then get their names.

Three steps: `write` and `close` it, `sync` it, `settle` it under its name. The caller then makes the names in the
folder durable. What has a name is therefore whole, also after a power cut; what has none yet goes without a trace.
"""

from __future__ import annotations

import contextlib
import os

from holdfast.store import files


class Beside:
    """One file on its way into a folder, which is made when the first byte comes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._temporary = ""
        self._descriptor = -1

    def write(self, data: bytes) -> None:
        """Add some bytes."""
        try:
            if not self._temporary:
                self._open()
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as problem:
            raise files.unavailable(problem, self.folder) from problem

    def _open(self) -> None:
        files.make_folder(self.folder)
        temporary = temporary_in(self.folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(temporary, flags, files.FILE_MODE)
        self._temporary = temporary

    def close(self, at: int) -> None:
        """End the file and give it its time, in nanoseconds."""
        try:
            os.utime(self._descriptor, ns=(at, at))
            self._close()
        except OSError as problem:
            raise files.unavailable(problem, self.folder) from problem

    def sync(self) -> None:
        """Wait until all that was written would survive a power cut."""
        try:
            descriptor = os.open(self._temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
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
        with contextlib.suppress(OSError):
            if self._temporary:
                os.unlink(self._temporary)
        self._temporary = ""

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def temporary_in(folder: str) -> str:
    """Return a name that nothing in the folder has; a sweep that is killed leaves it, and the next one clears it."""
    return os.path.join(folder, f"{files.TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
