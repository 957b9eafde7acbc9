"""How likely a memory is what a query asks for: by the names that both have, the meaning of the rest, and the words.

A name that many memories share ("billing") says of whom they tell, not which of them is asked for. Left in the query,
it makes everything about billing near and drowns what is asked. So it is taken out of the meaning and counts by itself:
what does not have the name is about somebody else, and among what has it, the rest of the query decides.

Which words are names is told by what the memories that hold them have in common: those of a topic ("timeout") are alike
without that word too; those of a name share the name, which weighs much in each, and nothing else.

`training/facts.py` learned the weights, and how likely a sum of them is right.
"""

from __future__ import annotations

from math import exp, log
from operator import mul
from typing import TYPE_CHECKING

from holdfast.recall.embed import cosines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.recall.embed import Model
    from holdfast.store.base import MemorySearch
    from holdfast.store.words import Asked

# A name stands in so many memories; so many of them are looked at; it has so much of the meaning of each, as a cosine,
# and without it they are no more alike than this.
MIN_HOLDERS, LOOKED_AT = 8, 16
MIN_OF_MEANING, MAX_ALIKE = 0.25, 0.18
# What the nearness of the rest, all names and all words add up to, and the sum at which every second one is right.
MEANING, NAMES, WORDS = 1.221, 0.865, 0.156
HALF, STEEP = 0.52, 8.0
# What has no vector yet is as near as this where it holds every word.
_UNKNOWN = 0.5


class Question:
    """A query as memories answer it: its names apart from the rest."""

    def __init__(self, table: MemorySearch, model: Model, asked: Asked) -> None:
        self.table = table
        self.asked = asked
        self.worth = [log(1 + asked.total / (1 + count)) for count in asked.counts]
        unknown = round(len(asked.words) * (1 / asked.known - 1)) if asked.known else 0
        self.whole = sum(self.worth) + unknown * log(1 + asked.total) or 1.0
        self.names = [place for place in range(len(asked.words)) if self._is_name(place, model)]
        self.all_of_it = model.encode(asked.text, query=True, damp=asked.damp)
        self.rest = self.all_of_it
        if self.names:
            without = asked.damp | {asked.words[place]: 0.0 for place in self.names}
            rest = model.encode(asked.text, query=True, damp=without)
            # A query that is nothing but names asks for them.
            self.rest, self.names = (rest, self.names) if any(rest) else (self.all_of_it, [])

    def _is_name(self, place: int, model: Model) -> bool:
        word, count = self.asked.words[place], self.asked.counts[place]
        if count < MIN_HOLDERS or word in self.asked.damp:
            return False
        stored = [*self.table.vectors(self.table.holders(word, LOOKED_AT)).values()]
        vectors = [memoryview(one).cast("b") for one in stored if len(one) == model.dim]
        if len(vectors) < MIN_HOLDERS:
            return False
        squares = [sum(map(mul, one, one)) for one in vectors]
        lengths = sum([square**0.5 for square in squares])
        total = [*map(sum, zip(*vectors, strict=True))]
        alike = (sum(map(mul, total, total)) - sum(squares)) / (lengths * lengths - sum(squares))
        of_meaning = sum(map(mul, total, model.encode(word))) / lengths
        without = (alike - of_meaning * of_meaning) / (1 - of_meaning * of_meaning)
        return bool(of_meaning >= MIN_OF_MEANING and without <= MAX_ALIKE)

    def weigh(self, rows: Sequence[int]) -> dict[int, tuple[float, float]]:
        """Return how likely each of these memories is meant: what words and names say for it, and what meaning does."""
        held = self.table.held(self.asked, rows)
        stored = {row: one for row, one in self.table.vectors([*rows]).items() if len(one) == len(self.rest)}
        near = dict(zip(stored, cosines(self.rest, [*stored.values()]), strict=True))
        of_names = sum([self.worth[place] for place in self.names])
        found: dict[int, tuple[float, float]] = {}
        for row in rows:
            mask = held.get(row, 0)
            has = [worth if mask >> place & 1 else 0.0 for place, worth in enumerate(self.worth)]
            covered = sum(has) / self.whole
            named = sum([has[place] for place in self.names]) / of_names if self.names else 1.0
            meaning = MEANING * max(0.0, near.get(row, _UNKNOWN * covered))
            words = NAMES * named * bool(self.names) + WORDS * covered * covered
            likely = likelihood(meaning + words - NAMES * bool(self.names))
            share = words / (meaning + words) if meaning + words else 0.0
            found[row] = likely * share, likely * (1 - share)
        return found


def likelihood(evidence: float) -> float:
    """Return how likely a memory is right for which so much speaks."""
    return 1 / (1 + exp(STEEP * (HALF - evidence)))
