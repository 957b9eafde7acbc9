"""The nearest by meaning among many: every stored vector against the query's.

With numpy it takes milliseconds for 100,000 passages. A small collection is gone through in plain Python, which is
done before numpy is loaded. Without numpy a large one is not gone through: there what words found is weighed by
meaning, and nothing is found by meaning alone.
"""

from __future__ import annotations

import sys
import time
from heapq import nlargest
from importlib.util import find_spec

from holdfast.recall.embed import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from holdfast.store.base import Filter
    from holdfast.store.memory_table import MemoryTable
    from holdfast.store.passages import Passages

WITHOUT_NUMPY = 1_500
WITH_NUMPY = 50_000
LARGE = 20_000
YOUNG_SECONDS = 10.0
Row = tuple[int, int, int]


class Scan:
    """The vectors of one table, kept between queries while the table stays the same."""

    def __init__(self, table: Passages | MemoryTable) -> None:
        self.table = table
        self._state: tuple[object, Filter] | None = None
        self._loaded = 0.0
        self._rows: list[Row] = []
        self._matrix: Any = None

    def nearest(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Row]:
        """Return id, session and place of the nearest passages that the filter lets through, nearest first."""
        count = self.table.count()
        if count > WITH_NUMPY:
            return []
        small = count <= WITHOUT_NUMPY
        if sys.modules.get("numpy") or (not small and find_spec("numpy")):
            return self._by_numpy(vector, wanted, limit)
        return self._by_python(vector, wanted, limit) if small else []

    def _by_python(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Row]:
        scored = [(near(vector, blob), row) for row, blob in self.table.all_vectors(wanted)]
        return [row for _, row in nlargest(limit, scored, key=lambda one: one[0])]

    def _by_numpy(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[Row]:
        import numpy  # type: ignore[import-not-found,unused-ignore]

        self._load(numpy, wanted)
        if not self._rows:
            return []
        scores = self._matrix @ numpy.asarray(vector, numpy.float32)
        best = numpy.sort(numpy.argpartition(-scores, min(limit, len(scores)) - 1)[:limit])
        return [self._rows[place] for place in best[numpy.argsort(-scores[best], kind="stable")]]

    def _load(self, numpy: Any, wanted: Filter) -> None:
        state = (self.table.state(), wanted)
        if state == self._state or self._is_young(wanted):
            return
        found = list(self.table.all_vectors(wanted))
        self._rows = [row for row, _ in found]
        raw = numpy.frombuffer(b"".join(blob for _, blob in found), numpy.int8)
        matrix = raw.reshape(len(found), -1).astype(numpy.float32) if found else numpy.zeros((0, 1), numpy.float32)
        lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
        self._matrix = matrix / numpy.where(lengths == 0, 1, lengths)
        self._state = state
        self._loaded = time.monotonic()

    def _is_young(self, wanted: Filter) -> bool:
        """Whether what is kept is a few seconds old, and so large that loading it for each change would cost more.

        What came since is found by its words meanwhile. What went is no candidate, and never of another filter.
        """
        if self._state is None or self._state[1] != wanted or len(self._rows) < LARGE:
            return False
        return time.monotonic() - self._loaded < YOUNG_SECONDS
