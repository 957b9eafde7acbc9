"""One sweep at a time: a lock that is taken without waiting, and says who holds it and since when."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.errors import HoldfastError, StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class SweepLock:
    """Held for the length of a `with` block. It frees itself when its holder dies, whatever its file says."""

    def __init__(self, home: str) -> None:
        self._lock = files.lock_of(home, "sweep", seconds=0.0)
        self._path = self._lock.path

    def __enter__(self) -> SweepLock:
        try:
            self._lock.__enter__()
        except StoreBusy:
            raise StoreBusy(
                f"another sweep is running{self._holder()}", "Wait for it to end; nothing is lost by that."
            ) from None
        self._sign()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.__exit__(kind, problem, trace)

    def _sign(self) -> None:
        """Write into the locked file, in place, who holds it: a file of that name that is new would be no lock."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.write(descriptor, f"{os.getpid()} {now()}\n".encode())
        except OSError:
            # A full disk is told by what needs the space; the lock holds all the same.
            return
        finally:
            os.close(descriptor)

    def _holder(self) -> str:
        try:
            words = files.read(self._path, 200).decode("utf-8", "replace").split()
        except HoldfastError:
            return ""
        return f" (process {words[0]}, since {words[1]})" if len(words) == 2 else ""
