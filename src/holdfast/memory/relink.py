"""Let what names a memory follow it to its new key: `[[links]]` and `supersedes`."""

from __future__ import annotations

from holdfast.errors import Conflict
from holdfast.records import Filter, Memory, Scope
from holdfast.store import links
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def naming(workspace: Workspace, memory: Memory, to: Scope) -> tuple[Memory, ...]:
    """Return the memories that name this one and could still follow it where it goes."""
    everywhere = memory.scope.kind == "global" and to == memory.scope
    scopes = None if everywhere else (memory.scope,) if to.kind in ("global", memory.scope.kind) else ()
    others = [other for other in workspace.store.find(Filter(scopes)) if other.path != memory.path]
    shadowed = {other.scope for other in others if other.key == memory.key}
    return tuple(other for other in others if other.scope not in shadowed and _names(other, memory))


def follow(workspace: Workspace, others: tuple[Memory, ...], old: str, new: str) -> None:
    """Turn the old key into the new one wherever these memories name it."""
    for other in others:
        if old in other.supersedes:
            keys = dict.fromkeys(new if key == old else key for key in other.supersedes)
            workspace.store.change(other.scope, other.key, supersedes=tuple(key for key in keys if key != other.key))
        correct(workspace, other, lambda text: links.renamed(text, old, new))


def correct(workspace: Workspace, memory: Memory, corrected: Callable[[str], str]) -> None:
    """Correct the links in a memory's file. One that is edited at this moment is left to `holdfast lint`."""
    try:
        text = workspace.store.text(memory)
        if corrected(text) != text:
            workspace.store.relink(memory, corrected(text))
    except Conflict as problem:
        workspace.say(f"the links in {memory.path} were left as they are: {problem}")


def _names(other: Memory, memory: Memory) -> bool:
    linked = any(target == memory.key for target, _ in links.wiki_links(other.body))
    return linked or (other.scope == memory.scope and memory.key in other.supersedes)
