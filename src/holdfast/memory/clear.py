"""Clear a scope: forget every memory in it."""

from __future__ import annotations

from holdfast.memory import forget
from holdfast.records import Filter, Memory, Step
from holdfast.workspace import Workspace


def plan(workspace: Workspace, scope: str) -> tuple[list[Memory], list[Step]]:
    """Return every memory of the scope as seen from here, and the steps."""
    workspace.need_enabled()
    target = workspace.scope(scope)
    workspace.refresh((target,))
    memories = list(workspace.store.find(Filter((target,))))
    return memories, [
        Step("forget", f"{memory.scope}/{memory.key}", memory.title, workspace.store.size(memory))
        for memory in memories
    ]


def apply(workspace: Workspace, memories: list[Memory]) -> None:
    """Forget the memories of the plan."""
    forget.apply(workspace, memories, command="clear")
