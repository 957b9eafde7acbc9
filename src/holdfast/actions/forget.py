"""Forget memories: the file goes, a tombstone stays, so that no import brings them back."""

from __future__ import annotations

from holdfast.actions import audit
from holdfast.actions.house import House
from holdfast.records import Memory, Step


def plan(house: House, keys: tuple[str, ...], *, scope: str | None = None) -> tuple[list[Memory], list[Step]]:
    """Return the memories that would go, and the steps."""
    memories = [house.locate(key, scope) for key in dict.fromkeys(keys)]
    return memories, [
        Step("forget", f"{memory.scope}/{memory.key}", memory.title, house.store.size(memory)) for memory in memories
    ]


def apply(house: House, memories: list[Memory], *, command: str = "forget") -> None:
    """Forget the memories of the plan, also what the change history has of them."""
    house.need_enabled()
    gone = []
    try:
        with audit.Act(house, command, keep=False) as act:
            for memory in memories:
                gone.append(house.store.remove(memory.scope, memory.key, forget=True))
                act.done(f"{memory.scope}/{memory.key}", "a person or an agent asked for it")
    finally:
        if gone:
            audit.forgotten(house, gone)
    house.store.erase_traces()


def forget(house: House, key: str, *, scope: str | None = None) -> Memory:
    """Forget one memory and return what it was."""
    memories, _ = plan(house, (key,), scope=scope)
    apply(house, memories)
    return memories[0]
