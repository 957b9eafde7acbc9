"""The file of fixes stays within its bounds, whoever writes, reads or dies meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import MAX_BYTES, MAX_ROWS, Fix, id_of
from holdfast.records import replace
from support.killing import run_script
from support.sampling import count, seed

MARK = "0123456789abcdef"
OTHER = "fedcba9876543210"
KILLS = count(40, 12)
WRITER = """
import sys
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix
home, who, fixed = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(fixed):
    session = f"{who}-{number}"
    fix = Fix("0123456789abcdef", "make", "no rule", (f"ran `{session}`",), "some-agent", session, "shop",
              f"2026-07-01T10:{number // 60:02}:{number % 60:02}Z", id=f"{who}-{number}")
    assert fixes.add(home, fix)
"""
KILLER = """
import random, sys
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix
from support.killing import killed_at, steps_of

home, filler, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance, interrupted = random.Random(seed), 0
with open(filler, "rb") as file:
    fill = file.read().splitlines(keepends=True)

def fix_of(number):
    at = f"2026-08-01T10:{number // 60:02}:{number % 60:02}Z"
    return Fix("fedcba9876543210", "make", "no rule", ("ran `x`",), "a", f"k-{number}", "shop", at, id=f"k-{number}")

def rows():
    with open(fixes.path_of(home), "rb") as file:
        return file.read().splitlines(keepends=True)


def overfill():
    missing = fixes.MAX_ROWS - len(rows())
    if missing > 0:
        with open(fixes.path_of(home), "ab") as file:
            file.write(b"".join(fill[:missing]))

overfill()
steps, known = steps_of(lambda: fixes.add(home, fix_of(0))), {"k-0"}
for number in range(1, kills + 1):
    overfill()
    killed = killed_at(chance.randrange(1, steps + 2), lambda: fixes.add(home, fix_of(number)))
    interrupted += killed
    known |= set() if killed else {f"k-{number}"}
    told = [fixes.of_line(line) for line in rows()]
    assert None not in told, "a line is not whole"
    there = {one.session for one in told}
    assert known <= there and {"used-0", "used-1", "used-2"} <= there, (number, known - there)
    found = fixes.lookup(home, ["shop"], "fedcba9876543210")
    assert found and found[0].times >= len(known), "a table is stale"
print(interrupted)
"""


def fix(session: str, at: str, *steps: str, mark: str = MARK) -> Fix:
    """Return a fix of one failure in the shop."""
    one = Fix(mark, "npm test", "no such door", steps or (f"ran `{session}`",), "some-agent", session, "shop", at)
    return replace(one, id=id_of("some-agent", session, mark))


def line(one: Fix, **more: object) -> str:
    """Return a fix as the file has it, with other fields where they are given."""
    names = ("id", "at", "fingerprint", "agent", "session", "project", "command", "error")
    told = {name: getattr(one, name) for name in names} | {"steps": list(one.steps), "names": []}
    return json.dumps(told | more) + "\n"


def day(number: int) -> str:
    """Return a time, later for a higher number."""
    return f"2026-05-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"


def write(home: str, lines: list[str]) -> Path:
    """Add lines at the end of the file, as they are."""
    path = Path(fixes.path_of(home))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write("".join(lines))
    return path


def full(home: str, count: int = MAX_ROWS, **more: object) -> Path:
    """Fill the file: three old sessions in which the same helped, then such as helped once."""
    used = [line(fix(f"used-{number}", day(number), "edited a.py")) for number in range(3)]
    return write(home, [*used, *(line(fix(f"s-{number}", day(number)), **more) for number in range(3, count))])


def sessions(home: str) -> list[str]:
    """Return the sessions of all fixes, in their order."""
    return [one.session for one in fixes.read(home)]


def test_the_oldest_that_helped_once_go_first(tmp_path) -> None:
    """Over the bound of rows the newest stay, and those that helped in several sessions, however old; nobody else."""
    home = str(tmp_path)
    path = full(home)
    assert fixes.add(home, fix("new", day(9_000)))
    left = sessions(home)
    assert left[:3] == ["used-0", "used-1", "used-2"] and left[-1] == "new"
    assert left[3:-1] == [f"s-{number}" for number in range(MAX_ROWS - len(left) + 4, MAX_ROWS)]
    assert MAX_ROWS // 2 < len(left) < MAX_ROWS and path.stat().st_mode & 0o777 == 0o600
    assert fixes.lookup(home, ["shop"], MARK)[0].times == 3


def test_it_is_not_written_anew_for_each(tmp_path) -> None:
    """After a trim there is room: the next fixes are added to the file as it is, and nothing else of it changes."""
    home = str(tmp_path)
    path = full(home)
    fixes.add(home, fix("new", day(9_000)))
    before, number = path.read_bytes(), path.stat().st_ino
    fixes.add(home, fix("newer", day(9_001)))
    assert path.read_bytes().startswith(before) and path.stat().st_ino == number


def test_the_bound_of_bytes(tmp_path) -> None:
    """Few rows that are long are bounded as well, and what helped often is among those that stay."""
    home = str(tmp_path)
    path = full(home, 2_000, error="x" * 2_500)
    assert path.stat().st_size > MAX_BYTES
    assert fixes.add(home, fix("new", day(9_000)))
    left = sessions(home)
    assert MAX_BYTES // 2 < path.stat().st_size < MAX_BYTES
    assert left[:3] == ["used-0", "used-1", "used-2"] and left[-2:] == ["s-1999", "new"]


def test_much_use_leaves_room_for_the_newest(tmp_path) -> None:
    """Where more helped often than there is room for, a part of it is kept for the newest all the same."""
    home = str(tmp_path)
    often = [line(fix(f"often-{number}", day(number), f"ran `{number // 2}`")) for number in range(MAX_ROWS - 100)]
    write(home, [*often, *(line(fix(f"s-{number}", day(7_000 + number))) for number in range(100))])
    fixes.add(home, fix("new", day(9_000)))
    assert {"new", *(f"s-{number}" for number in range(100))} <= set(sessions(home))


def test_what_is_no_fix_any_more_goes(tmp_path) -> None:
    """Withdrawn fixes, earlier lines of the same id and broken lines make room before any fix that holds."""
    home = str(tmp_path)
    old = [fix(f"s-{number}", day(number)) for number in range(1_000)]
    withdrawn = [line(replace(one, session="gone"), id=f"w-{n}", withdrawn=n % 2 > 0) for n, one in enumerate(old)]
    gone = [line(one, id=f"w-{n // 2 * 2}", withdrawn=True) for n, one in enumerate(old)]
    path = write(home, [*map(line, old), *map(line, old), *withdrawn, *gone, "no fix\n" * 1_001])
    fixes.add(home, fix("new", day(9_000)))
    assert sessions(home) == [*(one.session for one in old), "new"]
    assert path.read_text().count("\n") == len(old) + 1


def test_an_old_one_that_is_added_stays(tmp_path) -> None:
    """A fix that a harvest finds in an old session is kept for good, as it was acknowledged, though all are newer."""
    home = str(tmp_path)
    full(home)
    assert fixes.add(home, fix("old", "2020-01-01T00:00:00Z"))
    assert "old" in sessions(home) and not fixes.add(home, fix("old", "2020-01-01T00:00:00Z"))


def test_a_disk_that_refuses_to_trim_keeps_the_fix(tmp_path) -> None:
    """Where the file cannot be written anew the fix is there nevertheless, and the next one brings it within bounds."""
    home = str(tmp_path)
    path = full(home)
    folder = tmp_path / "state" / "fixes"
    (folder / "in the way").mkdir(parents=True)
    assert fixes.add(home, fix("new", day(9_000))) and sessions(home)[-1] == "new"
    assert path.read_text().count("\n") == MAX_ROWS + 1
    (folder / "in the way").rmdir()
    assert fixes.add(home, fix("newer", day(9_001))) and len(sessions(home)) < MAX_ROWS


def test_a_reader_in_between_loses_nothing(tmp_path) -> None:
    """Whoever looks while the file is trimmed over and over finds every time what helped most, and the newest."""
    home, lost, stop = str(tmp_path), [], threading.Event()
    full(home)
    fixes.add(home, fix("first", day(9_000), "ran `first`", mark=OTHER))
    newest = ["first"]

    def look() -> None:
        while not stop.is_set():
            wanted = newest[-1]
            used, found = fixes.lookup(home, ["shop"], MARK), fixes.lookup(home, ["shop"], OTHER)
            if not used or used[0].times != 3 or wanted not in {one.session for one in found}:
                lost.append((wanted, used[:1], found[:1]))

    reader = threading.Thread(target=look)
    reader.start()
    for turn in range(6):
        write(home, [line(fix(f"t-{turn}-{number}", day(number))) for number in range(MAX_ROWS // 4 + 10)])
        fixes.add(home, fix(f"n-{turn}", day(9_001 + turn), f"ran `{turn}`", mark=OTHER))
        newest.append(f"n-{turn}")
    stop.set()
    reader.join()
    assert not lost


def test_four_writers_at_once(tmp_path) -> None:
    """Four processes that write over the bound lose nothing of what was acknowledged, and the bound holds."""
    home = str(tmp_path)
    path = full(home, MAX_ROWS - 100)
    words = [[sys.executable, "-c", WRITER, home, f"w{number}", "60"] for number in range(4)]
    writers = [subprocess.Popen(each, stderr=subprocess.PIPE) for each in words]
    ended = [one.communicate(timeout=600)[1] for one in writers]
    assert [one.returncode for one in writers] == [0] * 4, ended
    kept = Counter(sessions(home))
    assert all(kept[f"w{number}-{each}"] == 1 for number in range(4) for each in range(60))
    assert all(kept[f"used-{number}"] == 1 for number in range(3))
    assert len(path.read_text().splitlines()) < MAX_ROWS


@pytest.mark.slow
def test_killed_in_the_middle_of_a_trim(tmp_path) -> None:
    """After each kill the file is whole, as before or as after, every fix that was acknowledged is in it and found."""
    home = str(tmp_path)
    full(home)
    filler = tmp_path / "filler"
    rows = [line(fix(f"f-{number}", "2026-01-01T00:00:00Z")) for number in range(MAX_ROWS)]
    filler.write_text("".join(rows))
    drawn = seed()
    met = run_script(KILLER, home, str(filler), str(KILLS), str(drawn))
    assert int(met) >= KILLS // 3, f"seed {drawn}: too few of the kills met a trim at work"
    assert fixes.add(home, fix("last", day(9_500))) and "last" in sessions(home)
    assert os.path.getsize(fixes.path_of(home)) <= MAX_BYTES
