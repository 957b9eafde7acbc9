"""Intervals: they agree with known values, hold the truth as often as they say, and are never too sure of little."""

from __future__ import annotations

import math
import random

import pytest

from holdfast.patterns import estimates
from holdfast.patterns.estimates import Interval

Z = estimates.deviation(0.95)


@pytest.mark.parametrize(
    ("having", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 100, 0.0018, 0.0545)],
)
def test_a_share_has_the_bounds_of_the_score(having, of, low, high):
    """The bounds of a share are those that solving the score test by hand gives."""
    found = estimates.share(having, of, Z)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-4)


@pytest.mark.parametrize(("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.0253, 5.572), (10, 4.795, 18.39)])
def test_a_count_has_nearly_the_exact_bounds(count, low, high):
    """The bounds of a sum of Poisson counts are near the exact ones, also for none and for one."""
    found = estimates.mean_count(count, 1, 1.0, Z)
    assert found.low == pytest.approx(low, abs=0.02) and found.high == pytest.approx(high, rel=0.01)


def test_counts_in_bunches_widen_the_bounds():
    """The same sum says less where one session has most of it."""
    calm, wild = [1.0] * 20, [0.0] * 19 + [20.0]
    assert estimates.spread_of(calm) == 1.0
    assert estimates.spread_of(wild) > 5
    assert (
        estimates.mean_count(20, 20, estimates.spread_of(wild), Z).high > 2 * estimates.mean_count(20, 20, 1.0, Z).high
    )


@pytest.mark.parametrize(("free", "quantile"), [(5, 2.571), (9, 2.262), (30, 2.042), (1_000, 1.962)])
def test_students_t(free, quantile):
    """The quantile of t is that of the tables."""
    assert estimates.student(Z, free) == pytest.approx(quantile, abs=0.01)


def test_nothing_at_all_says_nothing():
    """Without sessions the bounds are as wide as can be, and nothing fails."""
    assert estimates.share(0, 0, Z) == Interval(0.0, 0.0, 1.0)
    assert estimates.mean_count(0, 0, 1.0, Z).high == math.inf
    assert estimates.ratio([], [5.0], Z) == Interval(1.0, 0.0, math.inf)


def test_the_difference_turns_with_its_sides():
    """Which of the two comes first only changes the sign."""
    one, other = estimates.share(8, 20, Z), estimates.share(2, 30, Z)
    there, back = estimates.difference(one, other), estimates.difference(other, one)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))


def test_the_truth_is_within_the_bounds_as_often_as_they_say():
    """Over many draws of few sessions the difference of two shares holds the truth in about 95 of 100."""
    chance = random.Random(5)
    held = 0
    for _ in range(1_000):
        having = [sum(chance.random() < share for _ in range(of)) for share, of in ((0.3, 25), (0.1, 40))]
        found = estimates.difference(estimates.share(having[0], 25, Z), estimates.share(having[1], 40, Z))
        held += found.low <= -0.2 <= found.high
    assert held >= 930


def test_a_ratio_is_not_moved_by_one_endless_session():
    """Amounts are compared by their logarithms, so that one huge one does not decide."""
    one = [100.0 + number for number in range(20)]
    found = estimates.ratio(one, [*one[:-1], 1_000_000.0], Z)
    assert 1.0 < found.value < 2.0 and found.low < 1.0
