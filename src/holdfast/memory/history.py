"""What a memory said before."""

from __future__ import annotations

from holdfast.records import Memory, Statement
from holdfast.workspace import Workspace


def history(workspace: Workspace, key: str, *, scope: str | None = None) -> tuple[Memory, list[Statement]]:
    """Return the memory and all of its statements, the current one first."""
    memory = workspace.locate(key, scope)
    return memory, [Statement(memory.body, memory.updated), *memory.history]
