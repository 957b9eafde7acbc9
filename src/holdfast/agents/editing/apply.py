"""Changes carried out: each file whole or not at all, and all of them or none."""

from __future__ import annotations

import errno
import os
import stat

from holdfast.agents.base import Change, Place
from holdfast.agents.editing.plan import read, target
from holdfast.errors import Conflict, StoreFull, StoreUnavailable

TEMPORARY = ".holdfast-tmp-"


def apply(changes: list[Change], place: Place) -> list[str]:
    """Carry the changes out and return the folders that were made; where one fails, those before it are undone."""
    for change in changes:
        _refuse_changed(change, place)
    done: list[Change] = []
    folders: list[str] = []
    try:
        for change in changes:
            _refuse_changed(change, place)
            folders += _carry_out(change, place)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            _carry_out(Change(change.path, change.after, change.before), place)
        remove_empty(folders)
        raise
    return folders


def remove_empty(folders: list[str]) -> None:
    """Remove those of the folders that are empty, the deepest first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue


def clear_leftovers(folder: str) -> None:
    """Remove what writers that were killed left half-written in a folder. A link is not followed."""
    names = os.listdir(folder) if os.path.isdir(folder) and os.path.realpath(folder) == folder else []
    for name in names:
        writer = name.removeprefix(TEMPORARY).partition("-")[0] if name.startswith(TEMPORARY) else ""
        if writer.isascii() and writer.isdecimal() and not _is_alive(int(writer)):
            try:
                os.unlink(os.path.join(folder, name))
            except OSError:
                continue


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _refuse_changed(change: Change, place: Place) -> None:
    if read(change.path, place) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile", "Look at the plan again. Nothing was changed.")


def _carry_out(change: Change, place: Place) -> list[str]:
    path = target(change.path, place)
    try:
        if change.after is None:
            os.unlink(path)
            _sync(os.path.dirname(path))
            return []
        folders = _make_folders(os.path.dirname(path), 0o755 if place.scope == "project" else 0o700)
        _replace(path, change.after, 0o644 if place.scope == "project" else 0o600)
        return folders
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            why = f"no space left to write {change.path}"
            raise StoreFull(why, "Free some space, and try again. Nothing was changed.") from problem
        why = f"{change.path} cannot be written: {problem.strerror}"
        raise StoreUnavailable(why, "Check the owner and mode of the file and its folder.") from problem


def _make_folders(folder: str, mode: int) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        os.mkdir(each, mode)
    return missing


def _replace(path: str, data: bytes, mode: int) -> None:
    """Replace the file by a new one with the mode of the old, durably."""
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), _mode_of(path, mode))
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise
    _sync(folder)


def _mode_of(path: str, otherwise: int) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return otherwise


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
