"""Retention: which memories have had their time, and by which rule each is kept or goes."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.base.clock import days_between
from holdfast.base.text import count
from holdfast.records import Memory

NEVER_TYPES = ("user", "feedback", "decision", "lesson")
NEVER_SCOPES = ("global", "agent")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happens to one memory, the rule that says so, and when it was last touched."""

    memory: Memory
    expired: bool
    rule: str
    touched: str = ""


def judge(memory: Memory, last_touched: str, days_by_scope: dict[str, int], now: str) -> Verdict:
    """Return whether the memory expired. `last_touched` is its last update, use or edit, whichever is later."""
    if memory.pinned:
        return Verdict(memory, False, "pinned: kept")
    if memory.type in NEVER_TYPES:
        return Verdict(memory, False, f"type {memory.type}: kept")
    if memory.scope.kind in NEVER_SCOPES:
        return Verdict(memory, False, f"scope {memory.scope.kind}: kept")
    limit = days_by_scope[memory.scope.kind]
    idle = int(days_between(last_touched, now))
    rule = f"scope {memory.scope.kind}: {count(limit, 'day')}"
    return Verdict(memory, idle > limit, f"{rule}, idle for {idle}", last_touched)
