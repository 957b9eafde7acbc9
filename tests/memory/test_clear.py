"""Forgetting a whole scope."""

from __future__ import annotations

import pytest

from holdfast.errors import ScopeUnknown
from holdfast.memory import clear
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall


@pytest.fixture
def three(workspace):
    """Two memories of the shop and one of all."""
    with workspace() as h:
        for key, scope in (("a", "project"), ("b", "project"), ("c", "global")):
            remember(h, f"Apples {key}.", key=key, scope=scope)
    return workspace


def test_clear_takes_one_scope(three) -> None:
    """Clearing the project leaves global alone."""
    with three() as h:
        memories, steps = clear.plan(h, "project")
        assert sorted(step.target.rsplit("/", 1)[1] for step in steps) == ["a", "b"]
        clear.apply(h, memories)
        assert [hit.memory.key for hit in recall(h, "apples")] == ["c"]
        assert clear.plan(h, "project") == ([], [])


def test_clear_of_no_session(three) -> None:
    """Clearing the session without one says what is missing."""
    with three() as h, pytest.raises(ScopeUnknown):
        clear.plan(h, "session")
