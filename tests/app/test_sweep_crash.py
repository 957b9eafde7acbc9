"""A sweep that is killed at any moment: the archive is whole, and the next sweep completes it, nothing twice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.app.finish import repair
from holdfast.app.harvest import harvest
from holdfast.app.sweep import sweep
from holdfast.workspace import Workspace
from support.killing import run_script
from support.sampling import count, seed
from support.swept import archive_of, environment, indexed, leftovers, sweep_into, talk, transcript, write

KILLS = count(100, 12)
SESSIONS = count(24, 6)
INTERRUPTED = count(400, 40)
# The program, which gets Ctrl-C when half of the sessions are stored.
INTERRUPTER = """
import os, signal, sys
from holdfast.surfaces.cli.main import main

rename, left = os.rename, int(sys.argv.pop()) // 2

def renamed(source, target, **more):
    global left
    rename(source, target, **more)
    left -= os.fspath(target).endswith(".zst")
    if left == 0:
        left = -1
        os.kill(os.getpid(), signal.SIGINT)

os.rename = renamed
main()
"""
# After each kill it looks at the archive with the eyes of a reader.
KILLER = """
import os, random, sys
from holdfast.workspace import Workspace
from holdfast.app.sweep import sweep
from holdfast.sessions.archive import Archive
from support.killing import killed_at, steps_of

home, person, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance, interrupted = random.Random(seed), 0

def one_sweep(home=home):
    with Workspace(home, folder=person, environment=os.environ) as workspace:
        sweep(workspace)

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

steps = steps_of(lambda: one_sweep(home + "-counted"))
for number in range(kills):
    if number % 4 == 0:
        grow()
    interrupted += killed_at(chance.randrange(1, steps), one_sweep)
    check()
grow()
print(interrupted)
"""


def test_interrupted_by_the_person_it_leaves_nothing_half_done(machine, home):
    """Ctrl-C ends a sweep at once with exit code 130; there is no temporary file, and the next sweep does the rest."""
    for number in range(INTERRUPTED):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 2), at=1_790_000_000 + number)
    words = [sys.executable, "-c", INTERRUPTER, "--home", str(home), "sweep", str(INTERRUPTED)]
    ended = subprocess.run(words, env=environment(machine), capture_output=True, check=False, timeout=600)
    assert (ended.returncode, ended.stdout) == (130, b""), ended.stderr
    assert b"Traceback" not in ended.stderr
    assert leftovers(home) == [] and len([*(home / "archive").rglob("*.zst")]) < INTERRUPTED
    found = sweep_into(home, machine)
    assert (found.problems, found.ingested > 0) == ((), True)
    assert len([*(home / "archive").rglob("*.zst")]) == INTERRUPTED


@pytest.mark.slow
def test_killed_many_times_the_archive_is_whole(machine, home):
    """After each kill all that is stored can be read; a last sweep leaves what an undisturbed one would have made."""
    for number in range(SESSIONS):
        name = f"s{number:02}"
        write(transcript(machine, name), talk(name, 1), at=1_790_000_000 + number)
        write(machine / "more" / f"{name}.jsonl", talk(name, 28))
    drawn = seed()
    met = run_script(KILLER, str(home), str(machine), str(KILLS), str(drawn), environment=environment(machine))
    assert int(met) > KILLS // 3, f"seed {drawn}: too few of the kills met a sweep at work"
    with Workspace(str(home), folder=str(machine), environment=environment(machine)) as opened:
        # As the command begins: it clears what lies outside of the archive.
        repair(opened)
        assert sweep(opened).problems == ()
        _learn_the_rest(opened)
    assert leftovers(home) == [], f"seed {drawn}"
    undisturbed = machine / "undisturbed"
    with Workspace(str(undisturbed), folder=str(machine), environment=environment(machine)) as opened:
        assert sweep(opened).ingested == SESSIONS
        _learn_the_rest(opened)
    assert archive_of(home) == archive_of(undisturbed), f"seed {drawn}"
    assert indexed(home) == indexed(undisturbed), f"seed {drawn}"
    assert sweep_into(home, machine).skipped_unchanged == SESSIONS


def _learn_the_rest(opened):
    """Learn as a sweep does, but to the end: a sweep learns for some seconds, which a busy machine makes too few."""
    assert harvest(opened, names=(), everything=True).problems == ()
