"""The protocol of a session beside its prompts: what is left open is closed, what was done goes into the pages.

A start finishes what an agent that was killed could not; a tool's files and failures are collected; at a pause, before
a compaction and at the end the buffer and the log get what is new.
"""

from __future__ import annotations

import os

from holdfast.app.hook import CONTINUES, end_kept, kept
from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.continuity import noting, opened, region, running
from holdfast.continuity.places import Pages
from holdfast.continuity.session_notes import MAX_ASK, clean, note, open_path
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.app.hook import HookRun
    from holdfast.records import Project

_MAX_ANSWER = 16_000
_MAX_ERROR = 240
_MAX_CLOSED = 5


def keep(run: HookRun) -> None:
    """Do what the protocol asks for at this moment."""
    act = _ACTS.get(run.call.moment)
    if act is not None:
        act(run)


def at_start(run: HookRun) -> None:
    """Finish what another session of this project, or an earlier run of this one, left open; then open this one."""
    project = run.project()
    if project is None or run.call.subagent:
        return
    from holdfast.agents.transcript_tail import tail

    own = open_path(run, project)
    # A start after a compaction is in the middle of a session.
    resumed = own if run.call.source != "compact" else ""
    seconds = run.settings.number("continuity.open_minutes") * 60
    left = opened.left_open(run.home, (project.id, *project.aliases), seconds, resumed)
    if left:
        _finish(run, project, left)
    if run.call.source != "compact":
        # What the transcript of a resumed session has already was not done now.
        read = tail(run.call.transcript, 0)[1] if run.call.source in CONTINUES else 0
        rows = [(noting.TRANSCRIPT, run.call.transcript), (noting.READ, str(read))]
        note(run, project, [*rows, (noting.PROCESS, running.agent())])


def _finish(run: HookRun, project: Project, left: list[opened.Opened]) -> None:
    from holdfast.continuity import closing

    pages = Pages(run.home, project.id, project.aliases)
    problems: list[HoldfastError] = []
    # Of two that start at once, one does it; the other finds nothing left.
    with region.lock_of(pages.folder, "closing"):
        for one in left[:_MAX_CLOSED]:
            now = opened.read(one.path)
            if now is None or now.closed or now.changed != one.changed or run.is_late():
                continue
            try:
                closing.close(pages, _collected(run, project, now), run.at, cut_off=True)
            except HoldfastError as problem:
                # One that cannot be closed keeps nobody from closing the others.
                problems.append(problem)
    if problems:
        raise problems[0]


def at_tool(run: HookRun) -> None:
    """Collect which file was changed or which command failed; the pages get it when the agent pauses."""
    project = run.project()
    if project is None:
        return
    from holdfast.language import tools

    call = run.call
    if call.moment == "tool-failed" or call.error:
        what = tools.line_of(call.tool_input) or call.tool
        lines = [line for line in call.error.splitlines() if line.strip()]
        note(run, project, [("failed", clean(f"{what}: {lines[0] if lines else 'failed'}", _MAX_ERROR))])
        return
    files = tools.changed_files(call.tool, call.tool_input)
    if files:
        note(run, project, [("file", _path(project, path)) for path in files])
    else:
        noting.beat(open_path(run, project))


def at_stop(run: HookRun) -> None:
    """Bring the buffer up to date with what the agent did since the person's last message."""
    _refresh(run)


def at_compact(run: HookRun) -> None:
    """Write the state down before the conversation goes: from what hooks were told, and from the transcript's tail."""
    _refresh(run)


def at_end(run: HookRun) -> None:
    """Finish the session: buffer, log, todos, and then what was this session's alone leaves the buffer."""
    project = run.project()
    if project is None or run.call.subagent or not os.path.exists(open_path(run, project)):
        return
    one = _refresh(run)
    if one is None or one.closed:
        return
    from holdfast.continuity import closing

    pages = Pages(run.home, project.id, project.aliases)
    with region.lock_of(pages.folder, "closing"):
        closing.close(pages, replace(one, last=run.at), run.at, cut_off=False)


def _refresh(run: HookRun) -> opened.Opened | None:
    """Collect what is new, merge it into the buffer, and return the session as it is then."""
    from holdfast.continuity import closing

    project = run.project()
    if project is None or run.call.subagent:
        return None
    path = open_path(run, project)
    told, before = _told(run), opened.read(path)
    if run.call.transcript and (before is None or before.transcript != run.call.transcript):
        told = [(noting.TRANSCRIPT, run.call.transcript), *told]
    if told or before is None:
        note(run, project, told)
    one = opened.read(path)
    if one is None or one.closed:
        return one
    one = _collected(run, project, one)
    if not one.unmerged():
        noting.beat(path)
        return one
    closing.merge(Pages(run.home, project.id, project.aliases), one, run.at)
    note(run, project, [one.merged()])
    return opened.read(path)


def _told(run: HookRun) -> list[tuple[str, str]]:
    """Return what the agent's answer says about the work."""
    if not run.call.answer:
        return []
    from holdfast.continuity import answers

    whole = run.call.answer
    beginning = kept(region.shown(whole[: _MAX_ANSWER * 4]), _MAX_ANSWER)
    # A long answer says first what was done, and last what comes next.
    end = beginning if len(whole) <= _MAX_ANSWER else region.shown(end_kept(whole, 0, _MAX_ANSWER))
    steps = answers.next_steps(end)
    rows = [("answer", answers.summary(beginning)), ("next", dumps(list(steps)) if steps else "")]
    rows += [("ticked", text) for text in dict.fromkeys([*answers.ticked(beginning), *answers.ticked(end)])]
    return [(kind, text) for kind, text in rows if text]


def _collected(run: HookRun, project: Project, one: opened.Opened) -> opened.Opened:
    """Note which files the transcript says were changed, as far as it was not read yet; return the session then."""
    from holdfast.agents.transcript_tail import changed, tail

    since = one.read_up_to()
    lines, end = tail(one.transcript, since) if one.transcript else ([], since)
    if end == since:
        return one
    files = [_path(project, path) for path in changed(lines)]
    rows = [("file", path) for path in dict.fromkeys(files) if path]
    noting.note(run.home, one.agent, one.session, one.project, one.last, [*rows, (noting.READ, str(end))])
    return opened.read(one.path) or one


def _path(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    root = project.root.rstrip("/") + "/"
    return clean(path.removeprefix(root), MAX_ASK)


_ACTS: dict[str, Callable[[HookRun], None]] = {
    "start": at_start,
    "tool": at_tool,
    "tool-failed": at_tool,
    "compact": at_compact,
    "stop": at_stop,
    "end": at_end,
}
