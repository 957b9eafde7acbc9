"""What hooks do for fixes: a failed command is noted, what is done afterwards too, and a fix is kept when it works.

A session in which nothing failed has no file here, and then a call costs one look whether it is there. A success is
believed only of an agent that tells failures apart, and only where the line does not hide its exit. Most agents tell
hooks of few calls or of none; then the transcript tells them at the next pause or prompt.
"""

from __future__ import annotations

import os

from holdfast.learning.fixes import path_of
from holdfast.parts import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun


def at_tool(run: HookRun) -> list[Effect]:
    """Note a failure, or what was done after one; where that shows that it is fixed, keep the fix."""
    call, path = run.call, path_of(run)
    failed = call.moment == "tool-failed" or bool(call.error)
    if not path or not (failed or (os.path.exists(path) and "tool-failed" in run.agent.events.values())):
        return []
    return _taking(run, path, [(call.tool, call.tool_input, "failed" if failed else "passed", call.error)])


at_tool_failed = at_tool


def at_stop(run: HookRun) -> list[Effect]:
    """Take what the transcript told of calls, if one failed or did so before in this session."""
    calls = run.calls()
    path = path_of(run) if calls else ""
    if not path or not (any(call.ended == "failed" for call in calls) or os.path.exists(path)):
        return []
    return _taking(run, path, [(call.tool, call.given, call.ended, call.output) for call in calls])


at_prompt = at_end = at_stop


def _taking(run: HookRun, path: str, calls: list[tuple[str, str, str, str]]) -> list[Effect]:
    from holdfast.learning.fixes.session_failures import take

    return [Effect(lambda: take(run, path, calls))]
