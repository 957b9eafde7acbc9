"""Clusters: signals of one kind that say the same, counted by distinct sessions.

The same signals give the same patterns in whatever order they come. Of near signatures the one that was seen first
names the cluster; later ones join it, so an id stays while more is found. A part or a copy of a session counts as that
session.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from holdfast.base.digests import short
from holdfast.base.text import cut
from holdfast.patterns import signatures
from holdfast.patterns.signals import KINDS, Signal

MAX_EVIDENCE = 12
_ID = 10
_MAX_TITLE = 120
# What has no time is taken for the last.
_NEVER = "~"


@dataclass(frozen=True, slots=True)
class Quote:
    """One piece of evidence: what was said or done, in which session (the agent's own id), where and when."""

    session: str
    agent: str
    line: int
    text: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that recurs. `sessions` are distinct and named `agent/id`; `signatures` are all that were merged.

    `domain` is the one that all its projects are in, if there is one. `times` is how often it came in all. The
    `fingerprints` are those of its failures, as fixes have them. `bound`: it means something in its projects only.
    """

    id: str
    kind: str
    signature: str
    title: str
    good: bool
    sessions: tuple[str, ...]
    agents: tuple[str, ...]
    projects: tuple[str, ...]
    domain: str
    cross_agent: bool
    first: str
    last: str
    severity: int
    evidence: tuple[Quote, ...]
    signatures: tuple[str, ...] = ()
    times: int = 0
    fingerprints: tuple[str, ...] = ()
    bound: bool = False


def clusters(
    signals: Iterable[Signal],
    *,
    min_frequency: int = 3,
    domains: Mapping[str, str] | None = None,
    counts: Callable[[Signal], bool] | None = None,
) -> list[Pattern]:
    """Return what recurs in at least so many sessions: cross-agent first, then by frequency, severity, recency.

    `domains` says the domain of projects, by id or by the beginning of it and a `*`. Where `counts` is given, only
    these signals are counted; the rest still says which signatures belong together, so that ids do not depend on it.
    """
    found = []
    for alike in _alike(signals, domains or {}):
        counted = [one for one in alike if counts is None or counts(one)]
        if len({one.counted_as for one in counted}) >= max(1, min_frequency):
            found.append(_pattern(alike[0], counted, domains or {}))
    return ranked(found)


def ranked(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return patterns cross-agent first, then by frequency, severity, recency, and in the end by id."""
    by_id = sorted(patterns, key=lambda one: one.id)
    by_recency = sorted(by_id, key=lambda one: one.last, reverse=True)
    return sorted(by_recency, key=lambda one: (not one.cross_agent, -len(one.sessions), -one.severity))


def domain_of(project: str, domains: Mapping[str, str]) -> str:
    """Return the domain of a project: by its id, else by the longest beginning with a `*` that fits, else none."""
    if project in domains:
        return domains[project]
    fitting = [name for name in domains if "*" in name and fnmatchcase(project, name)]
    return domains[max(fitting, key=lambda name: (len(name), name))] if fitting else ""


def _alike(signals: Iterable[Signal], domains: Mapping[str, str]) -> Iterator[list[Signal]]:
    """Yield the signals of one kind that say the same, the oldest first; what is bound, by project or domain."""
    places: dict[str, str] = {}
    boxes: dict[tuple[object, ...], dict[str, list[Signal]]] = {}
    for one in sorted(signals, key=_age):
        if one.bound and one.project not in places:
            places[one.project] = domain_of(one.project, domains) or one.project
        # Near signatures have the same head and names, so only those in one box need a closer look.
        place = places[one.project] if one.bound else ""
        box = boxes.setdefault((one.kind, place, *signatures.frame(one.signature)), {})
        box.setdefault(one.signature, []).append(one)
    for box in boxes.values():
        leaders = _Leaders(box)
        members: dict[str, list[Signal]] = {}
        for signature, several in box.items():
            members.setdefault(leaders.of(signature), []).extend(several)
        yield from (sorted(several, key=_age) for several in members.values())


def _age(signal: Signal) -> tuple[str, ...]:
    return signal.at or _NEVER, signal.agent, signal.session, signal.kind, signal.signature


class _Leaders:
    """The first of each group of near signatures. Those that may be near are found by the beginnings of their words."""

    def __init__(self, all_signatures: Iterable[str]) -> None:
        words = [signatures.words(one) for one in all_signatures]
        self._counts = Counter(_beginning(word) for each in words for word in each)
        self._having: dict[str, list[str]] = {}

    def of(self, signature: str) -> str:
        """Return the signature that leads this one: the first near one, or itself."""
        words = signatures.words(signature)
        for leader in self._candidates(words):
            if signatures.alike(signature, leader):
                return leader
        for beginning in {_beginning(word) for word in words} or {""}:
            self._having.setdefault(beginning, []).append(signature)
        return signature

    def _candidates(self, words: frozenset[str]) -> list[str]:
        """Return leaders in order that have one of the rarest words; one that has none of them cannot be near."""
        needed = len(words) - math.ceil(signatures.COMMON * len(words)) + 1
        rarest = sorted((_beginning(word) for word in words), key=lambda one: (self._counts[one], one))[:needed]
        having = (leader for one in (rarest or [""]) for leader in self._having.get(one, ()))
        return list(dict.fromkeys(having))


def _beginning(word: str) -> str:
    return word[: signatures.BEGINNING]


def _pattern(first: Signal, signals: Sequence[Signal], domains: Mapping[str, str]) -> Pattern:
    """Return the pattern of these signals; the first one that said the same, counted or not, names it."""
    kind, signature = first.kind, first.signature
    agents = tuple(sorted({one.agent for one in signals}))
    projects = tuple(sorted({one.project for one in signals if one.project}))
    within = {domain_of(project, domains) for project in projects}
    times = sorted(one.at for one in signals if one.at)
    return Pattern(
        id=short(kind, signature, first.project if first.bound else "", length=_ID),
        kind=kind,
        signature=signature,
        title=_title(kind, signature),
        good=KINDS[kind].good if kind in KINDS else signals[0].good,
        sessions=tuple(sorted({one.counted_as for one in signals})),
        agents=agents,
        projects=projects,
        domain=within.pop() if len(within) == 1 else "",
        cross_agent=len(agents) > 1,
        first=times[0] if times else "",
        last=times[-1] if times else "",
        severity=max(one.severity for one in signals),
        evidence=_evidence(signals),
        signatures=tuple(sorted({one.signature for one in signals})),
        times=sum(one.times for one in signals),
        fingerprints=tuple(sorted({one.fingerprint for one in signals if one.fingerprint})),
        bound=first.bound and bool(first.project),
    )


def _title(kind: str, signature: str) -> str:
    """Return a heading for a pattern: what kind it is of, and what it is about."""
    heading = KINDS[kind].heading if kind in KINDS else kind
    about = signature.rstrip(":").replace(": ", ", ").replace("'", "")
    return cut(f"{heading}: {about}", _MAX_TITLE)


def _evidence(signals: Sequence[Signal]) -> tuple[Quote, ...]:
    """Return quotes, each session once: the latest of each agent first, then the latest of the others."""
    latest: dict[str, Signal] = {}
    for one in signals:
        latest[one.name] = one
    newest = sorted(latest.values(), key=_age, reverse=True)
    by_agent = {one.agent: one for one in reversed(newest)}
    firsts = sorted(by_agent.values(), key=_age, reverse=True)
    rest = [one for one in newest if by_agent[one.agent] is not one]
    chosen = [*firsts, *rest][:MAX_EVIDENCE]
    return tuple(Quote(one.session, one.agent, one.line, one.text, one.at) for one in chosen)
