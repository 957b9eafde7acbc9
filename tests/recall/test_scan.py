"""The nearest by meaning: what going through every vector finds, and only what the filter lets through."""

from __future__ import annotations

import random
import sqlite3

import pytest

import passage_rows
from holdfast.recall import scan
from holdfast.recall.embed import near, to_bytes
from holdfast.recall.scan import Scan
from holdfast.records import Filter, Scope
from holdfast.store.passages import Passage, Passages, PassageSource
from passage_rows import all_vectors
from support.sampling import count

EVERYTHING = Filter(None)
SHOP, BLOG = Scope("project", "shop"), Scope("project", "blog")
DIM = 64


def vector(chance: random.Random, about: list[float] | None = None) -> list[float]:
    """Return a random vector of length one, if wished not far from another."""
    numbers = [chance.gauss(0, 1) + 8 * (about[place] if about else 0) for place in range(DIM)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


@pytest.fixture
def table():
    """A hundred passages in two scopes with random vectors, some of them alike, and some without one."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table, chance = Passages(db), random.Random(3)
    for number, scope in enumerate((SHOP, BLOG) * 5):
        vectors = [to_bytes(vector(chance)) for _ in range(8)]
        turns = [Passage(place, "x", f"{number}:{place}", at=f"2026-01-{number + 1:02}") for place in range(10)]
        passage_rows.put(table, PassageSource(str(number), scope), turns, [*vectors, None, vectors[0]])
    yield table
    db.close()


@pytest.fixture(scope="module")
def large():
    """Six thousand passages about sixty things, in three scopes; only reading goes on."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table, chance = Passages(db), random.Random(5)
    things = [vector(chance) for _ in range(60)]
    for number in range(300):
        scope = (SHOP, BLOG, Scope("global"))[number % 3]
        vectors = [to_bytes(vector(chance, chance.choice(things))) for _ in range(20)]
        turns = [Passage(place, "x", at=f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}") for place in range(20)]
        passage_rows.put(table, PassageSource(str(number), scope), turns, vectors)
    yield table, things
    db.close()


@pytest.fixture
def query():
    """A vector of length one."""
    return vector(random.Random(4))


def exactly(table: Passages, query: list[float], wanted: Filter, limit: int) -> list[tuple[int, int, int]]:
    """Return what going through every vector finds."""
    return [row for row, _ in sorted(all_vectors(table, wanted), key=lambda one: -near(query, one[1]))][:limit]


def test_the_nearest_of_a_few_are_found(table, query):
    """A small collection is compared whole, nearest first; what has no vector is not found."""
    assert Scan(table).nearest(query, EVERYTHING, 10) == exactly(table, query, EVERYTHING, 10)
    assert len(Scan(table).nearest(query, EVERYTHING, 1000)) == 90


def test_the_nearest_of_many_are_found(large):
    """Of the ten nearest among thousands, at least 95 of 100 are found by sketches."""
    table, things = large
    one, chance, kept = Scan(table), random.Random(6), 0
    for _ in range(count(40, 15)):
        query = vector(chance, chance.choice(things))
        kept += len(set(one.nearest(query, EVERYTHING, 10)) & set(exactly(table, query, EVERYTHING, 10)))
    assert kept >= 0.95 * 10 * count(40, 15)


def test_only_what_the_filter_lets_through(table, query):
    """However near, a passage of another scope is not found."""
    shop = {row for row, _ in all_vectors(table, Filter((SHOP,)))}
    assert set(Scan(table).nearest(query, Filter((SHOP,)), 1000)) == shop
    assert Scan(table).nearest(query, Filter(()), 10) == []
    assert Scan(table).nearest(query, Filter((Scope("project", "none"),)), 10) == []


@pytest.mark.parametrize("few", [scan.FEW, 0])
def test_a_filter_that_lets_little_through_still_finds_it(large, monkeypatch, few):
    """A filter by time finds the nearest of that time: all where they are few enough to compare, nearly all else."""
    table, things = large
    monkeypatch.setattr(scan, "FEW", few)
    for wanted in (Filter(None, since="2026-11-15"), Filter((BLOG,), since="2026-03-01", until="2026-03-04")):
        found = Scan(table).nearest(things[0], wanted, 10)
        assert len(set(found) & set(exactly(table, things[0], wanted, 10))) >= (10 if few else 9)
        assert len(found) == 10


@pytest.mark.parametrize("seed", range(10))
def test_nothing_of_another_scope_or_time_is_found(large, seed):
    """For any scopes and times, what is found is among what they let through."""
    table, things = large
    chance = random.Random(seed)
    scopes = tuple(chance.sample([SHOP, BLOG, Scope("global"), Scope("agent", "shop")], chance.randrange(4)))
    days = [f"2026-{month:02}-{chance.randrange(1, 29):02}" for month in (chance.randrange(1, 6), 9)]
    wanted = Filter(scopes, since=chance.choice(["", days[0]]), until=chance.choice(["", days[1]]))
    allowed = {row for row, _ in all_vectors(table, wanted)}
    found = Scan(table).nearest(chance.choice(things), wanted, 50)
    assert set(found) <= allowed
    assert len(found) == min(50, len(allowed))


def test_one_scan_sees_what_changed(table, query):
    """A scan that is asked again finds what came meanwhile, and not what went."""
    one = Scan(table)
    first = one.nearest(query, EVERYTHING, 1)
    passage_rows.put(table, PassageSource("new", SHOP), [Passage(0, "x", "late")], [to_bytes(query)])
    ((row, _, _),) = one.nearest(query, EVERYTHING, 1)
    assert table.read(row)[0].name == "late"
    assert one.nearest(query, Filter((BLOG,)), 1) != [(row, 0, 0)]
    table.drop("new")
    assert one.nearest(query, EVERYTHING, 1) == first


def test_what_was_read_is_kept(large):
    """Sketches are read once, for whatever filter they are asked."""
    table, things = large
    one = Scan(table)
    one.nearest(things[0], EVERYTHING, 5)
    kept = dict(one._kept)
    assert sum(len(chunk.ids) for chunk in kept.values()) == 6000
    one.nearest(things[1], Filter((SHOP,)), 5)
    assert all(one._kept[number] is chunk for number, chunk in kept.items())


def test_another_index_is_read_anew(table, query):
    """A scan that is given the table of another index forgets what it read of the first."""
    one = Scan(table)
    one.nearest(query, EVERYTHING, 5)
    db = sqlite3.connect(":memory:", isolation_level=None)
    one.table = Passages(db)
    assert one.nearest(query, EVERYTHING, 5) == []
    db.close()


def test_many_that_are_the_same(query):
    """A thousand equal vectors do not hide the one that is nearer."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table, other = Passages(db), to_bytes(vector(random.Random(8)))
    passage_rows.put(table, PassageSource("a", SHOP), [Passage(0, "x", "near")], [to_bytes(query)])
    for number in range(60):
        passage_rows.put(
            table, PassageSource(f"s{number}", SHOP), [Passage(place, "x") for place in range(100)], [other] * 100
        )
    found = Scan(table).nearest(query, EVERYTHING, 5)
    assert table.read(found[0][0])[0].name == "near"
    assert len(found) == 5
    db.close()


def test_nothing_is_near_to_nothing(table):
    """A query that means nothing finds nothing, and neither does one in an empty table."""
    assert Scan(table).nearest([0.0] * DIM, EVERYTHING, 5) == []
    db = sqlite3.connect(":memory:", isolation_level=None)
    assert Scan(Passages(db)).nearest([1.0] * DIM, EVERYTHING, 5) == []
    db.close()


def test_the_nearest_come_with_their_cosines(table):
    """Each of the nearest has the cosine that its own vector gives, and they sink."""
    query = vector(random.Random(5))
    found = Scan(table).compared(query, EVERYTHING, 10)
    stored = table.vectors([row for (row, _, _), _ in found])
    assert [cosine for _, cosine in found] == pytest.approx(
        [near(query, stored[row]) for (row, _, _), _ in found], abs=0.01
    )
    assert [row for row, _ in found] == Scan(table).nearest(query, EVERYTHING, 10)
    assert found == sorted(found, key=lambda one: -one[1])
