"""Durable files and locks: everything that Holdfast writes, in its home and outside of it, is written by this module.

A write is acknowledged only when it would survive a power cut: temporary file in the same folder, fsync, rename,
fsync of the folder. Readers see the old file or the new one, never a part. A failed write leaves nothing half-written
behind. Links are never written through.

`read`, `write`, `remove` and `move` turn every failure of the system into a StoreUnavailable that names the
path. `open_plain`, `read_head`, `create` and `replace` raise the OSError itself, for callers that say it in their own
words. Files that are made durable together, and only then get their names, are in `pending_file`; files to which
rows are added, in `rows`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time

from holdfast.base.clock import tries
from holdfast.errors import NotFound, Refused, StoreBusy, StoreFull, StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    # When a file was changed, and its path.
    Changed = tuple[float, str]

FOLDER_MODE = 0o700
FILE_MODE = 0o600
TEMPORARY = ".holdfast-tmp-"


def unavailable(problem: OSError, path: str, *, in_home: bool = True) -> StoreUnavailable:
    """Return the error that says what the system refused, and the way out."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        way_out = "or set HOLDFAST_HOME to another disk" if in_home else "and try again. Nothing was changed"
        return StoreFull(f"no space left to write {path}", f"Free some space, {way_out}.")
    if not in_home:
        why = f"{path} cannot be written: {problem.strerror}"
        return StoreUnavailable(why, "Check the owner and mode of the file and its folder.")
    if problem.errno == errno.EROFS:
        return StoreUnavailable(f"{path} is on a read-only file system", "Set HOLDFAST_HOME to a folder you can write.")
    if problem.errno in (errno.EACCES, errno.EPERM):
        return StoreUnavailable(f"no permission for {path}", "Check who owns HOLDFAST_HOME and its mode (0700).")
    return StoreUnavailable(f"cannot use {path}: {problem.strerror}", "Run `holdfast doctor`.")


def file_digest(data: bytes) -> bytes:
    """Return what tells whether the bytes of a file are those that the index has read."""
    try:
        # Not `hashlib`, which loads all of OpenSSL.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    return blake2b(data, digest_size=8).digest()


def make_folder(path: str) -> None:
    """Make the folder and its missing parents, private to the person, and make their names durable."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    try:
        for folder in reversed(missing):
            try:
                os.mkdir(folder, FOLDER_MODE)
            except FileExistsError:
                # Another process made it first, and may not have synced it yet; a file in the way is an error.
                if not os.path.isdir(folder):
                    raise
            sync_folder(os.path.dirname(folder))
    except OSError as problem:
        raise unavailable(problem, missing[0]) from problem


def open_plain(path: str, *, follow: bool = False) -> int:
    """Return a descriptor to read a plain file with; OSError for anything else."""
    # Without O_NONBLOCK a named pipe in the place of a file would hold the reader for ever.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a plain file", path)
    return descriptor


def read_head(path: str, most: int = -1, *, follow: bool = True) -> bytes:
    """Return the bytes of a plain file, or its first `most`; OSError where it cannot be read."""
    descriptor = open_plain(path, follow=follow)
    try:
        pieces, left = [], most if most >= 0 else sys.maxsize
        known = os.fstat(descriptor).st_size
        size = max(known + 1, 65_536)
        while left and (piece := os.read(descriptor, min(left, size))):
            pieces.append(piece)
            left -= len(piece)
            if known and len(piece) < size:
                # Only files of the kernel, as in /proc, report no size and come in pieces.
                break
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def read_tail(path: str, most: int, since: int = 0, *, follow: bool = False) -> tuple[bytes, int]:
    """Return at most the last `most` bytes of a plain file after `since`, and where they begin; OSError as above.

    A file that is shorter than `since` is another one than before, and is read from its beginning.
    """
    descriptor = open_plain(path, follow=follow)
    try:
        size = os.fstat(descriptor).st_size
        start = max(since if since <= size else 0, size - most)
        return os.pread(descriptor, most, start), start
    finally:
        os.close(descriptor)


def read(path: str, most: int = -1) -> bytes:
    """Return the bytes of a plain file, or its first `most`; a link is refused, a missing file is NotFound."""
    try:
        return read_head(path, most, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path} does not exist") from None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise Refused(f"{path} is a symbolic link", "Replace the link by the file itself.") from None
        if problem.errno == errno.EINVAL:
            raise Refused(f"{path} is not a plain file", "Move it out of the folders of memories.") from None
        raise unavailable(problem, path) from problem


def read_if_there(path: str, most: int = -1) -> bytes:
    """Return the bytes of the file, or its first `most`; none where it does not exist."""
    try:
        return read(path, most)
    except NotFound:
        return b""


def write(path: str, data: bytes, *, durable: bool = True) -> os.stat_result:
    """Replace the file whole and return its new stat. `durable=False` is for what can be derived again."""
    refuse_link(path)
    try:
        return replace(path, data, durable=durable)
    except OSError as problem:
        raise unavailable(problem, path) from problem


def put(path: str, data: bytes, *, durable: bool = True) -> os.stat_result:
    """Write the file as `write` does, in a folder that is made where it is missing."""
    make_folder(os.path.dirname(path))
    return write(path, data, durable=durable)


def replace(path: str, data: bytes, *, mode: int = FILE_MODE, durable: bool = True) -> os.stat_result:
    """Replace the file whole by one of this mode, and return its new stat; OSError where that cannot be done."""
    folder = os.path.dirname(path)
    temporary = temporary_in(folder)
    descriptor = open_new(temporary)
    try:
        if mode != FILE_MODE:
            os.fchmod(descriptor, mode)
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
        os.rename(temporary, path)
        written = os.fstat(descriptor)
    except OSError:
        discard(temporary)
        raise
    finally:
        os.close(descriptor)
    if durable:
        sync_folder(folder)
    return written


def create(path: str, data: bytes) -> None:
    """Make a new file, durably; OSError where that cannot be done, FileExistsError where one is there."""
    descriptor = open_new(path)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        discard(path)
        raise
    finally:
        os.close(descriptor)
    sync_folder(os.path.dirname(path))


def temporary_in(folder: str) -> str:
    """Return an unused name in the folder, by which what a killed writer leaves can be recognised."""
    return os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")


def open_new(path: str) -> int:
    """Return a descriptor to write a new file with, private to the person; OSError where the name is taken."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the bytes, in as many writes as the system needs."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


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
    """Move a file, in one step, to a place where nothing stands yet."""
    try:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        os.rename(source, target)
        sync_folder(os.path.dirname(target))
        sync_folder(os.path.dirname(source))
    except OSError as problem:
        raise unavailable(problem, target) from problem


def sync_folder(folder: str) -> None:
    """Make the names in the folder durable."""
    _sync(folder or ".", os.O_DIRECTORY)


def sync(path: str) -> None:
    """Wait until what was written to a file would survive a power cut; OSError where that cannot be promised."""
    _sync(path, os.O_NOFOLLOW)


def _sync(path: str, flags: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
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


def clear_leftovers(folder: str, *, of_dead: bool = False) -> int:
    """Remove what killed writers left half-written in a folder, and return how many files that were.

    Only while nobody else may write there; with `of_dead`, what a process that still runs is writing stays.
    """
    names = [name for name in os.listdir(folder) if name.startswith(TEMPORARY)]
    left = [name for name in names if not of_dead or is_of_dead(name)]
    for name in left:
        discard(os.path.join(folder, name))
    return len(left)


def leftovers(folder: str, passed_over: tuple[str, ...] = ("archive", "memories")) -> list[str]:
    """Return the temporary files in and below a folder, but for folders of these names. No link is followed.

    Those that may be large are passed over: a sweep clears the archive, and whoever looks at memories their folders.
    """
    found, folders = [], [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                every = list(entries)
        except OSError:
            continue
        found += [one.path for one in every if one.name.startswith(TEMPORARY) and one.is_file(follow_symlinks=False)]
        below = [one for one in every if one.name[0] != "." and one.name not in passed_over]
        folders += [one.path for one in below if one.is_dir(follow_symlinks=False)]
    return found


def is_of_dead(path: str) -> bool:
    """Whether the writer of a temporary file no longer runs."""
    process = os.path.basename(path).removeprefix(TEMPORARY).partition("-")[0]
    if not (process.isascii() and process.isdecimal()):
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def discard(path: str) -> None:
    """Remove a file that nobody relies on; if it cannot be removed, it stays."""
    try:
        os.unlink(path)
    except OSError:
        return


def refuse_links(root: str, folder: str) -> None:
    """Refuse to write into a folder, relative to the root, that is a symbolic link or lies behind one."""
    link = link_on_the_way(root, folder)
    if link:
        raise Refused(f"{link} is a symbolic link", "Replace the link by a folder; Holdfast does not follow it.")


def link_on_the_way(root: str, folder: str) -> str:
    """Return the first part of the folder, relative to the root, that is a symbolic link; empty where none is."""
    place = root
    for part in folder.split("/") if folder else ():
        place = f"{place}/{part}"
        if os.path.islink(place):
            return place
    return ""


def is_plain_folder(path: str) -> bool:
    """Whether the path is a folder itself, not a link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def on_path(names: tuple[str, ...], places: str) -> str:
    """Return the first program of these names in the folders of a PATH."""
    folders = [folder for folder in places.split(os.pathsep) if folder]
    paths = (os.path.join(folder, name) for name in names for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def working_folder() -> str:
    """Return the working directory, or "" where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def written_at(path: str) -> int:
    """Return when a file was last written, or a name in a folder last changed; 0 where there is neither."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def size_of(path: str) -> int:
    """Return the bytes of a file; 0 where there is none."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def names_in(folder: str, ending: str = "", *, hidden: bool = False) -> list[str]:
    """Return the names in a folder that have this ending, sorted; nothing where there is no folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted([name for name in names if name.endswith(ending) and (hidden or not name.startswith("."))])


def newest_in(folder: str) -> list[Changed]:
    """Return when each file of a folder was changed, and its path, the newest first; nothing where there is no folder.

    It costs a hook a tenth of opening them, so of a folder that may have hundreds it opens the newest.
    """
    found = []
    try:
        with os.scandir(folder) as entries:
            for one in entries:
                try:
                    if one.name[0] != ".":
                        found.append((one.stat().st_mtime, one.path))
                except OSError:
                    # Another process removed it meanwhile.
                    continue
    except OSError:
        return []
    found.sort(reverse=True)
    return found


def few_of(found: list[Changed], newest: int, others: int) -> list[Changed]:
    """Return of many files, the newest first, that many of the newest and of the oldest, and as many in between.

    A hook has time for no more. Those in between are others each time, so that each has its turn.
    """
    between, oldest = found[newest:-others], found[max(newest, len(found) - others) :]
    place = time.time_ns() // 1_000 % len(between) if between else 0
    return [*found[:newest], *(between * 2)[place : place + min(others, len(between))], *oldest]


def folders_in(folder: str) -> list[str]:
    """Return the names of the folders in a folder, sorted; neither hidden ones nor links to others."""
    try:
        with os.scandir(folder) as entries:
            return sorted([one.name for one in entries if one.name[0] != "." and one.is_dir(follow_symlinks=False)])
    except OSError:
        return []


def lock_of(home: str, name: str, seconds: float = 20.0) -> Lock:
    """Return the lock of that name in a home, not taken yet."""
    folder = os.path.join(home, "state", "locks")
    make_folder(folder)
    return Lock(os.path.join(folder, f"{name}.lock"), seconds)


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

    def __exit__(self, *problem: object) -> None:
        os.close(self._descriptor)

    def _wait(self) -> None:
        for _ in tries(self.seconds):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                continue
        raise StoreBusy(f"another process holds {self.path}", "Wait for it to end, then try again.")
