"""A second process reads transcripts ahead of a sweep: what is stored is the same, whatever becomes of it."""

from __future__ import annotations

import os

import pytest

from holdfast.sessions import read_ahead
from support.swept import archive_of, indexed, sweep_into, talk, transcript, write

SECRET = "ghp_" + "x7Rk2mQv9Lt4Wd8Zs1Hn6Yb3Cf5Jg0PaUeTi"


@pytest.fixture
def logs(machine):
    """Sixteen transcripts: one has a secret, one a line that is none, one copies another, one is empty."""
    for number in range(14):
        words = f"the token {SECRET}" if number == 3 else "half a letter \ud83d" if number == 4 else "the till"
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 2 + number, words=words), at=1_700_000_000 + number)
    with transcript(machine, "s2").open("ab") as file:
        file.write(b"{ no json\n")
    write(transcript(machine, "s20"), talk("s1", 4), at=1_700_000_050)
    write(transcript(machine, "s21"), b"", at=1_700_000_060)
    return machine


@pytest.fixture
def two_processors(monkeypatch):
    """A machine with two processors, on which a second process is worth it for any number of bytes."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(read_ahead, "_MIN_BYTES", 0)


def told(found):
    """Return what a sweep reports, without what it is told of its own time."""
    return found.ingested, found.analysed, found.malformed, found.redacted, [one.text for one in found.problems]


def stored(home):
    """Return raw files and digests; how much is learned in a sweep hangs on the time that is left."""
    return {name: data for name, data in archive_of(home).items() if not name.startswith("signals/")}


def test_what_is_stored_is_the_same(logs, tmp_path, two_processors, monkeypatch):
    """Archive, index and report of a sweep are equal with a second process and without one."""
    with_two = told(sweep_into(tmp_path / "two", logs))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    alone = told(sweep_into(tmp_path / "one", logs))
    assert with_two == alone and alone[0] >= 14 and alone[2] == 1 and sum(alone[3].values()) > 0
    assert stored(tmp_path / "two") == stored(tmp_path / "one")
    assert indexed(tmp_path / "two") == indexed(tmp_path / "one")


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit",
        "import sys; sys.stdout.write('x' * 100)",
        "import os; from holdfast.sessions import read_ahead as r; n = iter(range(9)); t = r._tell\n"
        "def tell(*a): t(*a) if next(n) < 4 else os._exit(9)\n"
        "r._tell = tell; r.serve()",
    ],
    ids=["ends at once", "talks nonsense", "is killed in the middle"],
)
def test_a_second_process_that_fails_loses_nothing(logs, tmp_path, two_processors, monkeypatch, program):
    """Where the second process ends too early or tells what nobody understands, the sweep reads by itself."""
    monkeypatch.setattr(read_ahead, "_PROGRAM", program)
    sweep_into(tmp_path / "two", logs)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    sweep_into(tmp_path / "one", logs)
    assert stored(tmp_path / "two") == stored(tmp_path / "one")


def test_a_few_bytes_start_no_process(logs, tmp_path, monkeypatch):
    """What a session leaves each time is read without a second process, which takes longer to start."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(read_ahead, "_PROGRAM", f"open({str(tmp_path / 'started')!r}, 'w')")
    sweep_into(tmp_path / "home", logs)
    assert not (tmp_path / "started").exists()
