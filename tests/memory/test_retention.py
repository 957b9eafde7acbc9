"""Which memories have had their time."""

from __future__ import annotations

import pytest

from holdfast.memory.retention import judge
from holdfast.records import Memory, Scope

NOW = "2026-11-15T09:00:00Z"
DAYS = {"project": 90, "session": 14}
LONG_AGO = "2020-01-01T00:00:00Z"


def memory(kind: str, **more) -> Memory:
    """Return a memory of that scope."""
    return Memory(key="k", scope=Scope(kind, "" if kind == "global" else "x"), title="t", body="b", **more)


@pytest.mark.parametrize(
    ("kind", "touched", "expired"),
    [
        ("project", "2026-08-17T09:00:00Z", False),
        ("project", "2026-08-16T08:00:00Z", True),
        ("session", "2026-11-01T09:00:00Z", False),
        ("session", "2026-10-31T08:00:00Z", True),
        ("global", LONG_AGO, False),
        ("agent", LONG_AGO, False),
    ],
)
def test_the_rule_of_each_scope(kind, touched, expired) -> None:
    """A project memory lasts 90 idle days, a session memory 14; global and agent memories never expire."""
    verdict = judge(memory(kind), touched, DAYS, NOW)
    assert verdict.expired is expired
    assert verdict.rule.startswith(f"scope {kind}: ")


@pytest.mark.parametrize("kind", ["project", "session"])
@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"type": "user"}, "type user: kept"),
        ({"type": "feedback"}, "type feedback: kept"),
        ({"type": "decision"}, "type decision: kept"),
        ({"type": "lesson"}, "type lesson: kept"),
        ({"pinned": True}, "pinned: kept"),
    ],
)
def test_what_never_expires(kind, more, rule) -> None:
    """What a person is and wants, what was decided or learned, and what is pinned stays; the rule is named."""
    verdict = judge(memory(kind, **more), LONG_AGO, DAYS, NOW)
    assert (verdict.expired, verdict.rule) == (False, rule)


@pytest.mark.parametrize("type", ["project", "reference"])
def test_the_other_types_expire(type) -> None:
    """The other types follow the rule of their scope, which says how long it was idle."""
    verdict = judge(memory("session", type=type), "2026-10-15T09:00:00Z", DAYS, NOW)
    assert verdict.expired and verdict.rule == "scope session: 14 days, idle for 31"


def test_a_clock_that_was_ahead_expires_nothing() -> None:
    """A memory from the future is not idle."""
    assert not judge(memory("session"), "2030-01-01T00:00:00Z", DAYS, NOW).expired
