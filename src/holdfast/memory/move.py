"""Move a memory to another scope or key; what names it, `[[links]]` and `supersedes`, follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import BadInput, Conflict, NotFound
from holdfast.memory import audit
from holdfast.records import Filter, Memory, Scope, Step
from holdfast.store import links
from holdfast.store.keys import check_key
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Move:
    """A move as planned: which memory, where to, and whose links follow."""

    memory: Memory
    to: Scope
    key: str
    linking: tuple[Memory, ...]


def plan(
    workspace: Workspace, key: str, *, scope: str | None = None, to: str | None = None, new_key: str | None = None
) -> tuple[Move, list[Step]]:
    """Return the move and its steps; Conflict where the place is taken."""
    memory = workspace.locate(key, scope)
    target = workspace.scope(to) if to else memory.scope
    name = check_key(new_key) if new_key else memory.key
    where_to = "Say where to with --to SCOPE or --key NEW."
    if not (to or new_key):
        raise BadInput(f"it is not said where {key} goes", where_to)
    if (target, name) == (memory.scope, memory.key):
        raise BadInput(f"{key} is there already", where_to)
    _need_free(workspace, target, name)
    linking = naming(workspace, memory, target) if name != memory.key else ()
    steps = [Step("move", f"{memory.scope}/{memory.key}", f"to {target}/{name}")]
    steps += [Step("relink", f"{other.scope}/{other.key}", f"{key} becomes {name} in it") for other in linking]
    return Move(memory, target, name, linking), steps


def _need_free(workspace: Workspace, scope: Scope, key: str) -> None:
    workspace.refresh((scope,))
    try:
        workspace.store.get(scope, key)
    except NotFound:
        return
    raise Conflict(f"{scope} has a memory {key} already", "Give another key with --key.")


def apply(workspace: Workspace, move: Move) -> Memory:
    """Do the move, then let the links follow."""
    workspace.need_enabled()
    with audit.Act(workspace, "move") as act:
        moved = workspace.store.move(move.memory.scope, move.memory.key, move.to, move.key)
        act.done(f"{move.memory.scope}/{move.memory.key}", f"to {move.to}/{move.key}")
        follow(workspace, move.linking, move.memory.key, move.key)
    audit.trim(workspace)
    return moved


def naming(workspace: Workspace, memory: Memory, to: Scope) -> tuple[Memory, ...]:
    """Return the memories that name this one and could still follow it where it goes."""
    everywhere = memory.scope.kind == "global" and to == memory.scope
    scopes = None if everywhere else (memory.scope,) if to.kind in ("global", memory.scope.kind) else ()
    others = [other for other in workspace.store.find(Filter(scopes)) if other.path != memory.path]
    shadowed = {other.scope for other in others if other.key == memory.key}

    def names_it(other: Memory) -> bool:
        replaces_it = other.scope == memory.scope and memory.key in other.supersedes
        return replaces_it or memory.key in links.targets(other.body)

    return tuple(other for other in others if other.scope not in shadowed and names_it(other))


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
