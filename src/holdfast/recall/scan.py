"""The nearest by meaning among many, in plain Python: all sketches first, then the vectors of the best.

Sketches are gone through twice: their most telling bytes in every row, then the whole sketch of the best hundredth.
The vectors of what is left are compared as they are, and only there it is asked what the filter lets through. How much
of what going through every vector would find is found is in docs/decisions/0012. Few rows, by the scope or by the
filter, are compared without a sketch. What was read is kept from one query to the next.

A sketch has one bit for each number of a vector (`holdfast.store.sketches`). The query keeps its own numbers: a byte of
a sketch is worth the sum of eight of them, each with the sign that its bit says. A byte has 256 values, so there is a
table for each place, `bytes.translate` looks up that byte of every row at once, and long integers add the bytes up.
A row costs about 20 ns; a loop over its numbers would cost five hundred times as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.recall.embed import cosines
from holdfast.records import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.store.base import SearchTable
    from holdfast.store.sketches import Chunk

# The fewest vectors that are compared for an answer, and the fewest sketches that are compared whole.
COMPARED = 120
WHOLE = 1_000
SHARE = 100
# A filter that lets through no more than this is answered by comparing all of it.
FEW = 2_000
KEPT_ROWS = 1_200_000
# A sketch tells roughly, so more vectors are compared than are wanted.
_MARGIN = 3
_TRIES = 3
# The most telling bytes of a sketch, which are looked at in every row.
COARSE = 12
# How many bytes can be added up before the sum outgrows a byte.
_TOGETHER = 8
_SAMPLE = 2_048
_ONE = 1 << 16
# Lanes of 32 bits: how many bits 1, 2, 4 ... 128 of them take, and a one in each.
_BITS = [32 << power for power in range(8)]
_ONES = [sum(1 << 32 * lane for lane in range(bits // 32)) for bits in _BITS]
Row = tuple[int, int, int]
Near = tuple[Row, float]


class Scan:
    """The sketches of one table, kept between queries."""

    def __init__(self, table: SearchTable) -> None:
        self.table = table
        self._kept: dict[int, Chunk] = {}
        self._kept_of: object = None

    def nearest(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Row]:
        """Return id, session and place of the nearest rows that the filter lets through, nearest first."""
        return [row for row, _ in self.compared(vector, wanted, limit)]

    def compared(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Near]:
        """As `nearest`, each row with its cosine."""
        if not any(vector):
            return []
        near = self.table.nearest([vector], wanted, limit)
        if near is not None:
            return near[0]
        few = self.table.few(wanted, FEW) if is_narrow(wanted) else None
        if few is not None:
            return self._compared(vector, few, wanted)[:limit]
        return self._by_sketch(vector, wanted, limit)

    def alike(self, vectors: Sequence[Sequence[float]], wanted: Filter, limit: int) -> list[list[int]]:
        """Return for each vector about so many of the rows whose sketches say that they are nearest, in no order."""
        near = self.table.nearest(vectors, wanted, limit) if vectors else []
        if near is not None:
            return [[row for (row, _, _), _ in each] for each in near]
        return [_best(*self._probed(vector, wanted), WHOLE, limit) for vector in vectors]

    def _probed(self, vector: Sequence[float], wanted: Filter) -> tuple[Probe, list[Chunk], list[bytes]]:
        """Return a probe, what it looks through, and what it says roughly; where there is little, nothing yet."""
        probe = Probe(vector)
        chunks = self._chunks(wanted, probe.width)
        is_much = sum([len(chunk.ids) for chunk in chunks]) > WHOLE
        return probe, chunks, [probe.coarse(one) if is_much else bytes(len(one.ids)) for one in chunks]

    def _by_sketch(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Near]:
        probe, chunks, coarse = self._probed(vector, wanted)
        rows = sum([len(chunk.ids) for chunk in chunks])
        compared = max(COMPARED, _MARGIN * limit)
        while True:
            ids = _best(probe, chunks, coarse, max(WHOLE, rows // SHARE, 2 * compared), compared)
            found = self._compared(vector, ids, wanted)
            # A filter that lets little through has to look further down.
            if len(found) >= _MARGIN * limit or compared >= rows or not is_narrow(wanted):
                return found[:limit]
            compared *= 8

    def _compared(self, vector: Sequence[float], ids: Sequence[int], wanted: Filter) -> list[Near]:
        """Return those of these rows that the filter lets through, nearest first."""
        rows = [found for found in self.table.seen(ids, wanted) if len(found[1]) == len(vector)]
        near = cosines(vector, [blob for _, blob in rows])
        order = sorted(range(len(rows)), key=lambda place: (-near[place], rows[place][0]))
        return [(rows[place][0], near[place]) for place in order]

    def _chunks(self, wanted: Filter, width: int) -> list[Chunk]:
        """Return the chunks of the wanted scopes. Where one went since they were listed, they are listed again."""
        if self._kept_of is not self.table.db:
            self._kept, self._kept_of = {}, self.table.db
        found: list[Chunk] = []
        for _ in range(_TRIES):
            listed = self.table.chunks(wanted.scopes, width)
            read = {number: self._kept.get(number) or self.table.chunk(number) for number, _ in listed}
            found = [chunk for chunk in read.values() if chunk is not None]
            if len(found) == len(read):
                break
        there = {number: chunk for number, chunk in read.items() if chunk is not None}
        self._kept.update(there)
        for fewer in (there, {}):
            if sum([len(chunk.ids) for chunk in self._kept.values()]) > KEPT_ROWS:
                self._kept = fewer
        return found


def is_narrow(wanted: Filter) -> bool:
    """Whether the filter asks for more than scopes, by which sketches are kept apart."""
    return wanted != Filter(wanted.scopes)


def _best(probe: Probe, chunks: list[Chunk], coarse: list[bytes], whole: int, compared: int) -> list[int]:
    """Return the rows whose sketches say most: about `compared` of them, chosen from `whole` by their whole sketch."""
    ids: list[int] = []
    codes: list[bytes] = []
    for chunk, places in zip(chunks, best_places(coarse, whole), strict=True):
        ids += [chunk.ids[place] for place in places]
        codes.append(chunk.codes_at(places))
    if len(ids) <= compared:
        return ids
    scores = probe.fine(b"".join(codes))
    least = sorted(scores)[-compared]
    above = [row for row, score in zip(ids, scores, strict=True) if score > least]
    ties = [row for row, score in zip(ids, scores, strict=True) if score == least]
    return above + ties[len(above) - compared :]


class Probe:
    """A query's vector, ready to be compared with sketches."""

    def __init__(self, vector: Sequence[float]) -> None:
        self.width = (len(vector) + 7) // 8
        numbers = [0.0] * (self.width * 8 - len(vector)) + list(vector)
        eights = [numbers[start : start + 8] for start in range(0, len(numbers), 8)]
        sums = [sum(map(abs, eight)) for eight in eights]
        telling = sorted(range(self.width), key=lambda byte: -sum([one * one for one in eights[byte]]))[:COARSE]
        together = max([sum(sums[start : start + _TOGETHER]) for start in range(0, self.width, _TOGETHER)], default=0)
        worth = [_worth(eight, 127 * _ONE / (together or 1.0)) for eight in eights]
        self._fine = [_byte_of_lanes(values, 2) for values in worth]
        # The telling bytes are added up in one byte too, so each of them is worth less there.
        less = int(255 * min(1.0, together / (sum([sums[byte] for byte in telling]) or 1.0)))
        self._coarse = [(byte, _byte_of_lanes(worth[byte] * less, 3)) for byte in telling]

    def coarse(self, chunk: Chunk) -> bytes:
        """Return for each row of the chunk what the most telling bytes of its sketch say; more is nearer."""
        total = 0
        for byte, table in self._coarse:
            total += int.from_bytes(chunk.column(byte).translate(table), "little")
        return total.to_bytes(len(chunk.ids), "little")

    def fine(self, codes: bytes) -> list[int]:
        """Return what each of these sketches says as a whole; more is nearer."""
        rows = len(codes) // self.width
        mask = int.from_bytes(b"\xff\0" * ((rows + 1) // 2), "little")
        even = odd = 0
        for start in range(0, self.width, _TOGETHER):
            total = 0
            for byte in range(start, min(start + _TOGETHER, self.width)):
                total += int.from_bytes(codes[byte :: self.width].translate(self._fine[byte]), "little")
            even += total & mask
            odd += total >> 8 & mask
        scores = [0] * rows
        scores[::2] = _lanes(even, (rows + 1) // 2)
        scores[1::2] = _lanes(odd, rows // 2)
        return scores


def _worth(eight: list[float], scale: float) -> int:
    """Return what each byte of eight signs is worth, from zero up, in 256 lanes; the first sign is the top bit."""
    steps = [int(number * scale) for number in reversed(eight)]
    worth = sum([abs(step) - step for step in steps])
    for step, ones, bits in zip(steps, _ONES, _BITS, strict=True):
        worth += (worth + 2 * step * ones) << bits
    return worth


def _byte_of_lanes(lanes: int, byte: int) -> bytes:
    return lanes.to_bytes(1024, "little")[byte::4]


def _lanes(total: int, count: int) -> list[int]:
    return list(memoryview(total.to_bytes(count * 2, "little")).cast("H"))


def best_places(scores: list[bytes], wanted: int) -> list[Sequence[int]]:
    """Return for each text of scores the places of the best: about as many as wanted in all, or a few more."""
    total = sum(map(len, scores))
    if total <= wanted:
        return [range(len(part)) for part in scores]
    joined = b"".join(scores)
    sample = sorted(joined[:: max(1, total // _SAMPLE)])
    threshold = sample[-max(1, len(sample) * wanted // total)]
    places = [_at_least(part, threshold) for part in scores]
    if sum(map(len, places)) > 2 * wanted:
        places = _without_most_ties(scores, places, threshold, wanted)
    return [*places]


def _without_most_ties(scores: list[bytes], places: list[list[int]], threshold: int, wanted: int) -> list[list[int]]:
    """Return what is above the threshold, and of the many rows at it only as many as are wanted, the last first."""
    above = [_at_least(part, threshold + 1) for part in scores]
    room = wanted - sum(map(len, above))
    for number in reversed(range(len(scores))):
        if room > 0:
            ties = [place for place in places[number] if scores[number][place] == threshold][-room:]
            above[number] += ties
            room -= len(ties)
    return above


def _at_least(scores: bytes, threshold: int) -> list[int]:
    marks = scores.translate(bytes(threshold) + b"\x01" * (256 - threshold))
    places = []
    at = marks.find(1)
    while at >= 0:
        places.append(at)
        at = marks.find(1, at + 1)
    return places
