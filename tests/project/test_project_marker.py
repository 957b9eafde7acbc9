"""Markers: a rename, a copy and a planted file are three different things."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from holdfast.errors import BadInput, Conflict, NotFound, Refused, ScopeUnknown, StoreUnavailable
from holdfast.project import record, resolve
from holdfast.project.marking import mark
from holdfast.project.registry import Registry

NAME = ".holdfast-project"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    place.mkdir()
    return place


def who(folder: Path, registry: Registry) -> str:
    return resolve(str(folder), registry).id


def test_marking_keeps_the_id_of_the_path(folder, registry):
    """A marked folder keeps the id it had, and its sub-folders now share it."""
    before = resolve(str(folder), registry)
    project = mark(str(folder), registry)
    assert (project.id, project.rule, project.root) == (before.id, "marker", str(folder))
    (folder / "a" / "b").mkdir(parents=True)
    assert who(folder / "a" / "b", registry) == before.id


def test_the_marker_is_small_private_text(folder, registry):
    """The file says what it is, has id, nonce and time, and only its owner may read it."""
    project = mark(str(folder), registry)
    lines = (folder / NAME).read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[1] == f"id: {project.id}"
    assert [line.partition(":")[0] for line in lines[1:]] == ["id", "nonce", "created"]
    assert (folder / NAME).stat().st_mode & 0o777 == 0o600


def test_a_renamed_folder_keeps_its_id(folder, tmp_path, registry):
    """A marked folder that was renamed is the same project, before and after the move is recorded."""
    first = mark(str(folder), registry)
    for name in ("renamed", "again"):
        folder = folder.rename(tmp_path / name)
        project = resolve(str(folder), registry)
        assert (project.id, project.rule) == (first.id, "marker")
        assert "moved here" in project.reason
        record(project, registry)
        assert "moved here" not in resolve(str(folder), registry).reason


def test_a_copied_folder_is_not_the_same_project(folder, tmp_path, registry):
    """A copy of a marked folder falls to its path, and the note names the way out, which works."""
    first = mark(str(folder), registry)
    shutil.copytree(folder, tmp_path / "copy")
    copy = resolve(str(tmp_path / "copy"), registry)
    assert copy.rule == "path"
    assert copy.id != first.id
    assert any("holdfast project mark --new" in note for note in copy.notes)
    new = mark(str(tmp_path / "copy"), registry, new=True)
    assert (new.rule, new.id) == ("marker", copy.id)
    assert who(folder, registry) == first.id


def test_a_copy_at_the_old_place_does_not_get_the_id_back(folder, tmp_path, registry):
    """The id belongs to the folder that moved: neither a copy nor a new folder at its old place gets it."""
    first = mark(str(folder), registry)
    moved = folder.rename(tmp_path / "moved")
    record(resolve(str(moved), registry), registry)
    folder.mkdir()
    assert who(folder, registry) != first.id
    shutil.copy(moved / NAME, folder / NAME)
    copy = resolve(str(folder), registry)
    assert (copy.rule, copy.id != first.id) == ("path", True)
    assert mark(str(folder), registry, new=True).id == copy.id
    assert who(moved, registry) == first.id


def test_a_copy_at_the_old_place_is_none_where_nobody_recorded_the_move(folder, tmp_path, registry):
    """A folder that was renamed and copied back keeps its id at the new place alone, though nobody stored there."""
    first = mark(str(folder), registry)
    renamed = folder.rename(tmp_path / "renamed")
    shutil.copytree(renamed, folder)
    copy = resolve(str(folder), registry)
    assert (copy.rule, copy.id != first.id) == ("path", True)
    assert any("mark --adopt" in note for note in copy.notes)
    assert who(renamed, registry) == first.id


def test_a_planted_marker_is_refused(folder, tmp_path, registry):
    """A marker that claims the id of another project, with a nonce of its own, is worth nothing."""
    victim = mark(str(folder), registry)
    planted = tmp_path / "download"
    planted.mkdir()
    (planted / NAME).write_text(f"# x\nid: {victim.id}\nnonce: {'0' * 32}\n")
    project = resolve(str(planted), registry)
    assert project.rule == "path"
    assert project.id != victim.id
    assert any("holdfast project mark --adopt" in note for note in project.notes)
    with pytest.raises(Conflict, match="still there"):
        mark(str(planted), registry, adopt=True)


def test_recording_a_planted_marker_does_not_adopt_it(folder, registry):
    """Storing something in a folder with a strange marker does not make the marker known."""
    (folder / NAME).write_text(f"id: strange\nnonce: {'0' * 32}\n")
    for _ in range(2):
        project = resolve(str(folder), registry)
        assert project.rule == "path"
        record(project, registry)


def test_a_marker_from_another_machine_can_be_adopted(folder, tmp_path, registry):
    """After `adopt` the marker's id holds, and it moves with the folder."""
    (folder / NAME).write_text(f"id: shared-notes\r\nnonce: {'0' * 32}\r\n\r\nlater: unknown\r\n")
    assert resolve(str(folder), registry).rule == "path"
    project = mark(str(folder), registry, adopt=True)
    assert (project.id, project.rule) == ("shared-notes", "marker")
    assert who(folder.rename(tmp_path / "other"), registry) == "shared-notes"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nothing here",
        b"id: ../x\nnonce: " + b"0" * 32,
        b"id: x\nnonce: 123",
        b"id: x\nid: y\nnonce: " + b"0" * 32,
        b"id: x\nnonce: " + b"0" * 32 + b"\n\xff\xfe",
        b"id: x\nnonce: " + b"0" * 32 + b"\n" + b"#" * 5000,
    ],
)
def test_a_corrupt_marker_is_left_alone(folder, registry, data):
    """A file that is no marker, or too large, is not used and not touched, and a note says so."""
    (folder / NAME).write_bytes(data)
    project = resolve(str(folder), registry)
    assert project.rule == "path"
    assert any("is not used" in note for note in project.notes)
    assert (folder / NAME).read_bytes() == data
    with pytest.raises(Conflict):
        mark(str(folder), registry, adopt=True)
    assert mark(str(folder), registry, new=True).rule == "marker"


def test_a_marker_that_is_a_link_is_not_used(folder, tmp_path, registry):
    """A symbolic link is neither read nor written through."""
    other = tmp_path / "other"
    other.mkdir()
    mark(str(other), registry)
    before = (other / NAME).read_bytes()
    (folder / NAME).symlink_to(other / NAME)
    project = resolve(str(folder), registry)
    assert project.rule == "path"
    assert any("symbolic link" in note for note in project.notes)
    with pytest.raises(Conflict):
        mark(str(folder), registry)
    assert mark(str(folder), registry, new=True).rule == "marker"
    assert (other / NAME).read_bytes() == before
    assert not (folder / NAME).is_symlink()


def test_a_marker_that_is_a_pipe_does_not_hang(folder, registry):
    """A named pipe in place of the marker is not waited for."""
    os.mkfifo(folder / NAME)
    assert resolve(str(folder), registry).rule == "path"


def test_the_nearest_marker_wins(folder, registry):
    """A marked folder in a marked folder is a project of its own."""
    outer = mark(str(folder), registry)
    (folder / "inner" / "deep").mkdir(parents=True)
    inner = mark(str(folder / "inner"), registry)
    assert inner.id != outer.id
    assert who(folder / "inner" / "deep", registry) == inner.id


def test_a_bad_nearest_marker_does_not_fall_to_the_outer_one(folder, registry):
    """A planted marker does not put its folder into the project around it."""
    mark(str(folder), registry)
    (folder / "inner").mkdir()
    (folder / "inner" / NAME).write_text("garbage")
    assert resolve(str(folder / "inner"), registry).rule == "path"


def test_marking_twice_is_a_conflict(folder, registry):
    """A marker that is there is not overwritten without being told to."""
    mark(str(folder), registry)
    before = (folder / NAME).read_bytes()
    with pytest.raises(Conflict) as caught:
        mark(str(folder), registry)
    assert "--new" in caught.value.hint
    assert (folder / NAME).read_bytes() == before


def test_a_new_marker_in_place_of_a_good_one_is_a_new_project(folder, registry):
    """`new` never gives the same id again."""
    first = mark(str(folder), registry)
    second = mark(str(folder), registry, new=True)
    assert second.id != first.id
    assert [name.name for name in folder.iterdir()] == [NAME]


def test_a_deleted_marker_leaves_the_id_of_the_path(folder, registry):
    """Without its marker the folder has the id that it had before, and marking it again keeps it."""
    first = mark(str(folder), registry)
    (folder / NAME).unlink()
    assert who(folder, registry) == first.id
    assert mark(str(folder), registry).id == first.id


def test_home_and_root_cannot_be_marked(home, registry):
    """A marker there would swallow every folder below."""
    for place in (str(home), "/"):
        with pytest.raises(Refused):
            mark(place, registry)
    assert list(home.iterdir()) == []


def test_a_marker_in_the_home_folder_is_not_looked_at(home, folder, registry):
    """Folders below the home are not swallowed by a marker in it."""
    mark(str(folder), registry)
    shutil.copy(folder / NAME, home / NAME)
    (home / "x").mkdir()
    project = resolve(str(home / "x"), registry)
    assert (project.rule, project.notes) == ("path", ())


def test_a_repository_is_not_marked(tmp_path, git, registry):
    """Git names the project first, so a marker that would do nothing is refused."""
    repo = git.init(tmp_path / "app")
    with pytest.raises(Refused):
        mark(str(repo), registry)
    assert not (repo / NAME).exists()


def test_what_cannot_be_marked(folder, tmp_path, registry):
    """A folder that is gone, both flags at once, and adopting nothing are refused."""
    with pytest.raises(ScopeUnknown):
        mark(str(tmp_path / "gone"), registry)
    with pytest.raises(BadInput):
        mark(str(folder), registry, adopt=True, new=True)
    with pytest.raises(NotFound):
        mark(str(folder), registry, adopt=True)
    (folder / NAME).mkdir()
    with pytest.raises(StoreUnavailable):
        mark(str(folder), registry, new=True)
    assert [name.name for name in folder.iterdir()] == [NAME]
