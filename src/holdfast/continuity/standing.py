"""What a person is told of a rule in a prompt: where it holds, and of an order that nobody asked to keep, how to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.continuity import messages
from holdfast.language.derived import NOWHERE
from holdfast.language.shell import quoted
from holdfast.language.standing_orders import orders
from holdfast.language.suggesting import give_one
from holdfast.records import Memory, Scope
from holdfast.rules.rule import OFF, told_at

if TYPE_CHECKING:
    from holdfast.parts import HookRun

_MAX_ORDERS, _MAX_SAID = 2, 120


def told_of(run: HookRun, text: str) -> list[str]:
    """Return a line for each of the first orders of a message; a proposal of it is made behind the session."""
    found = []
    for order in orders(text)[:_MAX_ORDERS] if run.settings.flag("rules.enabled") else ():
        told = told_at(Memory("order", Scope("global"), "", order), run.settings.text("rules.strongest"))
        said = messages.clean(order, _MAX_SAID)
        found.append(f"not kept as a rule, which {told}; to keep it: holdfast remember {quoted([said])}")
    return found


def where(run: HookRun, memory: Memory) -> str:
    """Return at which calls agents are told what was just stored, to end a line with; nothing of what is no rule."""
    if not run.settings.flag("rules.enabled"):
        return f"; {OFF}"
    told = told_at(memory, run.settings.text("rules.strongest"))
    return f"; {told} (to give it one: `{give_one(memory)}`)" if told == NOWHERE else f"; {told}" if told else ""
