"""The lists in `fix_words/`: what is known of command lines and of errors. A hook reads them only after a failure."""

from __future__ import annotations

_FOLDER = __file__.rpartition("/")[0] + "/words"
_read: dict[str, dict[str, tuple[str, ...]]] = {}
_sets: dict[tuple[str, str], frozenset[str]] = {}


def listed(name: str, kind: str) -> tuple[str, ...]:
    """Return the words of a kind in a file of `fix_words/`, which is read once."""
    if name not in _read:
        found: dict[str, tuple[str, ...]] = {}
        with open(f"{_FOLDER}/{name}.txt", encoding="utf-8") as file:
            for line in file.read().split("\n"):
                each, colon, words = line.partition(": ")
                if colon and line[0] != "#":
                    found[each] = (*found.get(each, ()), *words.replace("~", " ").split(", "))
        _read[name] = found
    return _read[name][kind]


def among(name: str, kind: str) -> frozenset[str]:
    """Return the same words as a set."""
    if (name, kind) not in _sets:
        _sets[name, kind] = frozenset(listed(name, kind))
    return _sets[name, kind]
