"""Sketches in chunks: what was added is there once, in its scope, and what was removed is gone."""

from __future__ import annotations

import random
import sqlite3

import pytest

from holdfast.records import Scope
from holdfast.store import sketches
from holdfast.store.sketches import Sketches, code_of

SHOP, BLOG = Scope("project", "shop"), Scope("project", "blog")


@pytest.fixture
def kept():
    """An empty table of sketches."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table = Sketches(db, "sketch")
    for statement in table.tables():
        db.execute(statement)
    yield table
    db.close()


def vector(row: int) -> bytes:
    """Return the vector of a row: sixteen numbers whose signs are its bits."""
    return bytes(1 if row >> place & 1 else 255 for place in range(16))


def add(kept: Sketches, scope: Scope, rows: list[int], model: int = 0) -> None:
    """Add the sketches of these rows."""
    kept.add(scope, [(row, vector(row)) for row in rows], model)


def rows_of(kept: Sketches, *scopes: Scope, model: int = 0) -> list[int]:
    """Return the rows of these scopes, and check that each has its own sketch."""
    found = []
    for number, count in kept.chunks(scopes or None, 2, model):
        chunk = kept.read(number)
        assert len(chunk.ids) == count
        for place, row in enumerate(chunk.ids):
            assert chunk.codes_at([place]) == code_of(vector(row))
            assert bytes(chunk.column(byte)[place] for byte in range(2)) == code_of(vector(row))
            found.append(row)
    return sorted(found)


def test_the_signs_of_a_vector():
    """The first number is the highest bit, and nought counts as positive."""
    assert code_of(bytes([0, 255, 127, 128, 1, 1, 1, 1])) == bytes([0b10101111])
    assert code_of(bytes([5])) == b"\x01"
    assert len(code_of(bytes(256))) == 32


def test_many_small_additions_become_few_chunks(kept):
    """However few come at a time, every row is there once, and chunks are few."""
    for start in range(0, 2000, 20):
        add(kept, SHOP, list(range(start, start + 20)))
    assert rows_of(kept, SHOP) == list(range(2000))
    assert len(kept.chunks((SHOP,), 2)) <= 12


def test_a_chunk_has_a_limit(kept, monkeypatch):
    """Many at once, and many in turn, never make a chunk larger than the limit."""
    monkeypatch.setattr(sketches, "MAX_ROWS", 50)
    add(kept, SHOP, list(range(120)))
    for row in range(120, 300):
        add(kept, SHOP, [row])
    assert rows_of(kept, SHOP) == list(range(300))
    assert max(count for _, count in kept.chunks((SHOP,), 2)) <= 50


def test_scopes_and_models_are_apart(kept):
    """A scope, and a model, has its own rows; everything has all of one model."""
    add(kept, SHOP, [1, 2])
    add(kept, BLOG, [3])
    add(kept, BLOG, [4], model=7)
    assert (rows_of(kept, SHOP), rows_of(kept, BLOG), rows_of(kept)) == ([1, 2], [3], [1, 2, 3])
    assert rows_of(kept, BLOG, model=7) == [4]
    assert kept.chunks((), 2) == []


def test_vectors_of_another_length_are_apart(kept):
    """A vector of another length is no trouble, and not in the chunks of the others."""
    kept.add(SHOP, [(1, vector(1)), (2, b"\x01")])
    assert rows_of(kept, SHOP) == [1]
    assert kept.chunks((SHOP,), 1) != []


@pytest.mark.parametrize("seed", range(15))
def test_what_is_removed_is_gone(kept, seed):
    """After any additions and removals, in any order, exactly what was not removed is there."""
    chance, there = random.Random(seed), dict[int, Scope]()
    for row in chance.sample(range(1, 500), 200):
        scope = chance.choice([SHOP, BLOG])
        add(kept, scope, [row])
        there[row] = scope
        if chance.random() < 0.2:
            gone = chance.sample(sorted(there), min(len(there), chance.choice([1, 3, 40])))
            kept.remove([*gone, 100_000])
            for each in gone:
                del there[each]
    for scope in (SHOP, BLOG):
        assert rows_of(kept, scope) == sorted(row for row, its in there.items() if its == scope)
    kept.remove(list(there))
    assert kept.db.execute("SELECT count(*) FROM sketch").fetchone() == (0,)


def test_the_number_of_a_chunk_is_not_given_again(kept):
    """A chunk that went is not there, and another one never answers for it."""
    add(kept, SHOP, [1])
    ((number, _),) = kept.chunks((SHOP,), 2)
    kept.remove([1])
    add(kept, SHOP, [2])
    assert kept.read(number) is None
    assert rows_of(kept) == [2]
