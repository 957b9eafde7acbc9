"""What hooks do for fixes: a failed command is noted, what is done afterwards too, and a fix is kept when it works.

A session in which nothing failed has no file here, and then a call costs one look whether it is there. A success is
believed only of an agent that tells failures apart, and only where the line does not hide its exit. Most agents tell
hooks of few calls or of none; then the transcript tells them at the next pause or prompt (`fix_transcript.py`).
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.digests import short
from holdfast.base.minijson import dumps
from holdfast.base.text import one_line
from holdfast.errors import HoldfastError
from holdfast.parts import Effect
from holdfast.privacy import fence
from holdfast.privacy.kept import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.learning.fixes.model import Fix
    from holdfast.learning.fixes.retries import Failure, Fixed, Retries
    from holdfast.parts import HookRun

FOLDER = ("state", "failures")
MAX_EDITS = 5
_MAX_BYTES = 48 * 1024
_MAX_OPEN = 20
# So many calls after a failure another form of the command may be the answer to it.
_SOON = 4
_MAX_SEEN = 4_000
_MAX_LINE = 600
_MAX_SHOWN = 200
_KEPT_SECONDS = 2 * 86_400

Row = tuple[str, ...]


def at_tool(run: HookRun) -> list[Effect]:
    """Note a failure, or what was done after one; where that shows that it is fixed, keep the fix."""
    call, path = run.call, path_of(run)
    if path and (call.moment == "tool-failed" or call.error):
        return [Effect(lambda: _failed(run, path))]
    if path and os.path.exists(path) and "tool-failed" in run.agent.events.values():
        return [Effect(lambda: _did(run, path))]
    return []


at_tool_failed = at_tool


def at_stop(run: HookRun) -> list[Effect]:
    """Take what the transcript told of calls, if one failed or did so before in this session."""
    calls = run.calls()
    path = path_of(run) if calls else ""
    if not path or not (any(call.ended == "failed" for call in calls) or os.path.exists(path)):
        return []
    from holdfast.learning.fixes import from_transcript

    return [Effect(lambda: from_transcript.take(run, path))]


at_prompt = at_end = at_stop


def path_of(run: HookRun) -> str:
    """Return the file of this session's failures in this project; nothing where there is no project."""
    project = run.project()
    return os.path.join(run.home, *FOLDER, short(run.call.agent, run.session, project.id)) if project else ""


def rows_of(path: str) -> list[Row]:
    """Return what was noted in a session, oldest first."""
    try:
        found = [rows.texts_in(line) for line in rows.read(path, _MAX_BYTES * 2)]
    except HoldfastError:
        return []
    return [row for row in found if row is not None and len(row) > 1]


def note(path: str, noted: Iterable[Row]) -> None:
    """Add rows to the file of a session, which is made where it is missing; a long one takes no more."""
    lines = [dumps([*row]) for row in noted]
    if not os.path.lexists(path):
        files.make_folder(os.path.dirname(path))
        rows.remove_older(os.path.dirname(path), _KEPT_SECONDS)
    if lines:
        rows.append(path, lines, durable=False, most=_MAX_BYTES)


def drop_notes(home: str) -> None:
    """Remove what was noted of every session; it quotes them, and a live one loses only what would be offered next."""
    rows.remove_older(os.path.join(home, *FOLDER), 0)


def _failed(run: HookRun, path: str) -> None:
    from holdfast.language import commands, failures, tools

    call = run.call
    if tools.kind_of(call.tool) != "shell" or failures.is_refused(call.error):
        return
    failure = failure_of(clean(tools.line_of(call.tool_input)), clean(call.error), run.at)
    if commands.main_of(failure.line) is None:
        return
    known = [row for row in rows_of(path) if row[0] == "fixed" and row[1] == failure.fingerprint]
    if known:
        withdraw(run, failure)
    note(path, [row_of(failure)])


def row_of(failure: Failure) -> Row:
    """Return a failure as a row of its session's file."""
    return ("failed", failure.fingerprint, failure.line, failure.error, failure.at, *failure.names)


def _did(run: HookRun, path: str) -> None:
    """Note what was done after a failure, and keep the fixes that a success shows."""
    from holdfast.language import commands, tools

    call = run.call
    if tools.kind_of(call.tool) != "shell":
        edits = edits_of(run, call.tool, call.tool_input)
        if edits:
            note(path, edits)
        return
    line = clean(tools.line_of(call.tool_input))
    main = commands.main_of(line)
    # What goes on in the background, or is hidden behind another command, did not succeed for all that is known.
    if main is None or main.is_hidden:
        return
    noted = rows_of(path)
    fixed = replayed(noted).ran(line, run.at) if _may_fix(noted, main.name) else []
    note(path, [("ran", line, run.at), *[("fixed", one.failure.fingerprint) for one in fixed]])
    keep(run, fixed)


def _may_fix(noted: list[Row], name: str) -> bool:
    """Whether a success of a command may show that a failure is fixed; for most it does not, and that is told soon."""
    from holdfast.language.commands import main_of

    places = [number for number, row in enumerate(noted) if row[0] == "failed"]
    if places and len(noted) - places[-1] <= _SOON:
        return True
    mains = [main_of(noted[number][2]) for number in places[-_MAX_OPEN:]]
    return any(main is not None and main.name == name for main in mains)


def replayed(noted: Iterable[Row]) -> Retries:
    """Return the failures of a session as they stand after these rows."""
    from holdfast.learning.fixes.retries import Failure, Retries

    retries = Retries()
    for kind, *told in noted:
        if kind == "failed" and len(told) > 3:
            retries.failed(Failure(told[0], told[1], told[2], tuple(told[4:]), told[3]))
        elif kind == "edited":
            retries.edited(told[0], told[1] if len(told) > 1 else "")
        elif kind == "ran" and len(told) > 1:
            retries.ran(told[0], told[1])
    return retries


def keep(run: HookRun, fixed: list[Fixed]) -> None:
    """Write down what was fixed in this session."""
    if not fixed:
        return
    from holdfast.learning.fixes import model as fixes

    project = run.project()
    for one in fixed:
        fixes.add(run.home, fix_of(one, run.call.agent, run.session_label, project.id if project else ""))


def withdraw(run: HookRun, failure: Failure) -> None:
    """Take the fix of a failure back that came again in this session."""
    from holdfast.learning.fixes import model as fixes
    from holdfast.learning.fixes.retries import Fixed

    project = run.project()
    broken = Fixed(failure, (), run.at)
    fixes.withdraw(run.home, fix_of(broken, run.call.agent, run.session_label, project.id if project else ""))


def edits_of(run: HookRun, tool: str, given: str) -> list[Row]:
    """Return the changes of files that a call made, as rows."""
    from holdfast.language.tools import changed_files
    from holdfast.learning.fixes.retries import change_of

    project = run.project()
    paths = changed_files(tool, given)[:MAX_EDITS]
    change = change_of(given) if len(paths) == 1 else ""
    root = project.root.rstrip("/") + "/" if project and project.root else "\0"
    return [("edited", clean(path.removeprefix(root)), clean(change)) for path in paths]


def failure_of(line: str, error: str, at: str) -> Failure:
    """Return a failure of a command line, of texts that are clean."""
    from holdfast.language import failures
    from holdfast.learning.fixes.retries import Failure

    said = failures.error_line(error)
    found = failures.fingerprint(line, said)
    return Failure(found, line[:_MAX_LINE], one_line(said, _MAX_SHOWN), failures.names_in(said), at)


def fix_of(fixed: Fixed, agent: str, session: str, project: str) -> Fix:
    """Return what was fixed as a row."""
    from holdfast.learning.fixes.model import Fix
    from holdfast.learning.fixes.retries import MAX_COMMAND, id_of

    failure = fixed.failure
    return Fix(
        *(failure.fingerprint, one_line(failure.line, MAX_COMMAND), failure.error, fixed.steps),
        *(agent, session, project, fixed.at),
        names=failure.names,
        id=id_of(agent, session, failure.fingerprint),
    )


def clean(text: str) -> str:
    """Return a text without our own injections and without secrets, of a long one what a hook is told."""
    return without_secrets(fence.stripped(fence.without_hidden(text[:_MAX_SEEN])))
