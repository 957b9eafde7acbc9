"""The catalogue of patterns: show an entry, change its words, retire it, look at its versions and go back to one."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.base.text import count
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, TooLarge
from holdfast.memory import edit as editing
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue import Entry, Version
from holdfast.patterns.clusters import Pattern
from holdfast.patterns.decided import Row
from holdfast.privacy import redact
from holdfast.records import Problem
from holdfast.workspace import Workspace, check_text


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that is known of a pattern: as it occurs, as the catalogue has it, and what was decided about it."""

    pattern: Pattern | None = None
    entry: Entry | None = None
    decision: Row | None = None


def entries(workspace: Workspace) -> tuple[list[Entry], list[Problem]]:
    """Return every entry of the catalogue, and the files among them that cannot be read."""
    return pattern_review.catalogue(workspace).all() if workspace.enabled else ([], [])


def show(workspace: Workspace, name: str) -> Shown:
    """Return what is known of the pattern whose id begins so."""
    workspace.need_enabled()
    pattern_review.tell_broken(workspace)
    room = pattern_review.catalogue(workspace)
    try:
        entry: Entry | None = room.get(name)
    except NotFound:
        entry = None
    pattern = pattern_review.get(workspace, entry.id if entry is not None else name)
    if entry is None:
        entry = pattern_review.entry_of(pattern, room.all()[0])
    return Shown(pattern, entry, pattern_review.decided(workspace).verdict(pattern, now()))


def revise(workspace: Workspace, name: str, *, statement: str = "", title: str = "", owner: str = "") -> Entry:
    """Set the words or the owner of an entry, as its next version."""
    workspace.need_enabled()
    room = pattern_review.catalogue(workspace)
    given = {"statement": statement, "title": title, "owner": owner}
    fields = {field: text.strip() for field, text in given.items() if text.strip()}
    for text in fields.values():
        check_text(text)
    after = room.change(room.get(name), f"edited: {', '.join(fields)}", now(), **fields)
    _tell_stale(workspace, after)
    return after


def edit(workspace: Workspace, name: str) -> tuple[Entry, bool]:
    """Open the entry's file in the editor; return the entry and whether it changed."""
    workspace.need_enabled()
    room = pattern_review.catalogue(workspace)
    name = room.find(name)
    before = room.text(name)
    after = editing.edited(before, name, editing.editor(workspace))
    if after == before:
        return room.get(name), False
    check_text(after)
    kinds = redact.redact(after)[1]
    if kinds:
        workspace.say(f"redacted before it was stored: {', '.join(kinds)}")
    try:
        entry = room.rewrite(name, before, after, "edited", now())
    except (BrokenFile, Conflict, TooLarge, BadInput) as problem:
        kept = editing.kept_aside(redact.redact(after)[0], name)
        raise type(problem)(f"{problem}; nothing was changed", f"What you wrote is in {kept}.") from problem
    _tell_stale(workspace, entry)
    return entry, True


def retire(workspace: Workspace, name: str, *, reason: str = "") -> Entry:
    """Retire an entry: it stays in the catalogue, and is not handed to agents any more."""
    workspace.need_enabled()
    check_text(reason)
    room = pattern_review.catalogue(workspace)
    name = room.find(name)
    with pattern_review.decision(workspace):
        return pattern_review.retired(room, room.get(name), f"retired: {reason}" if reason else "retired", now())


def history(workspace: Workspace, name: str) -> tuple[str, list[Version]]:
    """Return the id of an entry, and every version that it had, the oldest first."""
    workspace.need_enabled()
    room = pattern_review.catalogue(workspace)
    name = room.find(name)
    return name, room.versions(name)


def diff(
    workspace: Workspace, name: str, one: int | None = None, other: int | None = None
) -> tuple[str, int, int, str]:
    """Return the id, two version numbers and what differs: the last two, one and the last, or the two given."""
    name, versions = history(workspace, name)
    last = versions[-1].number
    before = versions[-2].number if len(versions) > 1 else last
    one, other = before if one is None else one, last if other is None else other
    return name, one, other, pattern_review.catalogue(workspace).diff(name, one, other)


def rollback(workspace: Workspace, name: str, number: int) -> Entry:
    """Make what a version said hold again, as a new version; what was rejected does not come back by it."""
    workspace.need_enabled()
    room = pattern_review.catalogue(workspace)
    name = room.find(name)
    with pattern_review.decision(workspace):
        then = room.entry(name, number)
        if then.status != "retired":
            pattern_review.refuse_decided(workspace, pattern_review.pattern_of(then), now())
        entry = room.rollback(name, number, now())
    _tell_stale(workspace, entry)
    return entry


def _tell_stale(workspace: Workspace, entry: Entry) -> None:
    """Say that agents still read other words, where that is so."""
    if entry.live:
        places = f"{count(len(entry.live), 'place')} where it is distributed"
        workspace.say(
            f"{places} still say what it said before; distribute it again: holdfast patterns distribute {entry.id}"
        )
