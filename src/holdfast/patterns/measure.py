"""Measure: whether what agents are given helps, by their sessions without it and with it, and what it costs.

A distributed pattern is followed by its own signal, before and after; a memory by errors, retries, corrections, tokens
and time. Where `measure.holdout` withholds injections from some sessions, both are compared with these too, which tells
help from chance and from other changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from holdfast.base import clock
from holdfast.base.clock import now
from holdfast.errors import NotFound
from holdfast.language import when
from holdfast.learning.lessons import model as lessons
from holdfast.patterns import estimates as measuring
from holdfast.patterns.catalogue import Catalogue, speaks_for
from holdfast.patterns.catalogue_file import CatalogueEntry
from holdfast.patterns.estimates import (
    BEFORE_AFTER,
    HARMS,
    HELPS,
    MIN_SESSIONS,
    NO_EFFECT,
    THIN,
    WITHHELD_GIVEN,
    Comparison,
    Estimate,
    Followed,
    Observed,
    Verdict,
)
from holdfast.patterns.signatures import frame
from holdfast.patterns.study import Groups, Place, Study, drawn
from holdfast.patterns.study import study as study_of
from holdfast.records import Scope
from holdfast.workspace import Workspace

MAX_MEMORIES = 50
# What was long before may have had other reasons.
BEFORE_DAYS = 90
READ_BY_ITSELF = ("rules", "skill")
_TIMES = "times in a session"


@dataclass(frozen=True, slots=True)
class Advice:
    """Something that is worth retiring, why, and how."""

    kind: str
    name: str
    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class MeasureReport:
    """How many sessions there are to compare, and what became of each thing; `mixed` had both, and count nowhere."""

    holdout: float
    sessions: int
    given: int
    withheld: int
    mixed: int
    waiting: int
    left_out: int
    everything: Followed | None
    patterns: tuple[Followed, ...] = ()
    memories: tuple[Followed, ...] = ()
    retire: tuple[Advice, ...] = ()


def measure(workspace: Workspace, *, pattern: str = "", memory: str = "", since: str = "") -> MeasureReport:
    """Return what helps: all patterns that were distributed and memories given often, or only the one that is named.

    `pattern` is the beginning of an id, `memory` a key; `since` leaves earlier sessions out.
    """
    share = workspace.settings.share("measure.holdout")
    if not workspace.enabled:
        return MeasureReport(share, 0, 0, 0, 0, 0, 0, None)
    catalogue = Catalogue(workspace.home)
    entries = [catalogue.get(pattern)] if pattern else catalogue.all()[0]
    study = study_of(workspace, when.moment(since, now()) if since else "")
    groups = drawn(study, study.sessions)
    places = _places(workspace, entries)
    wanted = [] if memory else [one for one in entries if one.targets or pattern]
    patterns = [_follow(one, study, places[one.id], workspace.registry.known().canonical) for one in wanted]
    memories = [] if pattern else _memories(study, memory)
    return MeasureReport(
        holdout=share,
        sessions=len(study.sessions),
        given=len(groups[1]),
        withheld=len(groups[0]),
        mixed=sum(one.is_mixed for one in study.told.values()),
        waiting=study.waiting,
        left_out=study.left_out,
        everything=None if pattern or memory else _everything(study, groups),
        patterns=tuple(patterns),
        memories=tuple(memories),
        retire=_retire(patterns, memories, set().union(*places.values())),
    )


def _places(workspace: Workspace, entries: Sequence[CatalogueEntry]) -> dict[str, set[Place]]:
    """Return the memories by which each pattern is handed out, by its id."""
    given_as = {target.to for one in entries for target in one.targets}
    keys = {one.id: one.key for one in lessons.room(workspace.home).all()} if "lesson" in given_as else {}
    places: dict[str, set[Place]] = {one.id: set() for one in entries}
    for entry in entries:
        for one in entry.targets:
            key = one.where if one.to == "memory" else keys.get(one.where, "") if one.to == "lesson" else ""
            if key:
                places[entry.id].add((one.held_in.kind, one.held_in.owner, key))
    return places


def _everything(study: Study, groups: Groups) -> Followed:
    told = study.told.values()
    given, withheld = sum(one.was_given for one in told), sum(one.was_withheld for one in told)
    followed = _compared("all", "all injections", "Everything that was injected", groups)
    return replace(followed, given=given, withheld=withheld, tokens=sum(one.tokens for one in told))


def _compared(kind: Literal["memory", "all"], name: str, title: str, groups: Groups) -> Followed:
    """Compare errors, retries, corrections, tokens and time of the sessions that were drawn."""
    estimates = measuring.of_five(WITHHELD_GIVEN, *groups) if groups[0] else ()
    verdict = measuring.overall(estimates)
    why = "nothing was withheld yet, so there is nothing to compare; `measure.holdout` says how often it is"
    if estimates:
        why = measuring.reason(next(one for one in estimates if one.verdict == verdict))
    return Followed(kind, name, title, verdict, why, estimates=estimates)


def _memories(study: Study, key: str) -> list[Followed]:
    """Return the memories that were due in enough sessions, the most costly first; a named one in any case."""
    wanted = [place for place in study.due if key in ("", place[2], name_of(place))]
    often = [place for place in wanted if key or len(study.due[place]) >= MIN_SESSIONS]
    found = [_memory(study, place, study.due[place]) for place in often]
    if key and not found:
        raise NotFound(f"no session was given {key!a}", "`holdfast receipts` shows what sessions are given.")
    return sorted(found, key=lambda one: (-one.tokens, one.name))[:MAX_MEMORIES]


def name_of(place: Place) -> str:
    """Return what a memory is called: its scope and key, as receipts show it."""
    return f"{Scope(place[0], place[1])}/{place[2]}"


def _memory(study: Study, place: Place, names: list[str]) -> Followed:
    given = [name for name in names if study.had(name)]
    tokens = sum(study.told[name].due[place] for name in given)
    followed = _compared("memory", name_of(place), place[2], drawn(study, names))
    return replace(followed, given=len(given), withheld=len(names) - len(given), tokens=tokens)


def _retire(patterns: Sequence[Followed], memories: Sequence[Followed], of_patterns: set[Place]) -> tuple[Advice, ...]:
    """Return what is worth retiring. The memory of a pattern goes with its pattern."""
    theirs = set(map(name_of, of_patterns))
    followed = [*patterns, *(one for one in memories if one.name not in theirs)]
    found = []
    for one in followed:
        if one.is_live and one.verdict in (HARMS, NO_EFFECT):
            cost = f" at a cost of about {one.tokens:,} tokens" if one.tokens else ""
            reason = f"it seems to harm{cost}" if one.verdict == HARMS else f"no effect is seen{cost}"
            way = f"patterns withdraw {one.name}" if one.kind == "pattern" else f"forget {one.title}"
            found.append(Advice(one.kind, one.name, reason, f"holdfast {way}"))
    return tuple(found)


def _follow(entry: CatalogueEntry, study: Study, places: set[Place], canonical: Callable[[str], str]) -> Followed:
    """Return how often the signal of a pattern comes without it and with it, what that says, and what it cost.

    `places` are its memories, `canonical` gives the one id of a project that has several.
    """
    counts = _counts(study, entry)
    begun = min((one.at for one in entry.targets), default="")
    reach = _reach(entry, study, counts, canonical)
    until = "" if entry.live else max((one.withdrawn for one in entry.targets), default="")
    after = [one for one in reach if begun and begun <= one.started <= (until or one.started)]
    drawn_ones = _drawn(entry, study, places, begun, after)
    after = [one for one in after if study.had(one.name)]
    estimates = [
        *_of_signal(WITHHELD_GIVEN, drawn_ones, counts, entry),
        *_of_signal(BEFORE_AFTER, (_before(begun, reach), after), counts, entry),
    ]
    verdict, why = _judged(entry, estimates)
    given = [(place, name) for place in places for name in study.due.get(place, ()) if study.had(name)]
    tokens = sum(study.told[name].due[place] for place, name in given)
    read = len(after) if any(one.to in READ_BY_ITSELF for one in entry.targets) else 0
    return Followed(
        kind="pattern",
        name=entry.id,
        title=entry.title,
        verdict=verdict,
        why=why,
        given=max(len({name for _, name in given}), read),
        withheld=len(drawn_ones[0]),
        tokens=tokens + read * -(-len(entry.statement) // 4),
        estimates=tuple(estimates),
        since=begun,
        is_live=bool(entry.live),
    )


def _counts(study: Study, entry: CatalogueEntry) -> Counter[str]:
    """Return how often the signal of a pattern came in each session that has it."""
    frames = {(kind, frame(signature)) for kind, signature in entry.signals}
    counts: Counter[str] = Counter()
    for one in [one for each in frames for one in study.signals.get(each, ())]:
        if speaks_for(entry, one.kind, one.signature, (one.project,)):
            counts[one.counted_as] += one.times
    return counts


def _reach(
    entry: CatalogueEntry, study: Study, counts: Counter[str], canonical: Callable[[str], str]
) -> list[Observed]:
    """Return the sessions that the pattern is about: of its agents, in its project or where its signal ever was."""
    agents = {agent for one in entry.targets for agent in one.agents}
    everywhere = any(not one.agents for one in entry.targets)
    owners = [one.held_in.owner for one in entry.targets]
    seen = {canonical(study.sessions[name].project) for name in counts}
    projects = {canonical(owner) for owner in owners} if owners and all(owners) else seen
    return [
        one
        for one in study.sessions.values()
        if (everywhere or one.agent in agents) and canonical(one.project) in projects
    ]


def _drawn(entry: CatalogueEntry, study: Study, places: set[Place], begun: str, after: Sequence[Observed]) -> Groups:
    """Return the sessions to which it was due: those that it was withheld from, and those that were given it."""
    due: Iterable[str] = ()
    if places:
        due = dict.fromkeys(name for place in places for name in study.due.get(place, ()))
    elif any(one.to == "warning" for one in entry.targets):
        # A warning may become due in any session; what is in a file cannot be withheld.
        due = [one.name for one in after]
    return drawn(study, due, begun)


def _before(begun: str, reach: Iterable[Observed]) -> list[Observed]:
    """Return the sessions that were over when the pattern was handed out: the last one, and not long before it."""
    over = [one for one in reach if one.started and max(one.started, one.ended) < begun]
    last = max((one.started for one in over), default="")
    if not last:
        return []
    earliest = clock.iso(clock.seconds(last) - BEFORE_DAYS * clock.DAY_SECONDS)
    return [one for one in over if earliest <= one.started]


def _of_signal(compares: Comparison, groups: Groups, counts: Counter[str], entry: CatalogueEntry) -> list[Estimate]:
    """Compare how often the signal comes; what only warns when it has come can only make it come less often."""
    if not groups[0] and compares == WITHHELD_GIVEN:
        return []
    numbers = [[float(counts[one.name]) for one in group] for group in groups]
    shares = measuring.of_shares(compares, *numbers, good=entry.good)
    times = measuring.of_counts(compares, _TIMES, *numbers, good=entry.good)
    only_warns = bool(entry.targets) and all(one.to == "warning" for one in entry.targets)
    return [times, shares] if only_warns else [shares, times]


def _judged(entry: CatalogueEntry, estimates: Sequence[Estimate]) -> tuple[Verdict, str]:
    """Return verdict and reason by the first estimate that says something; the withheld sessions are asked first."""
    if not entry.targets:
        return THIN, "it was not distributed yet"
    firsts = estimates[::2]
    chosen = next((one for one in firsts if one.verdict != THIN), firsts[-1])
    why = measuring.reason(chosen)
    if chosen.compares == BEFORE_AFTER and chosen.verdict in (HELPS, HARMS):
        why += "; other changes since then, or chance, may have done that: only withheld sessions tell"
    return chosen.verdict, why
