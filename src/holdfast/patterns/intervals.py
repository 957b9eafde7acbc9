"""Intervals for what happens in few sessions: shares, counts and amounts of two groups, compared.

Each gives the difference or the ratio of the second group to the first, with bounds that are too wide rather than too
narrow where there is little to go by. Why these were chosen is in docs/decisions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance


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
