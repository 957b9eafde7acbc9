"""Processes that are killed without warning: what they acknowledged is there, and nothing else is broken."""

from __future__ import annotations

import os
import random

import pytest
from store_helpers import EVERYTHING, GLOBAL, PROJECT, child, killed, write

from holdfast.records import Scope
from holdfast.store.local import LocalStore

STORES = 500

# The child says what it is about to store, stores it, and acknowledges it only when the store has returned.
STORER = """
import os, sys
from holdfast.records import Draft, Scope
from holdfast.store.local import LocalStore
store = LocalStore(sys.argv[1])
store.refresh()
turn = int(sys.argv[2])
while True:
    turn += 1
    scope = Scope("project", "shop") if turn % 2 else Scope("global")
    key = f"new-{turn}" if turn % 3 else f"again-{turn % 7}"
    text = f"Statement {turn} of key {key}. " + "x" * (turn * 37 % 3000)
    os.write(1, f"try\\t{turn}\\t{scope.kind}\\t{key}\\t{text}\\n".encode())
    store.put(Draft(text, scope, key=key, tags=("crash",)))
    os.write(1, f"ack\\t{turn}\\n".encode())
"""


@pytest.mark.slow
def test_five_hundred_stores_under_kill_9(home):
    """Of 500 stores by processes killed at random, every acknowledged statement is there and every file is whole."""
    chance = random.Random(20261115)
    tried: dict[int, tuple[Scope, str, str]] = {}
    acknowledged: list[int] = []
    kills = 0
    while len(tried) < STORES:
        process = child(STORER, home, str(max(tried, default=0)))
        note(killed(process, chance.uniform(0, 0.08)), tried, acknowledged)
        kills += 1
    print(f"{kills} kills, {len(tried)} tried, {len(acknowledged)} acknowledged")
    assert kills >= 5
    assert len(acknowledged) >= len(tried) - kills
    check_all(home, tried, set(acknowledged))


def note(said: str, tried: dict[int, tuple[Scope, str, str]], acknowledged: list[int]) -> None:
    """Take in what the child said; its last line may be cut short."""
    for line in said.splitlines(keepends=True):
        parts = line.rstrip("\n").split("\t")
        if parts[0] == "try" and len(parts) == 5:
            scope = Scope("global") if parts[2] == "global" else PROJECT
            tried[int(parts[1])] = (scope, parts[3], parts[4])
        elif parts[0] == "ack" and line.endswith("\n"):
            acknowledged.append(int(parts[1]))


def check_all(home: str, tried: dict[int, tuple[Scope, str, str]], acknowledged: set[int]) -> None:
    store = LocalStore(home)
    store.refresh()
    whole = {}
    for memory in store.find(EVERYTHING):
        full = store.get(memory.scope, memory.key)
        whole[memory.scope, memory.key] = [full.body, *(earlier.text for earlier in full.history)]
    for turn in acknowledged:
        scope, key, text = tried[turn]
        assert text.strip() in whole[scope, key], f"statement {turn} of {key} is lost"
    said = {(scope, key, text.strip()) for scope, key, text in tried.values()}
    for (scope, key), texts in whole.items():
        assert len(set(texts)) == len(texts)
        for text in texts:
            assert (scope, key, text) in said, f"{key} says what nobody said"
    assert store.problems() == []
    before = list(store.find(EVERYTHING))
    store.rebuild()
    assert list(store.find(EVERYTHING)) == before
    assert store.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    store.close()


SWEEPER = """
import os, sys
from holdfast.store.local import LocalStore
store = LocalStore(sys.argv[1])
os.write(1, b"open\\n")
store.refresh()
os.write(1, b"done\\n")
"""


@pytest.mark.parametrize("index", ["complete", "missing"])
def test_a_sweep_that_is_killed_is_made_up_for(home, index):
    """When a sweep of thousands of files, or a first filling, is killed half-way, the next one leaves out none."""
    store = LocalStore(home)
    if index == "complete":
        store.refresh()
    store.close()
    for number in range(4000):
        write(os.path.join(home, f"memory/global/memories/k-{number:04}.md"), f"Statement number {number}.\n")
    for milliseconds in (50, 100, 150, 200):
        killed(child(SWEEPER, home), milliseconds / 1000)
    store = LocalStore(home)
    store.refresh()
    assert len(list(store.find(EVERYTHING))) == 4000
    (words,) = store.index.db.execute("SELECT count(*) FROM words WHERE words MATCH 'statement'").fetchone()
    assert words == 4000
    store.close()


def test_leftovers_of_a_crash_are_no_memories(store, home):
    """A temporary file that a killed process left behind is neither listed nor found, nor in the way."""
    write(os.path.join(home, "memory/global/memories/.holdfast-tmp-1-abcd"), "Half of a")
    write(os.path.join(home, "memory/global/memories/.holdfast-tmp-2-abcd.md"), "Half of a")
    store.refresh()
    assert list(store.find(EVERYTHING)) == []
    store.rebuild()
    assert store.search("half", EVERYTHING, 9) == []
    assert store.problems() == []


FORGETTER = """
import os, sys
from holdfast.records import Scope
from holdfast.store.local import LocalStore
store = LocalStore(sys.argv[1])
for number in range(200):
    store.remove(Scope("global"), f"k-{number:03}", forget=True)
    os.write(1, f"{number}\\n".encode())
"""


def test_what_was_forgotten_before_a_kill_stays_forgotten(home):
    """Every acknowledged removal holds after kill -9, with its tombstone, and the others are whole."""
    store = LocalStore(home)
    for number in range(200):
        write(os.path.join(home, f"memory/global/memories/k-{number:03}.md"), f"Statement number {number}.\n")
    store.refresh()
    store.close()
    gone = killed(child(FORGETTER, home), 0.05).count("\n")
    store = LocalStore(home)
    store.refresh()
    left = {memory.key for memory in store.find(EVERYTHING)}
    for number in range(gone):
        assert f"k-{number:03}" not in left
        assert store._tombstones(GLOBAL).has("other", f"statement NUMBER {number}.")
    assert len(left) >= 200 - gone - 1
    store.close()
