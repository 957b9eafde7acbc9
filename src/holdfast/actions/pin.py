"""Pin and unpin: a pinned memory never expires, and comes first where memories are handed to an agent."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.records import Memory


def pin(house: House, key: str, *, scope: str | None = None, pinned: bool = True) -> Memory:
    """Pin or unpin the memory and return it."""
    memory = house.locate(key, scope)
    return house.store.change(memory.scope, memory.key, pinned=pinned)
