"""What is handed over at a prompt: what changed of what the session was shown, then what is relevant and new to it."""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.inject.block import Block, Entry, digest_of, fill, name_of, tokens_of
from holdfast.inject.shown import FORGOTTEN
from holdfast.privacy import fence
from holdfast.records import Given, Memory, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.inject.shown import Shown

_MAX_NOTES = 5
_NOTHING = Block("")


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of the memories that a session was shown: those that say something else now, and those that went."""

    changed: tuple[Memory, ...] = ()
    gone: tuple[tuple[Scope, str], ...] = ()


def changes_of(shown: Shown, now: Mapping[tuple[str, str, str], Memory]) -> Changes:
    """Return what changed of the shown memories; `now` has those that are still there."""
    changed = [now[place] for place, digest in shown.items() if place in now and digest_of(now[place]) != digest]
    gone = [
        (Scope(place[0], place[1]), place[2])
        for place, digest in shown.items()
        if place not in now and digest != FORGOTTEN
    ]
    return Changes(tuple(changed[:_MAX_NOTES]), tuple(gone[:_MAX_NOTES]))


def prompt_block(
    changes: Changes, found: Sequence[Entry], budget: int, *, clean: Callable[[str], str], first: Block = _NOTHING
) -> Block:
    """Return the block of a prompt within its budget; empty where there is nothing to say.

    `first` stands before everything else, without a fence of its own.
    """
    lines = [_farewell(scope, key) for scope, key in changes.gone]
    told = [
        Given(scope, key, FORGOTTEN, "forgotten since it was shown", tokens_of(line))
        for (scope, key), line in zip(changes.gone, lines, strict=True)
    ]
    lines = [first.text, *lines] if first.text else lines
    room = budget - fence.OVERHEAD - sum(len(line) + 1 for line in lines)
    updates = [Entry(memory, "changed since it was shown", "changed: ") for memory in changes.changed]
    filled = fill([*updates, *found], room, clean)
    text = fence.fenced([*lines, *([filled.text] if filled.text else [])])
    return Block(text, (*first.given, *told, *filled.given), (*first.left_out, *filled.left_out))


def _farewell(scope: Scope, key: str) -> str:
    return f"- forgotten: [{scope.kind}] {key} is no longer in memory; do not rely on it."


def is_new(memory: Memory, shown: Shown) -> bool:
    """Whether the session was never shown this memory, or was told that it is gone."""
    return shown.get((memory.scope.kind, memory.scope.owner, memory.key), FORGOTTEN) == FORGOTTEN


__all__ = ["Changes", "changes_of", "is_new", "name_of", "prompt_block"]
