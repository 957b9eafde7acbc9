"""Make the index anew from the files and the journal, and the vectors with it."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.actions.recall import make_vectors
from holdfast.store.memory_table import MemoryTable
from holdfast.store.tree import Swept

_BATCH = 500


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
    total, done = table.count(), 0
    while made := make_vectors(table, model, _BATCH):
        done += made
        if house.progress:
            house.progress(min(done, total), total)
