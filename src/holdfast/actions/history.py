"""What a memory said before."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.records import Memory, Statement


def history(house: House, key: str, *, scope: str | None = None) -> tuple[Memory, list[Statement]]:
    """Return the memory and all of its statements, the current one first."""
    memory = house.locate(key, scope)
    return memory, [Statement(memory.body, memory.updated), *memory.history]
