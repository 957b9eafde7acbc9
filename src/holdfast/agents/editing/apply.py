"""Changes carried out: each file whole or not at all, and all of them or none."""

from __future__ import annotations

import contextlib
import os
import stat

from holdfast.agents.base import Change, Place
from holdfast.agents.editing.plan import read, target
from holdfast.base import files
from holdfast.errors import Conflict


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
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def clear_leftovers(folder: str) -> None:
    """Remove what writers that were killed left half-written in a folder. A link is not followed."""
    if os.path.isdir(folder) and os.path.realpath(folder) == folder:
        files.clear_leftovers(folder, of_dead=True)


def _refuse_changed(change: Change, place: Place) -> None:
    if read(change.path, place) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile", "Look at the plan again. Nothing was changed.")


def _carry_out(change: Change, place: Place) -> list[str]:
    path = target(change.path, place)
    folder, shared = os.path.dirname(path), place.scope == "project"
    try:
        if change.after is None:
            os.unlink(path)
            files.sync_folder(folder)
            return []
        folders = _make_folders(folder, 0o755 if shared else 0o700)
        mode = 0o644 if shared else 0o600
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(path).st_mode)
        files.replace(path, change.after, mode=mode)
        return folders
    except OSError as problem:
        raise files.unavailable(problem, change.path, in_home=False) from problem


def _make_folders(folder: str, mode: int) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        os.mkdir(each, mode)
    return missing
