"""Repositories as they lie on disk, read without the git program.

A folder is inside a repository when it, or one above it, has a `.git` folder, or a `.git` file or link to one that
points back (worktrees, submodules). A bare repository counts only outside of all work trees, because it can be made
of files that somebody committed: git never checks out a `.git`, and so nothing that a repository contains says whose
project it is. The environment (GIT_DIR and its like) is not asked: the folder decides. Where git refuses to work
because a repository is another user's, it names nothing here: whoever may write to a folder above could have made it.

Of git's config language only what tells the remotes is read, as git's own reader does it: sections, quoted subsections,
escapes, comments, continued lines, names in any case. `include` is not followed. A file that git would refuse is
refused here too, with Broken.
"""

from __future__ import annotations

import os

from holdfast.base.files import names_in, read_head
from holdfast.base.light_records import dataclass
from holdfast.base.text import sha256
from holdfast.project.ids import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    _Parsed = TypeVar("_Parsed")

_POINTER_LIMIT = 64 * 1024
_CONFIG_LIMIT = 4 * 1024 * 1024
_LINE_LIMIT = 64 * 1024
_SPACE = " \t\r\n"
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
_NAME_GUESS = 100  # a config can have a thousand branches, and almost all of their names are plain and short
_TRUE = ("", "true", "yes", "on", "1")  # a name alone is true, and reads as empty
_SPECIAL = ('"', "\\", "#", ";")
_BRANCH, _OF_ORIGIN = "refs/heads/", "refs/remotes/origin/"
_REBASED = (("rebase-merge", "head-name"), ("rebase-apply", "head-name"))
_DEFAULTS = ("main", "master", "trunk", "develop")


class Unusable(Exception):
    """A repository that cannot be read; the text is a note for the person."""


class Broken(ValueError):
    """The file is not in git's config language. The text repeats no word of it, as a token may be in it."""


@dataclass(frozen=True, slots=True)
class Repository:
    """`root` is the top of the work tree asked about, `common` the directory that all worktrees share.

    `base` is the folder that a relative remote starts from; it is the same for all worktrees. `is_claim` says that
    nothing but a folder's own files makes it a bare repository, so that its remotes could be anybody's words.
    `is_others` says that it belongs to another user, and the person told git of no exception.
    """

    root: str
    common: str
    base: str
    is_claim: bool = False
    is_others: bool = False


def upwards(folder: str) -> list[str]:
    """Return the folder and all folders above it, nearest first."""
    places = [folder]
    while (above := os.path.dirname(places[-1])) != places[-1]:
        places.append(above)
    return places


def within(folder: str, outer: str) -> bool:
    """Tell whether the folder is `outer` or below it; both are real paths."""
    return folder == outer or folder.startswith(outer.rstrip("/") + "/")


def find(folder: str, counts: Callable[[str], bool] = lambda root: True) -> Repository | None:
    """Return the repository that a folder (a real path) is in; Unusable where its `.git` cannot be trusted.

    `counts` is asked for each folder that has a `.git`.
    """
    places = upwards(folder)
    trees = [place for place in places if os.path.lexists(os.path.join(place, ".git")) and counts(place)]
    for place in trees:
        if found := at(place, nested=place != trees[-1]):
            return _persons(found)
    for place in places:
        # A folder `.git` is its parent's, which was asked.
        if os.path.basename(place) != ".git" and (found := _bare(place)):
            return _persons(found)
    return None


def _persons(found: Repository) -> Repository:
    """Return the repository if git would work in it for this user; else Unusable."""
    if found.is_others:
        raise Unusable(
            f"the repository at {printable(found.root)} belongs to another user, so it is not used, as git does not; "
            "if you trust it, `git config --global --add safe.directory` with its folder says so to both"
        )
    return found


def at(place: str, *, nested: bool = False) -> Repository | None:
    """Return the repository whose work tree has its top at this folder; `nested` where it lies in another's."""
    git_dir = os.path.join(place, ".git")
    if os.path.isfile(git_dir):
        git_dir = os.path.join(place, _pointed(git_dir))
        if not _is_git_dir(git_dir):
            raise Unusable(f"{printable(place)}/.git points to a repository that is not there, so it is not used")
    elif not _is_git_dir(git_dir):
        return None
    real = os.path.realpath(git_dir)
    if not _is_own(place, real, nested=nested):
        raise Unusable(
            f"{printable(place)}/.git points to {printable(real)}, which does not point back, so it is not used; "
            "`git worktree repair` mends a worktree that was moved, and `git config core.worktree` names the "
            "work tree of a git directory"
        )
    common = _common_dir(real)
    is_others = _is_others(place, place, os.path.join(place, ".git"), real)
    return Repository(place, common, _base(place, real, common), is_others=is_others)


def _is_others(root: str, *paths: str) -> bool:
    """Tell whether one of these paths is another user's, as git asks, and the person told git of no exception."""
    own = {os.geteuid()}
    if own == {0} and (caller := os.environ.get("SUDO_UID", "")).isdigit():
        own.add(int(caller))
    return not own.issuperset(os.lstat(path).st_uid for path in paths) and not _is_safe(root)


def _is_safe(root: str) -> bool:
    """Tell whether `safe.directory` of the machine's or the person's git config names this folder."""
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    safe: list[str] = []
    for folder, name in (("/etc", "gitconfig"), (settings, "git/config"), (os.path.expanduser("~"), ".gitconfig")):
        for section, key, value in _config(folder, name, _entries):
            if (section, key) == ("safe", "directory"):
                safe = [*safe, value] if value else []  # an empty value takes the ones before it back
    real = [one if one == "*" else os.path.realpath(os.path.expanduser(one)) for one in safe]
    return any(one in ("*", root) or (one.endswith("/*") and within(root, one[:-2])) for one in real)


def _is_own(place: str, git_dir: str, *, nested: bool) -> bool:
    """Tell whether a git directory, a real path, is that of the work tree at this place, from its own end too."""
    if git_dir == os.path.join(place, ".git"):
        return True
    if back := _line_or_none(os.path.join(git_dir, "gitdir")):
        tree, name = os.path.split(os.path.join(git_dir, back))
        return name == ".git" and os.path.realpath(tree) == place
    core = _core(git_dir)
    if tree := core.get("worktree", ""):
        return os.path.realpath(os.path.join(git_dir, tree)) == place
    # `git init --separate-git-dir` leaves no way back; what is another's for certain is not taken.
    if nested:
        return False
    is_bare = core.get("bare", "false").lower() in _TRUE
    return within(git_dir, place) or not (is_bare or os.path.basename(git_dir) == ".git")


def _core(git_dir: str) -> dict[str, str]:
    """Return the section `core` of a git directory, with that of its own file where the config says there is one."""
    found: dict[str, str] = {}
    for name in ("config", "config.worktree"):
        for section, key, value in _config(git_dir, name, _entries):
            if section == "core" or (section, key) == ("extensions", "worktreeconfig"):
                found[key] = value
        if found.get("worktreeconfig", "false").lower() not in _TRUE:
            break
    return found


def _config(git_dir: str, name: str, parse: Callable[[bytes], _Parsed]) -> _Parsed:
    try:
        return parse(read_head(os.path.join(git_dir, name), _CONFIG_LIMIT))
    except FileNotFoundError:
        return parse(b"")
    except OSError as error:
        raise Unusable(f"the git config cannot be read ({error.strerror}), so its remotes are not used") from None
    except Broken as broken:
        raise Unusable(f"the git config is broken ({broken}), so its remotes are not used") from None


def of_remote(path: str) -> Repository | None:
    """Return the repository that a remote's local path names, with the endings that git tries."""
    for place in (os.path.realpath(path), os.path.realpath(f"{path}.git")):
        try:
            if found := at(place) or _bare(place):
                return found
        except Unusable:
            continue
    return None


def common_dirs_of_remote(path: str) -> tuple[str, ...]:
    """Return the common dirs that a repository at a remote's local path could have had."""
    return tuple(os.path.join(path + end, *inner) for end in ("", ".git") for inner in ((".git",), ()))


def is_content(common: str, counts: Callable[[str], bool]) -> bool:
    """Tell whether a git directory may be files of a work tree around it, which anybody can have committed.

    `counts` is asked for each folder that has a `.git`.
    """
    if os.path.basename(common) == ".git":
        return False
    for place in upwards(os.path.dirname(common)):
        own = os.path.join(place, ".git")
        if os.path.lexists(own) and counts(place):
            pointed = _line_or_none(own).removeprefix("gitdir: ") if os.path.isfile(own) else own
            if not within(common, os.path.realpath(os.path.join(place, pointed))):
                return True
    return False


def remotes(repository: Repository) -> dict[str, str]:
    """Return the remotes of a repository by name; Unusable if its config cannot be read."""
    return _config(repository.common, "config", parsed_remotes)


def fingerprint(common: str) -> str:
    """Return the hash of the first line of HEAD's log, which moves with a repository; empty without one."""
    line = _first_of_log(common)
    return sha256(line).hexdigest() if line else ""


def has_whole_log(common: str) -> bool:
    """Tell whether HEAD's log still begins where the repository did, so that its first line was never another."""
    # The commit before the first one is written as zeros; git lets old lines go after some months.
    return _first_of_log(common).startswith(b"0" * 40)


def _first_of_log(common: str) -> bytes:
    try:
        return read_head(os.path.join(common, "logs", "HEAD"), _LINE_LIMIT).partition(b"\n")[0]
    except OSError:
        return b""


def branch_at(root: str) -> str:
    """Return the branch that is checked out in the work tree at this folder, also while it is rebased; or nothing."""
    try:
        git_dir = os.path.join(root, ".git")
        git_dir = os.path.join(root, _pointed(git_dir)) if os.path.isfile(git_dir) else git_dir
    except Unusable:
        return ""
    said = [_line_or_none(os.path.join(git_dir, *name)) for name in (("HEAD",), *_REBASED)]
    return next((one.removeprefix(_BRANCH) for one in [said[0].removeprefix("ref: "), *said[1:]] if _BRANCH in one), "")


def branch_in(folder: str) -> str:
    """Return the branch that is checked out where a folder is, at the top of its work tree or below; or nothing."""
    tops = [one for one in upwards(folder) if os.path.lexists(os.path.join(one, ".git"))]
    return branch_at(tops[0]) if tops else ""


def default_branch(common: str) -> str:
    """Return the branch that the others are merged into: what the remote says, or else a usual name that is there."""
    said = _line_or_none(os.path.join(common, "refs", "remotes", "origin", "HEAD"))
    if said.startswith(f"ref: {_OF_ORIGIN}"):
        return said.removeprefix(f"ref: {_OF_ORIGIN}")
    packed = _line_or_none(os.path.join(common, "packed-refs"))
    return next(
        (
            name
            for name in _DEFAULTS
            if os.path.lexists(os.path.join(common, "refs", "heads", name)) or f"{_BRANCH}{name}\n" in f"{packed}\n"
        ),
        "",
    )


def name_of(common: str) -> str:
    """Return what a person calls the repository: the folder of its main work tree, or the bare folder."""
    name = os.path.basename(common)
    if name.startswith("."):  # .git, and .bare where people keep worktrees around it
        name = os.path.basename(os.path.dirname(common))
    return name.removesuffix(".git")


def _bare(place: str) -> Repository | None:
    try:
        if not _is_git_dir(place):
            return None
        common = _common_dir(place)
        # Somebody stands inside of a .git folder: the project is the one around it.
        root = os.path.dirname(common) if os.path.basename(common) == ".git" else place
        others = _is_others(place, place)
        return Repository(root, common, _base(root, place, common), is_claim=not _has_tree(common), is_others=others)
    except Unusable:
        return None


def _has_tree(common: str) -> bool:
    """Tell whether a work tree belongs to a git directory: its `.git`, which no repository contains, points there."""
    folder = os.path.join(common, "worktrees")
    dirs = [os.path.join(folder, name) for name in names_in(folder)]
    ends = [(own, os.path.join(own, back)) for own in dirs if (back := _line_or_none(os.path.join(own, "gitdir")))]
    if tree := _core(common).get("worktree", ""):
        ends.append((common, os.path.join(common, tree, ".git")))
    for own, end in ends:
        line = _line_or_none(end) if os.path.basename(end) == ".git" else ""
        there = os.path.join(os.path.dirname(end), line.removeprefix("gitdir: "))
        if line.startswith("gitdir: ") and os.path.realpath(there) == own:
            return True
    return False


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
    """Return the directory that a git directory shares with others, which must hold it; else Unusable."""
    real = os.path.realpath(git_dir)
    line = _line_or_none(os.path.join(real, "commondir"))
    common = os.path.realpath(os.path.join(real, line))
    if line and os.path.dirname(real) != os.path.join(common, "worktrees"):
        raise Unusable(f"{printable(real)} names a common directory that is not its own, so it is not used")
    return common


def _pointed(pointer: str) -> str:
    try:
        line = _line(pointer)
    except OSError as error:
        raise Unusable(f"{printable(pointer)} cannot be read ({error.strerror}), so it is not used") from None
    if not line.startswith("gitdir: "):
        raise Unusable(f"{printable(pointer)} is not a file of git, so it is not used")
    return line.removeprefix("gitdir: ")


def _line_or_none(path: str) -> str:
    try:
        return _line(path)
    except OSError:
        return ""


def _line(path: str) -> str:
    data = read_head(path, _POINTER_LIMIT)
    return "" if b"\0" in data else os.fsdecode(data.rstrip(b"\r\n"))


def parsed_remotes(data: bytes) -> dict[str, str]:
    """Return the url of each remote that has one, by name; the last line wins, as in `git config --get`."""
    urls = {}
    for section, name, value in _entries(data):
        if name == "url" and section.startswith("remote."):
            urls[section.removeprefix("remote.")] = value
    return {name: url for name, url in urls.items() if url}


def _entries(data: bytes) -> list[tuple[str, str, str]]:
    return list(_Reader(data.decode("utf-8", "surrogateescape")).entries())


class _Reader:
    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        if "\0" in text:
            raise Broken("it has a NUL character")
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.at = 0

    def entries(self) -> Iterator[tuple[str, str, str]]:
        section = ""
        while self.at < len(self.text):
            c = self._next()
            if c in _SPACE:
                continue
            if c in "#;":
                self._rest_of_line()
            elif c == "[":
                section = self._section()
            elif c.isascii() and c.isalpha():
                yield section, self._name(), self._value()
            else:
                raise self._broken()

    def _next(self) -> str:
        # Like git, the end of the file reads as the end of a line, as often as it is asked.
        if self.at >= len(self.text):
            return "\n"
        self.at += 1
        return self.text[self.at - 1]

    def _rest_of_line(self) -> str:
        start, end = self.at, self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        self.at = end + 1
        return self.text[start:end]

    def _section(self) -> str:
        name = ""
        while (c := self._next()) != "]":
            if c in " \t\r":
                return f"{name}.{self._subsection()}"
            if not (_is_key(c) or c == "."):
                raise self._broken()
            name += c.lower()
        return name

    def _subsection(self) -> str:
        while (c := self._next()) in " \t\r":
            pass
        if c != '"':
            raise self._broken()
        name = self._quoted_name()
        if self._next() != "]":
            raise self._broken()
        return name

    def _quoted_name(self) -> str:
        plain, quote, _ = self.text[self.at : self.at + _NAME_GUESS].partition('"')
        if quote and "\\" not in plain and "\n" not in plain:
            self.at += len(plain) + 1
            return plain
        name = ""
        while (c := self._next()) != '"':
            c = self._next() if c == "\\" else c
            if c == "\n":
                raise self._broken()
            name += c
        return name

    def _name(self) -> str:
        start = self.at - 1
        while self.at < len(self.text) and _is_key(self.text[self.at]):
            self.at += 1
        return self.text[start : self.at].lower()

    def _value(self) -> str:
        while (c := self._next()) in " \t":
            pass
        if c == "\n":
            return ""
        if c != "=":
            raise self._broken()
        start = self.at
        line = self._rest_of_line()
        if not any(mark in line for mark in _SPECIAL):
            return line.strip(_SPACE)
        self.at = start
        return self._quoted_value()

    def _quoted_value(self) -> str:
        value, spaces, quoted = "", "", False
        while (c := self._next()) != "\n":
            if not quoted and c in _SPACE:
                spaces += c if value else ""
            elif not quoted and c in "#;":
                self._rest_of_line()
                return value
            elif c == '"':
                quoted, value, spaces = not quoted, value + spaces, ""
            else:
                value, spaces = value + spaces + (self._escaped() if c == "\\" else c), ""
        if quoted:
            raise self._broken()
        return value

    def _escaped(self) -> str:
        c = self._next()
        if c == "\n":
            return ""
        if c not in _ESCAPES:
            raise self._broken()
        return _ESCAPES[c]

    def _broken(self) -> Broken:
        return Broken(f"bad line {self.text.count(chr(10), 0, max(self.at - 1, 0)) + 1}")


def _is_key(c: str) -> bool:
    return c == "-" or (c.isascii() and c.isalnum())
