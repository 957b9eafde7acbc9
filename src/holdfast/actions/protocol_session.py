"""The protocol of a session beside its prompts: what is left open is closed, what was done goes into the pages.

A start finishes what an agent that was killed could not; a tool's files and failures are collected; at a pause, before
a compaction and at the end the buffer and the log get what is new.
"""

from __future__ import annotations

import os

from holdfast.actions.hook import CONTINUES, end_kept, kept
from holdfast.actions.protocol import MOST_ASK, clean, note, open_path
from holdfast.continuity import noting, opened, region, running
from holdfast.continuity.places import Pages
from holdfast.errors import HoldfastError
from holdfast.light import replace
from holdfast.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.actions.hook import Visit
    from holdfast.records import Project

_MOST_ANSWER = 16_000
_MOST_ERROR = 240
_MOST_CLOSED = 5


def keep(visit: Visit) -> None:
    """Do what the protocol asks for at this moment."""
    act = _ACTS.get(visit.call.moment)
    if act is not None:
        act(visit)


def at_start(visit: Visit) -> None:
    """Finish what another session of this project, or an earlier run of this one, left open; then open this one."""
    project = visit.project()
    if project is None or visit.call.subagent:
        return
    from holdfast.continuity.touched import tail

    own = open_path(visit, project)
    # A start after a compaction is in the middle of a session.
    resumed = own if visit.call.source != "compact" else ""
    seconds = visit.settings.number("continuity.open_minutes") * 60
    left = opened.left_open(visit.home, (project.id, *project.aliases), seconds, resumed)
    if left:
        _finish(visit, project, left)
    if visit.call.source != "compact":
        # What the transcript of a resumed session has already was not done now.
        read = tail(visit.call.transcript, 0)[1] if visit.call.source in CONTINUES else 0
        rows = [(noting.TRANSCRIPT, visit.call.transcript), (noting.READ, str(read))]
        note(visit, project, [*rows, (noting.PROCESS, running.agent())])


def _finish(visit: Visit, project: Project, left: list[opened.Opened]) -> None:
    from holdfast.actions import closing

    pages = Pages(visit.home, project.id, project.aliases)
    problems: list[HoldfastError] = []
    # Of two that start at once, one does it; the other finds nothing left.
    with region.lock_of(pages.folder, "closing"):
        for one in left[:_MOST_CLOSED]:
            now = opened.read(one.path)
            if now is None or now.closed or now.changed != one.changed or visit.is_late():
                continue
            try:
                closing.close(pages, _collected(visit, project, now), visit.at, cut_off=True)
            except HoldfastError as problem:
                # One that cannot be closed keeps nobody from closing the others.
                problems.append(problem)
    if problems:
        raise problems[0]


def at_tool(visit: Visit) -> None:
    """Collect which file was changed or which command failed; the pages get it when the agent pauses."""
    project = visit.project()
    if project is None:
        return
    from holdfast.continuity.touched import Tools

    call, tools = visit.call, Tools()
    if call.moment == "tool-failed" or call.error:
        what = tools.command(call.tool_input) or call.tool
        lines = [line for line in call.error.splitlines() if line.strip()]
        note(visit, project, [("failed", clean(f"{what}: {lines[0] if lines else 'failed'}", _MOST_ERROR))])
        return
    files = tools.files(call.tool, call.tool_input)
    if files:
        note(visit, project, [("file", _path(project, path)) for path in files])
    else:
        noting.beat(open_path(visit, project))


def at_stop(visit: Visit) -> None:
    """Bring the buffer up to date with what the agent did since the person's last message."""
    _refresh(visit)


def at_compact(visit: Visit) -> None:
    """Write the state down before the conversation goes: from what hooks were told, and from the transcript's tail."""
    _refresh(visit)


def at_end(visit: Visit) -> None:
    """Finish the session: buffer, log, todos, and then what was this session's alone leaves the buffer."""
    project = visit.project()
    if project is None or visit.call.subagent or not os.path.exists(open_path(visit, project)):
        return
    one = _refresh(visit)
    if one is None or one.closed:
        return
    from holdfast.actions import closing

    pages = Pages(visit.home, project.id, project.aliases)
    with region.lock_of(pages.folder, "closing"):
        closing.close(pages, replace(one, last=visit.at), visit.at, cut_off=False)


def _refresh(visit: Visit) -> opened.Opened | None:
    """Collect what is new, merge it into the buffer, and return the session as it is then."""
    from holdfast.actions import closing

    project = visit.project()
    if project is None or visit.call.subagent:
        return None
    path = open_path(visit, project)
    told, before = _told(visit), opened.read(path)
    if visit.call.transcript and (before is None or before.transcript != visit.call.transcript):
        told = [(noting.TRANSCRIPT, visit.call.transcript), *told]
    if told or before is None:
        note(visit, project, told)
    one = opened.read(path)
    if one is None or one.closed:
        return one
    one = _collected(visit, project, one)
    if not one.unmerged():
        noting.beat(path)
        return one
    closing.merge(Pages(visit.home, project.id, project.aliases), one, visit.at)
    note(visit, project, [one.merged()])
    return opened.read(path)


def _told(visit: Visit) -> list[tuple[str, str]]:
    """Return what the agent's answer says about the work."""
    if not visit.call.answer:
        return []
    from holdfast.continuity import answers

    whole = visit.call.answer
    beginning = kept(region.shown(whole[: _MOST_ANSWER * 4]), _MOST_ANSWER)
    # A long answer says first what was done, and last what comes next.
    end = beginning if len(whole) <= _MOST_ANSWER else region.shown(end_kept(whole, 0, _MOST_ANSWER))
    steps = answers.next_steps(end)
    rows = [("answer", answers.summary(beginning)), ("next", dumps(list(steps)) if steps else "")]
    rows += [("ticked", text) for text in dict.fromkeys([*answers.ticked(beginning), *answers.ticked(end)])]
    return [(kind, text) for kind, text in rows if text]


def _collected(visit: Visit, project: Project, one: opened.Opened) -> opened.Opened:
    """Note which files the transcript says were changed, as far as it was not read yet; return the session then."""
    from holdfast.continuity.touched import Tools, tail

    since = one.read_up_to()
    lines, end = tail(one.transcript, since) if one.transcript else ([], since)
    if end == since:
        return one
    files = [_path(project, path) for path in Tools().changed(lines)]
    rows = [("file", path) for path in dict.fromkeys(files) if path]
    noting.note(visit.home, one.agent, one.session, one.project, one.last, [*rows, (noting.READ, str(end))])
    return opened.read(one.path) or one


def _path(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    root = project.root.rstrip("/") + "/"
    return clean(path.removeprefix(root), MOST_ASK)


_ACTS: dict[str, Callable[[Visit], None]] = {
    "start": at_start,
    "tool": at_tool,
    "tool-failed": at_tool,
    "compact": at_compact,
    "stop": at_stop,
    "end": at_end,
}
