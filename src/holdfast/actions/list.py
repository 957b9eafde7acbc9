"""List memories, newest first. Looking is not use."""

from __future__ import annotations

from holdfast.actions.house import House, normal_tags, now
from holdfast.recall import when
from holdfast.records import Memory
from holdfast.store.base import Filter


def list_memories(
    house: House,
    *,
    scope: str | None = None,
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    since: str = "",
    limit: int | None = None,
    everywhere: bool = False,
) -> list[Memory]:
    """Return what is visible here; with `everywhere`, what every scope holds."""
    if not house.enabled:
        return []
    scopes = house.readable(scope, everywhere=everywhere)
    wanted = Filter(scopes, types, normal_tags(tags), when.moment(since, now()) if since else "")
    house.refresh(scopes)
    return list(house.store.find(wanted, limit))


def replaced_by(house: House, memory: Memory) -> str:
    """Return the key of what supersedes the memory, or nothing."""
    return house.store.index.superseded_by(memory.scope, memory.key)
