"""What a harvest finds for work items: evidence in a session's digest, and which of its items are done by it.

It is the last of the finders: when everything else was learned from a session, its items may be closed. Each is judged
by what happened between its beginning and that of the session's next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from holdfast.base.clock import now
from holdfast.learning.work import criteria, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import turns as work_turns
from holdfast.learning.work.criteria import WorkEvidence
from holdfast.learning.work.model import Work
from holdfast.records import SessionEvent, replace
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what changes for the work items of a session."""
    session = digest.session
    if not session.project or session.is_subagent:
        return
    mine = [one for one in work.items(workspace.home, session.project) if session.name in one.sessions]
    late = None if mine else _begun_late(workspace, digest)
    if late is not None:
        yield late
    for one, seen in _spans(mine, digest, events):
        if one.is_open and _changes(workspace, digest, one, seen):
            yield Finding("work", one.title, seen.at, session.name, partial(_keep, workspace, digest, one.id, seen))


def _begun_late(workspace: Workspace, digest: Digest) -> Finding | None:
    """Return what makes an item of an ask of which hooks did not learn that it was acted on, but the digest did."""
    session = digest.session
    path = session_log.path_of(workspace.home, session.agent, session.id, session.project)
    noted = session_log.read(path)
    if noted is None or not noted.pending or not digest.files:
        return None
    rows = [(session_log.FILE, one.path) for one in digest.files[: work.MAX_FILES]]

    def keep() -> bool:
        session_log.note(workspace.home, (session.agent, session.id, session.project), session.ended or now(), rows)
        return work_turns.take_in(workspace.home, path, session.ended or now(), tells_tools=False) is not None

    return Finding("work", digest.title, session.ended, session.name, keep)


def _spans(mine: list[Work], digest: Digest, events: Sequence[SessionEvent]) -> Iterator[tuple[Work, WorkEvidence]]:
    """Yield each item with the evidence between its beginning and that of the next one."""
    at_of = {event.place: event.at for event in events}
    by_time = sorted(mine, key=lambda one: one.created_at)
    for number, one in enumerate(by_time):
        following = by_time[number + 1].created_at if number + 1 < len(by_time) else "9"
        since = "" if number == 0 else one.created_at
        begun = bool(one.lineage.files_changed)
        yield one, _evidence(digest, at_of, since, following, begun=begun)


def _evidence(digest: Digest, at_of: dict[int, str], since: str, until: str, *, begun: bool) -> WorkEvidence:
    """Return what a part of a session shows. Tests count after a change, of an earlier session too (`begun`)."""

    def within(place: int) -> bool:
        return since <= at_of.get(place, "") < until

    changed = [one for one in digest.files if within(one.place)]
    last = max([one.place for one in changed], default=-1)
    runs = [one for one in digest.checks if one.kind == "test" and within(one.place) and one.place > last]
    tests = max(runs, key=lambda one: one.place, default=None)
    ended = tests.result if tests is not None and (changed or begun) else ""
    return WorkEvidence(
        at=digest.session.ended,
        passed=tests.text if tests is not None and ended == "passed" else "",
        failed=tests.text if tests is not None and ended == "failed" else "",
        commits=tuple(one.text for one in digest.commits if within(one.place)),
        files=tuple(one.path for one in changed),
    )


def _changes(workspace: Workspace, digest: Digest, one: Work, seen: WorkEvidence) -> bool:
    before = work_turns.known_criteria(one)
    if before is None:
        return False
    after = criteria.applied(before, seen)
    new = set(seen.files) - set(one.lineage.files_changed)
    return after != before or bool(new) or (after.is_met() and _is_over(workspace, digest))


def _is_over(workspace: Workspace, digest: Digest) -> bool:
    session = digest.session
    noted = session_log.read(session_log.path_of(workspace.home, session.agent, session.id, session.project))
    return noted is None or work_turns.is_over(workspace.home, noted)


def _keep(workspace: Workspace, digest: Digest, name: str, seen: WorkEvidence) -> bool:
    """Write what the evidence changes; close the item if the session is over and nothing is missing."""
    session, at = digest.session, seen.at or now()
    with work.lock(workspace.home, session.project):
        one = work.find(workspace.home, session.project, name)
        before = criteria.read(one.path)
        after = criteria.applied(before, seen)
        lineage = work.extended(one.lineage, work.Lineage(files_changed=seen.files))
        changed = after != before or lineage != one.lineage
        one = replace(one, lineage=lineage, effort=work.effort_of(lineage))
        if changed:
            one = work_turns.keep(one, before, after, at)
        return (_is_over(workspace, digest) and work_turns.close_if_met(one, session.name, at)) or changed
