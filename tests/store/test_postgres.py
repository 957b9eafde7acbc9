"""The store of a hub keeps the contract, in a real PostgreSQL."""

from __future__ import annotations

import math
import random

import pytest

from holdfast.recall.embed import cosines
from holdfast.recall.recall import recall
from holdfast.recall.statements import Question
from holdfast.records import Filter
from holdfast.workspace import Workspace
from store.contract import StoreContract
from store.making import OTHER, PROJECT, draft
from support.postgres import hub

NAMES = ("billing", "search", "checkout", "ledger")


@pytest.fixture(scope="module")
def one_hub():
    """Return the hub, in which one person has an organisation of their own."""
    made = hub()
    made.operator.add_organisation("own", personal=True)
    return made


class TestPostgres(StoreContract):
    teams = 0

    @pytest.fixture
    def place(self, one_hub):
        """Return the address of a new team's store: an empty place."""
        TestPostgres.teams += 1
        team = f"team-{self.teams}"
        one_hub.operator.add_team("own", team)
        one_hub.operator.set_member("own", team, "kim", "writer")
        return one_hub.url(organisation="own", team=team, person="kim")

    def open(self, place):
        from holdfast.store.back_ends import open_store

        return open_store(place, 262_144)


def filled(one_hub, team, chance):
    """Return the store of a team with memories of two projects, each with a vector of its own, and those by number."""
    one_hub.operator.add_team("own", team)
    one_hub.operator.set_member("own", team, "kim", "writer")
    store = TestPostgres().open(one_hub.url(organisation="own", team=team, person="kim"))
    for number in range(80):
        store.put(draft(f"Deploys of {chance.choice(NAMES)} take step {number}.", (PROJECT, OTHER)[number % 2]))
    vectors = {}

    def put(tables):
        tables.memories.use_model("m")
        vectors.update((row, chance.randbytes(8)) for row, _ in tables.memories.without_vector(999))
        tables.memories.put_vectors(vectors.items())
        return {row: one for row, one in vectors.items() if row in tables.memories.few(Filter((PROJECT,)), 99)}

    return store, store.ask(put)


def unit(vector):
    return [number / math.hypot(*vector) for number in vector]


def statements(monkeypatch):
    """Return the list to which every statement goes from now on."""
    import psycopg

    asked, real = [], psycopg.Cursor.execute
    monkeypatch.setattr(
        psycopg.Cursor,
        "execute",
        lambda self, sql, *more, **given: asked.append(sql) or real(self, sql, *more, **given),
    )
    return asked


def test_the_nearest_of_several_vectors_are_those_of_comparing_every_one(one_hub, monkeypatch):
    """One statement finds for each vector exactly what brute force finds in the scope, though others have nearer."""
    chance = random.Random(3)
    filled(one_hub, "near-others", chance)
    store, own = filled(one_hub, "near", chance)
    wanted = [unit([chance.uniform(-1, 1) for _ in range(8)]) for _ in range(5)]
    asked = statements(monkeypatch)
    found = store.ask(lambda tables: tables.memories.nearest(wanted, Filter((PROJECT,)), 7))
    assert len([sql for sql in asked if "meaning" in str(sql)]) == 1
    for vector, near in zip(wanted, found, strict=True):
        by_force = sorted(zip(cosines(vector, [*own.values()]), own, strict=True), reverse=True)[:7]
        assert [row for (row, _, _), _ in near] == [row for _, row in by_force]
        assert [cosine for _, cosine in near] == pytest.approx([cosine for cosine, _ in by_force], abs=1e-2)


def test_a_recall_takes_few_round_trips(one_hub, monkeypatch, tmp_path):
    """A name in the query has kin looked for; however many, that is one statement more, and counting uses is one."""
    filled(one_hub, "trips", random.Random(4))
    workspace = Workspace(str(tmp_path), project="shop", say=lambda text: None)
    workspace._store = TestPostgres().open(one_hub.url(organisation="own", team="trips", person="kim"))
    assert recall(workspace, "deploys of billing")
    monkeypatch.setattr(Question, "_is_name", lambda self, place, model: self.asked.words[place] == "billing")
    asked = statements(monkeypatch)
    assert recall(workspace, "which step do deploys of billing take")
    assert [str(sql).count(" MATERIALIZED") for sql in asked].count(1) == 2, "no kin was looked for"
    # Who asks is told in one round trip with what comes before or after it.
    trips = [sql for sql in asked if not str(sql).startswith("SELECT set_config('holdfast.organisation'")]
    assert len(trips) <= 11, trips


def test_a_use_counts_once_a_minute_also_within_one_call(one_hub):
    """Times of one memory that are more than a minute apart count each; the same time, and one soon after, do not."""
    store, _ = filled(one_hub, "uses", random.Random(5))
    one = next(iter(store.find(Filter(None))))
    times = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z", "2026-01-01T00:02:00Z")
    store.add_uses((one.scope, one.key, at) for at in times)
    assert store.uses(one.scope, one.key) == (2, times[-1])
