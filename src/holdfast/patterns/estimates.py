"""What a pattern or a memory changes: sessions without it against sessions with it, and a plain verdict.

Shares, counts and amounts of the two groups are compared: the difference or the ratio of the second to the first, with
bounds that are too wide rather than too narrow where there is little to go by. docs/decisions/0030 says why these were
chosen.

A verdict is given only where the bounds of the estimate allow it. `too little data` is one too: then half the trouble
could have gone, or a success become half as frequent again, and it would not have shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean, median_high, variance
from typing import Final, Literal

from holdfast.base.text import count

Verdict = Literal["helps", "harms", "no effect seen", "too little data"]
Comparison = Literal["before-after", "withheld-given"]
HELPS: Final = "helps"
HARMS: Final = "harms"
NO_EFFECT: Final = "no effect seen"
THIN: Final = "too little data"
# Two ways to tell: what was before it was handed out, and what is where it is withheld.
BEFORE_AFTER: Final = "before-after"
WITHHELD_GIVEN: Final = "withheld-given"
CONFIDENCE = 0.95
# Five things are looked at for each memory, so each gets a fifth of the doubt.
CONFIDENCE_OF_FIVE = 0.99
MIN_SESSIONS = 10
# An amount whose bounds are further apart than this factor was not measured.
_WIDEST = 4.0


@dataclass(frozen=True, slots=True)
class Observed:
    """One session with its sub-agents, as it is compared: how much went wrong, and what it took."""

    name: str
    agent: str = ""
    project: str = ""
    started: str = ""
    ended: str = ""
    errors: int = 0
    retries: int = 0
    corrections: int = 0
    tokens: int = 0
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """One comparison. `before` are sessions without it (earlier ones, or those it was withheld from), `after` with it.

    `change` with its bounds is the difference, `after` less `before`; for tokens and seconds, where `is_ratio` is set,
    it is how many times as large they are as a rule. A bound that is None is not known. Where a side has no session
    there is nothing to compare: that side and the change are None, and `why` says what is missing.
    """

    compares: Comparison
    measure: str
    before: float | None
    after: float | None
    change: float | None
    low: float | None
    high: float | None
    sessions_before: int
    sessions_after: int
    verdict: Verdict
    is_ratio: bool = False
    confidence: float = CONFIDENCE
    why: str = ""

    def holds(self, truth: float) -> bool:
        """Whether the truth is within the bounds."""
        return (self.low is None or self.low <= truth) and (self.high is None or truth <= self.high)


@dataclass(frozen=True, slots=True)
class Followed:
    """What is known of one thing that agents are given.

    `kind` is pattern, memory or all; `name` its id, or scope and key. `given` and `withheld` count sessions, `tokens`
    is what it took of all contexts so far. The verdict is that of the first estimate that `why` speaks of.
    """

    kind: Literal["pattern", "memory", "all"]
    name: str
    title: str
    verdict: Verdict
    why: str
    given: int = 0
    withheld: int = 0
    tokens: int = 0
    estimates: tuple[Estimate, ...] = ()
    since: str = ""
    is_live: bool = True


def of_shares(compares: Comparison, before: Sequence[float], after: Sequence[float], *, good: bool = False) -> Estimate:
    """Compare in how many sessions something occurs at all; each number is how often it did in one."""
    z = deviation(CONFIDENCE)
    before, after = ([float(number > 0) for number in group] for group in (before, after))

    def mean(having: float, group: Sequence[float]) -> Interval:
        return share(min(len(group), round(having)), len(group), z)

    return _of_means(compares, "sessions with it", before, after, mean, good)


def of_counts(
    compares: Comparison,
    measure: str,
    before: Sequence[float],
    after: Sequence[float],
    *,
    good: bool = False,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Compare how often something occurs in a session; counts that come in bunches widen the bounds."""
    z = deviation(confidence)
    both = spread_of(before, after)
    # A group of few sessions may look calmer than it is; then what both show together holds.
    spreads = [max(both, spread_of(group)) for group in (before, after)]

    def mean(total: float, group: Sequence[float]) -> Interval:
        return mean_count(total, len(group), spreads[group is after], z)

    return _of_means(compares, measure, before, after, mean, good, confidence)


def _of_means(
    compares: Comparison,
    measure: str,
    before: Sequence[float],
    after: Sequence[float],
    mean: Callable[[float, Sequence[float]], Interval],
    good: bool,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Compare two means: no effect is seen only where half as much, or of a success half as much again, would show."""
    first = mean(sum(before), before)
    found = difference(first, mean(sum(after), after))
    supposed = difference(first, mean((1.5 if good else 0.5) * first.value * len(after), after))
    verdict: Verdict = NO_EFFECT if supposed.high < 0 or supposed.low > 0 else THIN
    if found.high < 0 or found.low > 0:
        verdict = HELPS if (found.low > 0) == good else HARMS
    return _estimate(compares, measure, before, after, found, verdict, confidence)


def of_amounts(
    compares: Comparison,
    measure: str,
    before: Sequence[float],
    after: Sequence[float],
    *,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Compare what sessions take as a rule: tokens, time; less is better, and one endless session weighs little."""
    found = ratio(before, after, deviation(confidence))
    verdict: Verdict = NO_EFFECT if found.high <= _WIDEST * found.low else THIN
    if found.high < 1 or found.low > 1:
        verdict = HELPS if found.high < 1 else HARMS
    return _estimate(compares, measure, before, after, found, verdict, confidence, is_ratio=True)


def of_five(compares: Comparison, before: Sequence[Observed], after: Sequence[Observed]) -> tuple[Estimate, ...]:
    """Compare errors, retries, corrections, tokens and time of sessions."""
    found = []
    for name in ("errors", "retries", "corrections", "tokens", "seconds"):
        groups = [[float(getattr(one, name)) for one in group] for group in (before, after)]
        if name in ("tokens", "seconds"):
            # Not every agent tells them.
            groups = [[amount for amount in group if amount > 0] for group in groups]
            found.append(of_amounts(compares, name, *groups, confidence=CONFIDENCE_OF_FIVE))
        else:
            found.append(of_counts(compares, name, *groups, confidence=CONFIDENCE_OF_FIVE))
    return tuple(found)


def overall(estimates: Iterable[Estimate]) -> Verdict:
    """Return the verdict of several measures of one thing: the first that says something; they come by weight."""
    found = [one.verdict for one in estimates]
    return next((one for one in found if one in (HELPS, HARMS)), NO_EFFECT if NO_EFFECT in found else THIN)


def reason(one: Estimate) -> str:
    """Return in a few words what a verdict rests on, or what is missing for one."""
    first, second = ("before", "since") if one.compares == BEFORE_AFTER else ("withheld", "given")
    sizes = f"{count(one.sessions_before, 'session')} {first} and {one.sessions_after} {second}"
    if min(one.sessions_before, one.sessions_after) < MIN_SESSIONS:
        return f"{sizes}; it takes at least {MIN_SESSIONS} of each"
    if one.verdict == THIN:
        return f"{sizes} are too few: half of it could have gone, and that would not show"
    return f"{one.measure}, by {sizes}"


def _estimate(
    compares: Comparison,
    measure: str,
    before: Sequence[float],
    after: Sequence[float],
    found: Interval,
    verdict: Verdict,
    confidence: float = CONFIDENCE,
    *,
    is_ratio: bool = False,
) -> Estimate:
    shown, fewest = median_high if is_ratio else fmean, min(len(before), len(after))
    # One session alone says nothing of what others take.
    is_known = fewest >= (2 if is_ratio else 1)
    estimate = Estimate(
        compares=compares,
        measure=measure,
        before=shown(before) if before else None,
        after=shown(after) if after else None,
        change=found.value if is_known else None,
        low=found.low if is_known else None,
        high=found.high if is_known else None,
        sessions_before=len(before),
        sessions_after=len(after),
        verdict=verdict if fewest >= MIN_SESSIONS else THIN,
        is_ratio=is_ratio,
        confidence=confidence,
    )
    return estimate if is_known else replace(estimate, why=reason(estimate))


@dataclass(frozen=True, slots=True)
class Interval:
    """What was found, and the bounds within which the truth is likely to be."""

    value: float
    low: float
    high: float


def deviation(confidence: float) -> float:
    """Return how many standard deviations leave out so little on both sides together."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def share(having: int, of: int, z: float) -> Interval:
    """Return the share of sessions that have something, with the bounds of Wilson's score."""
    if not of:
        return Interval(0.0, 0.0, 1.0)
    found = having / of
    middle = (found + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(found * (1 - found) / of + z * z / (4 * of * of))
    # At the ends the score is exact but for rounding.
    low = 0.0 if not having else max(0.0, middle - half)
    high = 1.0 if having == of else min(1.0, middle + half)
    return Interval(found, low, high)


def mean_count(total: float, sessions: int, spread: float, z: float) -> Interval:
    """Return the mean of counts, with the bounds of Poisson counts that vary `spread` times as much as they should.

    The bounds of the sum are Byar's, which are close to the exact ones also for none and for one.
    """
    if not sessions:
        return Interval(0.0, 0.0, math.inf)
    events = total / spread
    low = _cubed(events, -z) if events > 0 else 0.0
    high = _cubed(events + 1, z)
    return Interval(total / sessions, low * spread / sessions, high * spread / sessions)


def spread_of(*groups: Sequence[float]) -> float:
    """Return how much more counts vary within their groups than Poisson counts would; at least 1."""
    off, free = 0.0, 0
    for counts in groups:
        middle = fmean(counts) if counts else 0.0
        if middle > 0:
            off += sum((count - middle) ** 2 for count in counts) / middle
            free += len(counts) - 1
    return max(1.0, off / free) if free > 0 else 1.0


def difference(one: Interval, other: Interval) -> Interval:
    """Return by how much the other is larger; its bounds follow from those of both (Newcombe's hybrid)."""
    value = other.value - one.value
    low = value - math.hypot(other.value - other.low, one.high - one.value)
    high = value + math.hypot(other.high - other.value, one.value - one.low)
    return Interval(value, low, high)


def ratio(one: Sequence[float], other: Sequence[float], z: float) -> Interval:
    """Return how many times as large the other amounts are as a rule, by the means of their logarithms (Welch)."""
    logs = [[math.log1p(max(0.0, amount)) for amount in group] for group in (one, other)]
    if min(map(len, logs)) < 2:
        return Interval(1.0, 0.0, math.inf)
    middle = fmean(logs[1]) - fmean(logs[0])
    parts = [variance(group) / len(group) for group in logs]
    error = math.sqrt(sum(parts))
    if not error:
        return Interval(math.exp(middle), math.exp(middle), math.exp(middle))
    free = sum(parts) ** 2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, logs, strict=True))
    half = student(z, free) * error
    return Interval(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def student(z: float, free: float) -> float:
    """Return the quantile of Student's t that belongs to one of the normal distribution (Cornish and Fisher)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / free**power for power, term in enumerate(terms, 1))


def _cubed(events: float, z: float) -> float:
    return events * max(0.0, 1 - 1 / (9 * events) + z / (3 * math.sqrt(events))) ** 3
