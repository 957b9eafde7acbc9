"""What hooks do for rules: at a call that a condition names, the rule is said, or it holds the call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import Effect, HookRun


def at_before_tool(run: HookRun) -> list[Effect]:
    """Hold a call that a rule forbids; say a rule, where the agent passes on what is said before a call."""
    return []


def at_tool(run: HookRun) -> list[Effect]:
    """Say the rules whose condition this call fulfils, where that was not possible before it ran."""
    return []


at_after_tool = at_tool_failed = at_tool
