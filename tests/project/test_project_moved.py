"""What moved keeps its project, a copy or a stranger at the old place does not get it, and what was lost is offered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from holdfast.project import record, resolve
from holdfast.project.marking import mark
from holdfast.project.registry import Registry, add_alias

from .test_project_git import without_inodes


def who(folder: Path, registry: Registry) -> str:
    return resolve(str(folder), registry).id


def known(folder: Path, registry: Registry) -> str:
    """Store something in the folder, so to say, and return its project."""
    project = resolve(str(folder), registry)
    record(project, registry)
    return project.id


def offers(folder: Path, registry: Registry) -> list[str]:
    """Return the ids that the notes offer to merge."""
    notes = resolve(str(folder), registry).notes
    return [note.partition("`holdfast project merge ")[2].partition("`")[0] for note in notes if "merge" in note]


@pytest.mark.parametrize("older", [False, True])
def test_an_unrelated_repository_at_an_old_path_is_another_project(tmp_path, git, registry, older):
    """What is cloned or made where another repository was gets none of its memories, also not in an old home."""
    old = known(git.init(tmp_path / "app"), registry)
    if older:
        without_inodes(registry)
    shutil.rmtree(tmp_path / "app")
    repo = tmp_path / "app"
    repo.mkdir()
    git("init", "-q", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "something else", cwd=repo)
    new = known(repo, registry)
    assert new != old
    assert offers(repo, registry) == [old]
    git("commit", "-q", "--allow-empty", "-m", "more", cwd=repo)
    assert who(repo, registry) == new


def test_a_repository_whose_log_was_cut_keeps_its_project(tmp_path, git, registry):
    """Git lets old lines of the log go after some months; the same directory is still the same repository."""
    repo = git.init(tmp_path / "app")
    git("commit", "-q", "--allow-empty", "-m", "second", cwd=repo)
    old = known(repo, registry)
    log = repo / ".git" / "logs" / "HEAD"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[1:]))
    assert who(repo, registry) == old
    log.unlink()
    assert who(repo, registry) == old


def test_a_repository_keeps_its_project_through_its_first_commit(tmp_path, git, registry):
    """A repository that was known before it had a commit is the same one with it."""
    repo = tmp_path / "app"
    repo.mkdir()
    git("init", "-q", cwd=repo)
    old = known(repo, registry)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=repo)
    assert known(repo, registry) == old


@pytest.mark.parametrize("first", ["copy", "renamed"])
def test_a_marked_folder_that_was_renamed_and_then_copied(tmp_path, registry, first):
    """The renamed folder keeps its id and the copy gets none, whichever of them is used first."""
    folder = tmp_path / "notes"
    folder.mkdir()
    old = mark(str(folder), registry).id
    folder.rename(tmp_path / "renamed")
    shutil.copytree(tmp_path / "renamed", tmp_path / "copy")
    known(tmp_path / first, registry)
    copy = resolve(str(tmp_path / "copy"), registry)
    assert (copy.rule, copy.id == old) == ("path", False)
    assert any("copy" in note for note in copy.notes)
    assert known(tmp_path / "renamed", registry) == old
    assert who(tmp_path / "copy", registry) == copy.id


@pytest.mark.parametrize("first", ["copy", "renamed"])
def test_a_repository_that_was_renamed_and_then_copied(tmp_path, git, registry, first):
    """The same holds for a repository without a remote, which is known by its log."""
    old = known(git.init(tmp_path / "app"), registry)
    (tmp_path / "app").rename(tmp_path / "renamed")
    shutil.copytree(tmp_path / "renamed", tmp_path / "copy")
    known(tmp_path / first, registry)
    assert who(tmp_path / "copy", registry) != old
    assert known(tmp_path / "renamed", registry) == old


def test_a_copy_that_took_the_old_name_is_told_from_the_one_that_moved(tmp_path, git, registry):
    """The folder that was renamed is known by itself, also while a copy stands at its old path."""
    old = known(git.init(tmp_path / "app"), registry)
    (tmp_path / "app").rename(tmp_path / "renamed")
    shutil.copytree(tmp_path / "renamed", tmp_path / "app")
    assert known(tmp_path / "renamed", registry) == old
    assert who(tmp_path / "app", registry) != old


def test_a_marked_folder_from_another_disk_can_be_adopted(tmp_path, registry):
    """A move that is a copy and a removal looks like a copy; the note names the command that says it was a move."""
    folder = tmp_path / "notes"
    folder.mkdir()
    old = mark(str(folder), registry).id
    shutil.copytree(folder, tmp_path / "moved")
    shutil.rmtree(folder)
    assert any("mark --adopt" in note for note in resolve(str(tmp_path / "moved"), registry).notes)
    assert mark(str(tmp_path / "moved"), registry, adopt=True).id == old


@pytest.mark.parametrize("has_git", [False, True])
@pytest.mark.parametrize("older", [False, True])
def test_a_renamed_folder_is_offered_what_it_was(tmp_path, git, registry, has_git, older):
    """A plain folder or a repository without a commit that was renamed names its old id and how to have it back."""
    folder = tmp_path / "notes"
    folder.mkdir()
    if has_git:
        git("init", "-q", cwd=folder)
    old = known(folder, registry)
    if older:
        without_inodes(registry)
    folder = folder.rename(tmp_path / "renamed")
    assert offers(folder, registry) == [old]
    if not older:
        known(folder, registry)
        assert offers(folder, registry) == [old], "what was stored meanwhile takes no offer back"
    add_alias(registry, old, who(folder, registry))
    assert offers(folder, registry) == []


def test_a_folder_that_was_moved_to_another_disk_is_offered_what_it_was(tmp_path, registry):
    """Without its inode a folder is known by its name, as long as nothing was stored in it."""
    (tmp_path / "a" / "notes").mkdir(parents=True)
    old = known(tmp_path / "a" / "notes", registry)
    (tmp_path / "kept").mkdir()
    shutil.copytree(tmp_path / "a" / "notes", tmp_path / "b" / "notes")
    (tmp_path / "a").rename(tmp_path / "kept" / "a")
    assert offers(tmp_path / "b" / "notes", registry) == [old]
    known(tmp_path / "b" / "notes", registry)
    assert offers(tmp_path / "b" / "notes", registry) == []


def test_a_new_folder_is_offered_nothing_that_is_still_there(tmp_path, git, registry):
    """Folders that are still there, and those that a remote names, are offered to nobody."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        known(tmp_path / name, registry)
    known(git.init(tmp_path / "clone", "https://github.com/acme/app"), registry)
    shutil.rmtree(tmp_path / "clone")
    (tmp_path / "three").mkdir()
    assert offers(tmp_path / "three", registry) == []


def begun(folder: Path, git, *, commit: str = "") -> Path:
    """Make a repository, without a commit unless one is named."""
    folder.mkdir()
    git("init", "-q", cwd=folder)
    if commit:
        git("commit", "-q", "--allow-empty", "-m", commit, cwd=folder)
    return folder


def with_inode_of(registry: Registry, repo: Path) -> None:
    """Write down the inode that the git directory has now as the one before, as a disk may give a number again."""
    path, common = Path(registry.path), str(repo / ".git")
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    for row in rows:
        if row[0] == "inode" and row[2] == common:
            row[3] = str((repo / ".git").stat().st_ino)
    path.write_text("".join("\t".join(row) + "\n" for row in rows))


@pytest.mark.parametrize("before", ["", "first"])
@pytest.mark.parametrize("after", ["", "second"])
def test_a_new_repository_at_an_old_path_is_another_project_from_its_first_moment(
    tmp_path, git, registry, before, after
):
    """With or without a commit, before and after, and also where the disk gave it the old one's number."""
    old = known(begun(tmp_path / "app", git, commit=before), registry)
    shutil.rmtree(tmp_path / "app")
    repo = begun(tmp_path / "app", git, commit=after)
    with_inode_of(registry, repo)
    assert offers(repo, registry) == [old]
    new = known(repo, registry)
    assert new != old
    git("commit", "-q", "--allow-empty", "-m", "more", cwd=repo)
    assert known(repo, registry) == new
    assert old in offers(repo, registry)


@pytest.mark.parametrize("commit", ["", "first"])
def test_a_renamed_repository_and_its_copy_at_the_old_place_are_two_projects(tmp_path, git, registry, commit):
    """The copy has the log and the place, and yet it is not the directory that was known; what it was is offered."""
    old = known(begun(tmp_path / "app", git, commit=commit), registry)
    (tmp_path / "app").rename(tmp_path / "renamed")
    shutil.copytree(tmp_path / "renamed", tmp_path / "app")
    assert who(tmp_path / "app", registry) != old
    assert old in offers(tmp_path / "app", registry)
    if commit:
        assert known(tmp_path / "renamed", registry) == old
    copy = known(tmp_path / "app", registry)
    assert copy != old
    assert len({who(tmp_path / name, registry) for name in ("app", "renamed")}) == 2


def test_a_repository_stays_the_same_when_its_disk_is_numbered_anew(tmp_path, git, registry):
    """Some disks give other inodes at each mount, and `chmod` changes the times of every file; neither is a copy."""
    repo = begun(tmp_path / "app", git, commit="first")
    old = known(repo, registry)
    path = Path(registry.path)
    inode = str((repo / ".git").stat().st_ino)
    path.write_text(path.read_text().replace(f"\t{inode}\t", f"\t{inode}1\t"))
    assert known(repo, registry) == old
    (repo / ".git" / "description").chmod(0o600)
    assert known(repo, registry) == old
