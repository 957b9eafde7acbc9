"""Processes that are killed without warning: what they acknowledged is there, and nothing else is broken."""

from __future__ import annotations

import os

import pytest

from holdfast.records import Scope
from holdfast.store.local import LocalStore
from store.making import EVERYTHING, GLOBAL, PROJECT, write
from support.killing import run_script
from support.sampling import count, seed

STORES = count(500, 120)

# It says what it is about to store, stores it, and acknowledges it only when the store has returned.
STORER = """
import itertools, sys
from holdfast.records import Draft, Scope
from holdfast.store.local import LocalStore
from support.killing import kills_in

def put(after, say):
    store = LocalStore(sys.argv[1])
    store.refresh()
    for turn in itertools.count(after + 1):
        scope = Scope("project", "shop") if turn % 2 else Scope("global")
        key = f"new-{turn}" if turn % 3 else f"again-{turn % 7}"
        text = f"Statement {turn} of key {key}. " + "x" * (turn * 37 % 3000)
        say(f"try {turn} {scope.kind} {key} {text}")
        store.put(Draft(text, scope, key=key, tags=("crash",)))
        say(f"ack {turn}")

print(kills_in(put, sys.argv[2], int(sys.argv[3]), 200, int(sys.argv[4])))
"""


@pytest.mark.slow
def test_stores_under_kill_9(home, tmp_path):
    """Of many stores by processes killed at random, every acknowledged statement is there and every file is whole."""
    tried: dict[int, tuple[Scope, str, str]] = {}
    acknowledged: list[int] = []
    kills = int(run_script(STORER, home, str(tmp_path / "said"), str(STORES), str(seed())))
    note((tmp_path / "said").read_text(), tried, acknowledged)
    assert kills >= 5 and len(tried) >= STORES
    assert len(acknowledged) >= len(tried) - kills
    check_all(home, tried, set(acknowledged))


def note(said: str, tried: dict[int, tuple[Scope, str, str]], acknowledged: list[int]) -> None:
    """Take in what the storing process said."""
    for line in said.splitlines():
        word, turn, *rest = line.split(" ", 4)
        if word == "ack":
            acknowledged.append(int(turn))
        else:
            kind, key, text = rest
            tried[int(turn)] = (Scope("global") if kind == "global" else PROJECT, key, text)


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
    assert store.tree.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    store.close()


SWEPT = count(4000, 800)
# Opens, which is a step for each file that is read, are what a refresh is made of.
SWEEPER = """
import sys
from holdfast.store.local import LocalStore
from support.killing import killed_at

# A refresh that is killed keeps the portions that it finished, so the next one has less to do.
for part in (0.1, 0.2, 0.3, 0.3):
    assert killed_at(int(part * int(sys.argv[2])), lambda: LocalStore(sys.argv[1]).refresh())
"""


@pytest.mark.parametrize("index", ["complete", "missing"])
def test_a_sweep_that_is_killed_is_made_up_for(home, index):
    """When a sweep of thousands of files, or a first filling, is killed half-way, the next one leaves out none."""
    store = LocalStore(home)
    if index == "complete":
        store.refresh()
    store.close()
    for number in range(SWEPT):
        write(os.path.join(home, f"memory/global/memories/k-{number:04}.md"), f"Statement number {number}.\n")
    run_script(SWEEPER, home, str(SWEPT))
    store = LocalStore(home)
    store.refresh()
    assert len(list(store.find(EVERYTHING))) == SWEPT
    (words,) = store.tree.index.db.execute("SELECT count(*) FROM words WHERE words MATCH 'statement'").fetchone()
    assert words == SWEPT
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


FORGOTTEN = 60
FORGETTER = """
import sys
from holdfast.records import Scope
from holdfast.store.local import LocalStore
from support.killing import killed_at

def forget():
    store = LocalStore(sys.argv[1])
    for number in range(int(sys.argv[2])):
        store.remove(Scope("global"), f"k-{number:03}", forget=True)
        print(number, flush=True)

assert killed_at(int(sys.argv[3]), forget)
"""


@pytest.mark.parametrize("step", [40, 101, 150])
def test_what_was_forgotten_before_a_kill_stays_forgotten(home, step):
    """Every acknowledged removal holds after kill -9, with its tombstone, and the others are whole."""
    store = LocalStore(home)
    for number in range(FORGOTTEN):
        write(os.path.join(home, f"memory/global/memories/k-{number:03}.md"), f"Statement number {number}.\n")
    store.refresh()
    store.close()
    gone = run_script(FORGETTER, home, str(FORGOTTEN), str(step)).count("\n")
    assert 0 < gone < FORGOTTEN
    store = LocalStore(home)
    store.refresh()
    left = {memory.key for memory in store.find(EVERYTHING)}
    for number in range(gone):
        assert f"k-{number:03}" not in left
        assert store._tombstones(GLOBAL).has("other", f"statement NUMBER {number}.")
    assert len(left) >= FORGOTTEN - gone - 1
    store.close()
