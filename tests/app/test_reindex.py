"""Making the index anew."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from holdfast.app.reindex import make_all_vectors, reindex
from holdfast.base import files
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.recall.vectors import make_few

# More than a recall makes vectors of on its way, and a portion beside.
MANY = 900


@pytest.fixture
def one(workspace):
    """A home with one memory."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    return workspace


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
def many(workspace, write, home):
    """A home with many long memories; a recall has made static vectors of some of them."""
    for number in range(MANY):
        write(
            f"global/memories/fact-{number}.md",
            f"The code name is {name(number)}.\n",
        )
    with workspace() as h:
        recall(h, "code name")
    return workspace


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


def foreign_vectors(home) -> None:
    """Leave the index as another model would have left it."""
    with closing(sqlite3.connect(home / "index.db")) as db, db:
        db.execute("UPDATE meta SET value = 'granite-0123456789ab-1' WHERE name = 'model'")
        db.execute("UPDATE meaning SET vector = zeroblob(32)")


def test_vectors_of_another_model_are_made_anew(one, home) -> None:
    """A recall and `reindex --meaning` both replace vectors that another model made by those of the static one."""
    with one() as h:
        recall(h, "apples")
        static = vectors(home)
    foreign_vectors(home)
    with one() as h:
        assert keys(recall(h, "apples")) == ["a"]
    assert vectors(home) == static
    foreign_vectors(home)
    with one() as h:
        assert (make_all_vectors(h).made, make_all_vectors(h).made) == (1, 0)
    assert vectors(home) == static


def test_a_model_that_went_is_warned_about(cli, one, home) -> None:
    """A config.toml that still chooses granite gets a clear warning, and recall goes on by the static model."""
    (home / "config.toml").write_text('[recall]\nmodel = "granite"\n')
    answer = cli("recall", "apples")
    assert answer.code == 0 and "Apples are red." in answer.out
    assert f"{home}/config.toml:2: there is no setting 'recall.model'" in answer.err
    assert "The static model is the only one now; remove the line." in answer.err
    assert vectors(home)[0].startswith("static")


def test_a_killed_run_leaves_recall_and_is_gone_on_with(many, home) -> None:
    """After a sudden end in the middle every memory is found, made vectors stay, and the next run makes the rest."""
    script = (
        "import os; from holdfast.workspace import Workspace; from holdfast.app.reindex import make_all_vectors\n"
        f"workspace = Workspace({str(home)!r}); workspace.refresh(None)\n"
        "workspace.progress = lambda done, total: os._exit(9)\n"
        "make_all_vectors(workspace)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    version, made, _ = vectors(home)
    assert 0 < made < MANY and version.startswith("static")
    with many(flags={"recall.count_use": "false"}) as h:
        for number in (0, MANY // 2, MANY - 1):
            assert f"fact-{number}" in keys(recall(h, name(number), limit=MANY))
        known = vectors(home)[1]
        assert make_all_vectors(h).made == MANY - known
    assert vectors(home)[:2] == (version, MANY)


def test_a_second_run_steps_back(one, home) -> None:
    """While one process makes vectors, another says so and makes none."""
    with one() as h:
        recall(h, "apples")
    before = vectors(home)
    with one() as h, files.Lock(str(home / "state" / "locks" / "meaning.lock")):
        assert make_all_vectors(h).made == 0
    assert vectors(home) == before
    assert "another process is making the vectors already" in one.said


def test_a_hook_makes_vectors_of_another_model_anew(one, home) -> None:
    """A hook replaces vectors that another model made, too."""
    with one() as h:
        recall(h, "apples")
    static = vectors(home)
    foreign_vectors(home)
    make_few(str(home), lambda: False)
    assert vectors(home) == static


def test_the_command_tells_what_it_made(cli, one, home) -> None:
    """`reindex --meaning` prints how many vectors were made by which model, also as JSON, and goes on from there."""
    foreign_vectors(home)
    assert cli("reindex", "--meaning").out.startswith("made 1 vector by static-")
    found = cli("reindex", "--meaning", "--json").json
    assert (found["made"], found["waiting"]) == (0, 0)
    off = cli("--set", "recall.meaning=false", "reindex", "--meaning")
    assert off.out == "made no vectors: there is no model to make them\n"
