"""Make the index anew from the files and the journal."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.store.tree import Swept


def reindex(house: House) -> Swept:
    """Read every file and every use again; recall goes on meanwhile."""
    house.need_enabled()
    swept = house.store.rebuild(house.progress)
    house.store.clear_uses()
    house.store.add_uses(house.journal.uses())
    return swept
