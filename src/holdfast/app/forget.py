"""Forgetting sessions: all that goes with one, walked feature by feature, and what stays.

What a person wrote or approved, and memories that somebody stored on purpose, stay; the plan names them. The archive
goes last: a run that was cut short is done again, with the words of the session still there to find the rest by.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from holdfast.app.features import FEATURES
from holdfast.base import files, rows
from holdfast.inject import shown
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.parts import TailCursor
from holdfast.records import Filter, Step
from holdfast.rules import table
from holdfast.sessions import browse
from holdfast.sessions import index as session_index
from holdfast.sessions.archive import Archive
from holdfast.sessions.parts import Change, ForgetTarget
from holdfast.store.session_table import SessionRow, Wanted
from holdfast.workspace import Workspace

_MARK = "mark"
_MARK_STAYS = ("at", "kind", "memory", "rating")
_MAX_LINE = 1 << 24


def plan(workspace: Workspace, texts: tuple[str, ...]) -> tuple[list[str], list[Step]]:
    """Return the sessions that would go, those of their sub-agents among them, and the steps; `keep` is what stays."""
    workspace.need_enabled()
    archive = Archive(workspace.home)
    named = [archive.resolve(text) for text in texts]
    # Sub-agents worked with the words of the session.
    subagents = [row.name for row in sessions_of(workspace) if row.is_subagent and f"{row.agent}/{row.parent}" in named]
    names = list(dict.fromkeys([*named, *subagents]))
    sizes = {entry.name: entry.raw_bytes + entry.digest_bytes for entry in archive.entries()}
    reason = "its events, digest, index rows and everything that only it left behind; no sweep brings it back"
    steps = [Step("forget", name, reason, sizes.get(name, 0)) for name in names]
    more = [change.step for name in names for change in changes(workspace, name)]
    return names, [*steps, *dict.fromkeys(more)]


def sessions_of(workspace: Workspace) -> list[SessionRow]:
    """Return every session that the index knows, sub-agents too."""
    return browse.ask(workspace, lambda table: table.find(Wanted(subagents=True)))


def remove(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Forget these sessions for good, and say what stays of them. What fails leaves the archive, to be tried again."""
    archive = Archive(workspace.home)
    for name in names:
        forget(workspace, name)
        archive.forget(name)
    session_index.drop_all(workspace, list(names))
    # The memories that went may have been rules.
    table.discard(workspace.home)


@contextmanager
def alone(home: str) -> Iterator[None]:
    """Hold off sweeps and harvests, which would bring back what is being forgotten."""
    with files.lock_of(home, "sweep"), files.lock_of(home, "harvested"):
        yield


def forget(workspace: Workspace, name: str) -> None:
    """Do all of it, and say what stays."""
    for change in changes(workspace, name):
        if change.do is not None:
            change.do()
        else:
            workspace.say(f"stays: {change.step.target} ({change.step.reason})")


def changes(workspace: Workspace, name: str) -> list[Change]:
    """Return what goes and what stays of a session, in the order in which it is done; the archive is not in it."""
    parts = [feature.part("forget") for feature in FEATURES if feature.forgets]
    whose = workspace.home, *name.split("/", 1)
    noted = [text for part in parts if hasattr(part, "noted") for text in part.noted(*whose)]
    target = ForgetTarget(workspace, name, noted)
    found = [change for part in parts for change in part.forget(target)]
    # What hooks keep about this session alone.
    own = shown.ShownSet(target.home, target.session).path, TailCursor(target.home, target.agent, target.session).path
    why = "what was noted while it was open"
    removed = [
        Change(Step("remove", os.path.relpath(path, target.home), why), partial(files.remove, path))
        for path in filter(os.path.lexists, own)
    ]
    return [*found, *_memories(target), *_journal(target), *removed]


def _memories(target: ForgetTarget) -> Iterator[Change]:
    """Yield the memories that were stored in the session: somebody wanted them to stay."""
    for memory in target.workspace.store.find(Filter(None)):
        is_own = memory.scope.kind == "session" and memory.scope.owner == target.session
        is_said = memory.session == target.session and memory.agent in ("", target.agent)
        if is_own or (is_said and memory.source != lesson_standing.SOURCE):
            reason = f"a memory, stored on purpose; `holdfast forget {memory.key}` removes it"
            yield Change(Step("keep", f"{memory.scope}/{memory.key}", reason))


def _journal(target: ForgetTarget) -> list[Change]:
    """Blank its events and receipts; a mark of a memory stays without its note, as it ranks."""
    wanted = json.dumps(target.session, ensure_ascii=False).encode()

    def of_journal(line: bytes) -> bytes | None:
        told = rows.object_in(line, _MAX_LINE) if wanted in line else None
        if told is None or told.get("session") != target.session or told.get("agent") not in ("", None, target.agent):
            return None
        if told.get("kind") != _MARK:
            return b""
        return json.dumps({name: told[name] for name in _MARK_STAYS if name in told}, ensure_ascii=False).encode()

    def of_log(line: bytes) -> bytes | None:
        at, _, rest = line.decode("utf-8", "replace").partition(" ")
        return b"" if at in target.times and rest.partition(" ")[0] == target.agent else None

    folder = os.path.join(target.home, "journal")
    names = files.names_in(folder, ".jsonl")
    found = [_blanked(target, os.path.join(folder, name), of_journal, "events and receipts") for name in names]
    found.append(_blanked(target, os.path.join(target.home, "state", "hook.log"), of_log, "lines about its hooks"))
    return [change for change in found if change is not None]


def _blanked(target: ForgetTarget, path: str, instead: rows.Instead, what: str) -> Change | None:
    places = rows.instead_of(files.read_if_there(path), instead)
    if not places:
        return None
    step = Step("redact", os.path.relpath(path, target.home), f"{len(places)} {what}")
    return Change(step, partial(rows.write_over, path, instead))
