"""Look at memories: one, all that is visible here, what one said before. Looking is not use."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.errors import BadInput, HoldfastError, NotFound
from holdfast.language import when
from holdfast.records import Filter, Memory, Statement
from holdfast.store.keys import is_key
from holdfast.workspace import Workspace, normal_tags

_MAX_NAMED = 10


def show(workspace: Workspace, key: str, *, scope: str | None = None) -> Memory:
    """Return the memory as its file has it now, from the narrowest scope that has the key."""
    return workspace.locate(key, scope)


def history(workspace: Workspace, key: str, *, scope: str | None = None) -> tuple[Memory, list[Statement]]:
    """Return the memory and all of its statements, the current one first."""
    memory = workspace.locate(key, scope)
    return memory, [Statement(memory.body, memory.updated), *memory.history]


def data(workspace: Workspace, memory: Memory) -> bytes:
    """Return its file, byte for byte, even where that is not UTF-8."""
    return files.read(os.path.join(workspace.store.tree.root, memory.path))


def keys(workspace: Workspace, start: str, scope: str | None = None) -> list[str]:
    """Return the keys that begin so and can be seen from here, in order."""
    scopes = workspace.visible(scope)
    workspace.refresh(scopes)
    return workspace.store.keys(scopes, start)


def whole_key(workspace: Workspace, start: str, scope: str | None = None) -> str:
    """Return the one key that begins with this. A whole key means itself; what begins none is returned as it is."""
    if not is_key(start):
        return start
    found = keys(workspace, start, scope)
    if start in found or not found or _is_there(workspace, start, scope):
        return start
    if len(found) > 1:
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        named = ", ".join(found[:_MAX_NAMED])
        raise BadInput(f"{len(found)} keys begin with {start}: {named}{more}", "Give more of the key.")
    return found[0]


def _is_there(workspace: Workspace, key: str, scope: str | None) -> bool:
    """Whether there is a file of that key; one that cannot be read as a memory is there, too."""
    for each in workspace.visible(scope):
        try:
            workspace.store.get(each, key)
        except NotFound:
            continue
        except HoldfastError:
            return True
        return True
    return False


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
