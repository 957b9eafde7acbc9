"""Move a memory to another scope or key; links that named it follow."""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.errors import BadInput
from holdfast.memory import audit, relink
from holdfast.records import Memory, Scope, Step
from holdfast.store.keys import check_key
from holdfast.workspace import Workspace


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
    """Return the move and its steps."""
    memory = workspace.locate(key, scope)
    target = workspace.scope(to) if to else memory.scope
    name = check_key(new_key) if new_key else memory.key
    if (target, name) == (memory.scope, memory.key):
        raise BadInput(f"{key} is there already", "Say where to with --to SCOPE or --key NEW.")
    linking = relink.naming(workspace, memory, target) if name != memory.key else ()
    steps = [Step("move", f"{memory.scope}/{memory.key}", f"to {target}/{name}")]
    steps += [Step("relink", f"{other.scope}/{other.key}", f"{key} becomes {name} in it") for other in linking]
    return Move(memory, target, name, linking), steps


def apply(workspace: Workspace, move: Move) -> Memory:
    """Do the move, then let the links follow."""
    workspace.need_enabled()
    with audit.Act(workspace, "move") as act:
        moved = workspace.store.move(move.memory.scope, move.memory.key, move.to, move.key)
        act.done(f"{move.memory.scope}/{move.memory.key}", f"to {move.to}/{move.key}")
        relink.follow(workspace, move.linking, move.memory.key, move.key)
    audit.trim(workspace)
    return moved
