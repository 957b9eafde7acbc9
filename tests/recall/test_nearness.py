"""Comparing stored vectors with one by their numbers, a few or many at once, as `near` says of each."""

from __future__ import annotations

import random

import pytest

from holdfast.recall.embed import cosines, near, to_bytes


def vectors(count: int, dim: int) -> list[list[float]]:
    """Return random vectors of length one."""
    chance = random.Random(2)
    found = [[chance.gauss(0, 1) for _ in range(dim)] for _ in range(count)]
    lengths = [sum(number * number for number in numbers) ** 0.5 for numbers in found]
    return [[number / length for number in numbers] for numbers, length in zip(found, lengths, strict=True)]


@pytest.mark.parametrize("count", [1, 30, 31, 60])
def test_cosines_are_those_of_near(count):
    """Comparing a few or many says what comparing one says, to three digits; nothing is near to a zero."""
    query, *stored = vectors(count, 256)
    blobs = [to_bytes(one) for one in stored] + [bytes(256), to_bytes(query)]
    found = cosines(query, blobs)
    assert found == pytest.approx([near(query, blob) for blob in blobs], abs=2e-3)
    assert found[-2] == 0.0


def test_nothing_is_compared_with_nothing():
    """Without a stored vector there is no cosine."""
    assert cosines([0.5, 0.5], []) == []
