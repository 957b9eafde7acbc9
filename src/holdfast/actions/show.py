"""Show one memory. Looking is not use."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.records import Memory


def show(house: House, key: str, *, scope: str | None = None) -> Memory:
    """Return the memory as its file has it now, from the narrowest scope that has the key."""
    return house.locate(key, scope)


def text(house: House, memory: Memory) -> str:
    """Return the text of its file, exactly."""
    return house.store.text(memory)
