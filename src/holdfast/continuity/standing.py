"""Orders to stand that nobody asked to keep: the person is told where each would hold, and how to keep it."""

from __future__ import annotations

from holdfast.continuity import messages
from holdfast.language.shell import quoted
from holdfast.language.standing_orders import orders
from holdfast.records import Memory, Scope
from holdfast.rules.rule import told_at

_MAX_ORDERS, _MAX_SAID = 2, 120


def told_of(text: str, strongest: str) -> list[str]:
    """Return a line for each of the first orders of a message; a proposal of it is made behind the session."""
    found = []
    for order in orders(text)[:_MAX_ORDERS]:
        told = told_at(Memory("order", Scope("global"), "", order), strongest)
        said = messages.clean(order, _MAX_SAID)
        found.append(f"not kept as a rule, which {told}; to keep it: holdfast remember {quoted([said])}")
    return found
