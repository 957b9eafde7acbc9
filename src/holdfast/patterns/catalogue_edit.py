"""The catalogue of patterns: show an entry, change its words, retire it, look at its versions and go back to one."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.base.clock import now
from holdfast.base.text import check_text, count
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, TooLarge
from holdfast.memory import edit as editing
from holdfast.patterns import review
from holdfast.patterns.catalogue import Catalogue, Version
from holdfast.patterns.catalogue_file import CatalogueEntry
from holdfast.patterns.clusters import Pattern
from holdfast.patterns.verdicts import Decided, DecidedRow
from holdfast.privacy import redact
from holdfast.records import Problem
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ShownPattern:
    """Everything that is known of a pattern: as it occurs, as the catalogue has it, and what was decided about it."""

    pattern: Pattern | None = None
    entry: CatalogueEntry | None = None
    decision: DecidedRow | None = None


def _catalogue(workspace: Workspace) -> Catalogue:
    workspace.need_enabled()
    return Catalogue(workspace.home)


def entries(workspace: Workspace) -> tuple[list[CatalogueEntry], list[Problem]]:
    """Return every entry of the catalogue, and the files among them that cannot be read."""
    return Catalogue(workspace.home).all() if workspace.enabled else ([], [])


def show(workspace: Workspace, name: str) -> ShownPattern:
    """Return what is known of the pattern whose id begins with this."""
    catalogue = _catalogue(workspace)
    review.tell_broken(workspace)
    try:
        entry: CatalogueEntry | None = catalogue.get(name)
    except NotFound:
        entry = None
    pattern = review.get(workspace, entry.id if entry is not None else name)
    if entry is None:
        entry = review.entry_of(pattern, catalogue.all()[0])
    return ShownPattern(pattern, entry, Decided(workspace.home).verdict(pattern, now()))


def revise(workspace: Workspace, name: str, *, statement: str = "", title: str = "", owner: str = "") -> CatalogueEntry:
    """Set the words or the owner of an entry, as its next version."""
    catalogue = _catalogue(workspace)
    given = {"statement": statement, "title": title, "owner": owner}
    fields = {field: text.strip() for field, text in given.items() if text.strip()}
    for text in fields.values():
        check_text(text)
    after = catalogue.change(catalogue.get(name), f"edited: {', '.join(fields)}", now(), **fields)
    _tell_stale(workspace, after)
    return after


def edit(workspace: Workspace, name: str) -> tuple[CatalogueEntry, bool]:
    """Open the entry's file in the editor; return the entry and whether it changed."""
    catalogue = _catalogue(workspace)
    name = catalogue.find(name)
    before = catalogue.text(name)
    after = editing.edited(before, name, editing.editor(workspace))
    if after == before:
        return catalogue.get(name), False
    check_text(after)
    kinds = redact.redact(after)[1]
    if kinds:
        workspace.say(f"redacted before it was stored: {', '.join(kinds)}")
    try:
        entry = catalogue.rewrite(name, before, after, "edited", now())
    except (BrokenFile, Conflict, TooLarge, BadInput) as problem:
        kept = editing.kept_aside(redact.redact(after)[0], name)
        raise type(problem)(f"{problem}; nothing was changed", f"What you wrote is in {kept}.") from problem
    _tell_stale(workspace, entry)
    return entry, True


def retire(workspace: Workspace, name: str, *, reason: str = "") -> CatalogueEntry:
    """Retire an entry: it stays in the catalogue, and is not handed to agents any more."""
    check_text(reason)
    catalogue = _catalogue(workspace)
    name = catalogue.find(name)
    with review.decision(workspace):
        return review.retired(catalogue, catalogue.get(name), f"retired: {reason}" if reason else "retired", now())


def history(workspace: Workspace, name: str) -> tuple[str, list[Version]]:
    """Return the id of an entry, and every version that it had, the oldest first."""
    catalogue = _catalogue(workspace)
    name = catalogue.find(name)
    return name, catalogue.versions(name)


def diff(
    workspace: Workspace, name: str, one: int | None = None, other: int | None = None
) -> tuple[str, int, int, str]:
    """Return the id, two version numbers and what differs: the last two, one and the last, or the two given."""
    name, versions = history(workspace, name)
    last = versions[-1].number
    before = versions[-2].number if len(versions) > 1 else last
    one, other = before if one is None else one, last if other is None else other
    return name, one, other, Catalogue(workspace.home).diff(name, one, other)


def rollback(workspace: Workspace, name: str, number: int) -> CatalogueEntry:
    """Make what a version said hold again, as a new version; what was rejected does not come back by it."""
    catalogue = _catalogue(workspace)
    name = catalogue.find(name)
    with review.decision(workspace):
        then = catalogue.entry(name, number)
        if then.status != "retired":
            review.refuse_decided(workspace.home, review.pattern_of(then), now())
        entry = catalogue.rollback(name, number, now())
    _tell_stale(workspace, entry)
    return entry


def _tell_stale(workspace: Workspace, entry: CatalogueEntry) -> None:
    """Say that agents still read other words, where that is so."""
    if entry.live:
        places, verb = count(len(entry.live), "place"), "says" if len(entry.live) == 1 else "say"
        said = f"{places} where it is distributed still {verb} what it said before"
        workspace.say(f"{said}; distribute it again: holdfast patterns distribute {entry.id}")
