"""Verdicts: what may be said of two groups of sessions, and when nothing may."""

from __future__ import annotations

import pytest

from holdfast.patterns import estimates
from holdfast.patterns.estimates import HARMS, HELPS, NO_EFFECT, THIN, Observed


def sessions(having: int, of: int) -> list[float]:
    """So many sessions, of which some have the signal once."""
    return [1.0] * having + [0.0] * (of - having)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((30, 60), (6, 60), HELPS),
        ((6, 60), (30, 60), HARMS),
        ((150, 300), (148, 300), NO_EFFECT),
        ((8, 9), (0, 500), THIN),
        ((500, 500), (0, 9), THIN),
        ((3, 20), (2, 20), THIN),
        ((0, 50), (0, 50), THIN),
    ],
)
def test_the_verdict_of_shares(before, after, verdict):
    """A clear fall helps, a clear rise harms, much of the same is no effect, and little is too little."""
    assert estimates.of_shares("before-after", sessions(*before), sessions(*after)).verdict == verdict


def test_of_something_good_more_is_better():
    """For a success the verdicts are the other way round."""
    few, many = sessions(6, 60), sessions(30, 60)
    assert estimates.of_shares("before-after", few, many, good=True).verdict == HELPS
    assert estimates.of_shares("before-after", many, few, good=True).verdict == HARMS


def test_an_estimate_says_both_sides_and_the_change():
    """The estimate has the share and the number of both groups, and bounds around the change."""
    found = estimates.of_shares("before-after", sessions(30, 60), sessions(6, 60))
    assert (found.before, found.after, found.sessions_before, found.sessions_after) == (0.5, 0.1, 60, 60)
    assert found.change == pytest.approx(-0.4) and found.holds(-0.4) and not found.holds(0.0)


def test_one_wild_session_is_no_verdict():
    """Many failures in a single session do not make a difference between two groups."""
    calm, wild = [0.0] * 40, [0.0] * 39 + [60.0]
    assert estimates.of_counts("before-after", "errors", calm, wild).verdict == THIN
    steady = [1.0, 2.0] * 20
    assert estimates.of_counts("before-after", "errors", steady, calm).verdict == HELPS


def test_amounts_are_compared_as_ratios():
    """Half of the tokens is said as such; where the bounds are far apart it is too little data."""
    much = [1_000.0 + 10 * number for number in range(30)]
    found = estimates.of_amounts("withheld-given", "tokens", much, [amount / 2 for amount in much])
    assert found.is_ratio and found.change == pytest.approx(0.5, abs=0.01) and found.verdict == HELPS
    wild = [10.0, 100_000.0] * 6
    assert estimates.of_amounts("withheld-given", "tokens", wild, wild).verdict == THIN


def test_without_any_session_a_bound_is_unknown():
    """An empty group leaves bounds that are not known, never an infinite number."""
    found = estimates.of_counts("before-after", "errors", [], [1.0])
    assert (found.low, found.verdict) == (None, THIN)


def test_one_session_is_no_ratio():
    """Of tokens one session on a side says nothing of the rule, so there is no change and the reason is told."""
    found = estimates.of_amounts("withheld-given", "tokens", [100.0] * 20, [50.0])
    assert (found.before, found.after, found.change, found.low) == (100.0, 50.0, None, None)
    assert found.why == "20 sessions withheld and 1 given; it takes at least 10 of each"


def test_five_things_are_compared_with_more_care():
    """Errors, retries, corrections, tokens and seconds have wider bounds than one thing alone would."""
    group = [Observed(str(number), errors=number % 3, tokens=100 + number, seconds=50) for number in range(40)]
    found = estimates.of_five("withheld-given", group, group)
    assert [one.measure for one in found] == ["errors", "retries", "corrections", "tokens", "seconds"]
    alone = estimates.of_counts("", "", [one.errors for one in group], [one.errors for one in group])
    assert found[0].high > alone.high and found[0].confidence == 0.99


def test_what_no_agent_told_is_not_compared():
    """Sessions whose tokens are not known are left out of the comparison of tokens."""
    known = [Observed(str(number), tokens=100) for number in range(12)]
    unknown = [Observed(f"x{number}") for number in range(12)]
    assert estimates.of_five("withheld-given", [*known, *unknown], known)[3].sessions_before == 12


def test_the_weightiest_measure_decides():
    """Of several verdicts the first that says something holds."""

    def said(*verdicts: str) -> str:
        return estimates.overall(estimates.Estimate("", "", 0, 0, 0, 0, 0, 0, 0, verdict) for verdict in verdicts)

    assert said(THIN, NO_EFFECT, HARMS, HELPS) == HARMS
    assert (said(THIN, NO_EFFECT), said(THIN), said()) == (NO_EFFECT, THIN, THIN)
