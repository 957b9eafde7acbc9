"""What hooks do for fixes: a failed command is noted, what is done afterwards too, and a fix is kept when it works.

A session in which nothing failed has no file here, and then a call costs one look whether it is there. A success is
believed only of an agent that tells failures apart, and only where the line does not hide its exit. Most agents tell
hooks of few calls or of none; then the transcript tells them at the next pause or prompt (`fix_transcript.py`).
"""

from __future__ import annotations

import os
import time

from holdfast.actions.hook import without_secrets
from holdfast.actions.learning import PAUSES
from holdfast.digests import short
from holdfast.errors import HoldfastError, NotFound
from holdfast.inject import fence
from holdfast.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.actions.hook import Visit
    from holdfast.continuity.touched import Tools
    from holdfast.learning.fixes import Fix
    from holdfast.learning.retries import Failure, Fixed, Retries

FOLDER = ("state", "failures")
MOST_EDITS = 5
_MOST_BYTES = 48 * 1024
_MOST_OPEN = 20
# So many calls after a failure another form of the command may be the answer to it.
_SOON = 4
_MOST_SEEN = 4_000
_MOST_LINE = 600
_MOST_SHOWN = 200
_KEPT_SECONDS = 2 * 86_400

Row = tuple[str, ...]


def at(visit: Visit) -> None:
    """Note a failure, or what was done after one; where that shows that it is fixed, keep the fix."""
    call = visit.call
    if call.moment in PAUSES:
        _at_pause(visit)
        return
    failed = call.moment == "tool-failed" or bool(call.error)
    path = path_of(visit)
    if path and failed:
        _failed(visit, path)
    elif path and os.path.exists(path) and "tool-failed" in visit.agent.events.values():
        _did(visit, path)


def _at_pause(visit: Visit) -> None:
    """Take what the transcript told of calls, if one failed or did so before in this session."""
    path = path_of(visit) if visit.told_calls and not visit.call.subagent else ""
    if path and (any(call.ended == "failed" for call in visit.told_calls) or os.path.exists(path)):
        from holdfast.actions import fix_transcript

        fix_transcript.take(visit, path)


def path_of(visit: Visit) -> str:
    """Return the file of this session's failures in this project; nothing where there is no project."""
    project = visit.project()
    return os.path.join(visit.home, *FOLDER, short(visit.call.agent, visit.session, project.id)) if project else ""


def rows_of(path: str) -> list[Row]:
    """Return what was noted in a session, oldest first."""
    from holdfast.plain_json import loads

    try:
        lines = files.read(path, _MOST_BYTES * 2).decode("utf-8", "replace").split("\n")
    except (NotFound, HoldfastError):
        return []
    found = []
    for line in lines:
        try:
            value = loads(line) if line else None
        except ValueError:
            continue
        if isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) for part in value):
            found.append(tuple(value))
    return found


def note(path: str, rows: Iterable[Row]) -> None:
    """Add rows to the file of a session, which is made where it is missing; a long one takes no more."""
    from holdfast.plain_json import dumps

    try:
        size = os.stat(path, follow_symlinks=False).st_size
    except OSError:
        size = 0
        files.make_folder(os.path.dirname(path))
        _tidy(os.path.dirname(path))
    data = "".join([dumps([*row]) + "\n" for row in rows]).encode("utf-8", "replace")
    if data and size < _MOST_BYTES:
        files.append(path, data, durable=False)


def drop_notes(home: str) -> None:
    """Remove what was noted of every session; it quotes them, and a live one loses only what would be offered next."""
    folder = os.path.join(home, *FOLDER)
    if os.path.isdir(folder):
        _tidy(folder, 0)


def _tidy(folder: str, seconds: int = _KEPT_SECONDS) -> None:
    """Remove the files of sessions of which nothing was heard for so long."""
    before = time.time() - seconds
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            if os.stat(path, follow_symlinks=False).st_mtime <= before:
                os.unlink(path)
        except OSError:
            continue


def _failed(visit: Visit, path: str) -> None:
    from holdfast.learning import command_lines, fingerprints

    call = visit.call
    if not command_lines.is_shell(call.tool) or fingerprints.is_refused(call.error):
        return
    failure = failure_of(clean(command_lines.line_of(call.tool_input)), clean(call.error), visit.at)
    if command_lines.main_of(failure.line) is None:
        return
    known = [row for row in rows_of(path) if row[0] == "fixed" and row[1] == failure.fingerprint]
    if known:
        withdraw(visit, failure)
    note(path, [row_of(failure)])


def row_of(failure: Failure) -> Row:
    """Return a failure as a row of its session's file."""
    return ("failed", failure.fingerprint, failure.line, failure.error, failure.at, *failure.names)


def _did(visit: Visit, path: str) -> None:
    """Note what was done after a failure, and keep the fixes that a success shows."""
    from holdfast.continuity.touched import Tools
    from holdfast.learning import command_lines

    call = visit.call
    if not command_lines.is_shell(call.tool):
        edits = edits_of(visit, Tools(), call.tool, call.tool_input)
        if edits:
            note(path, edits)
        return
    line = clean(command_lines.line_of(call.tool_input))
    main = command_lines.main_of(line)
    # What goes on in the background, or is hidden behind another command, did not succeed for all that is known.
    if main is None or main.is_hidden:
        return
    rows = rows_of(path)
    fixed = replayed(rows).ran(line, visit.at) if _may_fix(rows, main.name) else []
    note(path, [("ran", line, visit.at), *[("fixed", one.failure.fingerprint) for one in fixed]])
    keep(visit, fixed)


def _may_fix(rows: list[Row], name: str) -> bool:
    """Whether a success of a command may show that a failure is fixed; for most it does not, and that is told soon."""
    from holdfast.learning.command_lines import main_of

    places = [number for number, row in enumerate(rows) if row[0] == "failed"]
    if places and len(rows) - places[-1] <= _SOON:
        return True
    mains = [main_of(rows[number][2]) for number in places[-_MOST_OPEN:]]
    return any(main is not None and main.name == name for main in mains)


def replayed(rows: Iterable[Row]) -> Retries:
    """Return the failures of a session as they stand after these rows."""
    from holdfast.learning.retries import Failure, Retries

    retries = Retries()
    for kind, *told in rows:
        if kind == "failed" and len(told) > 3:
            retries.failed(Failure(told[0], told[1], told[2], tuple(told[4:]), told[3]))
        elif kind == "edited":
            retries.edited(told[0], told[1] if len(told) > 1 else "")
        elif kind == "ran" and len(told) > 1:
            retries.ran(told[0], told[1])
    return retries


def keep(visit: Visit, fixed: list[Fixed]) -> None:
    """Write down what was fixed in this session."""
    if not fixed:
        return
    from holdfast.learning import fixes

    project = visit.project()
    for one in fixed:
        fixes.add(visit.home, fix_of(one, visit.call.agent, session_of(visit), project.id if project else ""))


def withdraw(visit: Visit, failure: Failure) -> None:
    """Take the fix of a failure back that came again in this session."""
    from holdfast.learning import fixes
    from holdfast.learning.retries import Fixed

    project = visit.project()
    broken = Fixed(failure, (), visit.at)
    fixes.withdraw(visit.home, fix_of(broken, visit.call.agent, session_of(visit), project.id if project else ""))


def session_of(visit: Visit) -> str:
    """Return the session as rows name it."""
    return visit.told_session or clean(visit.session)[:_MOST_SHOWN]


def edits_of(visit: Visit, tools: Tools, tool: str, given: str) -> list[Row]:
    """Return the changes of files that a call made, as rows."""
    from holdfast.learning.retries import change_of
    from holdfast.plain_json import loads

    project = visit.project()
    paths = tools.files(tool, given)[:MOST_EDITS]
    try:
        change = change_of(loads(given)) if len(paths) == 1 and given[:1] == "{" else ""
    except ValueError:
        change = ""
    root = project.root.rstrip("/") + "/" if project and project.root else "\0"
    return [("edited", clean(path.removeprefix(root)), clean(change)) for path in paths]


def failure_of(line: str, error: str, at: str) -> Failure:
    """Return a failure of a command line, of texts that are clean."""
    from holdfast.learning import fingerprints
    from holdfast.learning.retries import Failure, cut

    said = fingerprints.error_line(error)
    return Failure(
        fingerprints.of_line(line, said), line[:_MOST_LINE], cut(said, _MOST_SHOWN), fingerprints.names_in(said), at
    )


def fix_of(fixed: Fixed, agent: str, session: str, project: str) -> Fix:
    """Return what was fixed as a row."""
    from holdfast.learning.fixes import Fix
    from holdfast.learning.retries import MOST_COMMAND, cut, id_of

    failure = fixed.failure
    return Fix(
        *(failure.fingerprint, cut(failure.line, MOST_COMMAND), failure.error, fixed.steps),
        *(agent, session, project, fixed.at),
        names=failure.names,
        id=id_of(agent, session, failure.fingerprint),
    )


def clean(text: str) -> str:
    """Return a text without our own injections and without secrets, of a long one what a hook is told."""
    return without_secrets(fence.stripped(fence.without_hidden(text[:_MOST_SEEN])))
