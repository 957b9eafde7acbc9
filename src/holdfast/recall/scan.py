"""The nearest by meaning among many, in plain Python: all sketches first, then the vectors of the best.

Sketches are gone through twice: their most telling bytes in every row, then the whole sketch of the best hundredth.
The vectors of what is left are compared as they are, and only there it is asked what the filter lets through. How much
of what going through every vector would find is found is in docs/decisions/0012. Few rows, by the scope or by the
filter, are compared without a sketch. What was read is kept from one query to the next.
"""

from __future__ import annotations

from holdfast.recall.nearness import cosines
from holdfast.recall.signature import Probe, best_places
from holdfast.records import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.store.base import SearchTable
    from holdfast.store.sketches import Chunk

# So many vectors are compared for an answer, at least, and so many sketches are looked at whole.
COMPARED = 120
WHOLE = 1_000
SHARE = 100
# A filter that lets through no more than this is answered by comparing all of it.
FEW = 2_000
KEPT_ROWS = 1_200_000
# A sketch tells roughly, so more vectors are compared than are wanted.
_MARGIN = 3
_TRIES = 3
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
        few = self.table.few(wanted, FEW) if is_narrow(wanted) else None
        if few is not None:
            return self._compared(vector, few, wanted)[:limit]
        return self._by_sketch(vector, wanted, limit)

    def _by_sketch(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Near]:
        probe = Probe(vector)
        chunks = self._chunks(wanted, probe.width)
        rows = sum([len(chunk.ids) for chunk in chunks])
        coarse = [probe.coarse(chunk) for chunk in chunks] if rows > WHOLE else [bytes(len(c.ids)) for c in chunks]
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
        self._keep({number: chunk for number, chunk in read.items() if chunk is not None})
        return found

    def _keep(self, read: dict[int, Chunk]) -> None:
        self._kept.update(read)
        for kept in (read, {}):
            if sum([len(chunk.ids) for chunk in self._kept.values()]) > KEPT_ROWS:
                self._kept = kept


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
