"""What hooks do for work items: each adds a line to the session's file; items are written when the agent acts or rests.

A prompt costs one line. Whether it asks for work is looked at when the agent does something; nothing is made before. A
work item is not closed here at the end of a session: what can be learned from it is taken first, by the harvest.
"""

from __future__ import annotations

import os

from holdfast.base.minijson import dumps
from holdfast.base.text import CUT, cut
from holdfast.learning.work import session_log
from holdfast.parts import Effect
from holdfast.privacy.fence import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.learning.work.model import Work
    from holdfast.parts import HookRun
    from holdfast.records import Project

_MAX_PROMPT = 4_000
_MAX_COMMAND = 300
_MAX_NAME = 80
_MAX_PATH = 300
_MAX_OUTPUT = 8_000
_MIN_OUTPUT = 10


def at_start(run: HookRun) -> list[Effect]:
    """Finish what sessions left that are over. A start is also where a resumed session goes on."""
    project = run.project()
    if project is None or run.call.subagent:
        return []
    left = session_log.left(run.home, project.ids, own=_path(run, project))
    if not left:
        return []
    # Heavy, and at most starts nothing was left.
    from holdfast.learning.work import turns

    return [Effect(lambda: turns.finish_left(run.home, left, run.at))]


def at_prompt(run: HookRun) -> list[Effect]:
    """Note what the person asks; whether it is work is looked at when the agent acts."""
    project = run.project()
    if project is None or run.call.subagent:
        return []
    # What was done until here was done for an earlier prompt; no pause may have been told after it.
    rows = _rows_of_calls(run, project)
    if run.words().strip():
        rows.append(row_of_prompt(run.words()))
    return [Effect(lambda: _note(run, project, rows))] if rows else []


def at_tool(run: HookRun) -> list[Effect]:
    """Note what a call did; where it begins or changes the work, bring it into the items."""
    project = run.project()
    return [Effect(lambda: _take_call(run, project))] if project is not None else []


def at_stop(run: HookRun) -> list[Effect]:
    """Bring what happened into the work items; most agents tell of it only by their transcript."""
    project = run.project()
    if project is None or run.call.subagent or not os.path.exists(_path(run, project)):
        return []
    rows = _rows_of_calls(run, project)

    def pause() -> None:
        _note(run, project, rows)
        _take_in(run, project)

    return [Effect(pause)]


def at_end(run: HookRun) -> list[Effect]:
    """Do as at a pause, and note that the session is over."""
    project, effects = run.project(), at_stop(run)
    if project is None or not effects:
        return []
    return [*effects, Effect(lambda: _note(run, project, [(session_log.ENDED, "")]))]


def at_subagent_stop(run: HookRun) -> list[Effect]:
    """Note what a sub-agent said, for the work item that it worked for."""
    project = run.project()
    if project is None or not os.path.exists(_path(run, project)):
        return []
    row = row_of_answer(run.call.subagent, run.call.answer)
    return [Effect(lambda: _note(run, project, [row]))] if row else []


def row_of_answer(subagent: str, told: str) -> tuple[str, str] | None:
    """Return what a sub-agent said as a row; None where that is nothing."""
    answer = kept(told[: _MAX_OUTPUT * 4], _MAX_OUTPUT).strip()
    return (session_log.OUTPUT, dumps([kept(subagent, _MAX_NAME), answer])) if len(answer) >= _MIN_OUTPUT else None


def row_of_prompt(words: str) -> tuple[str, str]:
    """Return what the person asked as a row."""
    return session_log.PROMPT, cut(words, _MAX_PROMPT, CUT)


def _take_call(run: HookRun, project: Project) -> None:
    call = run.call
    # An agent that tells of failures by another event says by this one that it went well.
    well = "passed" if "tool-failed" in run.agent.events.values() else ""
    rows = rows_of_call(project.root, call.tool, call.tool_input, "failed" if call.error else well)
    _note(run, project, rows)
    kinds = [kind for kind, _ in rows]
    changed = session_log.FILE in kinds
    acted = changed or session_log.RUN in kinds or session_log.PASSED in kinds
    if acted and session_log.is_waiting(_path(run, project), for_change=changed):
        _take_in(run, project)


def rows_of_call(root: str, tool: str, given: str, ended: str) -> list[tuple[str, str]]:
    """Return what a call of a tool says: its name, and which file it changed, what it ran, planned or set to work."""
    from holdfast.language import commands, tools

    rows = [(session_log.TOOL, kept(tool, _MAX_NAME))] if tool else []
    if ended == "failed":
        return rows
    changed = tools.changed_files(tool, given)
    if changed:
        root = root.rstrip("/") + "/"
        return [*rows, *[(session_log.FILE, kept(path.removeprefix(root), _MAX_PATH)) for path in changed]]
    plan = tools.plan_of(tool, given)
    if plan:
        return [*rows, (session_log.PLAN, dumps([[kept(one.text, _MAX_COMMAND), one.ticked] for one in plan]))]
    spawned = tools.spawned(tool, given)
    if spawned:
        return [*rows, (session_log.AGENT, kept(spawned, _MAX_NAME))]
    command = tools.line_of(given) if tools.kind_of(tool) == "shell" else ""
    if command and not commands.only_looks(command):
        kind = session_log.PASSED if ended == "passed" else session_log.RUN
        rows.append((kind, kept(command, _MAX_COMMAND)))
    return rows


def _rows_of_calls(run: HookRun, project: Project) -> list[tuple[str, str]]:
    """Return what the calls say that the transcript has since it was last read and no hook was told of."""
    calls = run.untold_calls()
    if not calls or not os.path.exists(_path(run, project)):
        return []
    return [row for call in calls for row in rows_of_call(project.root, call.tool, call.given, call.ended)]


def _take_in(run: HookRun, project: Project) -> Work | None:
    from holdfast.agents import transcript_calls
    from holdfast.learning.work import turns as work_turns

    tells_tools = run.call.moment == "tool" or transcript_calls.is_readable(run.call.transcript)
    return work_turns.take_in(run.home, _path(run, project), run.at, tells_tools=tells_tools)


def _note(run: HookRun, project: Project, rows: list[tuple[str, str]]) -> None:
    if rows:
        session_log.note(run.home, (run.call.agent, run.session_label, project.id), run.at, rows)


def _path(run: HookRun, project: Project) -> str:
    return session_log.path_of(run.home, run.call.agent, run.session_label, project.id)
