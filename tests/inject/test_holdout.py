"""Which sessions are given nothing: by their id alone, as often as the share says."""

from __future__ import annotations

import pytest

from holdfast.inject.receipts import withholds

IDS = [f"session-{number}" for number in range(4_000)]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_about_what_was_asked_for(share):
    """Of many sessions about that share is drawn."""
    drawn = sum(withholds(one, share) for one in IDS)
    assert abs(drawn / len(IDS) - share) < 0.03


def test_nothing_and_all():
    """A share of nought draws nobody, a share of one everybody."""
    assert not any(withholds(one, 0.0) for one in IDS)
    assert all(withholds(one, 1.0) for one in IDS)


def test_a_larger_share_keeps_those_that_were_drawn():
    """Who is in the smaller share is in the larger one, so that a change moves nobody back."""
    small = {one for one in IDS if withholds(one, 0.1)}
    assert small and small < {one for one in IDS if withholds(one, 0.3)}
