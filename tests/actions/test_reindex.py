"""Making the index anew."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from holdfast import agents
from holdfast.actions.hook import Visit
from holdfast.actions.make_vectors import make_vectors
from holdfast.actions.recall import recall
from holdfast.actions.reindex import make_all_vectors, reindex
from holdfast.actions.remember import remember
from holdfast.recall.granite import PACKAGE
from holdfast.store import files
from recall.tiny_granite import write_extra

GRANITE = {"recall.model": "granite"}
MANY = 120


@pytest.fixture
def one(house):
    """A home with one memory."""
    with house() as h:
        remember(h, "Apples are red.", key="a")
    return house


def damage(home) -> None:
    """Keep the head of the index and break its body."""
    data = (home / "index.db").read_bytes()
    (home / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def test_reindex_loses_nothing(one, home) -> None:
    """After the index is deleted or damaged, reindex gives the same hits with the same scores and uses."""
    with one() as h:
        recall(h, "apples")
        before = [(hit.memory, hit.score) for hit in recall(h, "apples")]
    for harm in (lambda: (home / "index.db").unlink(), lambda: damage(home), lambda: None):
        harm()
        with one(flags={"recall.count_use": "false"}) as h:
            assert reindex(h).read == 1
            after = [(hit.memory, hit.score) for hit in recall(h, "apples")]
        assert [m for m, _ in after] == [m for m, _ in before]
        assert after[0][1] == pytest.approx(before[0][1], abs=1e-3)


@pytest.fixture
def extra(tmp_path, monkeypatch):
    """The extra granite with a tiny transformer in its place, installed until the test takes it away."""
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    # Wide enough that a text takes milliseconds: a run can be stopped in the middle.
    folder = write_extra(tmp_path / "extra", width=32, layers=3, longest=160)
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def no_extra(monkeypatch):
    """Take the extra granite away, whether it is installed or not."""

    def take() -> None:
        monkeypatch.setitem(sys.modules, PACKAGE, None)

    return take


@pytest.fixture
def many(house, write, home):
    """A home with many long memories; a recall has made static vectors of some of them."""
    for number in range(MANY):
        write(
            f"global/memories/fact-{number}.md",
            f"The code name is {name(number)}. " + "It goes on and on. " * 20 + "\n",
        )
    with house() as h:
        recall(h, "code name")
    return house


def vectors(home) -> tuple[str, int, set[int]]:
    """Return the version of the model in the index, how many vectors there are, and of which sizes."""
    with closing(sqlite3.connect(home / "index.db")) as db:
        version = db.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
        sizes = [size for (size,) in db.execute("SELECT length(vector) FROM meaning")]
    return (version[0] if version else ""), len(sizes), set(sizes)


def name(number: int) -> str:
    """Return a word that only one of the many memories has."""
    return "zebra" + chr(97 + number // 26) + chr(97 + number % 26)


def keys(hits) -> list[str]:
    """Return the keys of hits."""
    return [hit.memory.key for hit in hits]


def is_found(h, number: int) -> bool:
    """Whether a recall finds the memory by its own word; random weights say nothing about its place."""
    return any(hit.memory.key == f"fact-{number}" and hit.words for hit in recall(h, name(number), limit=MANY))


@contextmanager
def making(home, extra) -> Iterator[subprocess.Popen[bytes]]:
    """Run `holdfast reindex --meaning` by granite in a process of its own, which does not outlive the test."""
    command = [sys.executable, "-m", "holdfast", "--set", "recall.model=granite", "reindex", "--meaning"]
    environment = {**os.environ, "PYTHONPATH": str(extra), "HOLDFAST_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_some(home, process: subprocess.Popen[bytes]) -> int:
    """Wait until the process has made some vectors by granite, and return how many."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if (home / "index.db").exists():
            version, count, _ = vectors(home)
            if version.startswith("granite") and count:
                return count
        time.sleep(0.002)
    raise AssertionError(f"nothing was made; exit code {process.poll()}")


def test_a_missing_extra_leaves_recall_to_the_static_model(one, home, no_extra) -> None:
    """Where granite is chosen and not installed, recall goes by the static model and says once how to get granite."""
    no_extra()
    with one(flags=GRANITE) as h:
        assert keys(recall(h, "apples")) == keys(recall(h, "fruit colour red")) == ["a"]
    assert len([said for said in one.said if "pip install 'holdfast[granite]'" in said]) == 1
    assert vectors(home)[0].startswith("static")


def test_a_changed_setting_throws_nothing_away(one, home, extra) -> None:
    """A recall under another setting keeps the vectors that are there, goes by them and says what changes them."""
    with one() as h:
        recall(h, "apples")
    before = vectors(home)
    with one(flags=GRANITE) as h:
        assert keys(recall(h, "apples")) == ["a"]
    assert vectors(home) == before
    assert [said for said in one.said if "reindex --meaning" in said]


def test_only_making_vectors_changes_the_model(one, home, extra) -> None:
    """It replaces all vectors by those of the chosen model, there and back; both kinds are never there together."""
    with one() as h:
        recall(h, "apples")
        static = vectors(home)
    with one(flags=GRANITE) as h:
        done = make_all_vectors(h)
        assert (done.made, done.waiting, done.model) == (1, 0, "granite-0123456789ab-1")
        assert vectors(home) == (done.model, 1, {32})
        assert keys(recall(h, "apples")) == ["a"]
        assert make_all_vectors(h).made == 0
    with one() as h:
        assert make_all_vectors(h).made == 1
    assert vectors(home) == static


def test_a_new_index_has_the_vectors_of_the_chosen_model(one, home, extra) -> None:
    """After index.db is deleted, reindex makes the vectors by the model of the settings."""
    (home / "index.db").unlink()
    with one(flags=GRANITE) as h:
        reindex(h)
    assert vectors(home) == ("granite-0123456789ab-1", 1, {32})


def test_vectors_outlive_an_extra_that_went(one, home, extra, no_extra) -> None:
    """Where the extra is gone, or missing for this process alone, recall goes by words and keeps its vectors."""
    with one(flags=GRANITE) as h:
        make_all_vectors(h)
    before = vectors(home)
    no_extra()
    with one(flags=GRANITE) as h:
        assert keys(recall(h, "apples")) == ["a"]
        assert make_all_vectors(h).model == ""
    assert vectors(home) == before
    assert [said for said in one.said if said.startswith("recall goes by words alone") and "pip install" in said]


def test_a_killed_run_leaves_recall_and_is_gone_on_with(many, home, extra) -> None:
    """After kill -9 in the middle every memory is found, made vectors stay, and the next run makes only the rest."""
    with making(home, extra) as process:
        wait_for_some(home, process)
        os.kill(process.pid, signal.SIGKILL)
    version, made, sizes = vectors(home)
    assert 0 < made < MANY
    assert (version, sizes) == ("granite-0123456789ab-1", {32})
    with many(flags={**GRANITE, "recall.count_use": "false"}) as h:
        for number in (0, MANY // 2, MANY - 1):
            assert is_found(h, number)
        known = vectors(home)[1]
        assert make_all_vectors(h).made == MANY - known
    assert vectors(home) == (version, MANY, {32})


def test_recall_goes_on_while_vectors_are_made(many, home, extra) -> None:
    """While another process makes vectors, a recall under another setting answers and leaves them alone."""
    with making(home, extra) as process:
        wait_for_some(home, process)
        with many(flags={"recall.count_use": "false"}) as h:
            assert is_found(h, 7)
        assert process.wait(timeout=120) == 0
    assert vectors(home) == ("granite-0123456789ab-1", MANY, {32})


def test_a_second_run_steps_back(one, home, extra) -> None:
    """While one process makes vectors, another says so and makes none."""
    with one() as h:
        recall(h, "apples")
    before = vectors(home)
    with one(flags=GRANITE) as h, files.Lock(str(home / "state" / "locks" / "meaning.lock")):
        assert make_all_vectors(h).made == 0
    assert vectors(home) == before
    assert "another process is making the vectors already" in one.said


@pytest.mark.parametrize("setting", ["granite", "static"])
def test_a_hook_leaves_the_vectors_of_granite(one, home, shop, extra, setting) -> None:
    """A hook makes vectors of its own model only where there are none of another."""
    with one(flags=GRANITE) as h:
        make_all_vectors(h)
        before = vectors(home)
        remember(h, "Pears are green.", key="b")
    call = agents.get("claude-code").read_hook_input("Stop", {"session_id": "s1", "cwd": str(shop)}, {})
    make_vectors(Visit(str(home), agents.get("claude-code"), call, {"HOLDFAST_RECALL_MODEL": setting}))
    assert vectors(home) == before


def test_the_command_tells_what_it_made(cli, one, home) -> None:
    """`reindex --meaning` prints how many vectors were made by which model, also as JSON, and goes on from there."""
    assert cli("reindex", "--meaning").out.startswith("made 1 vectors by static-")
    found = cli("reindex", "--meaning", "--json").json
    assert (found["made"], found["waiting"]) == (0, 0)
    off = cli("--set", "recall.meaning=false", "reindex", "--meaning")
    assert off.out == "made no vectors: there is no model to make them\n"
