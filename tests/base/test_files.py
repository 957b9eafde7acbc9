"""Durable files: whole or not at all, private unless a mode is asked for, never through a link."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from holdfast.base import files
from holdfast.errors import NotFound, Refused, StoreUnavailable


def test_a_file_is_replaced_whole_with_the_mode_that_is_asked_for(tmp_path) -> None:
    """The new bytes have the name, nothing else lies in the folder, and the mode is the one that was asked for."""
    path = str(tmp_path / "settings.json")
    files.replace(path, b"one")
    assert os.stat(path).st_mode & 0o777 == files.FILE_MODE
    files.replace(path, b"two", mode=0o644)
    assert (files.read(path), os.stat(path).st_mode & 0o777) == (b"two", 0o644)
    assert os.listdir(tmp_path) == ["settings.json"]


def test_a_failed_write_leaves_nothing(tmp_path) -> None:
    """Where the name belongs to a folder, the write fails and no temporary file is left."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        files.replace(str(tmp_path / "taken"), b"data")
    with pytest.raises(StoreUnavailable):
        files.write(str(tmp_path / "taken"), b"data")
    assert os.listdir(tmp_path) == ["taken"]


def test_a_file_is_made_only_where_there_is_none(tmp_path) -> None:
    """`create` never replaces what has the name, be it a file or a link to nowhere."""
    path, link = str(tmp_path / "new"), str(tmp_path / "link")
    files.create(path, b"first")
    os.symlink("nowhere", link)
    for taken in (path, link):
        with pytest.raises(FileExistsError):
            files.create(taken, b"second")
    assert files.read(path) == b"first"


def test_only_plain_files_are_read(tmp_path) -> None:
    """A link is followed only where that is asked for; a pipe and a folder are refused without waiting."""
    plain, link, pipe = (str(tmp_path / name) for name in ("plain", "link", "pipe"))
    files.write(plain, b"0123456789")
    os.symlink(plain, link)
    os.mkfifo(pipe)
    assert files.read_head(link, 4) == b"0123"
    for path in (link, pipe, str(tmp_path)):
        with pytest.raises(Refused):
            files.read(path)
    with pytest.raises(NotFound):
        files.read(str(tmp_path / "missing"))


@pytest.mark.parametrize(
    ("most", "since", "found"), [(4, 0, (b"6789", 6)), (99, 3, (b"3456789", 3)), (4, 99, (b"6789", 6))]
)
def test_the_end_of_a_file_is_read_from_where_it_was_left(tmp_path, most, since, found) -> None:
    """At most so many bytes come, from `since` on; a file that became shorter is read as a new one."""
    path = str(tmp_path / "log")
    files.write(path, b"0123456789")
    assert files.read_tail(path, most, since) == found


def test_what_dead_writers_left_is_cleared(tmp_path) -> None:
    """With `of_dead` only what no running process can be writing goes; without it everything half-written goes."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = [f"{files.TEMPORARY}{process}-0a" for process in (dead.pid, os.getpid(), "x")]
    for name in (*names, "kept.md"):
        (tmp_path / name).touch()
    assert files.clear_leftovers(str(tmp_path), of_dead=True) == 1
    assert set(os.listdir(tmp_path)) == {*names[1:], "kept.md"}
    assert files.clear_leftovers(str(tmp_path)) == 2
    assert os.listdir(tmp_path) == ["kept.md"]


def test_the_digest_of_a_file_is_short() -> None:
    """The digest by which the index knows a file is eight bytes of BLAKE2."""
    assert files.file_digest(b"a file") == hashlib.blake2b(b"a file", digest_size=8).digest()
