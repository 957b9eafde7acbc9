"""What was decided about patterns that are not in the catalogue: rejected, snoozed, merged into another.

Identity. `patterns/decided.tsv` has a line for each signature that a decision is about: what was decided, the id, the
kind, the signature, the projects that it is bound to, when, what it leads to (the end of a snooze, or the id that it
was merged into), why.

Sticking. A decision holds for the id and for every signature of its kind that is near to one of its lines, so that a
pattern does not come back in slightly other words. Delete its lines to take a decision back.

Writing. Lines are only added, durably, in one write and without secrets. A line that cannot be read decides nothing,
and is a problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.base import files, rows
from holdfast.base.text import count
from holdfast.patterns.clusters import Pattern, frame, near, ranked
from holdfast.privacy.redact import redact
from holdfast.records import Problem

# The first weighs most where several decisions hold.
ACTS = ("rejected", "merged", "snoozed")
PLACE = "patterns/decided.tsv"
MAX_SIGNATURES = 50
_FIELDS = 8
_HEADING = "# act\tid\tkind\tsignature\tprojects\tat\tuntil or into\twhy"


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """One line: a decision about one signature. `leads` is the end of a snooze, or the id that it was merged into.

    `line` is where it stands in the file, counted from 1.
    """

    act: str
    id: str
    kind: str
    signature: str
    projects: str
    at: str
    leads: str = ""
    why: str = ""
    line: int = 0

    def is_about(self, pattern: Pattern) -> bool:
        """Whether the decision holds for a pattern: the same one, or one that says nearly the same."""
        if self.id == pattern.id:
            return True
        bound = bound_to(pattern)
        if (bound or self.projects) and not set(self.projects.split(",")) & set(bound):
            return False
        return self.kind == pattern.kind and any(near(self.signature, one) for one in signatures_of(pattern))

    def holds(self, at: str) -> bool:
        """Whether the decision still holds at a time; only a snooze ends."""
        return self.act != "snoozed" or at < self.leads


class Decided:
    """The decisions of one home."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.path = os.path.join(home, PLACE)

    def rows(self) -> list[DecidedRow]:
        """Return every decision, the oldest first."""
        found: list[DecidedRow] = []
        for number, parts in self._lines():
            if not _flaw(parts):
                act, id, kind, signature, projects, at, leads, why = (part.strip() for part in parts)
                found.append(DecidedRow(act, id, kind, signature, projects, at, leads, why, number))
        return found

    def problems(self) -> list[Problem]:
        """Return a problem for each line that decides nothing, since it cannot be read."""
        hint = "Mend that line, or delete it and decide again: holdfast patterns review"
        found = [(number, _flaw(parts)) for number, parts in self._lines()]
        return [Problem("decided", PLACE, flaw, hint, line=number) for number, flaw in found if flaw]

    def _lines(self) -> list[tuple[int, list[str]]]:
        """Return the number and the fields of each line that says something."""
        lines = files.read_if_there(self.path).decode("utf-8", "replace").split("\n")
        told = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
        return [(number, line.split("\t")) for number, line in told]

    def add(self, act: str, pattern: Pattern, at: str, *, leads: str = "", why: str = "") -> None:
        """Note a decision about a pattern, a line for each of its signatures."""
        projects = ",".join(bound_to(pattern))
        lines = [
            "\t".join(redact(" ".join(field.split()))[0] for field in fields)
            for each in signatures_of(pattern)[:MAX_SIGNATURES]
            for fields in [(act, pattern.id, pattern.kind, each, projects, at, leads, why)]
        ]
        files.refuse_links(self.home, "patterns")
        files.make_folder(os.path.dirname(self.path))
        rows.append(self.path, lines, heading=_HEADING)

    def verdict(self, pattern: Pattern, at: str) -> DecidedRow | None:
        """Return the decision that holds for a pattern; where there are several, the one that weighs most."""
        about = _about(self.rows(), [pattern])[pattern.id]
        found = [row for row in about if row.holds(at) and row.leads != pattern.id]
        return min(found, key=lambda row: (ACTS.index(row.act), row.at)) if found else None

    def chain(self, name: str) -> list[str]:
        """Return the id, and what it was merged into, on to the end."""
        return _chain(name, {row.id: row.leads for row in self.rows() if row.act == "merged"})

    def left(self, patterns: Iterable[Pattern], at: str, catalogued: Iterable[str] = ()) -> list[Pattern]:
        """Return the patterns that nobody has decided about; what was merged into one of them is a part of it.

        What was merged into one that is neither among them nor in the catalogue stands for itself.
        """
        patterns = list(patterns)
        about = _about([row for row in self.rows() if row.holds(at)], patterns)
        open_ones = [one for one in patterns if all(row.act == "merged" for row in about[one.id])]
        into = {one.id: row.leads for one in open_ones for row in about[one.id] if row.leads != one.id}
        ends = {one.id: _chain(one.id, into)[-1] for one in open_ones}
        there = {one.id for one in open_ones if one.id not in into}
        known = there | set(catalogued)
        kept = {one.id: one for one in open_ones if ends[one.id] == one.id or ends[one.id] not in known}
        parts = [one for one in open_ones if ends[one.id] != one.id and ends[one.id] in there]
        for one in parts:
            kept[ends[one.id]] = joined(kept[ends[one.id]], one)
        return ranked(kept.values()) if parts else list(kept.values())


def signatures_of(pattern: Pattern) -> tuple[str, ...]:
    """Return every signature of a pattern, its own first."""
    return tuple(dict.fromkeys((pattern.signature, *pattern.signatures)))


def bound_to(pattern: Pattern) -> tuple[str, ...]:
    """Return the projects that a pattern is bound to; none where it means the same everywhere."""
    return pattern.projects if pattern.bound else ()


def joined(one: Pattern, other: Pattern) -> Pattern:
    """Return the pattern with the sessions and the evidence of another one."""
    agents = tuple(sorted({*one.agents, *other.agents}))
    return replace(
        one,
        sessions=tuple(dict.fromkeys((*one.sessions, *other.sessions))),
        agents=agents,
        projects=tuple(sorted({*one.projects, *other.projects})),
        cross_agent=len(agents) > 1,
        first=min(filter(None, (one.first, other.first)), default=""),
        last=max(one.last, other.last),
        severity=max(one.severity, other.severity),
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
        times=one.times + other.times,
        fingerprints=tuple(sorted({*one.fingerprints, *other.fingerprints})),
    )


def _flaw(parts: list[str]) -> str:
    """Return why a line decides nothing; nothing where it does."""
    if len(parts) != _FIELDS:
        return f"it decides nothing: it has {count(len(parts), 'field')} separated by tabs, not {_FIELDS}"
    if parts[0] not in ACTS:
        return f"it decides nothing: {parts[0][:40]!a} is not one of {', '.join(ACTS)}"
    return "" if parts[3].strip() else "it decides nothing: the field of the signature is empty"


def _about(rows: list[DecidedRow], patterns: list[Pattern]) -> dict[str, list[DecidedRow]]:
    """Return the rows that hold for each pattern, by its id."""
    boxes: dict[tuple[object, ...], list[DecidedRow]] = {}
    for row in rows:
        # Near signatures have the same frame, so only these need a closer look.
        for box in (("", row.id), (row.kind, frame(row.signature))):
            boxes.setdefault(box, []).append(row)
    found = {}
    for one in patterns:
        looks = [("", one.id), *((one.kind, frame(each)) for each in signatures_of(one))]
        candidates = dict.fromkeys(row for look in looks for row in boxes.get(look, ()))
        found[one.id] = [row for row in candidates if row.is_about(one)]
    return found


def _chain(name: str, into: dict[str, str]) -> list[str]:
    chain = [name]
    while chain[-1] in into and into[chain[-1]] not in chain:
        chain.append(into[chain[-1]])
    return chain
