"""A repository's own files never decide whose project it is; every layout that git itself makes keeps its project."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from holdfast.project import git as reader
from holdfast.project import record, resolve
from holdfast.project.git import Unusable
from holdfast.project.registry import Registry

VICTIM = "https://github.com/acme/victim.git"
VICTIM_ID = "github.com--acme--victim"
HOSTILE = "https://github.com/mallory/clone.git"
HOSTILE_ID = "github.com--mallory--clone"


def who(folder: Path, registry: Registry) -> str:
    return resolve(str(folder), registry).id


def bare_layout(folder: Path, config: str = "", **lines: str) -> Path:
    """Lay out a bare repository of ordinary files, as one can commit them."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
        (folder / name / ".keep").write_text("")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(f"[core]\n\tbare = true\n{config}")
    for name, line in lines.items():
        (folder / name).write_text(f"{line}\n")
    return folder


def remote(url: str) -> str:
    return f'[remote "origin"]\n\turl = {url}\n'


@pytest.fixture
def victim(tmp_path, git, registry) -> Path:
    """A repository without a remote, which Holdfast knows."""
    repo = git.init(tmp_path / "victim")
    record(resolve(str(repo), registry), registry)
    return repo


@pytest.fixture
def hostile(tmp_path, git) -> Path:
    return git.init(tmp_path / "clone", HOSTILE)


@pytest.mark.parametrize("url", [VICTIM, "../../../victim", "/{}/victim"])
def test_a_committed_bare_repository_names_nothing(tmp_path, git, registry, victim, hostile, url):
    """A bare repository made of committed files belongs to the clone that brought it, whatever remote it names."""
    url = url.replace("/{}", str(tmp_path))
    bare_layout(hostile / "docs" / "lib", remote(url))
    git("add", "-Af", ".", cwd=hostile)
    git("commit", "-q", "-m", "harmless", cwd=hostile)
    git("clone", "-q", str(hostile), str(tmp_path / "fresh"), cwd=tmp_path)
    git("remote", "set-url", "origin", HOSTILE, cwd=tmp_path / "fresh")
    for folder in ("docs/lib", "docs/lib/objects", "docs"):
        assert who(tmp_path / "fresh" / folder, registry) == HOSTILE_ID


def test_a_committed_common_directory_is_not_followed(tmp_path, git, registry, victim, hostile):
    """A file `commondir` among committed ones leads nowhere."""
    bare_layout(hostile / "docs" / "lib", commondir=str(victim / ".git"))
    assert who(hostile / "docs" / "lib", registry) == HOSTILE_ID


@pytest.mark.parametrize("extra", [{}, {"commondir": "../victim/.git"}, {"gitdir": "../victim/.git"}])
@pytest.mark.parametrize("url", [VICTIM, "../victim"])
def test_an_unpacked_archive_names_nothing_by_a_bare_repository(tmp_path, git, registry, victim, url, extra):
    """Without any `.git` around it, a bare repository made of files is known by its own place alone."""
    planted = bare_layout(tmp_path / "unpacked", remote(url), **extra)
    project = resolve(str(planted), registry)
    assert project.id not in (VICTIM_ID, who(victim, registry))
    assert project.rule == ("path" if "commondir" in extra else "repository")
    assert project.notes or "commondir" in extra


@pytest.mark.parametrize("kind", ["repository", "worktree", "module", "separate", "bare"])
@pytest.mark.parametrize("how", ["file", "link"])
@pytest.mark.parametrize("nested", [True, False])
def test_a_pointer_that_nothing_points_back_to_is_not_used(tmp_path, git, registry, victim, hostile, kind, how, nested):
    """A `.git` file or link that leads to somebody else's git directory is refused with a note, never followed."""
    git("worktree", "add", "-q", "../wt", cwd=victim)
    git("submodule", "add", "-q", str(victim), "lib", cwd=victim)
    git("init", "-q", "--separate-git-dir", "../apart.git", "../apart", cwd=victim)
    git("clone", "-q", "--bare", str(victim), "../bare.git", cwd=victim)
    targets = {
        "repository": victim / ".git",
        "worktree": victim / ".git" / "worktrees" / "wt",
        "module": victim / ".git" / "modules" / "lib",
        "separate": tmp_path / "apart.git",
        "bare": tmp_path / "bare.git",
    }
    place = hostile / "sub" if nested else tmp_path / "loose"
    place.mkdir()
    if how == "file":
        (place / ".git").write_text(f"gitdir: {targets[kind]}\n")
    else:
        (place / ".git").symlink_to(targets[kind])
    project = resolve(str(place), registry)
    if kind == "separate" and not nested:
        assert project.rule == "repository"  # git leaves no way back in this layout, and nothing lies around it
        return
    assert project.rule == "path"
    assert any("does not point back" in note for note in project.notes)


def test_a_git_folder_with_a_foreign_common_directory_is_not_used(tmp_path, git, registry, victim, hostile):
    """A common directory must hold the git directory that names it."""
    nested = git.init(hostile / "nested")
    (nested / ".git" / "commondir").write_text("../../../victim/.git\n")
    project = resolve(str(nested), registry)
    assert project.rule == "path"
    assert any("not its own" in note for note in project.notes)


def test_alternates_includes_and_other_cases_name_nothing(tmp_path, git, registry, victim, hostile):
    """What else a git directory or a tree can name is not asked."""
    known = git.init(tmp_path / "known", VICTIM)
    (hostile / ".GIT").symlink_to(known / ".git")
    (hostile / "sub").mkdir()
    (hostile / "sub" / ".Git").write_text(f"gitdir: {known}/.git\n")
    with open(hostile / ".git" / "config", "a") as file:
        file.write(f"[include]\n\tpath = {known}/.git/config\n[extensions]\n\tworktreeConfig = true\n")
    (hostile / ".git" / "config.worktree").write_text(remote(VICTIM))
    (hostile / ".git" / "objects" / "info" / "alternates").write_text(f"{known}/.git/objects\n")
    assert {who(place, registry) for place in (hostile, hostile / "sub")} == {HOSTILE_ID}


def test_a_repository_inside_of_another_is_its_own_project(tmp_path, git, registry, hostile):
    """A clone inside of a work tree has a `.git` of its own, which no checkout can bring."""
    inner = git.init(hostile / "vendor" / "inner", VICTIM)
    assert who(inner, registry) == VICTIM_ID
    assert who(hostile / "vendor", registry) == HOSTILE_ID


def test_git_itself_cannot_bring_a_git_file(tmp_path, git, hostile):
    """What the rule leans on: git refuses to check out anything that is named `.git`, in any case."""
    blob = git("hash-object", "-w", "--stdin", cwd=hostile)
    for name in (".git", ".GIT", "sub/.git", "sub/.gIt"):
        assert git.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", cwd=hostile).returncode


def test_worktrees_keep_the_remote_of_their_bare_repository(tmp_path, git, registry):
    """A bare repository that a worktree points to has its remote, also for somebody who stands in it."""
    git.init(tmp_path / "seed")
    git("clone", "-q", "--bare", "seed", "app.git", cwd=tmp_path)
    git("remote", "set-url", "origin", VICTIM, cwd=tmp_path / "app.git")
    assert resolve(str(tmp_path / "app.git"), registry).rule == "repository"
    git("worktree", "add", "-q", "main", cwd=tmp_path / "app.git")
    assert {who(tmp_path / name, registry) for name in ("app.git", "app.git/main")} == {VICTIM_ID}
    shutil.rmtree(tmp_path / "app.git" / "main")
    assert resolve(str(tmp_path / "app.git"), registry).rule == "repository"


def test_a_moved_worktree_is_known_again_after_repair(tmp_path, git, registry):
    """A worktree that was moved by hand does not count until git has repaired it, and the note says how."""
    repo = git.init(tmp_path / "app", VICTIM)
    git("worktree", "add", "-q", "../wt", cwd=repo)
    (tmp_path / "wt").rename(tmp_path / "moved")
    project = resolve(str(tmp_path / "moved"), registry)
    assert project.rule == "path"
    assert any("git worktree repair" in note for note in project.notes)
    git("worktree", "repair", cwd=tmp_path / "moved")
    assert who(tmp_path / "moved", registry) == VICTIM_ID


class Layouts:
    """Makes layouts at random, those of git and those of somebody who would pass for another."""

    def __init__(self, git, root: Path, seed: int) -> None:
        self.git, self.root, self.chance = git, root, random.Random(seed)
        self.git_dirs, self.repos, self.folders, self.planted, self.bare = [], [], [root], set(), set()

    def grow(self) -> None:
        makers = ("repo", "repo", "worktree", "submodule", "bare", "separate", "folder", "layout", "pointer", "link")
        for number in range(14):
            maker = self.chance.choice(makers)
            place = self.chance.choice(self.folders) / f"{maker}{number}"
            getattr(self, f"_{maker}")(place)

    def _made(self, place: Path) -> None:
        if place.is_dir():
            (place / "deep").mkdir(exist_ok=True)
            self.folders += [place, place / "deep"]

    def _repo(self, place: Path) -> None:
        self.git.init(place)
        self.repos.append(place)
        self.git_dirs.append(place / ".git")
        self._made(place)

    def _folder(self, place: Path) -> None:
        place.mkdir(parents=True)
        self._made(place)

    def _worktree(self, place: Path) -> None:
        if (
            self.repos
            and not self.git.run("worktree", "add", "-q", str(place), cwd=self.chance.choice(self.repos)).returncode
        ):
            self._made(place)

    def _submodule(self, place: Path) -> None:
        inside = [repo for repo in self.repos if reader.within(str(place), str(repo))]
        if (
            inside
            and not self.git.run(
                "submodule", "add", "-q", str(self.repos[0]), os.path.relpath(place, inside[-1]), cwd=inside[-1]
            ).returncode
        ):
            self._made(place)

    def _bare(self, place: Path) -> None:
        self.git("init", "-q", "--bare", str(place), cwd=self.root)
        self.git_dirs.append(place)
        self.bare.add(str(place))
        self.folders.append(place / "refs")

    def _separate(self, place: Path) -> None:
        self.git("init", "-q", "--separate-git-dir", f"{place}.dir", str(place), cwd=self.root)
        if self.chance.random() < 0.5:
            self.git("config", "core.worktree", str(place), cwd=place)
        else:  # nothing tells it from a planted one where it lies in another's work tree
            self.planted.add(str(place))
        self.git_dirs.append(Path(f"{place}.dir"))
        self._made(place)

    def _layout(self, place: Path) -> None:
        names = (
            {"commondir": str(self.chance.choice(self.git_dirs))} if self.git_dirs and place.name[-1] in "02468" else {}
        )
        bare_layout(place, remote(VICTIM), **names)
        self.bare.add(str(place))
        self.folders.append(place)

    def _pointer(self, place: Path) -> None:
        place.mkdir(parents=True)
        if self.git_dirs:
            (place / ".git").write_text(f"gitdir: {self.chance.choice(self.git_dirs)}\n")
            self.planted.add(str(place))
        self._made(place)

    def _link(self, place: Path) -> None:
        place.mkdir(parents=True)
        if self.git_dirs:
            (place / ".git").symlink_to(self.chance.choice(self.git_dirs))
            self.planted.add(str(place))
        self._made(place)


def told_by_git(git, folder: Path) -> tuple[str, str] | None:
    """Return root and common directory by git, which takes no bare repository for granted; None where it refuses."""
    said = git.run(
        *("-c", "safe.bareRepository=explicit", "rev-parse", "--path-format=absolute"),
        *("--show-toplevel", "--git-common-dir"),
        cwd=folder,
    )
    top, _, common = os.fsdecode(said.stdout).rstrip("\n").partition("\n")
    return None if said.returncode else (top, os.path.realpath(common))


@pytest.mark.parametrize("seed", range(12))
def test_layouts_made_at_random_are_read_as_git_reads_them(tmp_path, git, seed):
    """Root and common directory are git's own in layouts made at random. Where git refuses a bare repository, the work
    tree around it counts; only a pointer that somebody planted is refused by us alone.
    """
    layouts = Layouts(git, tmp_path, seed)
    layouts.grow()
    for folder in layouts.folders:
        told = told_by_git(git, folder)
        try:
            found = reader.find(str(folder))
        except Unusable:
            assert any(reader.within(str(folder), place) for place in layouts.planted), folder
            continue
        if told is None:
            around = [place for place in folder.parents if reader.within(str(place), str(tmp_path))]
            told = next((there for place in around if (there := told_by_git(git, place))), None)
        if told is None:
            assert found is None or found.root in layouts.bare, folder
        else:
            assert found is not None and (found.root, found.common) == told, folder


@pytest.fixture
def vendored(tmp_path, git, hostile) -> Path:
    """A clone whose committed files are a bare repository that has a commit and names the victim's remote."""
    git("clone", "-q", "--bare", str(git.init(tmp_path / "seed")), "vendor/lib.git", cwd=hostile)
    git("remote", "set-url", "origin", VICTIM, cwd=hostile / "vendor" / "lib.git")
    (hostile / "vendor" / "lib.git" / "refs" / ".keep").write_text("")
    git("add", "-Af", ".", cwd=hostile)
    git("commit", "-q", "-m", "harmless", cwd=hostile)
    git("clone", "-q", str(hostile), "fresh", cwd=tmp_path)
    git("remote", "set-url", "origin", HOSTILE, cwd=tmp_path / "fresh")
    return tmp_path / "fresh" / "vendor" / "lib.git"


@pytest.mark.parametrize("place", ["{}/lib", "{}/fresh/lib", "{}/fresh/vendor/copy"])
@pytest.mark.parametrize("by", ["path", "path without ending", "file url", "worktree", "submodule", "clone of clone"])
def test_what_is_made_of_a_committed_bare_repository_is_not_the_victims(tmp_path, git, registry, vendored, place, by):
    """A clone, submodule or worktree of a bare repository among committed files is known by that one's place alone."""
    made = Path(place.replace("{}", str(tmp_path)))
    source = {"path without ending": str(vendored.with_suffix("")), "file url": vendored.as_uri()}.get(
        by, str(vendored)
    )
    if by == "worktree":
        git("worktree", "add", "-q", str(made), cwd=vendored)
    elif by == "submodule":
        outer = tmp_path / "fresh" if made.is_relative_to(tmp_path / "fresh") else git.init(tmp_path / "outer")
        made = outer / "lib"
        git("submodule", "add", "-q", source, "lib", cwd=outer)
    else:
        git("clone", "-q", source, str(made), cwd=tmp_path)
    if by == "clone of clone":
        git("clone", "-q", str(made), str(tmp_path / "second"), cwd=tmp_path)
        made = tmp_path / "second"
    project = resolve(str(made), registry)
    assert project.id.startswith("lib-")
    assert any("among the files of a work tree" in note for note in project.notes)


def test_a_clone_of_a_bare_repository_that_was_unpacked_is_not_the_victims(tmp_path, git, registry):
    """A bare repository outside of every tree gives a clone no more than it gives somebody who stands in it."""
    git("clone", "-q", "--bare", str(git.init(tmp_path / "seed")), "unpacked.git", cwd=tmp_path)
    git("remote", "set-url", "origin", VICTIM, cwd=tmp_path / "unpacked.git")
    git("clone", "-q", "unpacked.git", "lib", cwd=tmp_path)
    project = resolve(str(tmp_path / "lib"), registry)
    assert project.id == who(tmp_path / "unpacked.git", registry) != VICTIM_ID
    assert any("no work tree points to" in note for note in project.notes)


@pytest.mark.parametrize("around", ["home", "hidden"])
def test_a_bare_repository_with_its_own_work_trees_keeps_its_remote(tmp_path, git, registry, home, around):
    """A home folder kept in git, or the `.git` file beside `.bare`, are no work trees that could have brought it."""
    folder = home / "app"
    bare = folder / (".bare" if around == "hidden" else "app.git")
    folder.mkdir()
    if around == "home":
        git("init", "-q", cwd=home)
    git("clone", "-q", "--bare", str(git.init(tmp_path / "seed")), str(bare), cwd=folder)
    git("remote", "set-url", "origin", VICTIM, cwd=bare)
    if around == "hidden":
        (folder / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", str(folder / "work"), cwd=bare)
    assert who(folder / "work", registry) == VICTIM_ID


SAFE = ["", "*", "{tree}", "{tree}\n\tdirectory =", "{around}/*", "{tree}/sub", "~/tree"]


@pytest.mark.parametrize("safe", SAFE)
def test_a_repository_of_another_user_names_nothing_where_git_refuses_it(
    tmp_path, git, registry, home, safe, monkeypatch
):
    """What another user left in a folder counts only where the person's git config says that it is safe."""
    tree = git.init(home / "tree", VICTIM)
    (tree / "sub").mkdir()
    said = safe.format(tree=tree, around=home)
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {said}\n" if said else "")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    monkeypatch.delenv("SUDO_UID", raising=False)
    asked = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")}
    git.env.update(asked)
    if "/*" not in safe:  # which git knows since 2.46
        assert (git.run("status", cwd=tree / "sub").returncode == 0) == (safe in ("*", "{tree}", "~/tree"))
    project = resolve(str(tree / "sub"), Registry(tmp_path / "store" / "projects.tsv"))
    assert (project.id == VICTIM_ID) == (safe in ("*", "{tree}", "{around}/*", "~/tree"))
    assert project.id == VICTIM_ID or "belongs to another user" in project.notes[0]


def test_a_clone_of_another_users_repository_is_not_named_by_its_remotes(tmp_path, git, registry, monkeypatch):
    """Whoever owns the source of a clone could write any remote into it, so the source is known by its place."""
    source = git.init(tmp_path / "source", VICTIM)
    git("clone", "-q", str(source), str(tmp_path / "mine"), cwd=tmp_path)
    told = os.lstat
    apart = os.getuid() + 1

    def lstat(path, **given):
        found = told(path, **given)
        return os.stat_result((*found[:4], apart, *found[5:])) if str(path).startswith(str(source)) else found

    monkeypatch.setattr(os, "lstat", lstat)
    project = resolve(str(tmp_path / "mine"), registry)
    assert (project.rule, project.id.startswith("source-")) == ("remote", True)
    assert any("belongs to another user" in note for note in project.notes)
