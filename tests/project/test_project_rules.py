"""The order of the rules, ids that are given, and places that are no project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import project as package
from holdfast.errors import BadId, ScopeUnknown
from holdfast.project import record, resolve
from holdfast.project.ids import check_id
from holdfast.project.marking import mark
from holdfast.project.registry import add_alias


@pytest.mark.parametrize("name", ["app", "A.b_c-9", "-x", "x" * 128, "a..b", "0"])
def test_an_override_wins(tmp_path, git, registry, name):
    """A good id that is given beats every other rule, and is taken as it is."""
    repo = git.init(tmp_path / "app", "https://github.com/acme/app")
    project = resolve(str(repo), registry, override=name)
    assert (project.id, project.rule, project.root) == (name, "override", str(repo))
    assert "HOLDFAST_PROJECT" in project.reason


BAD = [
    "",
    "../x",
    "a/b",
    "a\0b",
    "x" * 129,
    ".",
    "..",
    "...",
    ".hidden",
    "a b",
    "a\n",
    "ä",
    "a\u202eb",
    "x\x1b[31m",
]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_id_is_refused(name):
    """A bad id is refused, never repaired; the text is safe to print and has a way out."""
    with pytest.raises(BadId) as caught:
        check_id(name, "the session id")
    text = str(caught.value)
    assert text.startswith("the session id cannot be")
    assert text.isprintable()
    assert "1 to 128" in caught.value.hint


@pytest.mark.parametrize("name", BAD[1:])
def test_a_bad_override_is_refused(tmp_path, registry, name):
    """A bad override is an error that names its source; no other rule is tried."""
    with pytest.raises(BadId, match="project in config"):
        resolve(str(tmp_path), registry, override=name, override_from="project in config")


def test_an_empty_override_is_none(tmp_path, registry):
    """An empty variable is the same as none."""
    assert resolve(str(tmp_path), registry, override="").rule == "path"


def test_an_override_that_was_merged_away(tmp_path, registry):
    """An id that was merged into another resolves to that one, also when it is given."""
    add_alias(registry, "old", "new")
    project = resolve(str(tmp_path), registry, override="old")
    assert (project.id, project.aliases) == ("new", ("old",))


def test_recording_an_override_writes_nothing(tmp_path, registry):
    """An override says nothing about the folder."""
    record(resolve(str(tmp_path), registry, override="x"), registry)
    assert not os.path.exists(registry.path)


def test_a_plain_folder_is_named_by_its_path(tmp_path, registry):
    """Without git and marker the id is the folder's name and a hash of its real path."""
    (tmp_path / "notes").mkdir()
    project = resolve(str(tmp_path / "notes"), registry)
    assert (project.rule, project.root) == ("path", str(tmp_path / "notes"))
    name, _, tail = project.id.rpartition("-")
    assert (name, len(tail)) == ("notes", 12)


def test_looking_leaves_no_trace(tmp_path, git, registry):
    """Resolving writes neither into the folder nor into the registry."""
    (tmp_path / "notes").mkdir()
    resolve(str(tmp_path / "notes"), registry)
    resolve(str(git.init(tmp_path / "app")), registry)
    assert list((tmp_path / "notes").iterdir()) == []
    assert not os.path.exists(os.path.dirname(registry.path))


@pytest.mark.parametrize(
    "name", ["日本語", "größe", "a b", "-x-", "...x", "x" * 255, "tab\there", "über--all", "\udcff"]
)
def test_any_folder_name_gives_a_good_id(tmp_path, git, registry, name):
    """A folder of any name resolves to a good id, as a path, a marked folder and a repository."""
    place = tmp_path / name
    place.mkdir()
    project = resolve(str(place), registry)
    assert check_id(project.id) == project.id
    assert (project.reason + "".join(project.notes)).isprintable()
    assert mark(str(place), registry).id == project.id
    git("init", "-q", cwd=place)
    inside = resolve(str(place), registry)
    assert inside.rule == "repository"
    assert check_id(inside.id) == inside.id
    assert inside.reason.isprintable()


def test_two_folders_of_one_name_differ(tmp_path, registry):
    """Names that become the same slug are told apart by their paths."""
    ids = set()
    for name in ("a b", "a-b", "x/a b", "日本", "中国"):
        (tmp_path / name).mkdir(parents=True)
        ids.add(resolve(str(tmp_path / name), registry).id)
    assert len(ids) == 5


def test_a_symbolic_link_is_its_target(tmp_path, git, registry):
    """A folder reached through a link is the project of the real folder, with and without git."""
    repo = git.init(tmp_path / "app")
    (repo / "sub").mkdir()
    (tmp_path / "plain").mkdir()
    for target in ("app", "app/sub", "plain"):
        link = tmp_path / f"to-{target.replace('/', '-')}"
        link.symlink_to(tmp_path / target)
        assert resolve(str(link), registry) == resolve(str(tmp_path / target), registry)


def test_home_and_root_are_no_projects(home, registry):
    """The home folder and / are no project, and the hint names the ways out."""
    for place in (str(home), f"{home}/", "/"):
        with pytest.raises(ScopeUnknown) as caught:
            resolve(place, registry)
        assert "--scope global" in caught.value.hint
        assert "--project ID" in caught.value.hint
        assert resolve(place, registry, override="x").id == "x"


def test_home_through_a_link_is_no_project(home, tmp_path, registry):
    """A link to the home folder is the home folder."""
    (tmp_path / "link").symlink_to(home)
    with pytest.raises(ScopeUnknown):
        resolve(str(tmp_path / "link"), registry)


@pytest.mark.parametrize("folder", ["", ".", "sub"])
def test_a_working_directory_that_is_gone(tmp_path, registry, monkeypatch, folder):
    """Where the working directory was deleted there is no project, but an override still holds."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ScopeUnknown):
        resolve(folder, registry)
    project = resolve(folder, registry, override="x")
    assert (project.id, project.root) == ("x", "")


@pytest.mark.parametrize("name", ["missing", "file", "nul\0byte"])
def test_a_folder_that_is_none(tmp_path, registry, name):
    """A path without a folder is no project."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ScopeUnknown):
        resolve(str(tmp_path / name), registry)


def test_the_working_directory_is_the_default(tmp_path, registry, monkeypatch):
    """An empty folder means the working directory."""
    monkeypatch.chdir(tmp_path)
    assert resolve("", registry) == resolve(str(tmp_path), registry)


def test_dotfiles_in_git_do_not_swallow_the_home(home, git, registry):
    """A repository whose root is the home folder does not count for the folders below, and a note says so."""
    git("init", "-q", cwd=home)
    git("remote", "add", "origin", "https://github.com/me/dotfiles", cwd=home)
    (home / "notes").mkdir()
    project = resolve(str(home / "notes"), registry)
    assert project.rule == "path"
    assert any("does not count" in note for note in project.notes)
    assert mark(str(home / "notes"), registry).rule == "marker"
    inner = git.init(home / "src" / "app", "https://github.com/acme/app")
    assert resolve(str(inner), registry).id == "github.com--acme--app"
    assert resolve(str(home / ".git"), registry).rule == "path"
    with pytest.raises(ScopeUnknown):
        resolve(str(home), registry)


def test_a_home_inside_of_a_repository(tmp_path, git, registry, monkeypatch):
    """A sandbox keeps its home inside of the repository: the repository counts outside of that home only."""
    repo = git.init(tmp_path / "app", "https://github.com/acme/app")
    (repo / "box" / "x").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(repo / "box"))
    assert resolve(str(repo), registry).rule == "remote"
    assert resolve(str(repo / "box" / "x"), registry).rule == "path"


def test_a_home_that_is_not_there(tmp_path, registry, monkeypatch):
    """A HOME that names nothing changes nothing."""
    monkeypatch.setenv("HOME", "/nonexistent")
    assert resolve(str(tmp_path), registry).rule == "path"


def test_recording_a_folder_that_is_gone_is_harmless(tmp_path, registry):
    """A project whose folder was deleted meanwhile is not recorded, and that is no error."""
    (tmp_path / "x").mkdir()
    project = resolve(str(tmp_path / "x"), registry)
    (tmp_path / "x").rmdir()
    record(project, registry)
    assert not os.path.exists(registry.path)


LOADED = "import sys; sys.path.insert(0, sys.argv[1]); import holdfast.project; print(*sorted(sys.modules))"


def test_the_import_is_light():
    """Nothing that costs a prompt hook its budget is imported."""
    source = str(Path(package.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LOADED, source], capture_output=True, text=True, check=True
    )
    heavy = {
        "re",
        "dataclasses",
        "typing",
        "pathlib",
        "subprocess",
        "json",
        "tomllib",
        "configparser",
        "enum",
    }
    assert heavy.isdisjoint(done.stdout.split())
