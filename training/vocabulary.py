"""The vocabulary: the teacher's word pieces, the words and the two-word phrases that are frequent in our text.

    python training/vocabulary.py WORK       WORK/units.tsv.xz -> WORK/vocabulary.json

The text is cut by the same functions as at run time (`holdfast.recall.embed`), so that every entry can be met.
"""

from __future__ import annotations

import collections
import itertools
import json
import lzma
import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from distil import wordpieces

from holdfast.recall.embed import MAX_WORD, plain, words

WORDS = 24_500
PHRASES = 14_500
OWN = "families.txt"
MIN_UNITS = 6
MIN_PACKAGES = 3
# Words that carry no meaning of their own make no phrase.
EMPTY = frozenset(
    (
        "a an the of to in on at by for from with as is are was were be been being it its this that these those and or "
        "but not if then than so do does did has have had will would can could may might must should i you he she we "
        "they me my your our their his her us them what which who when where how why there here no yes all any some "
        "more most other into out up down over also only just very too such s t re ve ll d m e g i"
    ).split()
)


def read_units(path: Path) -> list[list[str]]:
    """Return kind, group, query and passage of each unit."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def package_of(unit: list[str]) -> str:
    """Return the package that a unit comes from; all generated pairs are one."""
    return OWN if unit[0] in ("rule", "said", "taste", "chat") else unit[1].split("/", 1)[0]


class Counts(NamedTuple):
    """In how many units each entry stands, and in how many packages."""

    units: collections.Counter[str]
    packages: collections.Counter[str]


def count(units: list[list[str]]) -> tuple[Counts, Counts]:
    """Return the counts of single words and of pairs of neighbouring words."""
    singles = Counts(collections.Counter(), collections.Counter())
    pairs = Counts(collections.Counter(), collections.Counter())
    for package, group in itertools.groupby(units, package_of):
        here: tuple[set[str], set[str]] = (set(), set())
        for _, _, query, passage in group:
            found = [plain(word) for word in words(f"{query} . {passage}")]
            near = {f"{one} {two}" for one, two in itertools.pairwise(found) if fits(one) and fits(two)}
            if package == OWN:
                # Our own templates would make phrases of themselves.
                near = set()
            for counts, seen, new in ((singles, here[0], set(found)), (pairs, here[1], near)):
                counts.units.update(new)
                seen |= new
        singles.packages.update(here[0])
        pairs.packages.update(here[1])
    return singles, pairs


def fits(word: str) -> bool:
    """Tell whether a word may be part of a phrase."""
    return 1 < len(word) <= 20 and word.isalpha() and word.isascii() and word not in EMPTY


def choose(base: list[str], singles: Counts, pairs: Counts) -> dict[str, list[str]]:
    """Return the vocabulary in its three parts; what many packages say counts more than what one says often."""
    known = set(base)
    new = [
        word
        for word, packages in singles.packages.items()
        if packages >= MIN_PACKAGES
        and singles.units[word] >= MIN_UNITS
        and word not in known
        and 2 < len(word) <= min(24, MAX_WORD)
        and not word.isdigit()
    ]
    new.sort(key=lambda word: (-singles.packages[word], -singles.units[word], word))
    total = sum(singles.units.values())

    def surprise(pair: str) -> float:
        one, two = pair.split(" ")
        together = pairs.units[pair]
        wide = min(together, 10 * pairs.packages[pair])
        return wide * max(0.0, math.log(together * total / (singles.units[one] * singles.units[two])) - 2.0)

    frequent = [pair for pair, packages in pairs.packages.items() if packages >= MIN_PACKAGES]
    return {"pieces": base, "words": new[:WORDS], "phrases": sorted(frequent, key=surprise, reverse=True)[:PHRASES]}


def main(work: Path) -> None:
    """Count, choose and write."""
    with np.load(work / "carry" / "minilm.npz") as packed:
        base = wordpieces(packed["tokenizer"].tobytes().decode())
    vocabulary = choose(base, *count(read_units(work / "units.tsv.xz")))
    (work / "vocabulary.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    for part, entries in vocabulary.items():
        print(part, len(entries), entries[:12], entries[-6:], flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
