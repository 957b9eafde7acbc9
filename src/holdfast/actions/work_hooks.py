"""What hooks do for work items: each adds a line to the session's file; items are written when the agent acts or rests.

A prompt costs one line. Whether it asks for work is looked at when the agent does something; nothing is made before. A
work item is not closed here at the end of a session: what can be learned from it is taken first, by the harvest.
"""

from __future__ import annotations

import os

from holdfast.actions.hook import kept
from holdfast.agents import speaking
from holdfast.learning import work_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.actions.hook import Visit
    from holdfast.continuity.touched import Tools
    from holdfast.learning.asked import Planned
    from holdfast.learning.work import Work
    from holdfast.learning.work_calls import Call
    from holdfast.records import Project

_MOST_PROMPT = 4_000
_MOST_COMMAND = 300
_MOST_NAME = 80
_MOST_SESSION = 200
_MOST_PATH = 300
_MOST_OUTPUT = 8_000
_LEAST_OUTPUT = 10
_MOST_CALLS = 400
# So much of a transcript is read in front of a waiting person; mostly a pause read all of it before.
_MOST_AT_PROMPT = 1 << 18


def at(visit: Visit) -> None:
    """Do what work items ask for at this moment."""
    project = visit.project()
    act = _ACTS.get(visit.call.moment)
    if project is not None and act is not None:
        act(visit, project)


def _at_start(visit: Visit, project: Project) -> None:
    """Finish what sessions left that are over. A start is also where a resumed session goes on."""
    if visit.call.subagent or not work_log.has_left(visit.home, own=_path(visit, project)):
        return
    # Heavy, and at most starts nothing was left.
    from holdfast.actions import work_closing

    work_closing.finish_left(visit.home, (project.id, *project.aliases), visit.at, own=_path(visit, project))


def _at_prompt(visit: Visit, project: Project) -> None:
    if visit.call.subagent:
        return
    path = _path(visit, project)
    # What was done until here was done for an earlier prompt; no pause may have been told after it.
    rows = _told_by_transcript(visit, project, path, _MOST_AT_PROMPT) if os.path.exists(path) else []
    text = speaking.typed(visit.call.prompt[: _MOST_PROMPT * 4])
    if text.strip():
        if visit.call.transcript and not os.path.exists(path):
            # What the transcript has already was not done for this prompt.
            rows.append((work_log.READ, str(_size(visit.call.transcript))))
        rows.append((work_log.PROMPT, kept(text, _MOST_PROMPT)))
    _note(visit, project, rows)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def _at_tool(visit: Visit, project: Project) -> None:
    call = visit.call
    # An agent that tells of failures by another event says by this one that it went well.
    well = "passed" if "tool-failed" in visit.agent.events.values() else ""
    from holdfast.continuity.touched import Tools

    rows = _rows(Tools(), project, call.tool, call.tool_input, "failed" if call.error else well)
    _note(visit, project, rows)
    kinds = [kind for kind, _ in rows]
    changed = work_log.FILE in kinds
    acted = changed or work_log.RUN in kinds or work_log.PASSED in kinds
    if acted and work_log.is_waiting(_path(visit, project), for_change=changed):
        _take_in(visit, project)


def _rows(tools: Tools, project: Project, tool: str, given: str, ended: str) -> list[tuple[str, str]]:
    """Return what a call of a tool says: its name, and which file it changed, what it ran, planned or set to work."""
    from holdfast.learning import asked, work_commands

    rows = [(work_log.TOOL, kept(tool, _MOST_NAME))] if tool else []
    if ended == "failed":
        return rows
    changed = tools.files(tool, given)
    if changed:
        return [*rows, *[(work_log.FILE, _shown(project, path)) for path in changed]]
    plan = asked.plan_of(tool, given)
    if plan:
        return [*rows, (work_log.PLAN, _told_plan(plan))]
    spawned = work_commands.spawned(tool, given)
    if spawned:
        return [*rows, (work_log.AGENT, kept(spawned, _MOST_NAME))]
    command = tools.command(given) if work_commands.runs(tool) else ""
    if command and not work_commands.only_looks(command):
        kind = work_log.PASSED if ended == "passed" else work_log.RUN
        rows.append((kind, kept(command, _MOST_COMMAND)))
    return rows


def _told_plan(plan: tuple[Planned, ...]) -> str:
    from holdfast.plain_json import dumps

    return dumps([[kept(entry.text, _MOST_COMMAND), entry.ticked] for entry in plan])


def _at_stop(visit: Visit, project: Project) -> None:
    """Bring what happened into the work items; most agents tell of it only by their transcript."""
    path = _path(visit, project)
    if visit.call.subagent or not os.path.exists(path):
        return
    _note(visit, project, _told_by_transcript(visit, project, path))
    _take_in(visit, project)


def _told_by_transcript(visit: Visit, project: Project, path: str, most: int = 0) -> list[tuple[str, str]]:
    """Return what the calls say that the transcript has since it was last read, where hooks were told of none.

    The calls are left in the visit for the parts behind this one, which read nothing themselves.
    """
    since, has_calls = work_log.read_up_to(path)
    if not visit.call.transcript or _size(visit.call.transcript) == since:
        return []
    from holdfast.continuity.touched import MOST_TAIL, Tools, tail

    lines, end = tail(visit.call.transcript, since, most or MOST_TAIL)
    if end == since:
        return []
    # Between a pause and a prompt an agent mostly writes what has no call in it, whatever it calls one.
    if has_calls or not any(b"ool" in line or b"all" in line for line in lines):
        return [(work_log.READ, str(end))]
    found, unread = _calls_in(lines, may_wait=visit.call.moment == "stop")
    visit.told_calls = found
    tools = Tools()
    rows = [row for call in found for row in _rows(tools, project, call.tool, call.given, call.ended)]
    return [*rows, (work_log.READ, str(end - unread))]


def _calls_in(lines: list[bytes], *, may_wait: bool) -> tuple[tuple[Call, ...], int]:
    """Return the calls in these lines, and how many bytes of them are to be read again.

    At a stop the results of the last calls may not be written yet; such calls are left for the moment behind it.
    """
    from holdfast.learning import work_calls

    told = work_calls.told(lines)
    unread = 0
    if may_wait and told.settled < len(lines):
        unread = len(b"\n".join(lines[told.settled :]))
        told = work_calls.told(lines[: told.settled])
    return tuple(told.calls[-_MOST_CALLS:]), unread


def _at_end(visit: Visit, project: Project) -> None:
    path = _path(visit, project)
    if visit.call.subagent or not os.path.exists(path):
        return
    _at_stop(visit, project)
    _note(visit, project, [(work_log.ENDED, "")])


def _at_subagent_stop(visit: Visit, project: Project) -> None:
    """Note what a sub-agent said, for the work item that it worked for."""
    answer = kept(visit.call.answer[: _MOST_OUTPUT * 4], _MOST_OUTPUT).strip()
    if len(answer) >= _LEAST_OUTPUT and os.path.exists(_path(visit, project)):
        from holdfast.plain_json import dumps

        _note(visit, project, [(work_log.OUTPUT, dumps([kept(visit.call.subagent, _MOST_NAME), answer]))])


def _take_in(visit: Visit, project: Project) -> Work | None:
    from holdfast.actions import work_turns
    from holdfast.learning import work_calls

    tells_tools = visit.call.moment == "tool" or work_calls.is_readable(visit.call.transcript)
    return work_turns.take_in(visit.home, _path(visit, project), visit.at, tells_tools=tells_tools)


def _note(visit: Visit, project: Project, rows: list[tuple[str, str]]) -> None:
    if rows:
        work_log.note(visit.home, (visit.call.agent, _session(visit), project.id), visit.at, rows)


def _path(visit: Visit, project: Project) -> str:
    return work_log.path_of(visit.home, visit.call.agent, _session(visit), project.id)


def _session(visit: Visit) -> str:
    return visit.told_session or kept(visit.session, _MOST_SESSION)


def _shown(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    return kept(path.removeprefix(project.root.rstrip("/") + "/"), _MOST_PATH)


_ACTS: dict[str, Callable[[Visit, Project], None]] = {
    "start": _at_start,
    "prompt": _at_prompt,
    "tool": _at_tool,
    "stop": _at_stop,
    "end": _at_end,
    "subagent-stop": _at_subagent_stop,
}
