"""Comparing many vectors at once: by their signs roughly as the numbers say."""

from __future__ import annotations

import random

import pytest

from holdfast.recall.embed import to_bytes
from holdfast.recall.scan import Probe, best_places
from holdfast.store.sketches import Chunk, code_of


def vectors(count: int, dim: int, seed: int = 1) -> list[list[float]]:
    """Return random vectors of length one."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        numbers = [chance.gauss(0, 1) for _ in range(dim)]
        length = sum(number * number for number in numbers) ** 0.5
        found.append([number / length for number in numbers])
    return found


def by_signs(query: list[float], stored: bytes) -> float:
    """Return the sum of the query's numbers, each with the sign of the other's."""
    signs = memoryview(stored).cast("b")
    return sum(one if sign >= 0 else -one for one, sign in zip(query, signs, strict=True))


@pytest.mark.parametrize("dim", [8, 13, 256])
@pytest.mark.parametrize("rows", [1, 2, 7, 300])
def test_a_sketch_says_what_the_signs_say(dim, rows):
    """What a whole sketch says follows the query's numbers with the stored signs, whatever the length of a vector."""
    query, *stored = vectors(rows + 1, dim)
    blobs = [to_bytes(one) for one in stored]
    scores = Probe(query).fine(b"".join(map(code_of, blobs)))
    exact = [by_signs(query, blob) for blob in blobs]
    for one in range(rows):
        for other in range(rows):
            if exact[one] > exact[other] + 0.25:
                assert scores[one] > scores[other]


def test_the_coarse_look_finds_the_one_that_is_alike():
    """A vector that is the query itself has the highest mark among many, and marks fit a byte."""
    query, *stored = vectors(500, 256)
    blobs = [to_bytes(one) for one in [*stored, query]]
    chunk = Chunk(b"".join(n.to_bytes(8, "little") for n in range(500)), b"".join(map(code_of, blobs)))
    marks = Probe(query).coarse(chunk)
    assert len(marks) == 500
    assert marks[-1] == max(marks)


def test_the_best_places_are_found():
    """The places of the highest marks come back for each part, about as many as wanted, and all where all are."""
    chance = random.Random(3)
    parts = [bytes(chance.randrange(256) for _ in range(size)) for size in (4000, 10, 3000)]
    found = best_places(parts, 300)
    chosen = [parts[number][place] for number, places in enumerate(found) for place in places]
    rest = sum(map(len, parts)) - len(chosen)
    assert 200 <= len(chosen) <= 600
    assert sum(mark < min(chosen) for part in parts for mark in part) == rest
    assert [len(places) for places in best_places(parts, 10_000)] == [4000, 10, 3000]


def test_of_equal_marks_no_more_than_wanted():
    """Where nearly all marks are equal the better ones are all there, and not many of the others."""
    parts = [b"\x05" * 5000, b"\x05" * 4000 + b"\x09\x08" + b"\x05" * 1000]
    first, second = best_places(parts, 100)
    assert {4000, 4001} <= set(second)
    assert len(first) + len(second) == 100
