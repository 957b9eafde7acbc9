"""Forgetting a whole scope."""

from __future__ import annotations

import pytest

from holdfast.actions import clear
from holdfast.actions.recall import recall
from holdfast.actions.remember import remember
from holdfast.errors import ScopeUnknown


@pytest.fixture
def three(house):
    """Two memories of the shop and one of all."""
    with house() as h:
        for key, scope in (("a", "project"), ("b", "project"), ("c", "global")):
            remember(h, f"Apples {key}.", key=key, scope=scope)
    return house


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
