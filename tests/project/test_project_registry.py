"""The registry file: it only grows, loses nothing, and survives what is wrong in it."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadId, BadInput, Conflict, StoreBusy, StoreFull, StoreUnavailable
from holdfast.project import registry as module
from holdfast.project import resolve
from holdfast.project.registry import Registry, add_alias, remove_alias

NONCE, PRINT = "0123456789abcdef" * 2, "0123456789abcdef" * 4


def test_a_missing_file_is_an_empty_registry(registry):
    """Reading needs no file and makes none."""
    assert registry.known().markers == {}
    assert not os.path.exists(os.path.dirname(registry.path))


def test_the_file_is_private(registry):
    """The file is made 0600 in a folder made 0700."""
    registry.append(("alias", "a", "b"))
    assert os.stat(registry.path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(registry.path)).st_mode & 0o777 == 0o700


def test_later_rows_win(registry):
    """Of two rows about one thing the later one holds, and the earlier one stays in the file."""
    registry.append(("alias", "a", "b"))
    registry.append(("alias", "a", "c"), ("marker", "m", NONCE, "/one"))
    registry.append(("marker", "m", NONCE, "/two"))
    known = registry.known()
    assert known.canonical("a") == "c"
    assert known.markers == {"m": (NONCE, "/two")}
    assert len(Path(registry.path).read_text().splitlines()) == 4


def test_a_known_row_is_not_appended_again(registry):
    """The same rows given again change nothing, unless another row came between."""
    for _ in range(3):
        registry.append(("alias", "a", "b"), ("path", "p", "/x"), ("alias", "a", "b"))
    assert Path(registry.path).read_text() == "alias\ta\tb\npath\tp\t/x\n"
    registry.append(("unalias", "a"))
    registry.append(("alias", "a", "b"))
    assert registry.known().canonical("a") == "b"


def test_what_is_broken_is_skipped_and_kept(registry):
    """Comments, unknown kinds and broken rows are passed over and stay in the file."""
    bad = [
        b"# a comment",
        b"",
        b"future\tx\ty",
        b"alias\ta",
        b"alias\t../a\tb",
        b"marker\tm\tshort\t/x",
        f"marker\tm\t{NONCE}\trelative".encode(),
        f"repository\tr\t{PRINT[:-1]}\t/x".encode(),
        b"path\tp\t/bad\\escape",
        b"path\tp\t/bad\\",
        b"\xff\xfe\x00\t",
        b"alias\tx\ty\textra",
        b"alias\tcut\tshort",
    ]
    os.makedirs(os.path.dirname(registry.path))
    Path(registry.path).write_bytes(b"\n".join(bad))
    registry.append(("alias", "old", "new"))
    assert Path(registry.path).read_bytes() == b"\n".join(bad) + b"\nalias\told\tnew\n"
    known = registry.known()
    assert (known.markers, known.repositories) == ({}, {})
    assert (known.canonical("old"), known.canonical("a"), known.canonical("x")) == ("new", "a", "x")


@given(st.text("/\\\t\n\r a#é\udcff\u2028\x85t", max_size=8).map(lambda text: f"/{text}"))
def test_any_path_comes_back(tmp_path_factory, path):
    """Tabs, line ends, backslashes and bytes that are no text survive in a path."""
    registry = Registry(tmp_path_factory.mktemp("any") / "projects.tsv")
    registry.append(("path", "p", path), ("marker", "m", NONCE, path))
    known = registry.known()
    assert known.ids_at(path) == ["p"]
    assert known.markers["m"] == (NONCE, path)


def test_aliases_are_followed_to_the_end(registry):
    """A chain of merges ends at its last id, which lists all the others."""
    for old, new in (("a", "b"), ("b", "c"), ("x", "c")):
        add_alias(registry, old, new)
    project = resolve("/", registry, override="a")
    assert (project.id, project.aliases) == ("c", ("a", "b", "x"))
    assert "merged into c" in project.reason
    remove_alias(registry, "b")
    assert resolve("/", registry, override="a").id == "b"


def test_a_loop_of_aliases_is_broken(registry):
    """A loop that two processes made together ends at one id for all its members."""
    registry.append(("alias", "b", "c"), ("alias", "c", "a"), ("alias", "a", "b"), ("alias", "x", "b"))
    known = registry.known()
    assert {known.canonical(name) for name in "abcx"} == {"a"}
    assert resolve("/", registry, override="c").aliases == ("b", "c", "x")


def test_an_alias_of_itself_is_refused(registry):
    """Neither directly nor through others can an id become its own alias."""
    with pytest.raises(BadInput):
        add_alias(registry, "a", "a")
    add_alias(registry, "a", "b")
    add_alias(registry, "b", "c")
    with pytest.raises(Conflict):
        add_alias(registry, "c", "a")
    assert registry.known().canonical("a") == "c"


@pytest.mark.parametrize(("old", "new"), [("../a", "b"), ("a", "x\ny"), ("", "b"), ("a", ".b")])
def test_an_alias_needs_two_good_ids(registry, old, new):
    """A bad id is refused before anything is written."""
    with pytest.raises(BadId):
        add_alias(registry, old, new)
    assert not os.path.exists(registry.path)


def test_a_link_is_not_written_through(registry, tmp_path):
    """A registry that is a symbolic link is not appended to."""
    os.makedirs(os.path.dirname(registry.path))
    (tmp_path / "target").write_text("mine\n")
    os.symlink(tmp_path / "target", registry.path)
    with pytest.raises(StoreUnavailable):
        registry.append(("alias", "a", "b"))
    assert (tmp_path / "target").read_text() == "mine\n"


def test_a_folder_in_its_place_is_unavailable(registry):
    """What cannot be read is an error, not an empty registry: ids would change."""
    os.makedirs(registry.path)
    with pytest.raises(StoreUnavailable):
        registry.known()


def test_a_full_disk_takes_nothing_away(registry, monkeypatch):
    """A write that the disk cuts short is taken back and reported as StoreFull."""
    registry.append(("alias", "a", "b"))
    before = Path(registry.path).read_bytes()
    real, left = os.write, [5]

    def write(handle, data):
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data[: left.pop()])

    monkeypatch.setattr(module.os, "write", write)
    with pytest.raises(StoreFull):
        registry.append(("alias", "long-name", "other"))
    assert Path(registry.path).read_bytes() == before


def test_a_failed_sync_is_not_acknowledged(registry, monkeypatch):
    """A row that did not reach the disk is reported, with the system's own word."""

    def fail(handle):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    registry.append(("alias", "a", "b"))
    before = Path(registry.path).read_bytes()
    monkeypatch.setattr(module.os, "fsync", fail)
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        registry.append(("alias", "b", "c"))
    assert Path(registry.path).read_bytes() == before


def test_a_lock_that_is_held_too_long_is_busy(registry, monkeypatch):
    """Another process with the lock makes an append give up after a while."""
    registry.append(("alias", "a", "b"))
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.05)
    with open(registry.path) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(StoreBusy):
            registry.append(("alias", "c", "d"))


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.project.registry import Registry
registry = Registry(sys.argv[2])
for number in range(40):
    registry.append(("alias", f"old-{sys.argv[3]}-{number}", "new"), ("alias", "shared", "new"))
"""


def test_eight_processes_lose_nothing(registry):
    """Eight processes that append at once leave every row whole, and a shared row only once."""
    source = str(Path(module.__file__).parents[2])
    command = [sys.executable, "-I", "-S", "-c", WRITER, source, registry.path]
    running = [subprocess.Popen([*command, str(number)]) for number in range(8)]
    assert [process.wait() for process in running] == [0] * 8
    lines = Path(registry.path).read_text().splitlines()
    expected = {f"alias\told-{one}-{two}\tnew" for one in range(8) for two in range(40)} | {"alias\tshared\tnew"}
    assert len(lines) == len(expected)
    assert set(lines) == expected
