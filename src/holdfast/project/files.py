"""Reading small files that somebody else may have made."""

from __future__ import annotations

import errno
import os
import stat


def read_head(path: str, limit: int, *, follow: bool = True) -> bytes:
    """Return at most `limit` bytes from the start of a regular file; OSError for anything else."""
    # Without O_NONBLOCK a named pipe in place of the file would hang the hook.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return _read(handle, limit)
    finally:
        os.close(handle)


def _read(handle: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := os.read(handle, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def upwards(folder: str) -> list[str]:
    """Return the folder and all folders above it, nearest first."""
    places = [folder]
    while (above := os.path.dirname(places[-1])) != places[-1]:
        places.append(above)
    return places


def within(folder: str, outer: str) -> bool:
    """Tell whether the folder is `outer` or below it; both are real paths."""
    return folder == outer or folder.startswith(outer.rstrip("/") + "/")
