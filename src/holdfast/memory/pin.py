"""Pin and unpin: a pinned memory never expires, and comes first where memories are handed to an agent."""

from __future__ import annotations

from holdfast.records import Memory
from holdfast.workspace import Workspace


def pin(workspace: Workspace, key: str, *, scope: str | None = None, pinned: bool = True) -> Memory:
    """Pin or unpin the memory and return it."""
    memory = workspace.locate(key, scope)
    return workspace.store.change(memory.scope, memory.key, pinned=pinned)
