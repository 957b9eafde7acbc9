"""What hooks do for fixes: a failed command is noted, what is done afterwards too, and a fix is kept when it works.

A session in which nothing failed has no file here, and then a call costs one look whether it is there. A success is
believed only of an agent that tells failures apart, and only where the line does not hide its exit. Most agents tell
hooks of few calls or of none; then the transcript tells them at the next pause or prompt.

What worked for the same failure before is said with the failure, where the agent hears something at a call, and else
with the next prompt. Of an agent that tells its hooks of no failure the transcript tells the last ones.
"""

from __future__ import annotations

import os

from holdfast.parts import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun


def at_tool(run: HookRun) -> list[Effect]:
    """Note a failure, and say what worked for it; note what was done after one, and keep what shows to be its fix."""
    call, path = run.call, run.failures()
    if not path:
        return []
    failed = call.moment == "tool-failed" or bool(call.error)
    tells_failures = "tool-failed" in run.agent.events.values()
    effects: list[Effect] = []
    if failed or (tells_failures and os.path.exists(path)):
        effects = _taking(run, path, [(call.tool, call.tool_input, "failed" if failed else "passed", call.error)])
    if call.moment not in run.agent.injects or not (failed or not tells_failures):
        return effects
    return effects + _saying(run, path, [(call.tool_input, call.error)] if failed else None)


at_tool_failed = at_tool


def at_after_tool(run: HookRun) -> list[Effect]:
    """Say what worked for a command that failed, as the agent tells behind it.

    Where nobody says how it ended, the words of the failure have to do; one that is known to have gone well is none.
    """
    call, path, agent = run.call, run.failures(), run.agent
    if not path or (not call.error and (agent.tells_exits or "tool-failed" in agent.injects)):
        return []
    return _saying(run, path, [(call.tool_input, call.error or call.output)] if call.output else None)


def _failed_last(run: HookRun) -> list[tuple[str, str]]:
    """Return the command that failed last as the transcript tells it; nothing where another was run since."""
    from holdfast.language.tools import kind_of

    ended = [one for one in run.latest_calls() if one.ended and kind_of(one.tool) == "shell"]
    return [(one.given, one.output) for one in ended[-1:] if one.ended == "failed"]


def _saying(run: HookRun, path: str, failed: list[tuple[str, str]] | None) -> list[Effect]:
    """Say what worked for a command that failed; None is the one of which only the transcript tells."""
    from holdfast.learning.fixes import model, warnings

    if not any(os.path.exists(os.path.join(run.home, *place)) for place in (model.PLACE, warnings.PLACE)):
        return []
    from holdfast.language.tools import kind_of, line_of

    failed = _failed_last(run) if failed is None else failed
    if not failed or kind_of(run.call.tool) != "shell":
        return []
    from holdfast.agents.transcript_calls import exit_of
    from holdfast.learning import readback
    from holdfast.learning.fixes import session_failures

    told = [(line_of(given), text) for given, text in failed if exit_of(text) != 0]
    line, fingerprint = session_failures.offer_at_once(run, path, told)
    if not line:
        return []
    item = readback.fix_item(run, line)
    return [Effect(lambda: session_failures.note_offered(path, fingerprint), say=item.text, given=item.given)]


def at_stop(run: HookRun) -> list[Effect]:
    """Take what the transcript told of calls, if one failed or did so before in this session."""
    calls = run.calls()
    path = run.failures() if calls else ""
    if not path or not (any(call.ended == "failed" for call in calls) or os.path.exists(path)):
        return []
    return _taking(run, path, [(call.tool, call.given, call.ended, call.output) for call in calls])


at_prompt = at_end = at_stop


def _taking(run: HookRun, path: str, calls: list[tuple[str, str, str, str]]) -> list[Effect]:
    from holdfast.learning.fixes.session_failures import take

    return [Effect(lambda: take(run, path, calls))]
