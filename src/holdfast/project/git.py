"""Repositories as they lie on disk, read without the git program.

A folder is inside a repository when it, or one above it, has a `.git` folder, a `.git` file that points to
one (worktrees, submodules), or is itself a bare repository. The environment (GIT_DIR and its like) is not
asked: the folder decides.
"""

from __future__ import annotations

import os

from holdfast.base.digests import sha256
from holdfast.base.files import read_head
from holdfast.base.light_records import dataclass
from holdfast.project import gitconfig
from holdfast.project.files import upwards
from holdfast.project.ids import printable

_POINTER_LIMIT = 64 * 1024
_CONFIG_LIMIT = 4 * 1024 * 1024
_LINE_LIMIT = 64 * 1024


class Unusable(Exception):
    """A repository that cannot be read; the text is a note for the person."""


@dataclass(frozen=True, slots=True)
class Repository:
    """`root` is the top of the work tree asked about, `common` the directory that all worktrees share.

    `base` is the folder that a relative remote starts from; it is the same for all worktrees.
    """

    root: str
    common: str
    base: str


def find(folder: str) -> Repository | None:
    """Return the repository that a folder (a real path) is in; Unusable where git itself would fail."""
    for place in upwards(folder):
        if found := at(place) or _bare(place):
            return found
    return None


def at(place: str) -> Repository | None:
    """Return the repository whose work tree has its top at this folder."""
    git_dir = os.path.join(place, ".git")
    if os.path.isfile(git_dir):
        git_dir = _pointed(place, git_dir)
        if not _is_git_dir(git_dir):
            raise Unusable(f"{printable(place)}/.git points to a repository that is not there, so it is not used")
    elif not _is_git_dir(git_dir):
        return None
    common = _common_dir(git_dir)
    return Repository(root=place, common=common, base=_base(place, os.path.realpath(git_dir), common))


def of_remote(path: str) -> Repository | None:
    """Return the repository that a remote's local path names, with the endings that git tries."""
    for place in (path, f"{path}.git"):
        try:
            if found := at(os.path.realpath(place)) or _bare(os.path.realpath(place)):
                return found
        except Unusable:
            continue
    return None


def common_dirs_of_remote(path: str) -> tuple[str, ...]:
    """Return the common dirs that a repository at a remote's local path could have had."""
    return tuple(os.path.join(path + end, *inner) for end in ("", ".git") for inner in ((".git",), ()))


def remotes(repository: Repository) -> dict[str, str]:
    """Return the remotes of a repository by name; Unusable if its config cannot be read."""
    try:
        data = read_head(os.path.join(repository.common, "config"), _CONFIG_LIMIT)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Unusable(f"the git config cannot be read ({error.strerror}), so its remotes are not used") from None
    try:
        return gitconfig.remotes(data)
    except gitconfig.Broken as broken:
        raise Unusable(f"the git config is broken ({broken}), so its remotes are not used") from None


def fingerprint(common: str) -> str:
    """Return the hash of the first line of HEAD's log, which moves with a repository; empty without one."""
    try:
        line = read_head(os.path.join(common, "logs", "HEAD"), _LINE_LIMIT).partition(b"\n")[0]
    except OSError:
        return ""
    return sha256(line).hexdigest() if line else ""


def name_of(common: str) -> str:
    """Return what a person calls the repository: the folder of its main work tree, or the bare folder."""
    name = os.path.basename(common)
    if name.startswith("."):  # .git, and .bare where people keep worktrees around it
        name = os.path.basename(os.path.dirname(common))
    return name.removesuffix(".git")


def _bare(place: str) -> Repository | None:
    if not _is_git_dir(place):
        return None
    common = _common_dir(place)
    # Somebody stands inside of a .git folder: the project is the one around it.
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else place
    return Repository(root=root, common=common, base=_base(root, place, common))


def _base(place: str, git_dir: str, common: str) -> str:
    if os.path.basename(common) == ".git":
        return os.path.dirname(common)
    return place if git_dir == common else common


def _is_git_dir(path: str) -> bool:
    if not os.path.lexists(os.path.join(path, "HEAD")):
        return False
    common = _common_dir(path)
    return os.path.isdir(os.path.join(common, "objects")) and os.path.isdir(os.path.join(common, "refs"))


def _common_dir(git_dir: str) -> str:
    try:
        line = _line(os.path.join(git_dir, "commondir"))
    except OSError:
        line = ""
    return os.path.realpath(os.path.join(git_dir, line))


def _pointed(place: str, pointer: str) -> str:
    try:
        line = _line(pointer)
    except OSError as error:
        raise Unusable(f"{printable(pointer)} cannot be read ({error.strerror}), so it is not used") from None
    if not line.startswith("gitdir: "):
        raise Unusable(f"{printable(pointer)} is not a file of git, so it is not used")
    return os.path.join(place, line.removeprefix("gitdir: "))


def _line(path: str) -> str:
    data = read_head(path, _POINTER_LIMIT)
    return "" if b"\0" in data else os.fsdecode(data.rstrip(b"\r\n"))
