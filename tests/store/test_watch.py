"""Being told of changes: every change of a watched folder is reported by name, and doubt is told as None."""

from __future__ import annotations

import os
import sys

import pytest

from holdfast.store.watch import Watch, is_local

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells of changes")


@pytest.fixture
def watch():
    """A watch that is closed in the end."""
    made = Watch()
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path, watch):
    """A watched folder with one file."""
    place = tmp_path / "above" / "memories"
    place.mkdir(parents=True)
    (place / "old.md").write_text("old")
    if not watch.add(str(place)):
        pytest.skip("the file system of the tests cannot be watched")
    return place


def test_nothing_touched_is_no_name(watch, folder):
    """A folder in which nothing happened has no touched names, and reading is no touch."""
    assert (folder / "old.md").read_text() == "old"
    assert watch.touched(str(folder)) == set()


def test_creating_editing_and_deleting_are_reported(watch, folder):
    """A new file, an edit in place, an appended line, a changed mode and a deletion each name the file, once."""
    path = folder / "new.md"

    def append() -> None:
        with open(path, "a") as file:
            file.write("more")

    for act in (path.touch, lambda: path.write_text("text"), append, lambda: path.chmod(0o600), path.unlink):
        act()
        assert watch.touched(str(folder)) == {"new.md"}
        assert watch.touched(str(folder)) == set()


def test_a_rename_reports_both_names(watch, folder):
    """Within the folder a rename names the old and the new; over its edge, the one that is within."""
    os.rename(folder / "old.md", folder / "new.md")
    assert watch.touched(str(folder)) == {"old.md", "new.md"}
    os.rename(folder / "new.md", folder.parent / "out.md")
    assert watch.touched(str(folder)) == {"new.md"}
    os.replace(folder.parent / "out.md", folder / "in.md")
    assert watch.touched(str(folder)) == {"in.md"}


def test_an_edit_that_is_not_closed_yet_is_reported(watch, folder):
    """What was written is reported though the file is still open."""
    with open(folder / "old.md", "r+") as file:
        file.write("NEW")
        file.flush()
        assert watch.touched(str(folder)) == {"old.md"}


def test_links_folders_and_strange_names_are_reported(watch, folder):
    """Everything that appears in the folder is named, whatever it is and however its name is spelt."""
    os.symlink("old.md", folder / "link.md")
    (folder / "sub").mkdir()
    with open(os.path.join(os.fsencode(folder), b"\xff.md"), "wb"):
        pass
    (folder / "部署 🚀.md").touch()
    assert watch.touched(str(folder)) == {"link.md", "sub", "\udcff.md", "部署 🚀.md"}


def test_folders_do_not_mix(watch, folder, tmp_path):
    """Each folder is told of its own files, and asking for one does not lose the other's."""
    other = tmp_path / "other"
    other.mkdir()
    assert watch.add(str(other))
    (other / "a.md").touch()
    (folder / "b.md").touch()
    assert watch.touched(str(folder)) == {"b.md"}
    assert watch.touched(str(other)) == {"a.md"}


def test_one_folder_under_two_names(watch, folder):
    """A folder that is watched under two names is reported under both."""
    again = f"{folder.parent}/./memories"
    assert watch.add(again)
    (folder / "a.md").touch()
    assert watch.touched(str(folder)) == {"a.md"}
    assert watch.touched(again) == {"a.md"}


def test_adding_again_loses_nothing(watch, folder):
    """What was touched before a folder is added a second time is still reported."""
    (folder / "a.md").touch()
    assert watch.add(str(folder))
    assert watch.touched(str(folder)) == {"a.md"}


def test_many_changes_are_all_reported(watch, folder):
    """More reports than fit into one reading come through whole."""
    names = {f"{'x' * 200}-{number}.md" for number in range(1000)}
    for name in names:
        (folder / name).touch()
    assert watch.touched(str(folder)) == names


def remove(folder) -> None:
    """Take the folder away."""
    (folder / "old.md").unlink()
    folder.rmdir()


@pytest.mark.parametrize(
    "act",
    [
        remove,
        lambda folder: folder.rename(folder.parent / "elsewhere"),
        lambda folder: folder.parent.rename(folder.parent.parent / "elsewhere"),
    ],
    ids=["removed", "renamed", "renamed above it"],
)
@pytest.mark.parametrize("again", [False, True], ids=["gone", "another in its place"])
def test_a_folder_that_went_answers_none(watch, folder, act, again):
    """A folder that was removed or renamed, or one above it, has to be swept, though another stands in its place."""
    act(folder)
    if again:
        folder.mkdir(parents=True)
        (folder / "unseen.md").touch()
    assert watch.touched(str(folder)) is None
    assert watch.touched(str(folder)) is None
    assert watch.add(str(folder)) is again
    if again:
        (folder / "seen.md").touch()
        assert watch.touched(str(folder)) == {"seen.md"}


def test_what_is_not_watched_answers_none(watch, folder, tmp_path):
    """Only what was added is known; a folder within it is not."""
    assert watch.touched(str(tmp_path)) is None
    assert watch.touched("") is None
    assert Watch().touched(str(folder)) is None


def test_what_cannot_be_watched_is_refused(watch, folder, tmp_path):
    """A file, a link to a folder, what is not there and a foreign file system are not watched."""
    os.symlink(folder, tmp_path / "link")
    for place in (folder / "old.md", tmp_path / "link", tmp_path / "missing", "/proc"):
        assert not watch.add(str(place))
        assert watch.touched(str(place)) is None


def test_after_closing_nothing_is_known(watch, folder):
    """A closed watch answers None, may be closed again, gives its descriptor back, and can watch anew."""
    before = len(os.listdir("/proc/self/fd"))
    watch.close()
    watch.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1
    assert watch.touched(str(folder)) is None
    assert watch.add(str(folder))
    (folder / "a.md").touch()
    assert watch.touched(str(folder)) == {"a.md"}


def test_lost_reports_answer_none(watch, folder):
    """When the system says that reports were lost, every folder has to be swept."""
    overflow = (-1).to_bytes(4, sys.byteorder, signed=True) + (0x4000).to_bytes(4, sys.byteorder) + bytes(8)
    watch._take(overflow)
    assert watch.touched(str(folder)) is None


def test_which_file_systems_are_relied_on(tmp_path):
    """A kernel's own file system, and what is not there, are not local files."""
    assert not is_local("/proc")
    assert not is_local("/sys")
    assert not is_local(str(tmp_path / "missing"))
