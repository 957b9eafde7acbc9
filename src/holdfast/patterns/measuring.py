"""Measure: whether what agents are given helps, by their sessions without it and with it, and what it costs.

A distributed pattern is followed by its own signal, before and after; a memory by errors, retries, corrections, tokens
and time. Where `measure.holdout` withholds injections from some sessions, both are compared with these too, which tells
help from chance and from other changes.
"""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.errors import NotFound
from holdfast.language import when
from holdfast.learning.lessons import model as lessons
from holdfast.patterns import measure as measuring
from holdfast.patterns import review as pattern_review
from holdfast.patterns.measure import HARMS, MIN_SESSIONS, NO_EFFECT, WITHHELD_GIVEN, Followed
from holdfast.patterns.measure_patterns import follow, places_of
from holdfast.patterns.measure_sessions import drawn
from holdfast.patterns.measure_sessions import study as study_of
from holdfast.records import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.patterns.catalogue import Entry
    from holdfast.patterns.measure import Estimate, Observed
    from holdfast.patterns.measure_sessions import Place, Study
    from holdfast.workspace import Workspace

MAX_MEMORIES = 50


@dataclass(frozen=True, slots=True)
class Advice:
    """Something that is worth retiring, why, and how."""

    kind: str
    name: str
    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class Report:
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


def measure(workspace: Workspace, *, pattern: str = "", memory: str = "", since: str = "") -> Report:
    """Return what helps: all patterns that were distributed and memories given often, or only the one that is named.

    `pattern` is the beginning of an id, `memory` a key; `since` leaves earlier sessions out.
    """
    share = workspace.settings.share("measure.holdout")
    if not workspace.enabled:
        return Report(share, 0, 0, 0, 0, 0, 0, None)
    room = pattern_review.catalogue(workspace)
    entries = [room.get(pattern)] if pattern else room.all()[0]
    study = study_of(workspace, when.moment(since, now()) if since else "")
    groups = drawn(study, study.sessions)
    places = _places(workspace, entries)
    canonical = workspace.registry.known().canonical
    wanted = [] if memory else [one for one in entries if one.targets or pattern]
    patterns = [follow(one, study, places[one.id], canonical) for one in wanted]
    memories = [] if pattern else _memories(study, memory)
    return Report(
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


def _places(workspace: Workspace, entries: Sequence[Entry]) -> dict[str, set[Place]]:
    """Return the memories of each pattern, by its id."""
    given_as = {target.to for one in entries for target in one.targets}
    keys = {one.id: one.key for one in lessons.room(workspace.home).all()} if "lesson" in given_as else {}
    return {one.id: places_of(one, keys) for one in entries}


def _everything(study: Study, groups: Sequence[Sequence[Observed]]) -> Followed:
    estimates = measuring.of_five(WITHHELD_GIVEN, *groups) if groups[0] else ()
    return Followed(
        kind="all",
        name="all injections",
        title="Everything that was injected",
        verdict=measuring.overall(estimates),
        why=_why_five(estimates),
        given=sum(one.was_given for one in study.told.values()),
        withheld=sum(one.was_withheld for one in study.told.values()),
        tokens=sum(one.tokens for one in study.told.values()),
        estimates=estimates,
    )


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
    groups = drawn(study, names)
    estimates = measuring.of_five(WITHHELD_GIVEN, *groups) if groups[0] else ()
    given = [name for name in names if study.had(name)]
    return Followed(
        kind="memory",
        name=name_of(place),
        title=place[2],
        verdict=measuring.overall(estimates),
        why=_why_five(estimates),
        given=len(given),
        withheld=len(names) - len(given),
        tokens=sum(study.told[name].due[place] for name in given),
        estimates=estimates,
    )


def _why_five(estimates: Sequence[Estimate]) -> str:
    if not estimates:
        return "nothing was withheld yet, so there is nothing to compare; `measure.holdout` says how often it is"
    verdict = measuring.overall(estimates)
    return measuring.reason(next(one for one in estimates if one.verdict == verdict))


def _retire(patterns: Sequence[Followed], memories: Sequence[Followed], of_patterns: set[Place]) -> tuple[Advice, ...]:
    """Return what is worth retiring. The memory of a pattern goes with its pattern."""
    theirs = set(map(name_of, of_patterns))
    followed = [*patterns, *(one for one in memories if one.name not in theirs)]
    return tuple(_advice(one) for one in followed if one.is_live and one.verdict in (HARMS, NO_EFFECT))


def _advice(one: Followed) -> Advice:
    cost = f" at a cost of about {one.tokens:,} tokens" if one.tokens else ""
    reason = f"it seems to harm{cost}" if one.verdict == HARMS else f"no effect is seen{cost}"
    way = f"patterns withdraw {one.name}" if one.kind == "pattern" else f"forget {one.title}"
    return Advice(one.kind, one.name, reason, f"holdfast {way}")


__all__ = ["Advice", "Report", "measure"]
