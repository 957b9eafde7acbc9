"""All that goes with a session: its archive, its rows, its work items, its lines on pages, and what only it taught.

What a person wrote or approved, and memories that somebody stored on purpose, stay; the plan names them. The archive
goes last: a run that was cut short is done again, with the words of the session still there to find the rest by.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from holdfast.app import forget_rows
from holdfast.app.forget_learned import learned_changes
from holdfast.app.session_words import SessionWords
from holdfast.base import files
from holdfast.continuity import forget as forget_pages
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.work import model as work
from holdfast.learning.work import session_log
from holdfast.learning.work import strip as work_forgetting
from holdfast.learning.work.model import Work
from holdfast.memory import audit
from holdfast.parts import Change
from holdfast.records import Filter, Step
from holdfast.sessions import browse
from holdfast.sessions import index as session_index
from holdfast.sessions.archive import Archive
from holdfast.store.session_table import Wanted
from holdfast.workspace import Workspace


def changes(workspace: Workspace, name: str) -> list[Change]:
    """Return what goes and what stays of a session, in the order in which it is done; the archive is not in it."""
    words = SessionWords(workspace.home, name)
    return [
        *_work(words),
        *forget_pages.changes(words),
        *learned_changes(workspace, words),
        *_memories(workspace, words),
        *forget_rows.changes(words),
    ]


@contextmanager
def alone(home: str) -> Iterator[None]:
    """Wait for a sweep and a harvest to end and let none begin: they would bring back what goes."""
    with files.lock_of(home, "sweep"), files.lock_of(home, "harvested"):
        yield


def forget(workspace: Workspace, name: str) -> None:
    """Do all of it, and say what stays."""
    for change in changes(workspace, name):
        if change.do is not None:
            change.do()
        else:
            workspace.say(f"stays: {change.step.target} ({change.step.reason})")


def plan(workspace: Workspace, texts: tuple[str, ...]) -> tuple[list[str], list[Step]]:
    """Return the sessions that would go, those of their sub-agents among them, and the steps; `keep` is what stays."""
    workspace.need_enabled()
    archive = Archive(workspace.home)
    named = [archive.resolve(text) for text in texts]
    # Sub-agents worked with the words of the session.
    rows = browse.ask(workspace, lambda table: table.find(Wanted(subagents=True)))
    subagents = [row.name for row in rows if row.is_subagent and f"{row.agent}/{row.parent}" in named]
    names = list(dict.fromkeys([*named, *subagents]))
    sizes = {entry.name: entry.raw_bytes + entry.digest_bytes for entry in archive.entries()}
    reason = "its events, digest, words in the index and what only it left go; no sweep brings it back"
    steps = [Step("forget", name, reason, sizes.get(name, 0)) for name in names]
    more = [change.step for name in names for change in changes(workspace, name)]
    return names, [*steps, *dict.fromkeys(more)]


def apply(workspace: Workspace, names: list[str]) -> None:
    """Forget these sessions for good, and say what stays of them. What fails leaves the archive, to be tried again."""
    archive = Archive(workspace.home)
    with alone(workspace.home):
        for name in names:
            forget(workspace, name)
            archive.forget(name)
            audit.note(workspace, "sessions forget", name, "raw events, digest, index rows, and all that it alone left")
    session_index.drop_all(workspace, names)
    workspace.store.erase_traces()
    workspace.store.erase_traces(passages=True)


def _work(words: SessionWords) -> Iterator[Change]:
    removed: set[str] = set()
    for one in work_forgetting.items_of(words.home, words.name):
        gone = frozenset(removed)
        change = work_forgetting.stripped(one, words, removed=gone)
        place = os.path.relpath(one.path, words.home)
        do = _stripping(words, one)
        if change.after is None:
            removed.add(one.path)
            yield Change(Step("remove", place, "a work item that only it made"), do)
        else:
            yield Change(Step("redact", place, "its asks, criteria, evidence and files in a work item"), do)
        for path in change.by_hand:
            where = os.path.join(os.path.dirname(place), change.after.id if change.after else one.id, path)
            yield Change(Step("keep", where, "written by hand, or by command"))


def _stripping(words: SessionWords, one: Work) -> Callable[[], None]:
    return lambda: _strip(words, one)


def _strip(words: SessionWords, one: Work) -> None:
    """Look at the item once more, under its lock, and change it; sessions that work on it learn of its new id."""
    with work.lock(words.home, one.project):
        there = work.find(words.home, one.project, one.id)
        after = work_forgetting.apply(words.home, work_forgetting.stripped(there, words))
        if after is not None and after.id != one.id:
            for noted in session_log.sessions(words.home):
                if noted.work == one.id and noted.project == one.project:
                    session_log.moved(words.home, noted, after.id)


def _memories(workspace: Workspace, words: SessionWords) -> Iterator[Change]:
    """Yield the memories that were stored in the session: somebody wanted them to stay."""
    for memory in workspace.store.find(Filter(None)):
        is_own = memory.scope.kind == "session" and memory.scope.owner == words.session
        is_said = memory.session == words.session and memory.agent in ("", words.agent)
        if is_own or (is_said and memory.source != lesson_standing.SOURCE):
            reason = f"a memory, stored on purpose; `holdfast forget {memory.key}` takes it"
            yield Change(Step("keep", f"{memory.scope}/{memory.key}", reason))
