"""What people do to the files and to index.db, and that the next read knows."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time

import pytest

import holdfast
from holdfast.recall.recall import recall
from holdfast.records import Filter, Refreshed, Scope
from holdfast.store import own_writes, tree
from holdfast.store.database import Index
from holdfast.store.local import LocalStore
from holdfast.store.tree import CLOCK_TICK_NS
from holdfast.workspace import Workspace
from store.making import (
    EVERYTHING,
    GLOBAL,
    PROJECT,
    child,
    draft,
    finished,
    found,
    listed,
    path_of,
    read,
    together,
    write,
)

QUERIES = ("deploys", "vpn kim", "port 8080 database", "bastion", "日本", "statement", "number 7", "nothing-of-this")


def settle(store: LocalStore) -> None:
    """Let the clock tick and sweep, so that every file is known for sure."""
    time.sleep(CLOCK_TICK_NS / 1e9 * 1.2)
    store.refresh()
    assert store.refresh() == Refreshed()


def full(store: LocalStore, path: str) -> str:
    return os.path.join(store.tree.root, path)


def answers(store: LocalStore) -> list[object]:
    """Return all that a reader gets for the queries: keys, order, scores and words; and the whole list."""
    found = [
        [(c.memory, c.text, c.words, c.earlier, c.superseded_by) for c in store.search(q, EVERYTHING, 50)]
        for q in QUERIES
    ]
    return [*found, list(store.find(EVERYTHING)), store.groups()]


def fill(store: LocalStore) -> None:
    for number in range(40):
        store.put(draft(f"Statement number {number} about deploys.", key=f"s-{number}", tags=("a", f"t{number % 3}")))
    store.put(draft("Deploys go through the bastion.", PROJECT, key="deploys"))
    store.put(draft("Deploys need the VPN, ask Kim.", PROJECT, key="deploys"))
    store.put(draft("The database port is 8080.", PROJECT, key="port", supersedes=("deploys",)))
    store.put(draft("日本語のメモ", Scope("agent", "reviewer"), key="nihon"))
    write(full(store, "global/memories/By Hand.md"), "# By hand\n\nDeploys are fun.\n")
    store.refresh()


# What people do to files


def test_an_edit_in_place_with_the_old_times_is_seen(store):
    """A file that is edited in place to the same size, with its times set back, is read again, and no other."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    store.put(draft("Something else.", key="other"))
    settle(store)
    path = path_of(store, memory)
    before = os.stat(path)
    with open(path, "r+b") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace(b"VPN", b"LAN"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (os.stat(path).st_size, os.stat(path).st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert store.refresh() == Refreshed(read=1)
    assert found(store, "lan") == ["k"]
    assert found(store, "vpn") == []


def test_an_edit_by_atomic_replace_is_seen(store):
    """A file that an editor replaced by a new one of the same size and time is read again."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    settle(store)
    path = path_of(store, memory)
    before = os.stat(path)
    write(path + ".new", read(path).replace(b"VPN", b"LAN"))
    os.utime(path + ".new", ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(path + ".new", path)
    assert store.refresh() == Refreshed(read=1)
    assert found(store, "lan") == ["k"]


@pytest.mark.parametrize("by", ["put", "sweep"])
def test_an_edit_within_the_same_tick_is_seen(store, by):
    """A file that is edited right after it was written or read, to the same size, is seen as edited, every time."""
    path = full(store, "global/memories/k.md")
    for number in range(20):
        if by == "put":
            store.put(draft(f"Word aaaa{number:04}.", key="k"))
        else:
            write(path, f"Word aaaa{number:04}.\n")
            store.refresh()
        with open(path, "r+b") as file:
            text = file.read()
            file.seek(0)
            file.write(text.replace(b"aaaa", b"bbbb"))
        assert found(store, f"bbbb{number:04}") == ["k"]


def test_unchanged_files_are_not_read_again(store):
    """Of a thousand files only the one that changed is read, and without a change none is."""
    for number in range(1000):
        write(full(store, f"projects/shop/memories/k-{number}.md"), f"Statement {number}.\n")
    assert store.refresh().read == 1000
    settle(store)
    write(full(store, "projects/shop/memories/k-7.md"), "Changed.\n")
    assert store.refresh((GLOBAL,)) == Refreshed()
    assert store.refresh((PROJECT,)) == Refreshed(read=1)
    settle(store)


def test_our_own_writes_are_settled_once(store):
    """What Holdfast wrote is looked at once more after a tick of the clock, and then left alone."""
    for number in range(5):
        store.put(draft(f"Statement {number}.", key=f"k-{number}"))
    time.sleep(CLOCK_TICK_NS / 1e9 * 1.2)
    assert store.refresh() == Refreshed(again=5)
    assert store.refresh() == Refreshed()


def test_a_new_file_is_seen(store):
    """A file that somebody drops in, without front matter, is a memory at once."""
    settle(store)
    write(full(store, "global/memories/vpn-note.md"), "Deploys need the VPN.\n")
    assert found(store, "vpn") == ["vpn-note"]
    assert store.get(GLOBAL, "vpn-note").body == "Deploys need the VPN."


@pytest.mark.parametrize(
    "name",
    [
        "My Notes.md",
        "ÜBER Größe.md",
        "日本語.md",
        "UPPER.MD",
        "a.b.c.md",
        "  x  .md",
        "!!!.md",
        "-.md",
        "x" * 200 + ".md",
        "tab\there\n.md",
    ],
)
def test_a_strange_name_is_no_trouble(store, name):
    """A file of any name is found, has a key, and can be read, updated and removed by that key."""
    write(full(store, f"global/memories/{name}"), "Deploys need the VPN.\n")
    (key,) = found(store, "vpn")
    assert 1 <= len(key) <= 60 and set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert store.get(GLOBAL, key).path == f"global/memories/{name}"
    assert store.put(draft("Deploys need the LAN.", key=key)).action == "updated"
    assert os.listdir(full(store, "global/memories")) == [name]
    store.remove(GLOBAL, key, forget=False)
    assert found(store, "lan") == []


def test_a_file_directly_in_the_scope_is_seen(store):
    """A file beside `memories/` is a memory of the scope too."""
    write(full(store, "projects/shop/note.md"), "Deploys need the VPN.\n")
    assert found(store, "vpn", Filter((PROJECT,))) == ["note"]


def test_a_rename_is_seen(store):
    """A renamed file has its new key, and the old one is gone."""
    memory = store.put(draft("Deploys need the VPN.", key="old")).memory
    settle(store)
    os.rename(path_of(store, memory), full(store, "global/memories/new.md"))
    assert listed(store) == ["new"]
    assert found(store, "vpn") == ["new"]


def test_a_deletion_is_seen(store):
    """A deleted file is no longer found, nor listed."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    store.put(draft("Other.", key="other"))
    settle(store)
    os.unlink(path_of(store, memory))
    assert store.refresh() == Refreshed(gone=1)
    assert listed(store) == ["other"]


def test_one_gone_and_one_new_is_seen(store):
    """A deletion and an addition at once, so that the number stays the same, are both seen."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    settle(store)
    os.unlink(path_of(store, memory))
    write(full(store, "global/memories/new.md"), "New.\n")
    assert listed(store) == ["new"]


def test_a_move_into_a_sub_folder_is_seen(store):
    """A file in a new sub-folder keeps its key; when the folder goes with it, so does the memory."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    settle(store)
    os.mkdir(full(store, "global/memories/ops"))
    os.rename(path_of(store, memory), full(store, "global/memories/ops/k.md"))
    assert listed(store) == ["k"]
    assert store.get(GLOBAL, "k").path == "global/memories/ops/k.md"
    os.rename(full(store, "global/memories/ops"), full(store, "global/memories/infra"))
    assert [m.path for m in store.find(EVERYTHING)] != []
    assert listed(store) == ["k"]
    shutil.rmtree(full(store, "global/memories/infra"))
    assert listed(store) == []


@pytest.mark.parametrize("scopes", [None, (PROJECT,)])
def test_a_removed_scope_is_seen(store, scopes):
    """When the whole folder of a scope is removed, nothing of it is found, whichever scopes are looked at."""
    store.put(draft("Deploys need the VPN.", PROJECT, key="k"))
    store.put(draft("Deploys need the VPN.", GLOBAL, key="k"))
    settle(store)
    shutil.rmtree(full(store, "projects/shop"))
    store.refresh(scopes)
    assert [c.memory.scope for c in store.search("vpn", EVERYTHING, 9)] == [GLOBAL]


def test_a_new_scope_is_seen(store):
    """A folder that somebody makes below projects/ is a scope at once."""
    write(full(store, "projects/new.one/memories/k.md"), "Deploys need the VPN.\n")
    assert found(store, "vpn", Filter((Scope("project", "new.one"),))) == ["k"]


def test_a_clock_that_was_set_back_hides_nothing(store):
    """A mark of the future in the index does not keep a change from being seen."""
    memory = store.put(draft("Deploys need the VPN.", key="k")).memory
    settle(store)
    with store.tree.index.begin() as db:
        db.execute("UPDATE folder SET seen_ns = ?", (time.time_ns() + 10**15,))
    write(path_of(store, memory), "Deploys need the LAN.\n")
    assert found(store, "lan") == ["k"]


def test_two_processes_see_each_other(store, home):
    """What another process stores, edits and deletes is seen by the next read here, and the other way round."""
    store.put(draft("From here.", key="here"))
    code = """
import os, sys
from holdfast.store.local import LocalStore
from holdfast.records import Filter
from holdfast.records import Draft, Scope
store = LocalStore(sys.argv[1])
store.refresh()
assert [m.key for m in store.find(Filter(None))] == ["here"]
store.put(Draft("From there.", Scope("global"), key="there"))
store.put(Draft("Said anew.", Scope("global"), key="here"))
store.close()
"""
    finished(child(code, home))
    assert listed(store) == ["here", "there"]
    assert found(store, "anew") == ["here"]
    assert store.get(GLOBAL, "here").history[0].text == "From here."


def test_the_public_door_sees_an_edit_at_once(home, tmp_path):
    """Through `holdfast.open`, an edit by hand is in the very next recall, without any command."""
    with holdfast.open(home, folder=str(tmp_path), project="shop") as memory:
        memory.remember("Deploys need the VPN.", key="k")
        path = os.path.join(home, "memory/projects/shop/memories/k.md")
        for word in ("xylophone", "zeppelin"):
            write(path, f"Deploys need the {word}.\n")
            assert [hit.memory.key for hit in memory.recall(word)] == ["k"]
        os.unlink(path)
        assert memory.recall("deploys") == []


# What may happen to index.db


def test_the_index_can_be_deleted(store, home):
    """Without index.db, a new store returns the same: keys, order, scores, words, everything."""
    fill(store)
    before = answers(store)
    store.close()
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(f"{home}/index.db{ending}"):
            os.unlink(f"{home}/index.db{ending}")
    again = LocalStore(home)
    again.refresh()
    assert answers(again) == before
    assert again.notes == ["index.db was rebuilt from 44 files: it was missing"]
    again.close()


def test_a_rebuild_changes_no_answer(store):
    """Reading every file anew returns what was returned before, and has nothing to say about it."""
    fill(store)
    before = answers(store)
    assert store.rebuild().read == 44
    assert answers(store) == before
    assert store.notes == []


def test_an_index_deleted_while_it_is_open_is_made_anew(store, home):
    """A store whose index.db is deleted, side files left, goes on; so does one that opens a new one meanwhile."""
    fill(store)
    before = answers(store)
    os.unlink(f"{home}/index.db")
    other = LocalStore(home)
    other.refresh()
    assert answers(other) == before
    store.put(draft("Written into the lost index.", key="late"))
    store.refresh()
    assert found(store, "lost") == found(other, "lost") == ["late"]
    store.close()
    other.put(draft("After the first was closed.", key="last"))
    assert found(other, "closed") == ["last"]
    assert other.tree.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    other.close()


def garbage(path):
    write(path, os.urandom(50_000))


def truncated(path):
    os.truncate(path, os.path.getsize(path) // 2)


def emptied(path):
    os.truncate(path, 0)


def of_another_version(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '0' WHERE name = 'schema'")
    db.close()


def unfinished(path):
    index = Index(path)
    with index.begin() as db:
        index.drop(["global/memories/s-7.md"])
        db.execute("DELETE FROM meta WHERE name = 'complete'")
    index.close()


def scratched(path):
    with open(path, "r+b") as file:
        for place in range(8192, os.path.getsize(path), 4096):
            file.seek(place)
            file.write(os.urandom(2048))


DAMAGES = [garbage, truncated, emptied, of_another_version, unfinished, scratched]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_index_is_made_anew_at_the_next_opening(store, home, damage):
    """Whatever happened to index.db, the next store makes it anew, says so in one note, and answers the same."""
    fill(store)
    before = answers(store)
    store.close()
    damage(f"{home}/index.db")
    again = LocalStore(home)
    again.refresh()
    assert answers(again) == before
    assert len(again.notes) == 1
    assert again.notes[0].startswith("index.db was rebuilt from 44 files: it was ")
    assert again.tree.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    again.close()


def test_damage_that_shows_late_is_healed_when_it_shows(store, home):
    """A store that finds a part of its index missing in the middle of a search makes it anew and answers."""
    fill(store)
    with sqlite3.connect(f"{home}/index.db") as db:
        db.execute("DROP TABLE tag")
    db.close()
    assert len(store.search("deploys", Filter(None, tags=("t1",)), 50)) == 13
    assert store.notes == ["index.db was rebuilt from 44 files: it was damaged"]


@pytest.mark.parametrize("damage", [garbage, truncated, emptied, scratched], ids=lambda damage: damage.__name__)
def test_an_index_damaged_while_it_is_open_is_made_anew(store, home, damage):
    """A store whose open index.db is overwritten or cut goes on, writes included, and heals by itself."""
    fill(store)
    before = answers(store)
    store.tree.index.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damage(f"{home}/index.db")
    store.put(draft("Stored on a broken index.", key="late"))
    assert store.get(GLOBAL, "late").body == "Stored on a broken index."
    assert found(store, "broken") == ["late"]
    store.remove(GLOBAL, "late", forget=False)
    store.refresh()
    assert answers(store) == before


def test_many_processes_may_find_the_index_missing(store, home):
    """When eight processes open a home without an index at once, all of them find everything."""
    fill(store)
    store.close()
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(f"{home}/index.db{ending}"):
            os.unlink(f"{home}/index.db{ending}")
    code = """
from holdfast.store.local import LocalStore
from holdfast.records import Filter
wait()
store = LocalStore(sys.argv[1])
store.refresh()
print(len(list(store.find(Filter(None)))), len(store.search("deploys", Filter(None), 100)))
store.close()
"""
    assert finished(*together(code, *[(home,)] * 8)) == ["44 42\n"] * 8


def test_a_filling_that_was_interrupted_is_finished_by_the_next(store, home):
    """An index whose first filling was cut off is completed, not trusted."""
    fill(store)
    before = answers(store)
    store.close()
    unfinished(f"{home}/index.db")
    one, two = LocalStore(home), LocalStore(home)
    one.refresh()
    two.refresh()
    assert answers(one) == answers(two) == before
    one.close()
    two.close()


# Folders of very many files


@pytest.fixture
def crowded(store, monkeypatch):
    """A store with a folder that is over the bound, of which two files are looked at in each sweep."""
    monkeypatch.setattr(tree, "MAX_LOOKED", 5)
    monkeypatch.setattr(tree, "LOOKED_AT_ONCE", 2)
    for number in range(8):
        store.put(draft(f"Statement number {number}.", PROJECT, key=f"s-{number}"))
    os.mkdir(full(store, "projects/shop/memories/empty"))
    time.sleep(CLOCK_TICK_NS / 1e9 * 1.2)
    store.refresh((PROJECT,))
    time.sleep(CLOCK_TICK_NS / 1e9 * 1.2)
    assert store.refresh((PROJECT,)) == Refreshed()
    return store


@pytest.fixture
def compared(monkeypatch):
    """The folders whose names were compared with the index, one by one."""
    folders, compare = list[str](), tree.Tree._compare
    monkeypatch.setattr(tree.Tree, "_compare", lambda self, folder: folders.append(folder) or compare(self, folder))
    return folders


@pytest.mark.parametrize("act", ["put", "forget", "move"])
def test_what_a_process_alone_did_to_a_crowded_folder_is_compared_by_no_other(
    crowded, home, compared, act, monkeypatch
):
    """The names are known still, and the rules of the scope need no look at them either."""
    monkeypatch.setattr(own_writes, "_TICK_NS", 0)
    if act == "put":
        crowded.put(draft("One more statement.", PROJECT, key="one-more"))
    elif act == "forget":
        crowded.remove(PROJECT, "s-3", forget=True)
    else:
        crowded.move(PROJECT, "s-3", PROJECT, "s-33")
    before = listed(crowded)
    assert crowded.tree.folders(PROJECT)[1]
    crowded.tree.note_own_writes()
    crowded.close()
    other = LocalStore(home)
    other.refresh((PROJECT,))
    assert compared == [] and listed(other) == before
    other.close()


def test_what_the_index_was_not_told_is_compared(crowded, home, monkeypatch):
    """A file that is written while the index fails is found by the next look, whoever changed the folder."""
    monkeypatch.setattr(own_writes, "_TICK_NS", 0)

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    with monkeypatch.context() as broken:
        broken.setattr(Index, "put", fail)
        crowded.put(draft("Words of a person.", PROJECT, key="by-hand"))
    crowded.put(draft("Another statement of it.", PROJECT, key="another"))
    crowded.tree.note_own_writes()
    crowded.close()
    other = LocalStore(home)
    other.refresh((PROJECT,))
    assert [one.memory.key for one in other.search("person", Filter((PROJECT,)), 5)] == ["by-hand"]
    other.close()


@pytest.mark.parametrize("when", ["before", "meanwhile", "in the same tick", "after"])
def test_what_somebody_else_did_beside_it_is_seen(crowded, home, when):
    """Before the first write, between two, right behind the last, or when all was noted: it is compared then."""
    by_hand = full(crowded, "projects/shop/memories/by-hand.md")

    def write_if(now: str) -> None:
        if when == now:
            write(by_hand, "Words of a person.\n")

    write_if("before")
    crowded.put(draft("One more statement.", PROJECT, key="one-more"))
    write_if("meanwhile")
    crowded.put(draft("Another statement of it.", PROJECT, key="another"))
    if when == "in the same tick":
        crowded.tree.note_own_writes()
        write_if(when)
    else:
        time.sleep(CLOCK_TICK_NS / 1e9 * 1.2)
        crowded.tree.note_own_writes()
    write_if("after")
    crowded.close()
    other = LocalStore(home)
    other.refresh((PROJECT,))
    assert [one.memory.key for one in other.search("person", Filter((PROJECT,)), 5)] == ["by-hand"]
    other.close()


def edit_in_place(path: str) -> None:
    with open(path, "r+b") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace(b"Statement", b"Assertion"))


@pytest.mark.parametrize("act", ["new", "gone", "renamed", "replaced", "nested"])
def test_what_changes_the_names_of_a_crowded_folder_is_seen_at_once(crowded, act):
    """A file that came, went, got another name or was replaced is seen by the next look, also in an empty folder."""
    folder = full(crowded, "projects/shop/memories")
    one = f"{folder}/s-7.md"
    if act == "new":
        write(f"{folder}/by-hand.md", "Words of a person.\n")
    elif act == "gone":
        os.unlink(one)
    elif act == "renamed":
        os.rename(one, f"{folder}/other.md")
    elif act == "replaced":
        write(f"{one}.new", "Words of a person.\n")
        os.replace(f"{one}.new", one)
    else:
        write(f"{folder}/empty/by-hand.md", "Words of a person.\n")
    seen = crowded.refresh((PROJECT,))
    assert (seen.read, seen.gone) == {"gone": (0, 1), "renamed": (1, 1)}.get(act, (1, 0))
    there = {"gone": [], "renamed": ["other"], "replaced": ["s-7"]}.get(act, ["by-hand", "s-7"])
    assert listed(crowded) == sorted([*(f"s-{number}" for number in range(7)), *there])
    assert bool(found(crowded, "person")) == (act in ("new", "replaced", "nested"))


def test_an_edit_in_place_in_a_crowded_folder_is_seen_after_some_looks(crowded):
    """Every look takes the next files, so that each is looked at in turn; a look at everything sees all at once."""
    edit_in_place(full(crowded, "projects/shop/memories/s-5.md"))
    looks = [crowded.refresh((PROJECT,)).read for _ in range(5)]
    assert sum(looks) == 1
    edit_in_place(full(crowded, "projects/shop/memories/s-2.md"))
    edit_in_place(full(crowded, "projects/shop/memories/s-6.md"))
    assert crowded.refresh().read == 2


def test_no_recall_gives_what_its_file_no_longer_says(crowded, home):
    """A hit whose file was edited in place is read again before it is given, however many files there are."""
    with Workspace(home, project=PROJECT.owner) as workspace:
        for number in range(8):
            edit_in_place(full(crowded, f"projects/shop/memories/s-{number}.md"))
            said = {one.memory.key: one.memory.body for one in recall(workspace, "number", limit=20)}
            assert said[f"s-{number}"] == f"Assertion number {number}."
