"""Which files a session changed, and which commands failed, as far as hooks are told and a transcript's tail says.

No agent's format is known here: whatever has the name of an editing tool beside its arguments counts as a change. What
is told of a session in full comes later, from its digest.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.minijson import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The most of a transcript that one hook reads.
MAX_TAIL = 1 << 20
_MAX_LINE = 1 << 18
_DEEPEST = 8
_LONGEST_PATH = 400
_WORDS = os.path.join(os.path.dirname(__file__), "tools.txt")


class Tools:
    """The words of `tools.txt`."""

    def __init__(self) -> None:
        self.words: dict[str, list[str]] = {}
        with open(_WORDS, encoding="utf-8") as file:
            for line in file.read().splitlines():
                kind, colon, names = line.partition(": ")
                if colon and not line.startswith("#"):
                    self.words.setdefault(kind, []).extend(name.strip() for name in names.split(", "))
        self._edit = frozenset(map(_plain, self.words["edit"]))

    def edits(self, tool: str) -> bool:
        """Whether a tool of that name changes files."""
        return _plain(tool) in self._edit or _plain(tool.replace(".", "__").rpartition("__")[2]) in self._edit

    def files(self, tool: str, given: object) -> list[str]:
        """Return the files that a call changes: by its arguments, or by the patch among them."""
        given = _read(given)
        if self.edits(tool):
            return self._named(given) or self._patched(given) or self._in_a_piece(given)
        return self._patched(given) if "*** Begin Patch" in str(given)[:_MAX_LINE] else []

    def command(self, given: object) -> str:
        """Return the command line of a call, or nothing."""
        given = _read(given)
        if not isinstance(given, dict):
            return given if isinstance(given, str) else ""
        found = next((given[key] for key in self.words["command"] if key in given), "")
        return " ".join(map(str, found)) if isinstance(found, list) else str(found)

    def _named(self, given: object) -> list[str]:
        if not isinstance(given, dict) or given.get("command") in self.words["look"]:
            return []
        found = [given[key] for key in self.words["path"] if isinstance(given.get(key), str)]
        return [path[:_LONGEST_PATH] for path in found[:1] if path]

    def _in_a_piece(self, given: object) -> list[str]:
        """Return the file that arguments name which were cut in the middle, so that they are no JSON any more."""
        text = given[:_LONGEST_PATH] if isinstance(given, str) and given[:1] == "{" else ""
        for key in self.words["path"]:
            path = text.partition(f'"{key}"')[2].lstrip(" :").removeprefix('"').partition('"')
            if path[1]:
                return [path[0]]
        return []

    def _patched(self, given: object) -> list[str]:
        texts = given.values() if isinstance(given, dict) else [given]
        lines = [line for text in texts for line in _text(text).splitlines()]
        marks = self.words["patch"]
        found = [line.removeprefix(mark).strip() for line in lines for mark in marks if line.startswith(mark)]
        return [path[:_LONGEST_PATH] for path in found if path]

    def changed(self, lines: list[bytes]) -> list[str]:
        """Return the files that the calls in these lines of a transcript change, each once, in order."""
        found: dict[str, None] = {}
        for line in lines:
            if len(line) <= _MAX_LINE and (b"ath" in line or b"ile" in line or b"*** " in line):
                for tool, given in self._calls(_parsed(line), 0):
                    found.update(dict.fromkeys(self.files(tool, given)))
        return [*found]

    def _calls(self, value: object, depth: int) -> Iterator[tuple[str, object]]:
        if depth > _DEEPEST:
            return
        if isinstance(value, list):
            for each in value:
                yield from self._calls(each, depth + 1)
        if isinstance(value, dict):
            name = next((value[key] for key in self.words["name"] if isinstance(value.get(key), str)), "")
            given = next((value[key] for key in self.words["given"] if value.get(key)), None)
            if name and given is not None:
                yield name, given
            for each in value.values():
                yield from self._calls(each, depth + 1)


def tail(path: str, since: int, most: int = MAX_TAIL) -> tuple[list[bytes], int]:
    """Return the whole lines of a transcript behind `since`, at most so many bytes of them, and where they end."""
    try:
        data, start = files.read_tail(path, most, since, follow=True)
    except OSError:
        return [], since
    end = data.rfind(b"\n") + 1
    lines = data[:end].split(b"\n")
    # Where the beginning was left out, the first line may be the end of a longer one; it does not parse.
    return lines, start + end


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join([each for each in value if isinstance(each, str)])
    return value if isinstance(value, str) else ""


def _read(given: object) -> object:
    """Return arguments as what they say: some agents write them as JSON within a text."""
    if isinstance(given, str) and given[:1] == "{":
        try:
            return loads(given)
        except ValueError:
            return given
    return given


def _parsed(line: bytes) -> object:
    try:
        return loads(line.decode())
    except ValueError:
        return None
