"""How a distributed pattern is followed: its own signal in sessions without it and with it, and what it cost."""

from __future__ import annotations

from collections import Counter

from holdfast.base import clock
from holdfast.base.light_records import dataclass
from holdfast.patterns import measure as measuring
from holdfast.patterns.catalogue import speaks_for
from holdfast.patterns.clusters import counted_as
from holdfast.patterns.measure import BEFORE_AFTER, HARMS, HELPS, THIN, WITHHELD_GIVEN, Followed
from holdfast.patterns.measure_sessions import drawn
from holdfast.patterns.signatures import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.patterns.catalogue import Entry
    from holdfast.patterns.measure import Estimate, Observed
    from holdfast.patterns.measure_sessions import Place, Study

# What was long before may have had other reasons.
BEFORE_DAYS = 90
READ_BY_ITSELF = ("rules", "skill")
_TIMES = "times in a session"


@dataclass(frozen=True, slots=True)
class Groups:
    """The sessions that are compared for a pattern."""

    before: list[Observed]
    after: list[Observed]
    withheld: list[Observed]
    given: list[Observed]


def follow(entry: Entry, study: Study, places: set[Place], canonical: Callable[[str], str]) -> Followed:
    """Return how often the signal of a pattern comes without it and with it, what that says, and what it cost.

    `places` are its memories, `canonical` gives the one id of a project that has several.
    """
    counts = _counts(study, entry)
    begun = min((one.at for one in entry.targets), default="")
    groups = _groups(entry, study, places, begun, _reach(entry, study, counts, canonical))
    estimates = [
        *_of_signal(WITHHELD_GIVEN, groups.withheld, groups.given, counts, entry),
        *_of_signal(BEFORE_AFTER, groups.before, groups.after, counts, entry),
    ]
    verdict, why = _judged(entry, estimates)
    given = [(place, name) for place in places for name in study.due.get(place, ()) if study.had(name)]
    tokens = sum(study.told[name].due[place] for place, name in given)
    read = len(groups.after) if any(one.to in READ_BY_ITSELF for one in entry.targets) else 0
    return Followed(
        kind="pattern",
        name=entry.id,
        title=entry.title,
        verdict=verdict,
        why=why,
        given=max(len({name for _, name in given}), read),
        withheld=len(groups.withheld),
        tokens=tokens + read * -(-len(entry.statement) // 4),
        estimates=tuple(estimates),
        since=begun,
        is_live=bool(entry.live),
    )


def places_of(entry: Entry, lesson_keys: Mapping[str, str]) -> set[Place]:
    """Return the memories by which a pattern is handed out; `lesson_keys` are those of lessons, by their ids."""
    keys = [(one, one.where if one.to == "memory" else lesson_keys.get(one.where, "")) for one in entry.targets]
    return {(*_scope(one.scope), key) for one, key in keys if one.to in ("memory", "lesson") and key}


def _scope(text: str) -> tuple[str, str]:
    """Return kind and owner of the scope that a target names, as `project/ID`."""
    kind, _, owner = text.replace(":", "/", 1).partition("/")
    return kind, owner


def _counts(study: Study, entry: Entry) -> Counter[str]:
    """Return how often the signal of a pattern came in each session that has it."""
    frames = {(kind, frame(signature)) for kind, signature in entry.signals}
    counts: Counter[str] = Counter()
    for one in [one for each in frames for one in study.signals.get(each, ())]:
        if speaks_for(entry, one.kind, one.signature, (one.project,)):
            counts[counted_as(one)] += one.times
    return counts


def _reach(entry: Entry, study: Study, counts: Counter[str], canonical: Callable[[str], str]) -> list[Observed]:
    """Return the sessions that the pattern is about: of its agents, in its project or where its signal ever was."""
    agents = {agent for one in entry.targets for agent in one.agents}
    everywhere = any(not one.agents for one in entry.targets)
    owners = [_scope(one.scope)[1] for one in entry.targets]
    seen = {canonical(study.sessions[name].project) for name in counts}
    projects = {canonical(owner) for owner in owners} if owners and all(owners) else seen
    return [
        one
        for one in study.sessions.values()
        if (everywhere or one.agent in agents) and canonical(one.project) in projects
    ]


def _groups(entry: Entry, study: Study, places: set[Place], begun: str, reach: Sequence[Observed]) -> Groups:
    until = "" if entry.live else max((one.withdrawn for one in entry.targets), default="")
    after = [one for one in reach if begun and begun <= one.started <= (until or one.started)]
    due: Iterable[str] = ()
    if places:
        due = dict.fromkeys(name for place in places for name in study.due.get(place, ()))
    elif any(one.to == "warning" for one in entry.targets):
        # A warning may become due in any session; what is in a file cannot be withheld.
        due = [one.name for one in after]
    withheld, given = drawn(study, due, begun)
    return Groups(_before(begun, reach), [one for one in after if study.had(one.name)], withheld, given)


def _before(begun: str, reach: Iterable[Observed]) -> list[Observed]:
    """Return the sessions that were over when the pattern was handed out: the last one, and not long before it."""
    over = [one for one in reach if one.started and max(one.started, one.ended) < begun]
    last = max((one.started for one in over), default="")
    if not last:
        return []
    earliest = clock.iso(clock.seconds(last) - BEFORE_DAYS * clock.DAY_SECONDS)
    return [one for one in over if earliest <= one.started]


def _of_signal(
    compares: str, before: Sequence[Observed], after: Sequence[Observed], counts: Counter[str], entry: Entry
) -> list[Estimate]:
    """Compare how often the signal comes; what only warns when it has come can only make it come less often."""
    if not before and compares == WITHHELD_GIVEN:
        return []
    numbers = [[float(counts[one.name]) for one in group] for group in (before, after)]
    shares = measuring.of_shares(compares, *numbers, good=entry.good)
    times = measuring.of_counts(compares, _TIMES, *numbers, good=entry.good)
    only_warns = bool(entry.targets) and all(one.to == "warning" for one in entry.targets)
    return [times, shares] if only_warns else [shares, times]


def _judged(entry: Entry, estimates: Sequence[Estimate]) -> tuple[str, str]:
    """Return verdict and reason by the first estimate that says something; the withheld sessions are asked first."""
    if not entry.targets:
        return THIN, "it was not distributed yet"
    firsts = estimates[::2]
    chosen = next((one for one in firsts if one.verdict != THIN), firsts[-1])
    why = measuring.reason(chosen)
    if chosen.compares == BEFORE_AFTER and chosen.verdict in (HELPS, HARMS):
        why += "; other changes since then, or chance, may have done that: only withheld sessions tell"
    return chosen.verdict, why


__all__ = ["follow", "places_of"]
