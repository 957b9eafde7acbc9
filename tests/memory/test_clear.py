"""Forgetting a whole scope."""

from __future__ import annotations

import pytest

from holdfast.errors import ScopeUnknown
from holdfast.memory import forget as forget_memories
from holdfast.recall.recall import recall


def test_clear_takes_one_scope(three) -> None:
    """Clearing the project leaves global alone."""
    with three() as h:
        memories, steps = forget_memories.plan_scope(h, "project")
        assert sorted(step.target.rsplit("/", 1)[1] for step in steps) == ["a", "b"]
        forget_memories.apply(h, memories, command="clear")
        assert [hit.memory.key for hit in recall(h, "apples")] == ["c"]
        assert forget_memories.plan_scope(h, "project") == ([], [])


def test_clear_of_no_session(three) -> None:
    """Clearing the session without one says what is missing."""
    with three() as h, pytest.raises(ScopeUnknown):
        forget_memories.plan_scope(h, "session")
