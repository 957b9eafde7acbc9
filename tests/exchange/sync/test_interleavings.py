"""Machines that share memories in any order of events end alike: a sample, or 10,000 in the long run."""

from __future__ import annotations

import pytest

from exchange.sync.interleavings import play
from support.sampling import count


@pytest.mark.parametrize("seed", range(count(10_000, 24)))
def test_machines_end_alike_and_nothing_is_lost(seed, tmp_path):
    """After any interleaving all homes are byte-identical in what travels, with every statement, and no marker."""
    play(seed, tmp_path)
