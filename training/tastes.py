"""Things and the kinds that they are, out of WordNet: what somebody likes, and the broader word that one asks with.

A thing is taken in its most frequent meaning only, and only where every word of it is in the teacher's vocabulary, so
that the pairs are of words that people use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# WordNet's files of nouns that one can own, eat, keep or grow; of the acts, only these kinds are pastimes.
CONCRETE = frozenset(["05", "06", "13", "20"])
ACTS = "04"
PASTIMES = frozenset("sport game dance dancing exercise gymnastics hobby diversion race ball swimming riding".split())
# These say nothing: nobody asks for a device.
VAGUE = frozenset(
    "device structure instrumentation container sustenance implement equipment article covering facility way "
    "creation commodity excavation area surface line strip sheet block fixture system product unit nutriment "
    "artifact organism young feed constituent projectile weaponry bullet bomb".split()
)


class Taste(NamedTuple):
    """A thing, the kind that it is of, and the file of WordNet that the thing is in."""

    field: str
    thing: str
    kind: str


class Meaning(NamedTuple):
    """One meaning of WordNet: its file, its words, the broader meanings and how many narrower ones it has."""

    field: str
    words: list[str]
    broader: list[str]
    narrower: int


def meanings(nouns: str) -> dict[str, Meaning]:
    """Return the meanings of WordNet's `data.noun` by their number."""
    found = {}
    for line in nouns.splitlines():
        if line.startswith("  "):
            continue
        parts = line.split(" | ")[0].split(" ")
        count = int(parts[3], 16)
        words = [parts[4 + 2 * at].replace("_", " ") for at in range(count)]
        links = parts[5 + 2 * count :]
        marks = [(links[4 * at], links[4 * at + 1]) for at in range(int(parts[4 + 2 * count]))]
        broader = [to for mark, to in marks if mark == "@"]
        found[parts[0]] = Meaning(parts[1], words, broader, sum(mark == "~" for mark, _ in marks))
    return found


def first_meanings(index: str) -> dict[str, str]:
    """Return the most frequent meaning of each word of WordNet's `index.noun`."""
    found = {}
    for line in index.splitlines():
        if not line.startswith("  "):
            parts = line.split()
            found[parts[0].replace("_", " ")] = parts[6 + int(parts[3])]
    return found


def tastes(nouns: str, index: str, known: set[str]) -> Iterator[Taste]:
    """Yield each thing with its kind and with the kind of that, where both are said in known words."""
    every, first = meanings(nouns), first_meanings(index)

    def said(number: str) -> str:
        usual = [word for word in every[number].words if first.get(word) == number and set(word.split()) <= known]
        return usual[0] if usual else ""

    for number, meaning in every.items():
        thing = said(number)
        if not thing or meaning.field not in (*CONCRETE, ACTS):
            continue
        for near in meaning.broader:
            for broad in (near, *every[near].broader):
                kind = said(broad)
                fits = meaning.field in CONCRETE or kind in PASTIMES
                if kind and fits and kind not in VAGUE and " " not in kind and 4 <= every[broad].narrower <= 400:
                    yield Taste(meaning.field, thing, kind)
