"""What a harvest finds for work items: evidence in a session's digest, and which of its items are done by it.

It is the last of the finders: when everything else was learned from a session, its items may be closed. Each is judged
by what happened between its beginning and that of the session's next one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from holdfast.base.clock import now
from holdfast.base.text import DOTS, one_line
from holdfast.learning.lessons import model as lessons
from holdfast.learning.work import criteria, from_transcripts, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import turns as work_turns
from holdfast.learning.work.criteria import WorkEvidence
from holdfast.learning.work.model import Work
from holdfast.records import SessionEvent, replace
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

# The sessions of each item, by its folder, for as long as a harvest goes on.
_known: WeakKeyDictionary[Workspace, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what changes for the work items of a session."""
    session = digest.session
    if not session.project or session.is_subagent:
        return
    mine = _of_session(workspace, digest)
    path = session_log.path_of(workspace.home, session.agent, session.id, session.project)
    noted = session_log.read(path)
    if noted is None and all(one.source == work.ARCHIVE for one in mine):
        changed: list[str] = []
        yield from from_transcripts.findings(workspace.home, digest, events, mine, changed)
        mine = _of_session(workspace, digest, tuple(changed)) if changed else mine
    elif not mine and noted is not None and noted.pending and digest.files:
        yield _begun_late(workspace, digest, path)
    # What was made of the transcript has its evidence already.
    told_by_hooks = [one for one in mine if one.source != work.ARCHIVE]
    for one, seen in _spans(told_by_hooks, digest, events):
        if one.is_open and _changes(workspace, digest, one, seen):
            yield Finding("work", one.title, seen.at, session.name, partial(_keep, workspace, digest, one.id, seen))
    yield from _ended(workspace, digest, _of_session(workspace, digest) if mine else [])


def _ended(workspace: Workspace, digest: Digest, mine: list[Work]) -> Iterator[Finding]:
    """Yield what the agent reports of the item it worked on last, and what those that are done leave as learned."""
    session, told = digest.session, digest.concluded
    last = max(mine, key=lambda one: (one.updated_at, one.created_at), default=None)
    for one in mine:
        # What a person said of it stays.
        is_told = (
            one == last and one.source != work.ARCHIVE and (not one.outcome or one.outcome.startswith(work.BY_AGENT))
        )
        said = one_line(f"{work.BY_AGENT}{told.text}", work.MAX_OUTCOME, DOTS) if told and is_told else one.outcome
        learned = one.learned if one.is_open else _learned(workspace, one)
        if (said, learned) != (one.outcome, one.learned):

            def keep(one: Work = one, said: str = said, learned: tuple[str, ...] = learned) -> bool:
                with work.lock(workspace.home, one.project):
                    there = work.find(workspace.home, one.project, one.id)
                    work.write(replace(there, outcome=said, learned=learned))
                return True

            yield Finding("work", f"{one.title}: {said or 'learned'}", session.ended, session.name, keep)


def _learned(workspace: Workspace, one: Work) -> tuple[str, ...]:
    """Return the ids of the lessons that sessions taught which worked on an item, those known before first."""
    found = [
        lesson.id
        for lesson in lessons.room(workspace.home).all()
        if lesson.status != "rejected"
        and any(f"{each.agent}/{each.session}" in one.sessions for each in lesson.evidence)
    ]
    return tuple(dict.fromkeys([*one.learned, *found]))[-work.MAX_NAMES :]


def _of_session(workspace: Workspace, digest: Digest, changed: tuple[str, ...] = ()) -> list[Work]:
    """Return the items that a session worked on. A harvest asks this for many sessions, so each item is read once.

    `changed` are the ids of those that were written since the last time.
    """
    known, project = _known.setdefault(workspace, {}), digest.session.project
    for folder in work.folders_directly_in(workspace.home, project):
        if folder not in known or os.path.basename(folder) in changed:
            for path in (folder, *work.folders_below(folder)):
                one = work.read(path, project)
                known[path] = one.sessions if one else ()
    mine = [path for path, sessions in known.items() if digest.session.name in sessions]
    found = [work.read(path, project) for path in mine if f"/{project}/" in path]
    return [one for one in found if one is not None]


def _begun_late(workspace: Workspace, digest: Digest, path: str) -> Finding:
    """Return what makes an item of an ask of which hooks did not learn that it was acted on, but the digest did."""
    session = digest.session
    changed = [(session_log.FILE, one.path) for one in digest.files[: work.MAX_FILES]]

    def keep() -> bool:
        session_log.note(workspace.home, (session.agent, session.id, session.project), session.ended or now(), changed)
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
    return noted is None or session_log.is_over(workspace.home, noted)


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
