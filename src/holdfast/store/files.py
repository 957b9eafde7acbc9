"""Durable files and locks.

A write is acknowledged only when it would survive a power cut: temporary file in the same folder, fsync, rename,
fsync of the folder. Readers see the old file or the new one, never a part. Links are never written through. Every
failure of the system becomes a StoreUnavailable that names the path and leaves nothing half-written behind.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time

from holdfast.errors import NotFound, Refused, StoreBusy, StoreFull, StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

FOLDER_MODE = 0o700
FILE_MODE = 0o600
TEMPORARY = ".holdfast-tmp-"


def unavailable(problem: OSError, path: str) -> StoreUnavailable:
    """Return the error that says what the system refused, and the way out."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(f"no space left to write {path}", "Free some space, or set HOLDFAST_HOME to another disk.")
    if problem.errno == errno.EROFS:
        return StoreUnavailable(f"{path} is on a read-only file system", "Set HOLDFAST_HOME to a folder you can write.")
    if problem.errno in (errno.EACCES, errno.EPERM):
        return StoreUnavailable(f"no permission for {path}", "Check who owns HOLDFAST_HOME and its mode (0700).")
    return StoreUnavailable(f"cannot use {path}: {problem.strerror}", "Run `holdfast doctor`.")


def make_folder(path: str) -> None:
    """Make the folder and its missing parents, private to the person, each with a durable name."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    try:
        for folder in reversed(missing):
            _make_one_folder(folder)
    except OSError as problem:
        raise unavailable(problem, missing[0]) from problem


def _make_one_folder(path: str) -> None:
    try:
        os.mkdir(path, FOLDER_MODE)
    except FileExistsError:
        # Another process was quicker, and may not have come to this line yet; a file in the way is an error.
        if not os.path.isdir(path):
            raise
    sync_folder(os.path.dirname(path))


def read(path: str, most: int = -1) -> bytes:
    """Return the bytes of a plain file, or its first `most`; a link is refused, a missing file is NotFound."""
    try:
        # Without O_NONBLOCK a named pipe in the place of a file would hold the reader for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path} does not exist") from None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise Refused(f"{path} is a symbolic link", "Replace the link by the file itself.") from None
        raise unavailable(problem, path) from problem
    try:
        return _read_all(descriptor, path, most)
    except OSError as problem:
        raise unavailable(problem, path) from problem
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, path: str, most: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{path} is not a plain file", "Move it out of the folders of memories.")
    pieces, left = [], most if most >= 0 else sys.maxsize
    while left and (piece := os.read(descriptor, min(left, max(status.st_size + 1, 65_536)))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_if_there(path: str) -> bytes:
    """Return the bytes of the file, or none where it does not exist."""
    try:
        return read(path)
    except NotFound:
        return b""


def write(path: str, data: bytes, *, durable: bool = True) -> os.stat_result:
    """Replace the file whole and return its new stat. `durable=False` is for what can be derived again."""
    refuse_link(path)
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        return _write_and_rename(temporary, path, folder, data, durable)
    except OSError as problem:
        _discard(temporary)
        raise unavailable(problem, path) from problem


def _write_and_rename(temporary: str, path: str, folder: str, data: bytes, durable: bool) -> os.stat_result:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, FILE_MODE)
    try:
        _write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
        os.rename(temporary, path)
        written = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if durable:
        sync_folder(folder)
    return written


def append(path: str, data: bytes, *, durable: bool = True) -> None:
    """Add the bytes at the end in one write, so that lines of several processes stay whole."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            _write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise unavailable(problem, path) from problem


def remove(path: str) -> None:
    """Remove the file for good; a missing one is no error."""
    try:
        os.unlink(path)
        sync_folder(os.path.dirname(path))
    except FileNotFoundError:
        return
    except OSError as problem:
        raise unavailable(problem, path) from problem


def move(source: str, target: str) -> None:
    """Move a file to a place where nothing stands yet."""
    try:
        os.link(source, target, follow_symlinks=False)
        os.unlink(source)
        sync_folder(os.path.dirname(target))
        sync_folder(os.path.dirname(source))
    except OSError as problem:
        raise unavailable(problem, target) from problem


def sync_folder(folder: str) -> None:
    """Make the names in the folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def refuse_link(path: str) -> None:
    """Refuse a path whose last part is a symbolic link."""
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return
    if is_link:
        raise Refused(f"{path} is a symbolic link and is not written through", "Replace the link by the file itself.")


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def clear_leftovers(folder: str) -> None:
    """Remove what killed writers left half-written in a folder. Only while nobody else may write there."""
    for name in os.listdir(folder):
        if name.startswith(TEMPORARY):
            _discard(os.path.join(folder, name))


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


class Lock:
    """A lock between processes, held for the length of a `with` block. It frees itself when its holder dies."""

    def __init__(self, path: str, seconds: float = 20.0) -> None:
        self.path = path
        self.seconds = seconds
        self._descriptor = -1

    def __enter__(self) -> Lock:
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        except OSError as problem:
            raise unavailable(problem, self.path) from problem
        try:
            self._wait()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def _wait(self) -> None:
        end = time.monotonic() + self.seconds
        pause = 0.0002
        while not self._take():
            if time.monotonic() > end:
                raise StoreBusy(f"another process holds {self.path}", "Wait for it to end, then try again.")
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def _take(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
