"""Making the vectors that a table lacks: some on the way of a search or by a hook, or all, in portions."""

from __future__ import annotations

import sqlite3
import time

from holdfast.errors import HoldfastError
from holdfast.recall.embed import Model, to_bytes, to_bytes_each
from holdfast.store.read_only_index import ReadOnlyIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.store.base import SearchTable

# An interrupted run makes the vectors of its portion again.
PORTION = 256
# How many missing vectors a search makes on its way; `holdfast reindex` makes all.
_MAX_ON_THE_WAY = 50
_MAX_FEW = 40


def make_vectors(table: SearchTable, model: Model, most: int = _MAX_ON_THE_WAY) -> int:
    """Make the vectors of rows that have none yet, at most so many, the newest first; return how many."""
    table.use_model(model.version)
    missing = table.without_vector(most)
    if missing:
        vectors = model.encode_many([text for _, text in missing])
        table.put_vectors([(row, one) for (row, _), one in zip(missing, to_bytes_each(vectors), strict=True)])
    return len(missing)


def in_portions(make: Callable[[int], int], end: float, after_each: Callable[[], None] | None = None) -> int:
    """Call `make` with how many to make, until it makes fewer or the time is up; return how many it made in all."""
    made, count = 0, PORTION
    while count == PORTION and time.monotonic() < end:
        count = make(PORTION)
        made += count
        if after_each:
            after_each()
    return made


def make_few(home: str, is_late: Callable[[], bool]) -> None:
    """Make the vectors of the newest memories, in a hook or at the end of a command; what fails waits for later."""
    try:
        with ReadOnlyIndex(home, is_late) as index:
            table, model = index.writable_table(), Model.open()
            table.use_model(model.version)
            missing = table.without_vector(_MAX_FEW)
            made = [(row, to_bytes(model.encode(text))) for row, text in missing if not is_late()]
            if made:
                table.put_vectors(made)
    except (HoldfastError, sqlite3.Error):
        return
