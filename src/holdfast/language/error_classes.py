"""Errors that are the same thing in other words: `tables/error_classes.txt` says which."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from holdfast.language.word_lists import TABLES, lists

_LOOK = 600
_LINES = 6
_IN_BETWEEN = re.compile(r"""(?<!\w)(["'`])[^"'`\n]{1,80}\1(?!\w)|\b\d+\b""")


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """A class of errors. `anywhere`: the command does not matter; `named`: the names in the message do."""

    name: str
    anywhere: bool
    named: bool
    wordings: tuple[str, ...]


def class_of(error: str) -> ErrorClass | None:
    """Return the class of an error, by the wording that stands first in it; None where it has none.

    Names and numbers may stand in the middle of a wording: `Command "jest" not found`, `Port 3000 is already in use`.
    """
    said = error.casefold()
    bare = " ".join(_IN_BETWEEN.sub(" ", said).split())
    return _first(said) or (_first(bare) if bare != said else None)


def class_in(output: str) -> tuple[str, ErrorClass] | None:
    """Return the first line near the beginning of an output that says an error of a class, and the class."""
    for line in output[:_LOOK].split("\n")[:_LINES]:
        known = class_of(line)
        if known is not None:
            return line.strip(), known
    return None


def named_by(error: str, known: ErrorClass) -> str:
    """Return the word beside the wording of a class: the one behind a colon, or else the one before it."""
    said = error.casefold()
    for wording in known.wordings:
        before, found, behind = said.partition(wording)
        if found:
            after = behind[1:].split()[:1] if behind[:1] == ":" else []
            word = [*after, *before.rstrip(": ").split()[-1:], ""][0]
            return word.strip("\"'`():,.;")
    return ""


def is_class(name: str) -> bool:
    """Whether this is the name of a class."""
    return any(one.name == name for one in _classes())


def _first(said: str) -> ErrorClass | None:
    found: tuple[int, ErrorClass] | None = None
    for one in _classes():
        for wording in one.wordings:
            at = said.find(wording)
            if at >= 0 and not said[at - 1 : at].isalnum() and (found is None or at < found[0]):
                found = (at, one)
    return found[1] if found else None


@cache
def _classes() -> tuple[ErrorClass, ...]:
    found = []
    for label, wordings in lists(f"{TABLES}/error_classes.txt").items():
        rest = label.removeprefix("any ")
        name = rest.removeprefix("named ")
        found.append(ErrorClass(name, anywhere=rest != label, named=name != rest, wordings=wordings))
    return tuple(found)
