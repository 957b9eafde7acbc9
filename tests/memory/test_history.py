"""What a memory said before."""

from __future__ import annotations

from holdfast.memory.remember import remember
from holdfast.memory.show import history


def test_history_is_every_statement(workspace) -> None:
    """History gives the current statement first and then what it said before."""
    with workspace() as h:
        remember(h, "One.", key="k")
        remember(h, "Two.", key="k")
        memory, statements = history(h, "k")
    assert memory.key == "k"
    assert [statement.text for statement in statements] == ["Two.", "One."]
