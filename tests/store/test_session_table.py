"""Rows of sessions: put whole, gone whole, filtered and summed."""

from __future__ import annotations

import sqlite3

import pytest

from holdfast.records import Cost, Spend
from holdfast.store.session_table import FileRow, SessionRow, SessionTable, Wanted


@pytest.fixture
def table():
    """An empty table of sessions, in an index that has its own table of marks."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT)")
    yield SessionTable(db)
    db.close()


def row(id: str, **more) -> SessionRow:
    """Return a row of one agent."""
    return SessionRow(f"claude/{id}", "claude", id, **{"ended": "2026-05-04T10:00:00Z", **more})


def test_a_row_comes_back_as_it_was_put(table) -> None:
    """Every field is read again, lists and flags among them."""
    one = row(
        *("a",),
        title="T",
        project="shop",
        branches=("main", "b"),
        commits=("One", "Two"),
        is_subagent=True,
        dollars=1.5,
        talk=True,
        cut=3,
    )
    table.put(one, [], [])
    assert table.find(Wanted(names=("claude/a",))) == [one]
    assert table.find(Wanted(names=("claude/b",))) == []


def test_putting_again_replaces_rows_files_and_spends(table) -> None:
    """What a session had before is gone when it is put again, and everything is gone when it is dropped."""
    for changes in (1, 2):
        table.put(row("a"), [FileRow("x.py", "/s/x.py", changes)], [Spend("2026-05-04", "m", Cost(input=changes))])
    assert [one.changes for one in table.files(Wanted())] == [2]
    assert [one.cost.input for one in table.spent(Wanted(), "day")] == [2]
    table.drop("claude/a")
    table.drop("claude/a")
    assert table.find(Wanted()) == table.files(Wanted()) == table.spent(Wanted(), "day") == []


def test_spends_are_grouped_with_what_was_told_apart(table) -> None:
    """Tokens whose dollars the agent told are in the sum and not among the untold ones."""
    spends = [Spend("2026-05-04", "m", Cost(input=5, dollars=2.0)), Spend("2026-05-05", "m", Cost(input=7))]
    table.put(row("a", project="p"), [], spends)
    table.put(row("b", project="p"), [], spends[1:])
    (one,) = table.spent(Wanted(), "project")
    assert (one.group, one.cost.input, one.cost.dollars, one.untold.input, len(one.sessions)) == ("p", 19, 2.0, 14, 2)
    assert [(one.group, one.cost.input) for one in table.spent(Wanted(since="2026-05-05"), "day")] == [
        ("2026-05-05", 14)
    ]


def test_a_project_of_no_name_is_not_that_of_another(table) -> None:
    """A filter by projects gives their rows alone, and an empty filter gives nothing."""
    for name in ("shop", "bakery", ""):
        table.put(row(name or "none", project=name), [], [])
    assert [one.id for one in table.find(Wanted(projects=("shop",)))] == ["shop"]
    assert table.find(Wanted(projects=())) == []
    assert len(table.find(Wanted())) == 3


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/shop/src/a.py", ["/shop/src/a.py"]),
        ("/shop/src", ["/shop/src/a.py", "/shop/src/b%.py"]),
        ("src/a.py", ["/shop/src/a.py"]),
        ("a.py", ["/shop/src/a.py"]),
        ("b%.py", ["/shop/src/b%.py"]),
        ("%", []),
        ("/shop/sr", []),
    ],
)
def test_files_by_path(table, path, expected) -> None:
    """A path means the file itself, what lies below it, or files that end so; no sign in it is a wildcard."""
    files = [FileRow(name, f"/shop/{name}", 1) for name in ("src/a.py", "src/b%.py", "other.py")]
    table.put(row("a"), files, [])
    assert sorted(one.whole for one in table.files(Wanted(file=path))) == expected
    assert bool(table.find(Wanted(file=path))) == bool(expected)


def test_many_sessions_are_listed_and_summed(table) -> None:
    """A list and a sum over thousands of sessions have them all; how long that takes is for the benchmarks to say."""
    with table.db:
        for number in range(2_000):
            spends = [Spend(f"2026-05-{day:02d}", "m", Cost(input=1)) for day in (1, 2)]
            table.put(row(str(number), project=f"p{number % 9}"), [], spends)
    assert len(table.find(Wanted(projects=("p1",)), 50)) == 50
    assert sum(one.cost.input for one in table.spent(Wanted(), "project")) == 4_000


def test_whether_it_was_filled_is_kept(table) -> None:
    """The table knows whether it holds the archive."""
    assert not table.is_complete()
    table.finished()
    table.finished()
    assert table.is_complete()
