"""Many processes at once: nothing is lost, nothing is torn, nobody is told that the database is locked."""

from __future__ import annotations

import pytest

from holdfast.store.local import LocalStore
from store.making import EVERYTHING, GLOBAL, PROJECT, draft, finished, temporary_files, together
from support.sampling import count

PROCESSES, ROUNDS = 8, count(50, 15)

WRITER = """
from holdfast.records import Draft, Filter, Scope
from holdfast.store.local import LocalStore
home, number, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
wait()
store = LocalStore(home)
for turn in range(rounds):
    scope = Scope("project", "shop") if turn % 2 else Scope("global")
    store.put(Draft(f"Shared {turn % 5} as said by {number} in turn {turn}.", scope, key=f"shared-{turn % 5}"))
    store.put(Draft(f"Own statement of {number} in turn {turn}.", scope, key=f"own-{number}-{turn}"))
    if turn % 10 == 0:
        store.refresh()
        store.search("statement shared", Filter(None), 10)
assert not store.notes or all(note.startswith("index.db was rebuilt") for note in store.notes), store.notes
store.close()
"""


@pytest.mark.slow
def test_eight_processes_write_at_once(home):
    """Every statement of eight writers is there: as the current one, or in the history of its key."""
    finished(*together(WRITER, *((home, str(number), str(ROUNDS)) for number in range(PROCESSES))))
    store = LocalStore(home)
    said = {}
    for scope in (GLOBAL, PROJECT):
        for place in range(5):
            memory = store.get(scope, f"shared-{place}")
            said[scope, place] = [memory.body, *(earlier.text for earlier in memory.history)]
    for turn in range(ROUNDS):
        scope = PROJECT if turn % 2 else GLOBAL
        for number in range(PROCESSES):
            assert f"Shared {turn % 5} as said by {number} in turn {turn}." in said[scope, turn % 5]
            assert store.get(scope, f"own-{number}-{turn}").body == f"Own statement of {number} in turn {turn}."
    assert sum(map(len, said.values())) == PROCESSES * ROUNDS
    assert temporary_files(home) == []
    assert_index_agrees(store)
    store.close()


def assert_index_agrees(store: LocalStore) -> None:
    """The index, after the next refresh, has exactly what a new one would have."""
    store.refresh()
    before = list(store.find(EVERYTHING)), [c.memory for c in store.search("statement", EVERYTHING, 1000)]
    store.rebuild()
    assert (list(store.find(EVERYTHING)), [c.memory for c in store.search("statement", EVERYTHING, 1000)]) == before
    assert store.problems() == []
    assert store.tree.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


MIXED = """
import random
from holdfast.errors import Conflict, NotFound
from holdfast.records import Draft, Filter, Scope
from holdfast.store.local import LocalStore
home, number = sys.argv[1], int(sys.argv[2])
chance = random.Random(number)
places = [Scope("global"), Scope("project", "shop"), Scope("session", "s")]
wait()
store = LocalStore(home)
for turn in range(60):
    scope, key = chance.choice(places), f"k-{chance.randrange(6)}"
    try:
        act = chance.randrange(6)
        if act < 2:
            store.put(Draft(f"Statement {number} {turn}.", scope, key=key))
        elif act == 2:
            store.change(scope, key, pinned=chance.random() < 0.5, tags=(f"t{turn}",))
        elif act == 3:
            store.move(scope, key, chance.choice(places), f"k-{chance.randrange(6)}")
        elif act == 4:
            store.remove(scope, key, forget=False)
        else:
            store.refresh()
            for found in store.find(Filter(None)):
                assert found.body.startswith("Statement "), found
    except (Conflict, NotFound):
        pass
store.close()
"""


def test_moves_changes_and_removals_at_once_leave_whole_files(home):
    """Whatever six processes do to the same few keys, every file is whole and the index agrees with the files."""
    finished(*together(MIXED, *((home, str(number)) for number in range(6))))
    store = LocalStore(home)
    store.refresh()
    for memory in store.find(EVERYTHING):
        assert store.get(memory.scope, memory.key).body.startswith("Statement ")
    assert temporary_files(home) == []
    assert_index_agrees(store)
    store.close()


READER = """
from holdfast.records import Scope
from holdfast.store.local import LocalStore
store = LocalStore(sys.argv[1])
wait()
seen = set()
while "z" not in seen:
    memory = store.get(Scope("global"), "k")
    letters = set(memory.body.replace("\\n", ""))
    assert len(letters) == 1, letters
    assert len(memory.body.replace("\\n", "")) == 20_000
    seen |= letters
print("done")
"""


def test_a_reader_never_sees_a_part(home):
    """While a large memory is rewritten over and over, every read is one whole statement."""
    store = LocalStore(home)
    lines = "\n".join(["{0}" * 100] * 200)
    store.put(draft(lines.replace("{0}", "a"), key="k"))
    readers = together(READER, (home,), (home,))
    for turn in range(25):
        store.put(draft(lines.replace("{0}", "bcdefghij"[turn % 9]), key="k"))
    store.put(draft(lines.replace("{0}", "z"), key="k"))
    assert finished(*readers) == ["done\n"] * 2
    store.close()
