"""Make the index anew from the files and the journal, and the vectors with it."""

from __future__ import annotations

import time

from holdfast.actions.house import House
from holdfast.actions.recall import make_vectors
from holdfast.store.memory_table import MemoryTable
from holdfast.store.tree import Swept

_BATCH = 500
# Words are what an index must have; meaning may follow. Nobody should wait a minute for it.
_SECONDS = 30.0


def reindex(house: House) -> Swept:
    """Read every file and every use again, then make every vector; recall goes on meanwhile."""
    house.need_enabled()
    swept = house.store.rebuild(house.progress)
    house.store.clear_uses()
    house.store.add_uses(house.journal.uses())
    house.store.consult(lambda table: _make_all_vectors(house, table))
    return swept


def _make_all_vectors(house: House, table: MemoryTable) -> None:
    model = house.model()
    if model is None:
        return
    total, done, end = table.count(), 0, time.monotonic() + _SECONDS
    while made := make_vectors(table, model, _BATCH):
        done += made
        if house.progress:
            house.progress(min(done, total), total)
        if time.monotonic() > end:
            house.say(f"{total - done:,} memories have no vector yet; recall makes them on its way")
            return
