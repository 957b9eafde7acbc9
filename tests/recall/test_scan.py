"""The nearest by meaning: the same in plain Python and by numpy, and nothing where it would take too long."""

from __future__ import annotations

import random
import sqlite3
import sys

import pytest

from holdfast.recall import scan
from holdfast.recall.embed import near, to_bytes
from holdfast.recall.scan import Scan
from holdfast.records import Scope
from holdfast.store.base import Filter
from holdfast.store.passages import Passage, Passages, Source

EVERYTHING = Filter(None)
SHOP, BLOG = Scope("project", "shop"), Scope("project", "blog")
DIM = 32


@pytest.fixture
def table():
    """A hundred passages in two scopes with random vectors, some of them alike, and some without one."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table, chance = Passages(db), random.Random(3)
    for number, scope in enumerate((SHOP, BLOG) * 5):
        vectors = [to_bytes([chance.gauss(0, 1) for _ in range(DIM)]) for _ in range(8)]
        turns = [Passage(place, "x", f"{number}:{place}") for place in range(10)]
        table.put(Source(str(number), scope), turns, [*vectors, None, vectors[0]])
    yield table
    db.close()


@pytest.fixture
def query():
    """A vector of length one."""
    chance = random.Random(4)
    numbers = [chance.gauss(0, 1) for _ in range(DIM)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


@pytest.fixture
def without_numpy(monkeypatch):
    """A machine without numpy."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr(scan, "find_spec", lambda name: None)


@pytest.fixture
def with_numpy():
    """A process that has loaded numpy; skipped where it is not installed."""
    return pytest.importorskip("numpy")


def test_plain_python_finds_the_nearest(table, query, without_numpy):
    """Without numpy a small collection is gone through, nearest first."""
    everything = sorted(table.all_vectors(EVERYTHING), key=lambda one: -near(query, one[1]))
    assert Scan(table).nearest(query, EVERYTHING, 10) == [row for row, _ in everything[:10]]
    assert len(Scan(table).nearest(query, EVERYTHING, 1000)) == len(everything) == 90


def test_only_what_the_filter_lets_through(table, query, without_numpy):
    """However near, a passage of another scope is not found."""
    shop = {row for row, _ in table.all_vectors(Filter((SHOP,)))}
    assert set(Scan(table).nearest(query, Filter((SHOP,)), 1000)) == shop
    assert Scan(table).nearest(query, Filter(()), 10) == []


@pytest.mark.parametrize("limit", [1, 2, 10, 89, 90, 91, 1000])
def test_numpy_finds_the_same(table, query, with_numpy, monkeypatch, limit):
    """By numpy the nearest are the same and in the same order, whatever the limit and the filter."""
    for wanted in (EVERYTHING, Filter((SHOP,)), Filter(())):
        fast = Scan(table).nearest(query, wanted, limit)
        with monkeypatch.context() as alone:
            alone.setitem(sys.modules, "numpy", None)
            alone.setattr(scan, "find_spec", lambda name: None)
            slow = Scan(table).nearest(query, wanted, limit)
        blobs = dict(table.all_vectors(EVERYTHING))
        assert [round(near(query, blobs[row]), 5) for row in fast] == [
            round(near(query, blobs[row]), 5) for row in slow
        ]
        assert fast == slow or limit < 90


def test_numpy_keeps_vectors_only_while_they_hold(table, query, with_numpy):
    """One scan that is asked again sees what changed meanwhile, and keeps filters apart."""
    one = Scan(table)
    first = one.nearest(query, EVERYTHING, 1)
    assert one.nearest(query, EVERYTHING, 1) == first
    kept = one._matrix
    one.nearest(query, EVERYTHING, 5)
    assert one._matrix is kept
    assert {row for row, _ in table.all_vectors(Filter((BLOG,)))} == set(one.nearest(query, Filter((BLOG,)), 1000))
    table.put(Source("new", SHOP), [Passage(0, "x")], [to_bytes(query)])
    assert one.nearest(query, EVERYTHING, 1)[0][0] > first[0][0]
    table.drop("new")
    assert one.nearest(query, EVERYTHING, 1) == first


def test_a_large_collection_is_not_gone_through_without_numpy(table, query, without_numpy, monkeypatch):
    """Above the limit nothing is found by meaning alone; at the limit it is."""
    monkeypatch.setattr(scan, "WITHOUT_NUMPY", table.count())
    assert Scan(table).nearest(query, EVERYTHING, 5)
    monkeypatch.setattr(scan, "WITHOUT_NUMPY", table.count() - 1)
    assert Scan(table).nearest(query, EVERYTHING, 5) == []


def test_a_small_collection_does_not_load_numpy(table, query, monkeypatch):
    """A start of numpy costs more than going through a few vectors, so it is not even looked for."""
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    monkeypatch.setattr(scan, "find_spec", lambda name: pytest.fail("numpy was looked for"))
    assert len(Scan(table).nearest(query, EVERYTHING, 5)) == 5
    assert "numpy" not in sys.modules


def test_an_empty_table(query, without_numpy):
    """Where nothing is, nothing is near."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    assert Scan(Passages(db)).nearest(query, EVERYTHING, 5) == []
    db.close()


def test_a_large_collection_is_not_loaded_for_every_change(table, query, monkeypatch):
    """For a few seconds a large matrix is kept though a vector came, but never for another filter."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(scan, "WITHOUT_NUMPY", 0)
    monkeypatch.setattr(scan, "LARGE", 10)
    kept = Scan(table)
    kept.nearest(query, EVERYTHING, 5)
    nearest = to_bytes(query)
    table.put(Source("late", SHOP), [Passage(0, "x", "late:0")], [nearest])
    assert "late:0" not in [table.read(row)[0].name for row, _, _ in kept.nearest(query, EVERYTHING, 5)]
    assert "late:0" in [table.read(row)[0].name for row, _, _ in kept.nearest(query, Filter((SHOP,)), 5)]
    monkeypatch.setattr(scan, "YOUNG_SECONDS", 0.0)
    assert "late:0" in [table.read(row)[0].name for row, _, _ in kept.nearest(query, EVERYTHING, 5)]
