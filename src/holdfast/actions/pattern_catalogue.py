"""The catalogue of patterns: show an entry, change its words, retire it, look at its versions and go back to one."""

from __future__ import annotations

from holdfast.actions import edit as editing
from holdfast.actions import pattern_review
from holdfast.actions.house import House, check_text, now
from holdfast.capture import redact
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, TooLarge
from holdfast.light import dataclass
from holdfast.patterns.catalogue import Entry, Version
from holdfast.patterns.clusters import Pattern
from holdfast.patterns.decided import Row
from holdfast.records import Problem


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that is known of a pattern: as it occurs, as the catalogue has it, and what was decided about it."""

    pattern: Pattern | None = None
    entry: Entry | None = None
    decision: Row | None = None


def entries(house: House) -> tuple[list[Entry], list[Problem]]:
    """Return every entry of the catalogue, and the files among them that cannot be read."""
    return pattern_review.catalogue(house).all() if house.enabled else ([], [])


def show(house: House, name: str) -> Shown:
    """Return what is known of the pattern whose id begins so."""
    house.need_enabled()
    pattern_review.tell_broken(house)
    room = pattern_review.catalogue(house)
    try:
        entry: Entry | None = room.get(name)
    except NotFound:
        entry = None
    pattern = pattern_review.get(house, entry.id if entry is not None else name)
    if entry is None:
        entry = pattern_review.entry_of(pattern, room.all()[0])
    return Shown(pattern, entry, pattern_review.decided(house).verdict(pattern, now()))


def revise(house: House, name: str, *, statement: str = "", title: str = "", owner: str = "") -> Entry:
    """Set the words or the owner of an entry, as its next version."""
    house.need_enabled()
    room = pattern_review.catalogue(house)
    given = {"statement": statement, "title": title, "owner": owner}
    fields = {field: text.strip() for field, text in given.items() if text.strip()}
    for text in fields.values():
        check_text(text)
    after = room.change(room.get(name), f"edited: {', '.join(fields)}", now(), **fields)
    _tell_stale(house, after)
    return after


def edit(house: House, name: str) -> tuple[Entry, bool]:
    """Open the entry's file in the editor; return the entry and whether it changed."""
    house.need_enabled()
    room = pattern_review.catalogue(house)
    name = room.find(name)
    before = room.text(name)
    after = editing.edited(before, name, editing.editor(house))
    if after == before:
        return room.get(name), False
    check_text(after)
    kinds = redact.redact(after)[1]
    if kinds:
        house.say(f"redacted before it was stored: {', '.join(kinds)}")
    try:
        entry = room.rewrite(name, before, after, "edited", now())
    except (BrokenFile, Conflict, TooLarge, BadInput) as problem:
        kept = editing.kept_aside(redact.redact(after)[0], name)
        raise type(problem)(f"{problem}; nothing was changed", f"What you wrote is in {kept}.") from problem
    _tell_stale(house, entry)
    return entry, True


def retire(house: House, name: str, *, reason: str = "") -> Entry:
    """Retire an entry: it stays in the catalogue, and is not handed to agents any more."""
    house.need_enabled()
    check_text(reason)
    room = pattern_review.catalogue(house)
    name = room.find(name)
    with pattern_review.decision(house):
        return pattern_review.retired(room, room.get(name), f"retired: {reason}" if reason else "retired", now())


def history(house: House, name: str) -> tuple[str, list[Version]]:
    """Return the id of an entry, and every version that it had, the oldest first."""
    house.need_enabled()
    room = pattern_review.catalogue(house)
    name = room.find(name)
    return name, room.versions(name)


def diff(house: House, name: str, one: int | None = None, other: int | None = None) -> tuple[str, int, int, str]:
    """Return the id, two version numbers and what differs: the last two, one and the last, or the two given."""
    name, versions = history(house, name)
    last = versions[-1].number
    before = versions[-2].number if len(versions) > 1 else last
    one, other = before if one is None else one, last if other is None else other
    return name, one, other, pattern_review.catalogue(house).diff(name, one, other)


def rollback(house: House, name: str, number: int) -> Entry:
    """Make what a version said hold again, as a new version; what was rejected does not come back by it."""
    house.need_enabled()
    room = pattern_review.catalogue(house)
    name = room.find(name)
    with pattern_review.decision(house):
        then = room.entry(name, number)
        if then.status != "retired":
            pattern_review.refuse_decided(house, pattern_review.pattern_of(then), now())
        entry = room.rollback(name, number, now())
    _tell_stale(house, entry)
    return entry


def _tell_stale(house: House, entry: Entry) -> None:
    """Say that agents still read other words, where that is so."""
    if entry.live:
        places = f"{len(entry.live)} place(s) where it is distributed"
        house.say(
            f"{places} still say what it said before; distribute it again: holdfast patterns distribute {entry.id}"
        )
