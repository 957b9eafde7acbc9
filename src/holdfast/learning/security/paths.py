"""What a path in a command is: within the project, temporary, made by a build, a secret, or somewhere else.

It judges by names and looks at no file. A path with a variable that nobody knows is known only as far as it goes.
"""

from __future__ import annotations

import os

from holdfast.language.commands import fits
from holdfast.language.word_lists import lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = __file__.rpartition("/")[0] + "/words.txt"
_sets: dict[str, frozenset[str]] = {}
# Of each list the endings of names, and its other patterns.
_patterns: dict[str, tuple[tuple[str, ...], list[str]]] = {}
_matched: dict[tuple[str, str], bool] = {}
_MAX_MATCHED = 2_000
_MAKES_TEMPORARY = ("$(mktemp", "`mktemp")
TEMPORARY = "/tmp/made-by-mktemp"  # noqa: S108
_UNKNOWN = "$"


def among(name: str) -> frozenset[str]:
    """Return a list of `words.txt`."""
    if name not in _sets:
        _sets[name] = frozenset(lists(_WORDS)[name])
    return _sets[name]


class Places:
    """Where a command runs: the folders that are the agent's to write in, the folder it is in, and its variables."""

    def __init__(self, roots: Sequence[str], folder: str) -> None:
        self.roots = tuple(dict.fromkeys(os.path.normpath(with_slashes(root)) for root in roots if root))
        self.folder = with_slashes(folder) or (self.roots[0] if self.roots else "")
        # A session may be another person's, or of another machine: then its folder says where the home was.
        self._home = home_in(self.folder) or os.path.expanduser("~")
        self._variables = {"HOME": "~", "PWD": self.folder}

    def go(self, path: str) -> None:
        """Follow a `cd`; whither nobody knows is nowhere."""
        self.folder = self.whole(path or "~")

    def set(self, name: str, value: str) -> None:
        """Note what a variable is from here on."""
        self._variables[name] = TEMPORARY if value.startswith(_MAKES_TEMPORARY) else self._filled(value)

    def _filled(self, word: str) -> str:
        """Return a word with the variable that it begins with, as far as that is known."""
        if word.startswith(_MAKES_TEMPORARY):
            return TEMPORARY
        if word[:1] != "$":
            return word
        name, end = _variable(word)
        if _has("temporary-variables", name) and name not in self._variables:
            return TEMPORARY + word[end:]
        return self._variables[name] + word[end:] if name in self._variables else word

    def whole(self, word: str) -> str:
        """Return the path from the root of the file system; nothing where that is not known."""
        path = with_slashes(self._filled(word))
        if path == "~" or path.startswith("~/"):
            path = self._home + path[1:]
        if path[:1] in (_UNKNOWN, "`", "~", "") or path.startswith("<("):
            return ""
        if path[0] != "/":
            if not self.folder:
                return ""
            path = os.path.join(self.folder, path)
        return os.path.normpath(path)

    def is_inside(self, path: str) -> bool:
        """Whether a whole path is the agent's to write in; its own folder in a home is so in whatever home."""
        if any(within(path, root) for root in self.roots):
            return True
        home, person = home_in(path), os.path.expanduser("~")
        below = [root[len(person if within(root, person) else home_in(root)) :] for root in self.roots]
        return bool(home) and any(within(path[len(home) :], one) for one in below if one.startswith("/."))

    def is_temporary(self, path: str) -> bool:
        """Whether a whole path is where everybody puts what may go, and not in a project that is there itself."""
        return not self.is_inside(path) and any(within(path, one) for one in among("temporary"))

    def may_go(self, word: str) -> bool:
        """Whether nobody misses what a path names: what a build makes, and what is temporary."""
        filled = self._filled(word)
        whole = self.whole(word)
        if whole and self.is_temporary(whole) and whole not in among("temporary"):
            return True
        root = next((root for root in self.roots if within(whole, root)), "") if whole else ""
        parts = (whole[len(root) :] if root else filled).strip("/").split("/")
        if not any(parts) or (whole and not root and len(parts) == 1 and whole[0] == filled[:1]):
            # The root of a project, or a folder at the very top.
            return False
        return any(_has("build", part) for part in parts) and ".." not in parts

    def is_outside(self, word: str) -> bool:
        """Whether a path is known to lead out of the project, to what neither passes nor is some tool's own."""
        whole = self.whole(word)
        if not self.roots or not whole or "$" in whole or "`" in whole:
            return False
        if self.is_inside(whole) or self.is_temporary(whole) or _has("harmless", whole):
            return False
        below = whole[len(home_in(whole)) :].strip("/")
        is_of_tool = bool(home_in(whole)) and any(within(below, one) for one in among("tool-homes"))
        # Work trees lie in folders of that name beside the project.
        is_tree = any(part.lstrip(".").endswith("worktrees") for part in whole.split("/"))
        return not is_of_tool and not is_tree and among("passing").isdisjoint(whole.split("/"))

    def is_secret(self, word: str) -> bool:
        """Whether a path names a file whose content is a secret."""
        path = word.rstrip("/").rpartition("=")[2] if word[:1] == "-" else word.rstrip("/")
        path = path.removeprefix("@")
        name = path.rpartition("/")[2]
        if not name or any(letter.isspace() for letter in name) or any(sign in name for sign in "(){}|;,:\"'<>\\^"):
            return False
        if self._matches("public", path, name):
            return False
        return self._matches("secret", path, name)

    def _matches(self, kind: str, path: str, name: str) -> bool:
        """Whether a path is of a kind; the same few stand in the calls of a session again and again."""
        if (kind, path) not in _matched:
            if len(_matched) >= _MAX_MATCHED:
                _matched.clear()
            _matched[kind, path] = self._is_of(kind, path, name)
        return _matched[kind, path]

    def _is_of(self, kind: str, path: str, name: str) -> bool:
        if kind not in _patterns:
            with_signs = [one for one in among(kind) if "*" in one or "/" in one]
            # Most tell an ending alone.
            endings = [one[1:] for one in with_signs if one[0] == "*" and "*" not in one[1:] and "/" not in one]
            _patterns[kind] = tuple(endings), [one for one in with_signs if one[1:] not in endings or one[0] != "*"]
        of_names, others = _patterns[kind]
        return (
            name in among(kind)
            or name.endswith(of_names)
            or any(fits(f"/{path}", f"*/{one.lstrip('/')}") if "/" in one else fits(name, one) for one in others)
        )


def with_slashes(path: str) -> str:
    """Return a path of Windows as the shells there write it, `C:\\src` as `/c/src`; any other as it is."""
    if path[1:2] == ":" and path[:1].isalpha() and path[2:3] in ("\\", "/"):
        return f"/{path[0].lower()}{path[2:]}".replace("\\", "/")
    if path.startswith("/mnt/") and path[5:6].isalpha() and path[6:7] in ("", "/"):
        return f"/{path[5].lower()}{path[6:]}"
    return path


def home_in(path: str) -> str:
    """Return the beginning of a whole path that is somebody's home, by where systems keep homes; nothing if none is."""
    parts = path.split("/")
    at = 2 if len(parts) > 2 and len(parts[1]) == 1 else 1
    if parts[at : at + 1] and parts[at] in ("Users", "home") and len(parts) > at + 1 and parts[at + 1]:
        return "/".join(parts[: at + 2])
    return "/root" if within(path, "/root") else ""


def _has(name: str, text: str) -> bool:
    """Whether a list has the text, or a pattern that it fits."""
    return text in among(name) or any(fits(text, one) for one in among(name) if "*" in one)


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _variable(word: str) -> tuple[str, int]:
    """Return the name of the variable at the beginning of a word, and where it ends."""
    if word[1:2] == "{":
        end = word.find("}")
        inside = word[2:end] if end > 0 else ""
        name = inside.partition(":")[0]
        return name, end + 1 if end > 0 else len(word)
    end = 1
    while end < len(word) and (word[end].isalnum() or word[end] == "_"):
        end += 1
    return word[1:end], end
