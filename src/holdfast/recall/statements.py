"""How likely a memory is what a query asks for: by the names that both have, the meaning of the rest, and the words.

A name that many memories share ("billing") says of whom they tell, not which of them is asked for. Left in the query,
it makes everything about billing near and drowns what is asked. So it is taken out of the meaning and counts by itself:
what does not have the name is about somebody else, and among what has it, the rest of the query decides.

What is said of billing in one way is said of others in other ways ("billing runs in eu-west-1", "the region of search
is Frankfurt"). So a memory is also as near to the rest as its kin is: what is most like it of all without the name.

Which words are names is told by what the memories that hold them have in common: those of a topic ("timeout") are alike
without that word too; those of a name share the name, which weighs much in each, and nothing else.

`training/facts.py` learned the weights, and how likely a sum of them is right.
"""

from __future__ import annotations

from math import exp, log
from operator import mul
from typing import TYPE_CHECKING

from holdfast.recall.embed import cosines
from holdfast.recall.scan import is_narrow
from holdfast.recall.wording import wording_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.recall.embed import Model
    from holdfast.recall.scan import Scan
    from holdfast.records import Filter
    from holdfast.store.base import MemorySearch
    from holdfast.store.words import Asked

# A name stands in so many memories; so many of them are looked at; it has so much of the meaning of each, as a cosine,
# and without it they are no more alike than this.
MIN_HOLDERS, LOOKED_AT = 8, 16
MIN_OF_MEANING, MAX_ALIKE = 0.25, 0.18
# Of the nearest so many that have the names their kin is looked for, so many of each; in a larger collection none is.
WITH_KIN, KIN, MAX_FOR_KIN = 10, 40, 5_000
# What is too far off for its kin to be looked for has one that is so much of its own nearness.
NO_KIN = 0.6
# What the nearness of the rest and of the kin, all names and all words add up to, and the sum at which every second one
# is right.
MEANING, OF_KIN, NAMES, WORDS = 0.159, 1.132, 0.789, 0.159
HALF, STEEP = 0.5, 8.0
# What has no vector yet is as near as this where it holds every word.
_UNKNOWN = 0.5
_TINY = 1e-6
# What a byte of a stored vector stands for: its number with 128 added, and the two bytes of the number's square.
_FROM_ZERO = bytes([*range(128, 256), *range(128)])
_SQUARES = [min(byte, 256 - byte) ** 2 for byte in range(256)]
_LOW, _HIGH = bytes([square & 255 for square in _SQUARES]), bytes([square >> 8 for square in _SQUARES])


class Question:
    """A query as memories answer it: its names apart from the rest."""

    def __init__(self, table: MemorySearch, model: Model, asked: Asked) -> None:
        self.table = table
        self.model = model
        self.asked = asked
        self.worth = [log(1 + asked.total / (1 + count)) for count in asked.counts]
        unknown = round(len(asked.words) * (1 / asked.known - 1)) if asked.known else 0
        self.whole = sum(self.worth) + unknown * log(1 + asked.total) or 1.0
        self.names = [place for place in range(len(asked.words)) if self._is_name(place, model)]
        self.all_of_it = model.encode(asked.text, query=True, damp=asked.damp)
        self.rest = self.all_of_it
        if self.names:
            without = asked.damp | {asked.words[place]: 0.0 for place in self.names}
            wording = wording_of(model)
            rest = (
                wording.encode(model, asked.text, without)
                if wording
                else model.encode(asked.text, query=True, damp=without)
            )
            # A query that consists of names asks for these names.
            self.rest, self.names = (rest, self.names) if any(rest) else (self.all_of_it, [])

    def _is_name(self, place: int, model: Model) -> bool:
        word, count = self.asked.words[place], self.asked.counts[place]
        if count < MIN_HOLDERS or word in self.asked.damp:
            return False
        stored = [*self.table.vectors(self.table.holders(word, LOOKED_AT)).values()]
        vectors = [one for one in stored if len(one) == model.dim]
        if len(vectors) < MIN_HOLDERS:
            return False
        squares = [square_of(one) for one in vectors]
        lengths = sum([square**0.5 for square in squares])
        total = added(vectors)
        alike = (sum(map(mul, total, total)) - sum(squares)) / (lengths * lengths - sum(squares))
        of_meaning = sum(map(mul, total, model.encode(word))) / lengths
        without = (alike - of_meaning * of_meaning) / (1 - of_meaning * of_meaning)
        return bool(of_meaning >= MIN_OF_MEANING and without <= MAX_ALIKE)

    def weigh(self, rows: Sequence[int], scan: Scan, wanted: Filter) -> dict[int, tuple[float, float]]:
        """Return how likely each of these memories is meant: what words and names say for it, and what meaning does."""
        found: dict[int, tuple[float, float]] = {}
        for row, (near, kin, named, covered) in self.marks(rows, scan, wanted).items():
            meaning = MEANING * near + OF_KIN * kin
            words = NAMES * named * bool(self.names) + WORDS * covered
            likely = likelihood(meaning + words - NAMES * bool(self.names))
            share = words / (meaning + words) if meaning + words else 0.0
            found[row] = likely * share, likely * (1 - share)
        return found

    def marks(self, rows: Sequence[int], scan: Scan, wanted: Filter) -> dict[int, tuple[float, float, float, float]]:
        """Return of each memory how near it and its kin are to the rest, and how much it has of names and of words."""
        held = self.table.held(self.asked, rows)
        stored = {row: one for row, one in self.table.vectors([*rows]).items() if len(one) == len(self.rest)}
        near = dict(zip(stored, cosines(self.rest, [*stored.values()]), strict=True))
        of_names = sum([self.worth[place] for place in self.names])
        found: dict[int, tuple[float, float, float]] = {}
        for row in rows:
            mask = held.get(row, 0)
            has = [worth if mask >> place & 1 else 0.0 for place, worth in enumerate(self.worth)]
            covered = sum(has) / self.whole
            named = sum([has[place] for place in self.names]) / of_names if self.names else 1.0
            found[row] = max(0.0, near.get(row, _UNKNOWN * covered)), named, covered * covered
        is_looked_for = self.names and self.asked.total <= MAX_FOR_KIN and not is_narrow(wanted)
        all_named = {row: stored[row] for row, (_, named, _) in found.items() if named == 1.0 and row in stored}
        kin = self._kin(all_named, near, scan, wanted) if is_looked_for else {}
        less = NO_KIN if kin else 1.0
        return {row: (by, kin.get(row, by * less), named, covered) for row, (by, named, covered) in found.items()}

    def _kin(self, stored: dict[int, bytes], near: dict[int, float], scan: Scan, wanted: Filter) -> dict[int, float]:
        """Return for the nearest of those with the names how near to the rest those are that are most like them."""
        names = _apart([self.model.encode(self.asked.words[place]) for place in self.names])
        alone: dict[int, list[float]] = {}
        for row in sorted(stored, key=lambda row: -near[row])[:WITH_KIN]:
            rest = _without([float(number) for number in memoryview(stored[row]).cast("b")], names)
            length = sum(map(mul, rest, rest)) ** 0.5 or 1.0
            alone[row] = [number / length for number in rest]
        near_alone = zip(alone, scan.alike([*alone.values()], wanted, KIN), strict=True)
        like = {row: [other for other in others if other not in stored] for row, others in near_alone}
        every = self.table.vectors([*{other for others in like.values() for other in others}])
        of_other = dict(zip(every, cosines(self.rest, [*every.values()]), strict=True))
        found: dict[int, float] = {}
        for row, others in like.items():
            known = [other for other in others if other in every]
            shares = [max(0.0, one) ** 2 for one in cosines(alone[row], [every[other] for other in known])]
            by = sum([share * max(0.0, of_other[other]) for share, other in zip(shares, known, strict=True)])
            found |= {row: by / whole} if (whole := sum(shares)) else {}
        return found


def added(stored: Sequence[bytes]) -> list[int]:
    """Return the sum of a few stored vectors, number by number; each number is a lane of one long integer."""
    lanes = bytearray(2 * len(stored[0]))
    total = 0
    for one in stored:
        lanes[::2] = one.translate(_FROM_ZERO)
        total += int.from_bytes(lanes, "little")
    offset = 128 * len(stored)
    return [number - offset for number in memoryview(total.to_bytes(len(lanes), "little")).cast("H")]


def square_of(stored: bytes) -> int:
    """Return the sum of the squares of a stored vector's numbers."""
    return sum(stored.translate(_LOW)) + 256 * sum(stored.translate(_HIGH))


def _apart(vectors: list[list[float]]) -> list[list[float]]:
    """Return vectors of length one that span the same and have nothing in common."""
    found: list[list[float]] = []
    for vector in vectors:
        rest = _without(vector, found)
        length = sum(map(mul, rest, rest)) ** 0.5
        found += [[number / length for number in rest]] if length > _TINY else []
    return found


def _without(vector: list[float], names: list[list[float]]) -> list[float]:
    """Return a vector without what it has of these."""
    for name in names:
        of_name = sum(map(mul, vector, name))
        vector = [number - of_name * each for number, each in zip(vector, name, strict=True)]
    return vector


def likelihood(evidence: float) -> float:
    """Return how likely a memory is right for which so much speaks."""
    return 1 / (1 + exp(STEEP * (HALF - evidence)))
