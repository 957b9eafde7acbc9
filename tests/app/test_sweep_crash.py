"""A sweep that is killed at any moment: the archive is whole, and the next sweep completes it, nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

from support.swept import archive_of, environment, indexed, leftovers, sweep_into, talk, transcript, write

KILLS = 100
SESSIONS = 24
# Sweeps in a child that was forked from a process in which everything is loaded, so that the kill meets the work and
# not the start of Python. After each kill it looks at the archive with the eyes of a reader.
KILLER = """
import os, random, signal, sys, time
from holdfast.workspace import House
from holdfast.app.sweep import sweep
from holdfast.sessions.archive import Archive

home, person, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance, interrupted = random.Random(seed), 0

def one_sweep():
    with House(home, folder=person, environment={"HOME": person}) as house:
        sweep(house)

def killed(after):
    child = os.fork()
    if not child:
        try:
            one_sweep()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

def check():
    archive = Archive(home)
    for entry in archive.entries():
        if entry.raw_bytes:
            events = archive.events(entry.name)
            count = sum(1 for _ in events)
            assert events.problem is None, events.problem
            assert count == archive.session(entry.name).events
        if entry.digest_bytes:
            archive.digest(entry.name)

def grow():
    folder = os.path.join(person, ".claude", "projects", "-src-shop")
    for name in sorted(os.listdir(os.path.join(person, "more"))):
        lines = open(os.path.join(person, "more", name), "rb").read().split(b"\\n")
        there = open(os.path.join(folder, name), "rb").read().count(b"\\n")
        with open(os.path.join(folder, name), "ab") as file:
            file.write(b"".join(line + b"\\n" for line in lines[there:there + 4] if line))

longest = 0.25
for number in range(kills):
    if number % 4 == 0:
        grow()
    interrupted += killed(chance.random() * longest)
    check()
grow()
print(interrupted)
"""


def test_interrupted_by_the_person_it_leaves_nothing_half_done(machine, home):
    """Ctrl-C ends a sweep at once with exit code 130; there is no temporary file, and the next sweep does the rest."""
    for number in range(400):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 2), at=1_790_000_000 + number)
    words = [sys.executable, "-m", "holdfast", "--home", str(home), "sweep"]
    child = subprocess.Popen(words, env=environment(machine), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 30
    while time.monotonic() < end and len([*(home / "archive").rglob("*.zst")]) < 20:
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, b""), err
    assert b"Traceback" not in err
    assert leftovers(home) == []
    found = sweep_into(home, machine)
    assert (found.problems, found.ingested > 0) == ((), True)
    assert len([*(home / "archive").rglob("*.zst")]) == 400


@pytest.mark.slow
def test_killed_a_hundred_times_the_archive_is_whole(machine, home):
    """After each kill all that is stored can be read; a last sweep leaves what an undisturbed one would have made."""
    for number in range(SESSIONS):
        name = f"s{number:02}"
        write(transcript(machine, name), talk(name, 1), at=1_790_000_000 + number)
        write(machine / "more" / f"{name}.jsonl", talk(name, 28))
    seed = random.randrange(2**32)
    words = [sys.executable, "-c", KILLER, str(home), str(machine), str(KILLS), str(seed)]
    ended = subprocess.run(words, capture_output=True, text=True, env=environment(machine), check=False, timeout=300)
    assert ended.returncode == 0, f"seed {seed}\n{ended.stderr}"
    assert int(ended.stdout) > KILLS // 3, f"seed {seed}: too few of the kills met a sweep at work"
    assert sweep_into(home, machine).problems == ()
    assert leftovers(home) == [], f"seed {seed}"
    undisturbed = machine / "undisturbed"
    assert sweep_into(undisturbed, machine).ingested == SESSIONS
    assert archive_of(home) == archive_of(undisturbed), f"seed {seed}"
    assert indexed(home) == indexed(undisturbed), f"seed {seed}"
    assert sweep_into(home, machine).skipped_unchanged == SESSIONS
