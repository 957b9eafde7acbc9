"""Distributing and withdrawing that are killed at any moment: no file of the person is ever half, none is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from holdfast.base.files import TEMPORARY
from holdfast.patterns import distribute
from support.distributing import ID, SAID, approved, entry_of
from support.killing import run_script
from support.learned import learned_in
from support.sampling import count, seed
from support.swept import environment

KILLS = count(40, 12)
# Each time begins with the same home; the files of the person are what the last time left of them.
KILLER = """
import os, random, shutil, sys
from holdfast.patterns import distribute
from holdfast.patterns.catalogue import Catalogue
from holdfast.workspace import Workspace
from support.killing import killed_at, steps_of

person, folder, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
home, template, name = os.path.join(person, ".holdfast"), os.path.join(person, ".template"), sys.argv[5]
chance, interrupted, TEMPORARY = random.Random(seed), 0, ".holdfast-tmp-"
AGENTS = ("claude-code", "codex", "gemini-cli", "cursor", "kiro")
TARGETS = [("rules", AGENTS, "project"), ("skill", AGENTS, "project"), ("rules", AGENTS[:3], "global"),
           ("memory", (), "project"), ("lesson", (), "project"), ("warning", (), "project")]

def hand_out():
    for to, names, scope in TARGETS:
        with Workspace(home, folder=folder) as workspace:
            distribute.apply(workspace, distribute.plan(workspace, name, to=to, names=names, scope=scope))

def take_back():
    with Workspace(home, folder=folder) as workspace:
        distribute.withdraw(workspace, distribute.plan_withdrawal(workspace, name))

def tree():
    found = {}
    for place, folders, names in os.walk(person):
        folders[:] = [one for one in folders if one not in (".holdfast", ".template", ".git")]
        found[os.path.relpath(place, person)] = None
        for one in names:
            path = os.path.join(place, one)
            with open(path, "rb") as file:
                found[os.path.relpath(path, person)] = file.read(), os.stat(path).st_mode
    return found

def live():
    with Workspace(home, folder=folder) as workspace:
        return [(one.to, one.scope.partition("/")[0]) for one in Catalogue(workspace.home).get(name).live]

def unlike(one, other):
    return {path: (one.get(path, ""), other.get(path, "")) for path in {*one, *other}
            if one.get(path, "") != other.get(path, "")}

shutil.copytree(home, template)
before = tree()
steps = [steps_of(hand_out)]
after, everywhere = tree(), sorted(live())
steps.append(steps_of(take_back))
assert tree() == before, unlike(tree(), before)
for number in range(kills):
    shutil.rmtree(home)
    shutil.copytree(template, home)
    act = (hand_out, take_back)[number % 2]
    if act is take_back:
        hand_out()
    interrupted += killed_at(chance.randrange(1, steps[number % 2]), act)
    for path, what in tree().items():
        told = os.path.basename(path).startswith(TEMPORARY)
        assert told or what in (before.get(path, ""), after.get(path, "")), (number, path, what)
    assert not {path for path in before if path not in tree()}, number
    # Half of the time a person finishes what was begun, and half of the time takes it back at once.
    if number % 4 < 2:
        hand_out()
        assert tree() == after, (number, unlike(tree(), after))
        assert sorted(live()) == everywhere, number
    take_back()
    assert tree() == before, (number, unlike(tree(), before))
    assert live() == [], number
print(interrupted)
"""


@pytest.mark.slow
def test_killed_at_any_moment_every_file_is_as_before_or_as_after(workspace, shop, machine) -> None:
    """After each kill each file is as before or as after, the next run finishes, and a withdrawal gives all back."""
    (shop / "AGENTS.md").write_bytes(b"# Ours\r\n\r\nBe brief.")
    (shop / "CLAUDE.md").write_bytes(b"# Mine\n\nBe brief.\n")
    (machine / ".codex").mkdir()
    (machine / ".codex" / "AGENTS.md").write_bytes(b"Be kind.\n")
    with workspace() as h:
        approved(h)
    drawn = seed()
    met = run_script(KILLER, str(machine), str(shop), str(KILLS), str(drawn), ID, environment=environment(machine))
    assert int(met) >= KILLS // 2, f"seed {drawn}: too few of the kills met the work"


def hand_out(h, to: str, *names: str) -> None:
    """Distribute the pattern in the project."""
    distribute.apply(h, distribute.plan(h, ID, to=to, names=names))


@pytest.mark.parametrize("act", ["distribute", "withdraw"])
def test_what_a_dead_writer_left_goes(workspace, shop, act) -> None:
    """A file that a killed run left half-written goes with the next run; that of a writer who lives stays."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with workspace() as h:
        approved(h)
        if act == "withdraw":
            hand_out(h, "rules", "claude-code")
        dead, alive, foreign = (shop / f"{TEMPORARY}{name}-ab" for name in (ended.pid, os.getpid(), "mine"))
        for path in (dead, alive, foreign):
            path.write_bytes(b"half")
        if act == "withdraw":
            distribute.withdraw(h, distribute.plan_withdrawal(h, ID))
        else:
            hand_out(h, "rules", "claude-code")
    assert [path.exists() for path in (dead, alive, foreign)] == [False, True, True]


def test_a_folder_whose_file_is_not_there_goes(workspace, shop) -> None:
    """Folders that were made for a file go with the withdrawal, also where the file itself never came or went."""
    with workspace() as h:
        approved(h)
        hand_out(h, "skill", "claude-code")
        (file,) = shop.rglob("SKILL.md")
        file.unlink()
        distribute.withdraw(h, distribute.plan_withdrawal(h, ID))
    assert not (shop / ".claude").exists()


def test_a_lesson_that_nobody_noted_is_taken_up(workspace, home) -> None:
    """A lesson that a run stored before it was killed is no stranger to the next run, and goes with a withdrawal."""
    with workspace() as h:
        approved(h)
    shutil.copytree(home / "patterns", home / "before")
    with workspace() as h:
        hand_out(h, "lesson")
    shutil.rmtree(home / "patterns")
    (home / "before").rename(home / "patterns")
    with workspace() as h:
        assert entry_of(h).live == ()
        hand_out(h, "lesson")
        assert [one.statement for one in learned_in(h) if one.status == "standing"] == [SAID]
        distribute.withdraw(h, distribute.plan_withdrawal(h, ID))
        assert [one.status for one in learned_in(h)] == ["rejected"]
