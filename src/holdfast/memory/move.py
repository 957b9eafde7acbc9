"""Move a memory to another scope or key; what names it, `[[links]]` and `supersedes`, follows.

What is being moved stands in `state/moving.json` until all of it is done, so that the next command finishes a move that
was killed, and so does the same one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from holdfast.base import files
from holdfast.errors import BadInput, Conflict, NotFound, StoreBusy
from holdfast.memory import audit
from holdfast.records import Filter, Memory, Scope, Step, replace
from holdfast.store import links
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
    """Return the move and its steps; Conflict where the place is taken."""
    begun, where_to = _begun(workspace), "Give --to SCOPE or --key NEW; --scope is the one that it is in now."
    if begun is not None:
        own = begun.memory.scope.kind
        if (key, scope or own, to or own, new_key or key) == (begun.memory.key, own, begun.to.kind, begun.key):
            return begun, _steps(begun)
    if not (to or new_key):
        raise BadInput(f"nothing says where {key} should go", where_to)
    memory = workspace.locate(key, scope)
    workspace.need_own(memory)
    target = workspace.scope(to) if to else memory.scope
    name = check_key(new_key) if new_key else memory.key
    if (target, name) == (memory.scope, memory.key):
        raise BadInput(f"{key} is there already", where_to)
    _need_free(workspace, target, name)
    linking = naming(workspace, memory, target) if name != memory.key else ()
    planned = Move(memory, target, name, linking)
    return planned, _steps(planned)


def _steps(move: Move) -> list[Step]:
    old, new = move.memory.key, move.key
    steps = [Step("move", f"{move.memory.scope}/{old}", f"to {move.to}/{new}")]
    return steps + [Step("relink", f"{one.scope}/{one.key}", f"{old} becomes {new} in it") for one in move.linking]


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
    if not workspace.has_home:
        moved = workspace.store.move(move.memory.scope, move.memory.key, move.to, move.key)
        follow(workspace, move.linking, move.memory.key, move.key)
        return moved
    with files.lock_of(workspace.home, "move"):
        return _carry_out(workspace, move)


def _carry_out(workspace: Workspace, move: Move) -> Memory:
    source, path = move.memory, _path(workspace)
    told = {"scope": source.scope, "key": source.key, "to": move.to, "new_key": move.key}
    plain = {name: [one.kind, one.owner] if isinstance(one, Scope) else one for name, one in told.items()}
    files.write(path, json.dumps(plain).encode())
    try:
        with audit.Act(workspace, "move") as act:
            try:
                moved = workspace.store.move(source.scope, source.key, move.to, move.key)
            except NotFound:
                # A move that was interrupted may have got this far.
                moved = workspace.store.get(move.to, move.key)
            act.done(f"{source.scope}/{source.key}", f"to {move.to}/{move.key}")
            follow(workspace, move.linking, source.key, move.key)
    finally:
        files.remove(path)
    audit.trim(workspace)
    return moved


def finish_interrupted(workspace: Workspace) -> None:
    """Finish a move that was killed, unless another process is moving it."""
    try:
        with files.lock_of(workspace.home, "move", 0.0):
            begun = _begun(workspace)
            if begun is not None:
                _carry_out(workspace, begun)
                workspace.say(
                    f"the move of {begun.memory.key} to {begun.to}/{begun.key}, which was interrupted, is done"
                )
            files.remove(_path(workspace))
    except StoreBusy:
        return


def _begun(workspace: Workspace) -> Move | None:
    """Return the move that was begun and is not done; None where its memory, or the place for it, is gone."""
    if not workspace.has_home:
        return None
    try:
        told = json.loads(files.read_if_there(_path(workspace)) or b"{}")
        scope, to = Scope(*told["scope"]), Scope(*told["to"])
        key, new_key = check_key(told["key"]), check_key(told["new_key"])
    except (ValueError, KeyError, TypeError, BadInput):
        return None
    workspace.refresh(tuple(dict.fromkeys((scope, to))))
    found: dict[tuple[Scope, str], Memory] = {}
    for place in ((scope, key), (to, new_key)):
        with suppress(NotFound):
            found[place] = workspace.store.get(*place)
    if len(found) != 1:
        return None
    memory = replace(*found.values(), scope=scope, key=key)
    return Move(memory, to, new_key, naming(workspace, memory, to) if key != new_key else ())


def _path(workspace: Workspace) -> str:
    return os.path.join(workspace.home, "state", "moving.json")


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
