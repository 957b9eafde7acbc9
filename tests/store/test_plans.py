"""How SQLite finds a few among very many: by an index, and never by reading all of them."""

from __future__ import annotations

from contextlib import closing

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
