"""Changes carried out: whole or not at all."""

from __future__ import annotations

import os

import pytest

from holdfast.agents.base import ConfigChange, Place
from holdfast.agents.editing.plan import apply, read, target
from holdfast.errors import Conflict, Refused, StoreUnavailable


@pytest.fixture
def place(tmp_path):
    """A person and a project in two folders."""
    for name in ("person", "project", "elsewhere"):
        (tmp_path / name).mkdir()
    return Place(str(tmp_path / "person"), str(tmp_path / "project"), "user", {})


def test_the_mode_is_kept_and_new_files_are_private(place, tmp_path) -> None:
    """A file keeps its mode; a new one is the person's alone, and in a project readable like other files."""
    path = tmp_path / "person" / "a.json"
    path.write_text("old")
    path.chmod(0o640)
    apply(
        [ConfigChange(str(path), b"old", b"new"), ConfigChange(str(tmp_path / "person" / "b" / "c"), None, b"x")], place
    )
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "person" / "b" / "c").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "person" / "b").stat().st_mode & 0o777 == 0o700
    shared = Place(place.home, place.folder, "project", {})
    apply([ConfigChange(str(tmp_path / "project" / "d"), None, b"x")], shared)
    assert (tmp_path / "project" / "d").stat().st_mode & 0o777 == 0o644


def test_a_file_that_changed_since_the_plan_is_refused(place, tmp_path, tree) -> None:
    """What somebody wrote meanwhile is not overwritten, and no other file of the plan is touched."""
    (tmp_path / "person" / "b").write_text("theirs")
    before = tree(tmp_path)
    changes = [
        ConfigChange(str(tmp_path / "person" / "a"), None, b"a"),
        ConfigChange(str(tmp_path / "person" / "b"), b"old", b"b"),
    ]
    with pytest.raises(Conflict, match="changed meanwhile"):
        apply(changes, place)
    assert tree(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_undoes_the_rest(place, tmp_path, tree) -> None:
    """Where the second file fails, the first becomes what it was."""
    (tmp_path / "person" / "a").write_text("old")
    (tmp_path / "person" / "shut").mkdir(mode=0o500)
    before = tree(tmp_path)
    changes = [
        ConfigChange(str(tmp_path / "person" / "a"), b"old", b"new"),
        ConfigChange(str(tmp_path / "person" / "shut" / "b"), None, b"b"),
    ]
    with pytest.raises(StoreUnavailable):
        apply(changes, place)
    assert tree(tmp_path) == before


def test_a_file_in_the_place_of_a_folder_undoes_the_rest(place, tmp_path, tree) -> None:
    """Where the second file fails, the first becomes what it was, and a folder that was made goes."""
    (tmp_path / "person" / "a").write_text("old")
    (tmp_path / "person" / "file").write_text("in the way")
    before = tree(tmp_path)
    changes = [
        ConfigChange(str(tmp_path / "person" / "a"), b"old", b"new"),
        ConfigChange(str(tmp_path / "person" / "new" / "b"), None, b"b"),
        ConfigChange(str(tmp_path / "person" / "file" / "c"), None, b"c"),
    ]
    with pytest.raises((StoreUnavailable, Refused)):
        apply(changes, place)
    assert tree(tmp_path) == before


def test_a_link_within_the_home_is_written_through(place, tmp_path) -> None:
    """A config that is a link to the person's own folder of such files stays a link, and its target is changed."""
    kept = tmp_path / "person" / "dotfiles"
    kept.mkdir()
    (kept / "a.json").write_text("old")
    link = tmp_path / "person" / "a.json"
    link.symlink_to(kept / "a.json")
    apply([ConfigChange(str(link), b"old", b"new")], place)
    assert link.is_symlink() and (kept / "a.json").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["a.json", "folder/a.json"])
def test_a_link_that_leads_away_is_refused(place, tmp_path, name) -> None:
    """A link out of the home and the project, of the file or of a folder above it, is not followed."""
    outside = tmp_path / "elsewhere"
    (outside / "a.json").write_text("old")
    (tmp_path / "person" / "a.json").symlink_to(outside / "a.json")
    (tmp_path / "person" / "folder").symlink_to(outside)
    with pytest.raises(Refused, match="outside of your home"):
        read(str(tmp_path / "person" / name), place)
    with pytest.raises(Refused):
        target(str(tmp_path / "person" / name), place)


def test_what_is_no_file_is_refused(place, tmp_path) -> None:
    """A folder or a pipe in the place of a config is refused, and does not hold us."""
    os.mkfifo(tmp_path / "person" / "pipe")
    (tmp_path / "person" / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(Refused):
            read(str(tmp_path / "person" / name), place)
