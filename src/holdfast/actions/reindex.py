"""Make the index anew from the files and the journal."""

from __future__ import annotations

import sqlite3

from holdfast.actions.house import House
from holdfast.store.tree import Swept


def reindex(house: House) -> Swept:
    """Read every file and every use again; recall goes on meanwhile."""
    house.need_enabled()
    try:
        return _rebuild(house)
    except sqlite3.DatabaseError as problem:
        if type(problem) is not sqlite3.DatabaseError:
            raise
        house.renew_index()
        return _rebuild(house)


def _rebuild(house: House) -> Swept:
    swept = house.store.rebuild(house.progress)
    house.store.clear_uses()
    house.store.add_uses(house.journal.uses())
    return swept
