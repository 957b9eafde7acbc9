"""Show one memory. Looking is not use."""

from __future__ import annotations

import os

from holdfast.actions.house import House
from holdfast.records import Memory
from holdfast.store import files


def show(house: House, key: str, *, scope: str | None = None) -> Memory:
    """Return the memory as its file has it now, from the narrowest scope that has the key."""
    return house.locate(key, scope)


def data(house: House, memory: Memory) -> bytes:
    """Return its file, byte for byte, even where that is not UTF-8."""
    return files.read(os.path.join(house.store.root, memory.path))
