"""Disks that are full or read-only: small file systems in memory that are really mounted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from holdfast.errors import StoreFull, StoreUnavailable
from holdfast.store.local import LocalStore
from store.making import EVERYTHING, GLOBAL, PROJECT, child, draft, finished, found, listed, snapshot, temporary_files


@pytest.fixture
def disk(tmp_path):
    """A file system of 4 MB of its own; it is taken away again whatever happens."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "holdfast-test", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"a file system cannot be mounted here: {made.stderr.strip()}")
    try:
        yield str(place)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def filled(disk):
    store = LocalStore(f"{disk}/home")
    store.refresh()
    for number in range(20):
        store.put(draft(f"Statement number {number} about deploys.", key=f"k-{number:02}"))
    yield store
    store.close()


def fill(disk: str) -> None:
    """Leave no byte free."""
    with open(f"{disk}/ballast", "wb", buffering=0) as file:
        for size in (65_536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def make_read_only(disk: str) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)


def cli(home: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOLDFAST_HOME": home, "HOLDFAST_PROJECT": "shop", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "holdfast", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)


def test_a_full_disk_loses_nothing(filled, disk):
    """On a full disk a store says so and leaves nothing behind; what was there is whole; with space it works again."""
    fill(disk)
    before = snapshot(filled.home)
    for act in (
        lambda: filled.put(draft("word " * 3000, key="new")),
        lambda: filled.put(draft("word " * 3000, key="k-01")),
        lambda: filled.put(draft("word " * 3000, PROJECT, key="new")),
        lambda: filled.change(GLOBAL, "k-02", tags=tuple(f"tag-{number}" for number in range(2000))),
    ):
        with pytest.raises(StoreFull) as caught:
            act()
        assert caught.value.hint
    after = snapshot(filled.home)
    assert {path: data for path, data in after.items() if data != b"/"} == {
        p: d for p, d in before.items() if d != b"/"
    }
    assert temporary_files(filled.home) == []
    assert len(listed(filled)) == 20
    assert found(filled, "number 7") == ["k-07", *found(filled, "number 7")[1:]]
    for number in range(20):
        assert filled.get(GLOBAL, f"k-{number:02}").body == f"Statement number {number} about deploys."
    os.unlink(f"{disk}/ballast")
    assert filled.put(draft("word " * 3000, key="new")).action == "created"
    assert (
        filled.put(draft("Now it says more.", key="k-01")).memory.history[0].text == "Statement number 1 about deploys."
    )
    assert found(filled, "word") == ["new"]


def test_an_index_that_cannot_grow_loses_no_write(filled, disk):
    """When the file fits and the index does not, the store holds, says so, and is found as soon as there is space."""
    fill(disk)
    stored, notes = 0, []
    os.truncate(f"{disk}/ballast", os.path.getsize(f"{disk}/ballast") - 40 * 4096)
    for number in range(200):
        try:
            filled.put(draft(f"Squeezed {number} " + "word " * 700, key=f"squeezed-{number:03}"))
        except StoreFull:
            break
        stored += 1
        notes += filled.notes
    assert 0 < stored < 200
    assert any("the index will catch up" in note for note in notes)
    for number in range(stored):
        assert filled.get(GLOBAL, f"squeezed-{number:03}").body.startswith(f"Squeezed {number} word")
    assert len(listed(filled)) == 20 + stored
    os.unlink(f"{disk}/ballast")
    again = LocalStore(filled.home)
    assert len(listed(again)) == 20 + stored
    assert again.tree.index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    again.close()


def test_reading_goes_on_while_the_disk_is_full(filled, disk):
    """A new process on a full disk finds everything, an edit by hand included."""
    filled.close()
    fill(disk)
    with open(f"{filled.home}/memory/global/memories/k-03.md", "r+b") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace(b"deploys", b"zeppeli"))
    code = """
import sys
from holdfast.records import Scope
from holdfast.store.local import LocalStore
from holdfast.records import Filter
store = LocalStore(sys.argv[1], create=False)
store.refresh()
everything = Filter(None)
found = [c.memory.key for c in store.search("zeppeli", everything, 9)]
print(len(list(store.find(everything))), found, store.get(Scope("global"), "k-03").title)
store.close()
"""
    assert finished(child(code, filled.home)) == ["20 ['k-03'] Statement number 3 about zeppeli\n"]


def test_forgetting_on_a_full_disk_is_whole_or_not_at_all(filled, disk):
    """A memory whose tombstone cannot be written is not removed."""
    fill(disk)
    with pytest.raises(StoreUnavailable):
        for number in range(20):
            filled.remove(GLOBAL, f"k-{number:02}", forget=True)
            fill(disk)
    left = listed(filled)
    for key in left:
        assert filled.get(GLOBAL, key).body.startswith("Statement number")
    os.unlink(f"{disk}/ballast")
    for number in range(20):
        if f"k-{number:02}" not in left:
            assert filled._tombstones(GLOBAL).has("other", f"Statement number {number} about deploys.")
    filled.remove(GLOBAL, left[0], forget=True)
    assert filled._tombstones(GLOBAL).has(left[0], "")


def test_a_read_only_home_can_be_read(filled, disk):
    """On a read-only disk reading works; every write says what is wrong, and nothing is written."""
    filled.close()
    make_read_only(disk)
    before = snapshot(disk)
    store = LocalStore(filled.home)
    assert len(listed(store)) == 20
    assert found(store, "number 7")[0] == "k-07"
    assert store.get(GLOBAL, "k-07").body == "Statement number 7 about deploys."
    assert store.problems() == []
    for act in (
        lambda: store.put(draft("Text.", key="new")),
        lambda: store.put(draft("Text.", key="k-01")),
        lambda: store.put(draft("Text.", PROJECT, key="new")),
        lambda: store.change(GLOBAL, "k-01", pinned=True),
        lambda: store.move(GLOBAL, "k-01", GLOBAL, "new"),
        lambda: store.remove(GLOBAL, "k-01", forget=True),
        lambda: store.remove(GLOBAL, "k-01", forget=False),
    ):
        with pytest.raises(StoreUnavailable) as caught:
            act()
        assert caught.value.hint
    assert len(list(store.find(EVERYTHING))) == 20
    assert snapshot(disk) == before
    store.close()


def test_a_read_only_home_without_an_index_can_be_read(filled, disk):
    """Where the index is missing and cannot be made, the files are read into memory."""
    filled.close()
    for name in os.listdir(filled.home):
        if name.startswith("index.db"):
            os.unlink(os.path.join(filled.home, name))
    make_read_only(disk)
    store = LocalStore(filled.home)
    assert found(store, "number 7")[0] == "k-07"
    store.close()


def test_a_store_comes_back_when_the_disk_can_be_written_again(filled, disk):
    """A process that met a read-only disk writes, and uses the file of the index, once that is over."""
    filled.close()
    make_read_only(disk)
    store = LocalStore(filled.home)
    assert len(listed(store)) == 20
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    store.put(draft("Back again.", key="back"))
    assert found(store, "back again")[0] == "back"
    other = LocalStore(filled.home)
    assert found(other, "back again")[0] == "back"
    other.close()
    store.close()


def test_the_command_line_on_a_full_disk(filled, disk):
    """`holdfast remember` on a full disk ends with code 5 and one line that names the way out."""
    filled.close()
    fill(disk)
    before = {path: data for path, data in snapshot(filled.home).items() if path.startswith("memory/global/memories")}
    ended = cli(filled.home, "remember", "--scope", "global", "--key", "new", "word " * 3000)
    assert ended.returncode == 5, ended
    assert "Traceback" not in ended.stderr
    assert "no space left" in ended.stderr and "Free some space" in ended.stderr
    after = {path: data for path, data in snapshot(filled.home).items() if path.startswith("memory/global/memories")}
    assert after == before
    assert temporary_files(filled.home) == []
    recalled = cli(filled.home, "recall", "--scope", "global", "number 7")
    assert recalled.returncode == 0, recalled
    assert "k-07" in recalled.stdout


def test_the_command_line_on_a_read_only_disk(filled, disk):
    """`holdfast remember` on a read-only disk ends with code 5 and names the way out; `recall` works."""
    filled.close()
    make_read_only(disk)
    ended = cli(filled.home, "remember", "--scope", "global", "--key", "new", "Text to keep.")
    assert ended.returncode == 5, ended
    assert "Traceback" not in ended.stderr
    assert "read-only" in ended.stderr and "HOLDFAST_HOME" in ended.stderr
    recalled = cli(filled.home, "recall", "--scope", "global", "number 7")
    assert recalled.returncode == 0, recalled
    assert "k-07" in recalled.stdout
