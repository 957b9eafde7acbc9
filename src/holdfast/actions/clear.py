"""Clear a scope: forget every memory in it."""

from __future__ import annotations

from holdfast.actions import forget
from holdfast.actions.house import House
from holdfast.records import Memory, Step
from holdfast.store.base import Filter


def plan(house: House, scope: str) -> tuple[list[Memory], list[Step]]:
    """Return every memory of the scope as seen from here, and the steps."""
    house.need_enabled()
    target = house.scope(scope)
    house.refresh((target,))
    memories = list(house.store.find(Filter((target,))))
    return memories, [
        Step("forget", f"{memory.scope}/{memory.key}", memory.title, house.store.size(memory)) for memory in memories
    ]


def apply(house: House, memories: list[Memory]) -> None:
    """Forget the memories of the plan."""
    forget.apply(house, memories, command="clear")
