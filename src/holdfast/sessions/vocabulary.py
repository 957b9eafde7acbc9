"""The words that the digest goes by: lists in `words/`, a file a matter, each line a kind and its words.

A list may go on over several lines of one kind. A word has no comma in it.
"""

from __future__ import annotations

import os

LANGUAGES = ("en", "de")
_read: dict[str, dict[str, tuple[str, ...]]] = {}


def words(name: str) -> dict[str, tuple[str, ...]]:
    """Return the lists of a file in `words/`, by their kind; it is read once."""
    if name not in _read:
        _read[name] = _lists(name)
    return _read[name]


def spoken(kind: str) -> tuple[str, ...]:
    """Return the words of a kind in all languages."""
    return tuple(word for language in LANGUAGES for word in words(language).get(kind, ()))


def _lists(name: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words", f"{name}.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                kind, _, listed = line.partition(":")
                found[kind] = (*found.get(kind, ()), *(word.strip() for word in listed.split(",")))
    return found
