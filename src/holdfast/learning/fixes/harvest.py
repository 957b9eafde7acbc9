"""Fixes in the archive: in a session a command failed, something was done, and then the same command worked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from holdfast.language import tools
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix
from holdfast.learning.fixes.retries import Failure, FixStep, Retries, clean, edits_of, failure_of, fix_of
from holdfast.records import Session, SessionEvent
from holdfast.sessions import check_results
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

MAX_OF_A_SESSION = 50
# Lessons are learned from the same fixes a moment before.
_found: list[tuple[Sequence[SessionEvent], dict[str, Fix]]] = []


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the fixes of a session that held until its end, the last of each failure."""
    session = digest.session
    found = found_in(digest, events)
    _found.clear()
    for fix in list(found.values())[-MAX_OF_A_SESSION:]:
        text = f"`{fix.command}`: {fix.error} -> {'; '.join(fix.steps)}"
        yield Finding("fix", text, fix.at, session.name, partial(fixes.add, workspace.home, fix))


def found_in(digest: Digest, events: Sequence[SessionEvent]) -> dict[str, Fix]:
    """Return the fixes of a session by the failures that they are for."""
    if _found and _found[0][0] is events:
        return _found[0][1]
    found: dict[str, Fix] = {}
    for _, one in walk(digest.session, events):
        if isinstance(one, Fix):
            found[one.fingerprint] = one
        elif isinstance(one, Failure):
            found.pop(one.fingerprint, None)
    _found[:] = [(events, found)]
    return found


def walk(session: Session, events: Sequence[SessionEvent]) -> Iterator[tuple[SessionEvent, Failure | Fix | FixStep]]:
    """Yield the failures of a session, the commands that were run behind one, and the fixes, each with its event.

    A failure of which the session has a fix already says that this fix did not hold.
    """
    retries = Retries()
    for event in check_results.as_they_ended(events):
        kind = tools.kind_of(event.tool) if event.role == "tool" and event.answered else ""
        if kind == "edit" and not event.failed and retries:
            for path, change in edits_of(event.tool, event.input, event.folder or session.folder):
                retries.edited(path, change)
        if kind != "shell":
            continue
        # One that cannot be told to have passed or failed, or was not run, counts for nothing.
        call = check_results.ended(event)
        failed = call.result == "failed" and not call.held
        line = clean(tools.line_of(event.input)) if failed or retries else ""
        if failed:
            failure = failure_of(line, clean(event.output or event.text), event.at or session.started)
            retries.failed(failure)
            yield event, failure
        elif call.held and retries:
            for fixed in retries.ran(line, event.at or session.ended):
                fix = fix_of(fixed, session.agent, session.id, session.project)
                # An agent that had only left the folder of its session went back to it; that is no fix.
                back = f"ran `cd {session.folder.rstrip('/')} && "
                if not (session.folder and len(fix.steps) == 1 and fix.steps[0].startswith(back)):
                    yield event, fix
            yield event, FixStep("run", line, "")
