"""How much of the long suites runs: a sample drawn by a fixed seed, or all of it.

`make test` takes the sample, so that it gives the same answer each time; `make test-long` sets HOLDFAST_TEST_LONG and
runs the full counts with a seed of its own, which a failure names.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

# Read while the tests are loaded: a test runs without the developer's settings.
LONG = bool(os.environ.get("HOLDFAST_TEST_LONG"))

Item = TypeVar("Item")


def count(full: int, sample: int) -> int:
    """Return how often to do something: `full` in the long run, else `sample`."""
    return full if LONG else sample


def some(items: Sequence[Item], most: int) -> list[Item]:
    """Return all items in the long run, else at most so many of them, always the same, in their order."""
    if LONG or len(items) <= most:
        return list(items)
    chosen = sorted(random.Random(most).sample(range(len(items)), most))
    return [items[number] for number in chosen]


def seed() -> int:
    """Return the seed for what is drawn within a test; the test names it when it fails."""
    return random.randrange(2**32) if LONG else 20_261_115
