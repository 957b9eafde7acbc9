"""How SQLite finds a few among very many: by an index, and never by reading all of them."""

from __future__ import annotations

from contextlib import closing

from holdfast.records import Scope
from holdfast.store import read_only_index
from holdfast.store.local import LocalStore
from holdfast.store.read_only_index import ReadOnlyIndex
from store.making import PROJECT, draft


def scans(db, act) -> list[str]:
    """Return the steps of what the act asks for that read a whole table of memories, uses or words."""
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    act()
    db.set_trace_callback(None)
    plans = [
        row[3] for query in asked if query.startswith("SELECT") for row in db.execute(f"EXPLAIN QUERY PLAN {query}")
    ]
    assert any("SEARCH" in step for step in plans), asked
    # A virtual table that is asked for a row number says so behind a colon.
    tables = ("SCAN m", "SCAN n", "SCAN s", "SCAN u", "SCAN w", "SCAN memory", "SCAN uses", "SCAN supersedes")
    return [
        step for step in plans if f"{step} ".startswith(tuple(f"{table} " for table in tables)) and ":=" not in step
    ]


def test_a_few_memories_are_found_by_their_places(tmp_path):
    """What a session was shown is looked up by scope, owner and key, however many memories there are."""
    with closing(LocalStore(str(tmp_path))) as store:
        store.refresh()
        kept = [store.put(draft(f"Fact {number} holds.", PROJECT)).memory for number in range(5)]
        assert scans(store.tree.index.db, lambda: store.tree.index.ends_of(kept)) == []
        folders = ("projects/shop", "projects/shop/memories")
        assert scans(store.tree.index.db, lambda: store.tree.listing(folders, 3)) == []
    places = [(one.scope.kind, one.scope.owner, one.key) for one in kept[:2]]
    with ReadOnlyIndex(str(tmp_path), lambda: False) as index:
        assert [*index.known(places)] == places
        assert scans(index.db, lambda: index.known(places)) == []
        assert scans(index.db, lambda: index.replaced(places)) == []


def test_a_start_reads_no_memory_twice_and_counts_no_more_than_it_tells(tmp_path, monkeypatch):
    """Where forty short memories do not fill a start, only those that come behind them are read; very many are not."""
    monkeypatch.setattr(read_only_index, "MANY", 100)
    with closing(LocalStore(str(tmp_path))) as store:
        store.refresh()
        for number in range(130):
            store.put(draft(f"Fact {number} holds.", PROJECT))
    with ReadOnlyIndex(str(tmp_path), lambda: False) as index:
        asked: list[str] = []
        index.db.set_trace_callback(asked.append)
        found = index.worth_telling([PROJECT], 3_000)
        bodies = [query.partition("m.id IN (")[2].rstrip(")").split(",") for query in asked if " w.body," in query]
        read = [row for some in bodies for row in some]
        assert len(found) == len(read) == len(set(read)) == 130
        assert index.number_in([PROJECT]) == 100


def test_what_is_near_is_looked_up_once_for_all_scopes_of_a_session(tmp_path):
    """Each word is asked for once, and what has them is measured in one question, of the session's scopes alone."""
    with closing(LocalStore(str(tmp_path))) as store:
        store.refresh()
        for scope in (PROJECT, Scope("global"), Scope("project", "other")):
            store.put(draft("The ferry leaves from the north pier at dawn.", scope))
            store.put(draft("Parsnips grow well here.", scope))
    with ReadOnlyIndex(str(tmp_path), lambda: False) as index:
        asked: list[str] = []
        index.db.set_trace_callback(asked.append)
        near = index.nearest([PROJECT, Scope("global")], ["ferry", "pier", "lagoon"])
        assert {scope: len(rows) for scope, rows in near.items()} == {PROJECT: 1, Scope("global"): 1}
        assert (
            len([query for query in asked if query.startswith("SELECT") and " w" in query and "config" not in query])
            == 4
        )
        assert [len(index.worth_telling([scope], 0, near)) for scope in near] == [2, 2]
