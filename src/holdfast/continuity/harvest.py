"""The part of a sweep: the log's entry of a session out of its digest, which knows more than hooks are told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from holdfast.base import clock
from holdfast.base.text import count
from holdfast.continuity import closing, log
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.log import CUT_OFF, LogEntry
from holdfast.privacy.fence import without_secrets
from holdfast.sessions.facts import ENDINGS, Digest
from holdfast.workspace import Workspace

# What ended longer ago is history: the archive has it, and no log is made for it now.
_RECENT_DAYS = 7
_MAX_NAMING = 80


def harvest(workspace: Workspace, digest: Digest) -> bool:
    """Write the entry of a session again where there is one, or where it is recent and its project has pages.

    Whether it was written: a session of long ago that has no entry gets none, and a sub-agent's is its parent's.
    """
    if not workspace.enabled or not workspace.settings.flag("continuity.enabled"):
        return False
    session = digest.session
    if not session.project or session.is_subagent or not session.started:
        return False
    pages = ProjectPages(workspace.home, session.project)
    if not os.path.isdir(pages.folder):
        return False
    before = log.entry(pages.folder, session.started[:10], session.agent, session.id)
    oldest = clock.iso(time.time() - _RECENT_DAYS * clock.DAY_SECONDS)[:10]
    if before is None and (session.ended or session.started)[:10] < oldest:
        return False
    entry = entry_of(digest, before)
    if not closing.has_something(entry):
        return False
    log.write(pages.folder, entry)
    today = clock.now()[:10]
    closing.tick(pages, today, commits=[made.text for made in digest.commits])
    return True


def entry_of(digest: Digest, before: LogEntry | None) -> LogEntry:
    """Return the entry; what hooks were told about the session and the digest does not have stays."""
    session = digest.session
    earlier = before or LogEntry(session.id, session.agent, session.started)
    passed = [f"{run.text} passed" for run in digest.checks if run.result == "passed"]
    made = [f"commit {one.id[:10]}: {one.text}" if one.id else f"commit: {one.text}" for one in digest.commits]
    asked = [f"pull request: {one.text or one.id}" for one in digest.pull_requests]
    failed = [f"{run.text} (failed {run.failed} of {run.runs})" for run in digest.checks if run.result == "failed"]
    ended = [(one, f"{ENDINGS[one.ended]}, {count(one.times, 'time')}") for one in digest.troubles]
    troubles = [f"{one.about}: {one.text} ({how})" for one, how in ended]
    said = [f"{one.kind}: {one.text}" for one in digest.said if one.kind in ("decision", "correction")]
    known = [one for one in (text.partition(": ")[2] or text for text in earlier.decisions) if one]
    commits = [one.id[:7] for one in digest.commits if one.id]
    # "Committed as 1a2b3c4" says less than the commit does.
    naming = {text for text in earlier.done if len(text) <= _MAX_NAMING and any(one in text for one in commits)}
    return LogEntry(
        session=session.id,
        agent=session.agent,
        began=session.started,
        ended=session.ended,
        title=without_secrets(digest.title) or earlier.title,
        # That a session was cut off only hooks can tell.
        outcome=earlier.outcome
        if earlier.outcome == CUT_OFF and digest.outcome.kind == "unknown"
        else digest.outcome.kind,
        done=_all([text for text in earlier.done if text in made or text not in naming], made, asked, passed),
        # The digest quotes a message, and the hook a sentence of it.
        decisions=_all(earlier.decisions, [text for text in said if not any(one in text for one in known)]),
        failed=_all(failed, troubles) or earlier.failed,
        files=_all([one.path for one in digest.files]) or earlier.files,
        next_steps=earlier.next_steps,
        worktree=earlier.worktree,
    )


def _all(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(without_secrets(text) for texts in lists for text in texts if text))
