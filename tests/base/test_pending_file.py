"""Pending files: whole and durable before they get their names, else without a trace."""

from __future__ import annotations

import os

import pytest

from holdfast.base.pending_file import PendingFile
from holdfast.errors import Refused, StoreUnavailable


def written(folder, *pieces: bytes) -> PendingFile:
    """Return a file of these pieces that waits for its name."""
    pending = PendingFile(str(folder))
    for piece in pieces:
        pending.write(piece)
    pending.close(1_790_000_000_000_000_123)
    return pending


def test_a_file_gets_its_name_last(tmp_path):
    """Until it is settled nothing has the name; then the bytes, the time and the private mode are there."""
    pending = written(tmp_path / "new", b"one ", b"two")
    pending.sync()
    path = tmp_path / "new" / "it"
    assert not path.exists()
    pending.settle(str(path))
    status = path.stat()
    assert (path.read_bytes(), status.st_mtime_ns % 1_000, status.st_mode & 0o777) == (b"one two", 123, 0o600)
    assert os.listdir(tmp_path / "new") == ["it"]


def test_what_was_there_is_replaced_whole(tmp_path):
    """The older file stays until the newer one has its name."""
    path = tmp_path / "it"
    path.write_bytes(b"before")
    pending = written(tmp_path, b"after")
    assert path.read_bytes() == b"before"
    pending.settle(str(path))
    assert path.read_bytes() == b"after"


def test_what_is_discarded_leaves_nothing(tmp_path):
    """A file without a name goes, finished or not; one that has its name stays."""
    open_still = PendingFile(str(tmp_path))
    open_still.write(b"half")
    settled = written(tmp_path, b"whole")
    settled.settle(str(tmp_path / "it"))
    for pending in (open_still, written(tmp_path, b"whole"), settled, PendingFile(str(tmp_path))):
        pending.discard()
    assert os.listdir(tmp_path) == ["it"]


def test_a_link_is_not_written_through(tmp_path):
    """Where a link has the name the file is refused, and what the link points to is as it was."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"theirs")
    link.symlink_to(target)
    pending = written(tmp_path, b"ours")
    with pytest.raises(Refused):
        pending.settle(str(link))
    pending.discard()
    assert (target.read_bytes(), sorted(os.listdir(tmp_path))) == (b"theirs", ["link", "target"])


def test_what_the_system_refuses_is_an_error_of_the_store(tmp_path):
    """A folder that cannot be made, or a file that went before it was durable, is told as such."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable):
        PendingFile(str(tmp_path / "file" / "below")).write(b"x")
    pending = written(tmp_path / "folder", b"x")
    for name in os.listdir(tmp_path / "folder"):
        os.unlink(tmp_path / "folder" / name)
    with pytest.raises(StoreUnavailable):
        pending.sync()
