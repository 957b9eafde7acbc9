"""What hooks do for work items: each adds a line to the session's file; items are written when the agent acts or rests.

A prompt costs one line. Whether it asks for work is looked at when the agent does something; nothing is made before. A
work item is not closed here at the end of a session: what can be learned from it is taken first, by the harvest.
"""

from __future__ import annotations

import os

from holdfast.app.hook import kept
from holdfast.learning.work import session_log
from holdfast.privacy import speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.agents.transcript_calls import Call
    from holdfast.app.hook import HookRun
    from holdfast.learning.work.model import Work
    from holdfast.learning.work.plan_items import Planned
    from holdfast.records import Project

_MAX_PROMPT = 4_000
_MAX_COMMAND = 300
_MAX_NAME = 80
_MAX_SESSION = 200
_MAX_PATH = 300
_MAX_OUTPUT = 8_000
_MIN_OUTPUT = 10
_MAX_CALLS = 400
# So much of a transcript is read in front of a waiting person; mostly a pause read all of it before.
_MAX_AT_PROMPT = 1 << 18


def at(run: HookRun) -> None:
    """Do what work items ask for at this moment."""
    project = run.project()
    act = _ACTS.get(run.call.moment)
    if project is not None and act is not None:
        act(run, project)


def _at_start(run: HookRun, project: Project) -> None:
    """Finish what sessions left that are over. A start is also where a resumed session goes on."""
    if run.call.subagent or not session_log.has_left(run.home, own=_path(run, project)):
        return
    # Heavy, and at most starts nothing was left.
    from holdfast.learning.work import closing as work_closing

    work_closing.finish_left(run.home, (project.id, *project.aliases), run.at, own=_path(run, project))


def _at_prompt(run: HookRun, project: Project) -> None:
    if run.call.subagent:
        return
    path = _path(run, project)
    # What was done until here was done for an earlier prompt; no pause may have been told after it.
    rows = _told_by_transcript(run, project, path, _MAX_AT_PROMPT) if os.path.exists(path) else []
    text = speech.typed(run.call.prompt[: _MAX_PROMPT * 4])
    if text.strip():
        if run.call.transcript and not os.path.exists(path):
            # What the transcript has already was not done for this prompt.
            rows.append((session_log.READ, str(_size(run.call.transcript))))
        rows.append((session_log.PROMPT, kept(text, _MAX_PROMPT)))
    _note(run, project, rows)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def _at_tool(run: HookRun, project: Project) -> None:
    call = run.call
    # An agent that tells of failures by another event says by this one that it went well.
    well = "passed" if "tool-failed" in run.agent.events.values() else ""
    rows = _rows(project, call.tool, call.tool_input, "failed" if call.error else well)
    _note(run, project, rows)
    kinds = [kind for kind, _ in rows]
    changed = session_log.FILE in kinds
    acted = changed or session_log.RUN in kinds or session_log.PASSED in kinds
    if acted and session_log.is_waiting(_path(run, project), for_change=changed):
        _take_in(run, project)


def _rows(project: Project, tool: str, given: str, ended: str) -> list[tuple[str, str]]:
    """Return what a call of a tool says: its name, and which file it changed, what it ran, planned or set to work."""
    from holdfast.language import commands, tools
    from holdfast.learning.work import plan_items

    rows = [(session_log.TOOL, kept(tool, _MAX_NAME))] if tool else []
    if ended == "failed":
        return rows
    changed = tools.changed_files(tool, given)
    if changed:
        return [*rows, *[(session_log.FILE, _shown(project, path)) for path in changed]]
    plan = plan_items.plan_of(tool, given)
    if plan:
        return [*rows, (session_log.PLAN, _told_plan(plan))]
    spawned = tools.spawned(tool, given)
    if spawned:
        return [*rows, (session_log.AGENT, kept(spawned, _MAX_NAME))]
    command = tools.line_of(given) if tools.kind_of(tool) == "shell" else ""
    if command and not commands.only_looks(command):
        kind = session_log.PASSED if ended == "passed" else session_log.RUN
        rows.append((kind, kept(command, _MAX_COMMAND)))
    return rows


def _told_plan(plan: tuple[Planned, ...]) -> str:
    from holdfast.base.minijson import dumps

    return dumps([[kept(entry.text, _MAX_COMMAND), entry.ticked] for entry in plan])


def _at_stop(run: HookRun, project: Project) -> None:
    """Bring what happened into the work items; most agents tell of it only by their transcript."""
    path = _path(run, project)
    if run.call.subagent or not os.path.exists(path):
        return
    _note(run, project, _told_by_transcript(run, project, path))
    _take_in(run, project)


def _told_by_transcript(run: HookRun, project: Project, path: str, most: int = 0) -> list[tuple[str, str]]:
    """Return what the calls say that the transcript has since it was last read, where hooks were told of none.

    The calls are left in the visit for the parts behind this one, which read nothing themselves.
    """
    since, has_calls = session_log.read_up_to(path)
    if not run.call.transcript or _size(run.call.transcript) == since:
        return []
    from holdfast.agents.transcript_tail import MAX_TAIL, tail

    lines, end = tail(run.call.transcript, since, most or MAX_TAIL)
    if end == since:
        return []
    # Between a pause and a prompt an agent mostly writes what has no call in it, whatever it calls one.
    if has_calls or not any(b"ool" in line or b"all" in line for line in lines):
        return [(session_log.READ, str(end))]
    found, unread = _calls_in(lines, may_wait=run.call.moment == "stop")
    run.told_calls = found
    rows = [row for call in found for row in _rows(project, call.tool, call.given, call.ended)]
    return [*rows, (session_log.READ, str(end - unread))]


def _calls_in(lines: list[bytes], *, may_wait: bool) -> tuple[tuple[Call, ...], int]:
    """Return the calls in these lines, and how many bytes of them are to be read again.

    At a stop the results of the last calls may not be written yet; such calls are left for the moment behind it.
    """
    from holdfast.agents import transcript_calls

    told = transcript_calls.told(lines)
    unread = 0
    if may_wait and told.settled < len(lines):
        unread = len(b"\n".join(lines[told.settled :]))
        told = transcript_calls.told(lines[: told.settled])
    return tuple(told.calls[-_MAX_CALLS:]), unread


def _at_end(run: HookRun, project: Project) -> None:
    path = _path(run, project)
    if run.call.subagent or not os.path.exists(path):
        return
    _at_stop(run, project)
    _note(run, project, [(session_log.ENDED, "")])


def _at_subagent_stop(run: HookRun, project: Project) -> None:
    """Note what a sub-agent said, for the work item that it worked for."""
    answer = kept(run.call.answer[: _MAX_OUTPUT * 4], _MAX_OUTPUT).strip()
    if len(answer) >= _MIN_OUTPUT and os.path.exists(_path(run, project)):
        from holdfast.base.minijson import dumps

        _note(run, project, [(session_log.OUTPUT, dumps([kept(run.call.subagent, _MAX_NAME), answer]))])


def _take_in(run: HookRun, project: Project) -> Work | None:
    from holdfast.agents import transcript_calls
    from holdfast.learning.work import turns as work_turns

    tells_tools = run.call.moment == "tool" or transcript_calls.is_readable(run.call.transcript)
    return work_turns.take_in(run.home, _path(run, project), run.at, tells_tools=tells_tools)


def _note(run: HookRun, project: Project, rows: list[tuple[str, str]]) -> None:
    if rows:
        session_log.note(run.home, (run.call.agent, _session(run), project.id), run.at, rows)


def _path(run: HookRun, project: Project) -> str:
    return session_log.path_of(run.home, run.call.agent, _session(run), project.id)


def _session(run: HookRun) -> str:
    return run.session_label or kept(run.session, _MAX_SESSION)


def _shown(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    return kept(path.removeprefix(project.root.rstrip("/") + "/"), _MAX_PATH)


_ACTS: dict[str, Callable[[HookRun, Project], None]] = {
    "start": _at_start,
    "prompt": _at_prompt,
    "tool": _at_tool,
    "stop": _at_stop,
    "end": _at_end,
    "subagent-stop": _at_subagent_stop,
}
