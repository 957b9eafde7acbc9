"""Repositories made by the real git program."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from holdfast.project import git as reader
from holdfast.project import record, resolve
from holdfast.project.registry import Registry, add_alias, remove_alias

REMOTE = "https://github.com/acme/app.git"
ID = "github.com--acme--app"


def who(folder: Path, registry: Registry) -> str:
    return resolve(str(folder), registry).id


def without_inodes(registry: Registry) -> None:
    """Leave of the registry what an older version would have written."""
    path = Path(registry.path)
    kept = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("inode\t")]
    path.write_text("".join(kept))


def test_a_remote_names_the_project(tmp_path, git, registry):
    """A repository with a remote is named by the remote, in its root and in a sub-directory."""
    repo = git.init(tmp_path / "app", REMOTE)
    (repo / "src" / "deep").mkdir(parents=True)
    project = resolve(str(repo / "src" / "deep"), registry)
    assert (project.id, project.rule, project.root) == (ID, "remote", str(repo))
    assert "origin" in project.reason


def test_worktrees_with_a_remote_are_one_project(tmp_path, git, registry):
    """A linked worktree has the id of its repository, and its own root."""
    repo = git.init(tmp_path / "app", REMOTE)
    git("worktree", "add", "-q", str(tmp_path / "elsewhere" / "wt"), cwd=repo)
    project = resolve(str(tmp_path / "elsewhere" / "wt"), registry)
    assert (project.id, project.root) == (ID, str(tmp_path / "elsewhere" / "wt"))


def test_worktrees_without_a_remote_are_one_project(tmp_path, git, registry):
    """Without a remote the common directory names the repository, its worktrees and their sub-directories."""
    repo = git.init(tmp_path / "app")
    worktree = tmp_path / "wt"
    git("worktree", "add", "-q", str(worktree), cwd=repo)
    (worktree / "sub").mkdir()
    project = resolve(str(repo), registry)
    assert project.rule == "repository"
    assert project.id.startswith("app-")
    assert who(worktree, registry) == who(worktree / "sub", registry) == project.id


def test_the_folder_beats_git_dir_in_the_environment(tmp_path, git, registry, monkeypatch):
    """A GIT_DIR that a git hook has set does not change which project a folder is."""
    repo, other = git.init(tmp_path / "app", REMOTE), git.init(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert who(repo, registry) == ID


def test_a_clone_of_a_local_repository_is_the_same_project(tmp_path, git, registry):
    """A clone whose source lies on this machine and has no remote gets the id of the source."""
    source = git.init(tmp_path / "source")
    git("clone", "-q", str(source), str(tmp_path / "clone"), cwd=tmp_path)
    git("clone", "-q", (tmp_path / "clone").as_uri(), str(tmp_path / "clone2"), cwd=tmp_path)
    project = resolve(str(tmp_path / "clone2"), registry)
    assert (project.id, project.rule) == (who(source, registry), "remote")
    assert who(tmp_path / "clone", registry) == project.id


def test_a_clone_of_a_clone_has_the_remote_of_the_source(tmp_path, git, registry):
    """A local clone of a repository that has a remote is the project of that remote."""
    source = git.init(tmp_path / "source", REMOTE)
    git("clone", "-q", str(source), str(tmp_path / "clone"), cwd=tmp_path)
    assert who(tmp_path / "clone", registry) == ID


def test_two_clones_of_one_bare_repository_are_one_project(tmp_path, git, registry):
    """Clones of a bare repository, and the bare repository itself, share one id."""
    git.init(tmp_path / "seed")
    git("clone", "-q", "--bare", str(tmp_path / "seed"), str(tmp_path / "app.git"), cwd=tmp_path)
    git("remote", "remove", "origin", cwd=tmp_path / "app.git")
    for name in ("one", "two"):
        git("clone", "-q", str(tmp_path / "app.git"), name, cwd=tmp_path)
    ids = {who(tmp_path / name, registry) for name in ("one", "two", "app.git", "app.git/objects")}
    assert len(ids) == 1
    assert ids.pop().startswith("app-")


def test_a_clone_by_a_path_without_its_ending_is_followed(tmp_path, git, registry):
    """A remote `../app` finds the bare repository `app.git`, from the root of the work tree, as git does."""
    (tmp_path / "work").mkdir()
    git("init", "-q", "--bare", str(tmp_path / "app.git"), cwd=tmp_path)
    repo = git.init(tmp_path / "one", "../app")
    (repo / "sub").mkdir()
    assert who(repo / "sub", registry) == who(tmp_path / "app.git", registry)


def test_a_relative_remote_means_the_same_in_every_worktree(tmp_path, git, registry):
    """A relative remote starts from the repository, however deep a linked worktree lies."""
    git("init", "-q", "--bare", str(tmp_path / "source.git"), cwd=tmp_path)
    git.init(tmp_path / "seed")
    git("clone", "-q", "--bare", "seed", "hub/app.git", cwd=tmp_path)
    git("remote", "set-url", "origin", "../../source.git", cwd=tmp_path / "hub" / "app.git")
    git("worktree", "add", "-q", "../../a/b/c/wt", cwd=tmp_path / "hub" / "app.git")
    ids = {who(tmp_path / name, registry) for name in ("source.git", "hub/app.git", "a/b/c/wt")}
    assert len(ids) == 1


def test_a_local_remote_that_is_not_there_still_names_a_project(tmp_path, git, registry):
    """A clone of a folder that is gone is named by that path, so that two such clones are one project."""
    one = git.init(tmp_path / "one", str(tmp_path / "usb" / "app.git"))
    two = git.init(tmp_path / "two", (tmp_path / "usb" / "app.git").as_uri())
    project = resolve(str(one), registry)
    assert project.id.startswith("local--app-")
    assert project.id == who(two, registry)


def test_a_clone_keeps_the_id_when_its_source_moved(tmp_path, git, registry):
    """A clone whose source was recorded and then moved stays the same project."""
    source = git.init(tmp_path / "source")
    git("clone", "-q", str(source), str(tmp_path / "clone"), cwd=tmp_path)
    before = resolve(str(tmp_path / "clone"), registry)
    record(before, registry)
    source.rename(tmp_path / "moved")
    assert who(tmp_path / "clone", registry) == who(tmp_path / "moved", registry) == before.id


def test_repositories_that_are_each_others_remote_agree(tmp_path, git, registry):
    """A loop of remotes ends, and all its members are one project."""
    one, two = git.init(tmp_path / "one", "../two"), git.init(tmp_path / "two", "../one")
    git.init(tmp_path / "self", ".")
    assert who(one, registry) == who(two, registry)
    assert resolve(str(tmp_path / "self"), registry).rule == "repository"


def test_a_long_chain_of_remotes_ends(tmp_path, git, registry):
    """More than five hops are not followed, and that is no failure."""
    for number in range(9):
        git.init(tmp_path / f"r{number}", f"../r{number + 1}")
    assert who(tmp_path / "r0", registry).startswith("r5-")


def test_a_submodule_is_its_own_project(tmp_path, git, registry):
    """A folder in a submodule belongs to the submodule, not to the repository around it."""
    outer = git.init(tmp_path / "outer", REMOTE)
    library = git.init(tmp_path / "library", "git@github.com:acme/library.git")
    git("submodule", "add", "-q", str(library), "libs/library", cwd=outer)
    assert (outer / "libs" / "library" / ".git").is_file()
    assert who(outer / "libs" / "library", registry) == "github.com--acme--library"
    git("remote", "remove", "origin", cwd=outer / "libs" / "library")
    assert resolve(str(outer / "libs" / "library"), registry).rule == "repository"
    assert who(outer / "libs", registry) == ID


def test_a_renamed_repository_keeps_its_id(tmp_path, git, registry):
    """A recorded repository without a remote is the same project after its folder was renamed, twice."""
    repo = git.init(tmp_path / "app")
    first = resolve(str(repo), registry)
    record(first, registry)
    for name in ("renamed", "again"):
        repo = repo.rename(tmp_path / name)
        project = resolve(str(repo), registry)
        assert project.id == first.id
        assert "moved here" in project.reason
        record(project, registry)
        assert "moved here" not in resolve(str(repo), registry).reason


def test_a_new_repository_at_the_old_place_is_another_project(tmp_path, git, registry):
    """The id goes along with a repository that moved; what comes to its old place gets another one."""
    repo = git.init(tmp_path / "app")
    record(resolve(str(repo), registry), registry)
    moved = repo.rename(tmp_path / "moved")
    record(resolve(str(moved), registry), registry)
    shutil.copytree(moved, tmp_path / "app")
    copy = resolve(str(tmp_path / "app"), registry)
    assert copy.id != who(moved, registry)
    assert any("copy" in note for note in copy.notes)
    shutil.rmtree(tmp_path / "app")
    git.init(tmp_path / "app")
    assert who(tmp_path / "app", registry) == copy.id


def test_a_copied_repository_is_a_project_of_its_own(tmp_path, git, registry):
    """A copy of a recorded repository that is still there gets its own id and a note."""
    repo = git.init(tmp_path / "app")
    record(resolve(str(repo), registry), registry)
    shutil.copytree(repo, tmp_path / "copy")
    copy = resolve(str(tmp_path / "copy"), registry)
    assert copy.id.startswith("copy-")
    assert any(f"holdfast project merge {who(repo, registry)}" in note for note in copy.notes)


def test_two_lost_repositories_are_not_mistaken_for_one(tmp_path, git, registry):
    """Where two repositories that an older version recorded could have moved here, neither id is taken."""
    repo = git.init(tmp_path / "app")
    shutil.copytree(repo, tmp_path / "copy")
    known = set()
    for folder in (repo, tmp_path / "copy"):
        project = resolve(str(folder), registry)
        record(project, registry)
        known.add(project.id)
    without_inodes(registry)
    shutil.rmtree(repo)
    project = resolve(str((tmp_path / "copy").rename(tmp_path / "third")), registry)
    assert project.id not in known
    assert any("holdfast project merge" in note for note in project.notes)


def test_a_remote_added_later_keeps_the_old_id_readable(tmp_path, git, registry):
    """The id that the common directory gave is an alias once the same repository has a remote."""
    repo = git.init(tmp_path / "app")
    old = resolve(str(repo), registry)
    record(old, registry)
    git("remote", "add", "origin", REMOTE, cwd=repo)
    project = resolve(str(repo), registry)
    assert (project.id, project.aliases, project.notes) == (ID, (old.id,), ())
    record(project, registry)
    other = git.init(tmp_path / "other", REMOTE)
    assert resolve(str(other), registry).aliases == (old.id,)
    git("remote", "remove", "origin", cwd=repo)
    assert who(repo, registry) == ID


def test_a_remote_added_after_a_move_keeps_the_old_id_readable(tmp_path, git, registry):
    """A repository that moved and got a remote is still known by its fingerprint."""
    repo = git.init(tmp_path / "app")
    old = resolve(str(repo), registry)
    record(old, registry)
    git("remote", "add", "origin", REMOTE, cwd=repo)
    repo = repo.rename(tmp_path / "moved")
    assert resolve(str(repo), registry).aliases == (old.id,)


def test_an_alias_taken_back_does_not_return_by_itself(tmp_path, git, registry):
    """After `remove_alias` the old id is only suggested."""
    repo = git.init(tmp_path / "app")
    old = resolve(str(repo), registry)
    record(old, registry)
    git("remote", "add", "origin", REMOTE, cwd=repo)
    record(resolve(str(repo), registry), registry)
    remove_alias(registry, old.id)
    project = resolve(str(repo), registry)
    record(project, registry)
    assert resolve(str(repo), registry).aliases == ()
    assert any(f"holdfast project merge {old.id}" in note for note in project.notes)


def test_another_repository_at_the_same_path_is_not_an_alias(tmp_path, git, registry):
    """Only the path is the same: the old id is suggested for a merge, not taken."""
    repo = git.init(tmp_path / "app")
    old = resolve(str(repo), registry)
    record(old, registry)
    shutil.rmtree(repo)
    git.init(tmp_path / "app", REMOTE)
    git("commit", "-q", "--amend", "--allow-empty", "-m", "something else", cwd=repo)
    shutil.rmtree(repo / ".git" / "logs")
    project = resolve(str(repo), registry)
    assert project.aliases == ()
    assert any(f"holdfast project merge {old.id}" in note for note in project.notes)


def test_a_changed_remote_is_suggested_and_not_taken(tmp_path, git, registry):
    """A new origin may be a move or a fresh start from a template, so the person decides."""
    repo = git.init(tmp_path / "app", REMOTE)
    record(resolve(str(repo), registry), registry)
    git("remote", "set-url", "origin", "https://github.com/acme/new", cwd=repo)
    project = resolve(str(repo), registry)
    assert (project.id, project.aliases) == ("github.com--acme--new", ())
    assert any(f"holdfast project merge {ID}" in note for note in project.notes)
    add_alias(registry, ID, project.id)
    merged = resolve(str(repo), registry)
    assert (merged.aliases, merged.notes) == ((ID,), ())


def test_a_folder_that_becomes_a_repository_suggests_its_old_id(tmp_path, git, registry):
    """The id that the path gave is suggested for a merge after `git init`."""
    folder = tmp_path / "notes"
    folder.mkdir()
    old = resolve(str(folder), registry)
    record(old, registry)
    git("init", "-q", cwd=folder)
    project = resolve(str(folder), registry)
    assert project.rule == "repository"
    assert any(f"holdfast project merge {old.id}" in note for note in project.notes)


@pytest.mark.parametrize(
    ("remotes", "expected"),
    [
        ({"zeta": "https://example.com/z"}, "example.com--z"),
        ({"b": "https://example.com/b", "a": "https://example.com/a"}, "example.com--a"),
        ({"a": "https://example.com/a", "origin": "https://example.com/o"}, "example.com--o"),
    ],
)
def test_which_remote_counts(tmp_path, git, registry, remotes, expected):
    """Origin counts, else the only remote, else the first by name."""
    repo = git.init(tmp_path / "app")
    for name, url in remotes.items():
        git("remote", "add", name, url, cwd=repo)
    assert who(repo, registry) == expected


@pytest.mark.parametrize("text", ["[remote", '[remote "origin"]\nurl = "x', "\0", "= x", "[a]\nb = \\q"])
def test_a_broken_config_falls_through(tmp_path, git, registry, text):
    """A config that git refuses is no failure: the common directory names the project, with a note."""
    repo = git.init(tmp_path / "app", REMOTE)
    (repo / ".git" / "config").write_text(text)
    project = resolve(str(repo), registry)
    assert project.rule == "repository"
    assert any("config is broken" in note for note in project.notes)


def test_a_config_that_is_a_pipe_does_not_hang(tmp_path, git, registry):
    """A named pipe in place of the config is not waited for."""
    repo = git.init(tmp_path / "app", REMOTE)
    (repo / ".git" / "config").unlink()
    os.mkfifo(repo / ".git" / "config")
    project = resolve(str(repo), registry)
    assert project.rule == "repository"
    assert project.notes


def test_a_broken_gitfile_falls_through_to_the_path(tmp_path, git, registry):
    """A `.git` file that points nowhere is not taken for the repository above it."""
    outer = git.init(tmp_path / "outer", REMOTE)
    (outer / "wt").mkdir()
    (outer / "wt" / ".git").write_text("gitdir: /nowhere/at/all\n")
    project = resolve(str(outer / "wt"), registry)
    assert project.rule == "path"
    assert any("points to" in note for note in project.notes)


def test_an_empty_git_folder_is_no_repository(tmp_path, git, registry):
    """A `.git` folder without a repository in it is passed over, as git does."""
    outer = git.init(tmp_path / "outer", REMOTE)
    (outer / "sub" / ".git").mkdir(parents=True)
    assert git("rev-parse", "--show-toplevel", cwd=outer / "sub") == str(outer)
    assert who(outer / "sub", registry) == ID


def test_a_repository_without_a_commit_is_a_project(tmp_path, git, registry):
    """A fresh `git init` resolves, and recording it is harmless."""
    (tmp_path / "fresh").mkdir()
    git("init", "-q", cwd=tmp_path / "fresh")
    project = resolve(str(tmp_path / "fresh"), registry)
    record(project, registry)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=tmp_path / "fresh")
    assert resolve(str(tmp_path / "fresh"), registry) == project


def test_inside_of_the_git_folder(tmp_path, git, registry):
    """A git hook that runs in `.git` is in the project around it."""
    repo = git.init(tmp_path / "app")
    project = resolve(str(repo / ".git" / "hooks"), registry)
    assert (project.id, project.root) == (who(repo, registry), str(repo))


def test_worktrees_around_a_hidden_bare_repository(tmp_path, git, registry):
    """With a bare repository in `.bare`, the folder around it gives the name."""
    git.init(tmp_path / "seed")
    git("clone", "-q", "--bare", "seed", "app/.bare", cwd=tmp_path)
    git("remote", "remove", "origin", cwd=tmp_path / "app" / ".bare")
    (tmp_path / "app" / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", "work", cwd=tmp_path / "app")
    assert who(tmp_path / "app" / "work", registry) == who(tmp_path / "app", registry)
    assert who(tmp_path / "app", registry).startswith("app-")


def test_the_common_directory_is_the_one_that_git_names(tmp_path, git, registry):
    """Root and common directory are what `git rev-parse` says, in every kind of work tree."""
    repo = git.init(tmp_path / "app")
    git("worktree", "add", "-q", "../wt", cwd=repo)
    git("init", "-q", "--separate-git-dir", "../apart.git", "../apart", cwd=repo)
    git("submodule", "add", "-q", str(repo), "lib", cwd=repo)
    (repo / "sub" / "deep").mkdir(parents=True)
    for folder in (repo, repo / "sub" / "deep", tmp_path / "wt", tmp_path / "apart", repo / "lib"):
        found = reader.find(str(folder))
        assert found is not None
        common = Path(git("rev-parse", "--git-common-dir", cwd=folder))
        assert found.common == str((folder / common).resolve())
        assert found.root == git("rev-parse", "--show-toplevel", cwd=folder)


def test_recording_twice_writes_once(tmp_path, git, registry):
    """What is known already is not appended again."""
    repo = git.init(tmp_path / "app")
    for _ in range(3):
        record(resolve(str(repo), registry), registry)
    assert len(Path(registry.path).read_text().splitlines()) == 3
