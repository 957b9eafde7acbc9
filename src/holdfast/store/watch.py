"""Being told of changes, in a process that stays: Linux says which files of a watched folder were touched.

It only saves work. A folder that is watched need not be swept before every read; what the system reports is looked at
instead. Wherever it cannot be relied on (another system, a network or foreign file system, no watches left, reports
lost) the answer is None, and the caller sweeps as if there were no watch.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

# From linux/inotify.h.
_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW = 0x1000000, 0x2000000
_FILE_EVENTS = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_SELF_EVENTS = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW | _IGNORED
_HEAD = struct.Struct("iIII")
# File systems whose every change passes through this kernel.
_LOCAL = frozenset(("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "f2fs", "zfs", "bcachefs", "overlay"))


class Watch:
    """The watched folders of one process."""

    def __init__(self) -> None:
        self._descriptor = -1
        self._folders: dict[int, list[str]] = {}
        self._touched: dict[str, set[str]] = {}
        self._identity: dict[str, tuple[int, int]] = {}
        self._libc: ctypes.CDLL | None = None

    def add(self, folder: str) -> bool:
        """Watch the folder from now on; False where that cannot be relied on."""
        if folder in self._touched:
            return True
        identity = _identity(folder)
        if identity is None or not self._open() or not is_local(folder):
            return False
        number = self._libc.inotify_add_watch(  # type: ignore[union-attr]
            self._descriptor, os.fsencode(folder), _FILE_EVENTS | _SELF_EVENTS | _ONLYDIR | _DONT_FOLLOW
        )
        if number < 0:
            return False
        # A folder with two names has one number.
        self._folders.setdefault(number, []).append(folder)
        self._touched[folder] = set()
        self._identity[folder] = identity
        return True

    def touched(self, folder: str) -> set[str] | None:
        """Return the names touched in the folder since the last call, or None where it has to be swept."""
        self._drain()
        if folder not in self._touched:
            return None
        names = self._touched[folder]
        if _identity(folder) != self._identity[folder]:
            # A folder above it was renamed, which is not reported here: another one stands at this place, or none.
            del self._touched[folder]
            return None
        self._touched[folder] = set()
        return names

    def close(self) -> None:
        """Stop watching."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
        self._folders.clear()
        self._touched.clear()

    def _open(self) -> bool:
        if self._descriptor >= 0:
            return True
        if not sys.platform.startswith("linux"):
            return False
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        return self._descriptor >= 0

    def _drain(self) -> None:
        while self._descriptor >= 0:
            try:
                data = os.read(self._descriptor, 65_536)
            except OSError as problem:
                if problem.errno not in (errno.EAGAIN, errno.EINTR):
                    self.close()
                return
            self._take(data)

    def _take(self, data: bytes) -> None:
        place = 0
        while place < len(data):
            number, mask, _, length = _HEAD.unpack_from(data, place)
            name = os.fsdecode(data[place + _HEAD.size : place + _HEAD.size + length].rstrip(b"\0"))
            place += _HEAD.size + length
            if mask & _OVERFLOW:
                self.close()
                return
            for folder in self._folders.get(number, ()):
                if mask & _SELF_EVENTS:
                    self._touched.pop(folder, None)
                elif folder in self._touched:
                    self._touched[folder].add(name)
            if mask & _SELF_EVENTS:
                self._folders.pop(number, None)


def _identity(folder: str) -> tuple[int, int] | None:
    """Return what tells a folder from any later one at the same path."""
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def is_local(folder: str) -> bool:
    """Whether every change of the folder passes through this kernel, so that none goes unreported."""
    try:
        number = os.stat(folder).st_dev
        device = f"{os.major(number)}:{os.minor(number)}"
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            kinds = {line.split(" - ", 1)[1].split()[0] for line in mounts if line.split()[2] == device}
    except (OSError, IndexError, ValueError):
        return False
    return bool(kinds) and kinds <= _LOCAL
