"""Measure: whether what agents are given helps, by their sessions without it and with it, and what it costs.

A distributed pattern is followed by its own signal, before and after; a memory by errors, retries, corrections, tokens
and time. Where `measure.holdout` withholds injections from some sessions, both are compared with these too, which tells
help from chance and from other changes.

Only sessions with a digest and a file of signals count: of the others nobody knows what did not happen. A sub-agent
and a copy count as the session that they serve. Which sessions were drawn to be given nothing their receipts tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from holdfast.base import clock
from holdfast.base.clock import now
from holdfast.errors import NotFound
from holdfast.inject.receipts import KIND, receipt_of
from holdfast.language import when
from holdfast.learning.lessons import model as lessons
from holdfast.patterns import estimates as measuring
from holdfast.patterns import report, signal_files
from holdfast.patterns.catalogue import Catalogue, speaks_for
from holdfast.patterns.catalogue_file import CatalogueEntry
from holdfast.patterns.clusters import frame
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
from holdfast.patterns.signal_files import Signal
from holdfast.records import MOMENTS, SCOPES, Receipt, Scope
from holdfast.sessions import names
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
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
    seen = study(workspace, when.moment(since, now()) if since else "")
    groups = drawn(seen, seen.sessions)
    places = _places(workspace, entries)
    wanted = [] if memory else [one for one in entries if one.targets or pattern]
    patterns = [_follow(one, seen, places[one.id], workspace.registry.known().canonical) for one in wanted]
    memories = [] if pattern else _memories(seen, memory)
    return MeasureReport(
        holdout=share,
        sessions=len(seen.sessions),
        given=len(groups[1]),
        withheld=len(groups[0]),
        mixed=sum(one.is_mixed for one in seen.told.values()),
        waiting=seen.waiting,
        left_out=seen.left_out,
        everything=None if pattern or memory else _everything(seen, groups),
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


# A memory: the kind and the owner of its scope, and its key.
Place = tuple[str, str, str]
# Sessions without something, and sessions with it.
Groups = tuple[list[Observed], list[Observed]]
_COUNTED = ("retry-loop", "correction")


class SessionReceipts:
    """What the receipts of a session say: whether it was drawn for the comparison, and what was due to it.

    `due` has the tokens of each memory that was given, or would have been; `tokens` is all that was really given.
    """

    def __init__(self) -> None:
        self.is_drawn = False
        self.was_given = False
        self.was_withheld = False
        self.tokens = 0
        self.due: dict[Place, int] = {}

    @property
    def is_mixed(self) -> bool:
        """Whether it was given something and not given something else, as when the share was changed meanwhile."""
        return self.was_given and self.was_withheld

    def note(self, receipt: Receipt) -> None:
        """Take one more receipt of the session."""
        self.is_drawn = self.is_drawn or receipt.holdout > 0
        self.was_withheld = self.was_withheld or receipt.withheld
        self.was_given = self.was_given or not receipt.withheld
        self.tokens += 0 if receipt.withheld else receipt.tokens
        for given in receipt.given:
            if given.scope.kind in SCOPES:
                place = given.scope.kind, given.scope.owner, given.key
                self.due[place] = self.due.get(place, 0) + given.tokens


@dataclass(frozen=True, slots=True)
class Study:
    """Sessions by their names, and what their receipts say. `waiting` have no signals yet, `left_out` never will.

    `signals` are those of the sessions, by kind and frame: near signatures have the same frame. `due` are the sessions
    to which a memory was due.
    """

    sessions: dict[str, Observed]
    signals: dict[tuple[object, ...], list[Signal]]
    told: dict[str, SessionReceipts]
    due: dict[Place, list[str]]
    waiting: int = 0
    left_out: int = 0

    def is_in(self, name: str, *, withheld: bool) -> bool:
        """Whether a session is in the group from which injections were withheld, or in the other one."""
        told = self.told.get(name)
        return told is not None and told.is_drawn and not told.is_mixed and told.was_withheld == withheld

    def had(self, name: str) -> bool:
        """Whether nothing was withheld from a session."""
        told = self.told.get(name)
        return told is None or not told.was_withheld


def study(workspace: Workspace, since: str = "") -> Study:
    """Return what is known of the sessions that began since then."""
    whole: dict[str, str] = {}
    found: dict[str, Observed] = {}
    archive = Archive(workspace.home)
    looked_at = set(signal_files.stems(workspace.home))
    # Where the events are gone too, nobody can look for signals any more.
    readable = {entry.name for entry in archive.entries() if entry.raw_bytes}
    missing: list[str] = []
    for digest in archive.digests():
        session = digest.session
        if not (digest.asks or digest.calls):
            continue
        name = f"{session.agent}/{session.parent or session.id}"
        whole[session.name] = name
        if (names.stem_of(session.agent), names.stem_of(session.id)) in looked_at:
            found[name] = _with(found.get(name), name, digest)
        else:
            missing.append(session.name)
    signals = [one for one in report.gather(workspace).signals if one.counted_as in found]
    for signal in signals:
        if signal.kind in _COUNTED:
            one, times = found[signal.counted_as], signal.times
            is_retry = signal.kind == "retry-loop"
            found[one.name] = replace(
                one,
                retries=one.retries + times * is_retry,
                corrections=one.corrections + times * (not is_retry),
            )
    kept = {name: one for name, one in found.items() if one.started >= since}
    told = _told(workspace, whole)
    waiting = len(readable.intersection(missing))
    by_frame: dict[tuple[object, ...], list[Signal]] = {}
    for signal in signals:
        if signal.counted_as in kept:
            by_frame.setdefault((signal.kind, frame(signal.signature)), []).append(signal)
    due: dict[Place, list[str]] = {}
    for name, receipts in told.items():
        for place in receipts.due:
            due.setdefault(place, []).append(name)
    return Study(kept, by_frame, told, due, waiting, len(missing) - waiting)


def drawn(study: Study, names: Iterable[str], since: str = "") -> Groups:
    """Return of these sessions those that were drawn to be given nothing, and those that were drawn to be given all."""
    known = [study.sessions[name] for name in names if name in study.sessions]
    late = [one for one in known if one.started >= since]
    return [one for one in late if study.is_in(one.name, withheld=True)], [
        one for one in late if study.is_in(one.name, withheld=False)
    ]


def _with(before: Observed | None, name: str, digest: Digest) -> Observed:
    """Return a session with what one of its parts shows: itself, a sub-agent, or a copy."""
    session, cost = digest.session, digest.session.cost
    before = before or Observed(name, session.agent)
    is_main = name == session.name
    started = session.started or session.ended
    # Of a session without its times this is 0.
    lasted = int(max(0.0, clock.seconds(session.ended) - clock.seconds(session.started)))
    return replace(
        before,
        project=session.project if is_main or not before.project else before.project,
        started=min(filter(None, (before.started, started)), default=""),
        ended=max(before.ended, session.ended),
        errors=before.errors + digest.failed_calls,
        tokens=before.tokens + cost.input + cost.output + cost.cache_read + cost.cache_write + cost.reasoning,
        # Sub-agents work while their session waits.
        seconds=lasted if is_main else before.seconds,
    )


def _told(workspace: Workspace, whole: dict[str, str]) -> dict[str, SessionReceipts]:
    found: dict[str, SessionReceipts] = {}
    for event in workspace.journal.events(KIND):
        receipt = receipt_of(event)
        # What an agent asked for itself was no injection, and is never withheld.
        if receipt.session and receipt.moment in MOMENTS:
            name = f"{receipt.agent}/{names.known_id(receipt.session)}"
            found.setdefault(whole.get(name, name), SessionReceipts()).note(receipt)
    return found
