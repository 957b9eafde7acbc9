"""List memories, newest first. Looking is not use."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.language import when
from holdfast.records import Filter, Memory
from holdfast.workspace import Workspace, normal_tags


def list_memories(
    workspace: Workspace,
    *,
    scope: str | None = None,
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    since: str = "",
    limit: int | None = None,
    everywhere: bool = False,
) -> list[Memory]:
    """Return what is visible here; with `everywhere`, what every scope holds."""
    if not workspace.enabled:
        return []
    scopes = workspace.readable(scope, everywhere=everywhere)
    wanted = Filter(scopes, types, normal_tags(tags), when.moment(since, now()) if since else "")
    workspace.refresh(scopes)
    return list(workspace.store.find(wanted, limit))


def replaced_by(workspace: Workspace, memory: Memory) -> str:
    """Return the key of what supersedes the memory, or nothing."""
    return workspace.store.superseded_by(memory.scope, memory.key)
