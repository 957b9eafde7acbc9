"""Harvests that are killed at any moment, run at once, or meet a thousand incidents: nothing is half, lost or twice."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.app.harvest import harvest
from holdfast.base.files import TEMPORARY
from holdfast.learning.incidents.model import CONTEXT, SENTIMENT, TRANSCRIPT, Incidents
from holdfast.workspace import Workspace
from sessions.making import answer, human, ran
from support.killing import run_script
from support.learned import DELETED, REMOVED, complained, learned_in, rated, talked
from support.sampling import count, seed
from support.swept import environment, leftovers

KILLS = count(60, 12)
SESSIONS = 16
THINGS = ("login", "basket", "invoice", "search", "footer", "export", "picture", "password")
KILLER = """
import os, random, shutil, sys
from holdfast.app import harvest as harvesting
from holdfast.app.features import FEATURES
from holdfast.workspace import Workspace
from support.killing import killed_at, steps_of

home, folder, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance, interrupted = random.Random(seed), 0
for one in FEATURES:
    one.harvests and one.part("harvest")

def work(home=home):
    with Workspace(home, folder=folder) as workspace:
        harvesting.harvest(workspace, everything=True)

def check():
    base = os.path.join(home, "learning", "failures")
    for place, _, names in os.walk(base):
        whole = [name for name in names if name[0] != "."]
        assert "CONTEXT.md" not in names or len(whole) == 4, (place, names)

shutil.copytree(home, home + "-counted")
steps = steps_of(lambda: work(home + "-counted"))
for number in range(kills):
    # Most of them early: there is less to do each time.
    if killed_at(1 + int(steps * chance.random() ** 3), work):
        interrupted += 1
    else:
        # It came to its end. The next ones shall have something to do, all of it known already.
        os.unlink(os.path.join(home, "state", "harvested"))
    check()
print(interrupted)
"""
HARVESTER = """
import sys
from holdfast.app.harvest import harvest
from holdfast.workspace import Workspace
with Workspace(sys.argv[1], folder=sys.argv[2]) as workspace:
    done = harvest(workspace, everything=True)
assert not done.problems, done.problems
"""


def fill(workspace: Workspace, shop: Path) -> None:
    """Archive sessions with complaints, the last two about the same, and with a failure that was fixed."""
    for number in range(SESSIONS - 2):
        words = f"you broke the {THINGS[number % len(THINGS)]} of page{number} again"
        mended = (ran("make", "Error: no rule", failed=True), ran("cp rules.mk Makefile"), ran("make", "made"))
        complained(
            workspace, shop, f"s-{number}", words, rating=1 + number % 5, day=f"2026-05-{number + 1:02}", calls=mended
        )
    complained(workspace, shop, "s-98", DELETED, day="2026-05-27", calls=(ran("rm -rf migrations"),))
    complained(workspace, shop, "s-99", REMOVED, day="2026-05-28", agent="other-agent")


def learned(home: Path, shop: Path) -> dict[str, object]:
    """Return all that a harvest made, without the moments at which it was made."""
    with Workspace(str(home), folder=str(shop)) as workspace:
        lessons = [(one.id, one.statement, one.status, one.evidence, one.key) for one in learned_in(workspace)]
    memories = {
        path.name: path.read_text().partition("\n---\n")[2] for path in home.glob("memory/projects/*/memories/*.md")
    }
    rows = [path.read_text().splitlines() for path in sorted(home.glob("learning/signals/*.jsonl"))]
    records = [path.read_text().splitlines() for path in sorted(home.glob("security/*/*.jsonl"))]
    return {
        "lessons": lessons,
        "memories": memories,
        "incidents": {
            str(path.relative_to(home)): path.read_bytes()
            for path in home.glob("learning/failures/*/*/*")
            if path.is_file()
        },
        "folders": sorted(path.name for path in home.glob("learning/failures/*/*")),
        "rows": [sorted(lines) for lines in (*rows, *records)],
        "proposals": sorted(path.name for path in home.glob("proposals/*.md")),
    }


def undisturbed(home: Path, copy: Path, shop: Path) -> dict[str, object]:
    """Return what one harvest makes of the same archive, in a copy of the home as it is now."""
    shutil.copytree(home, copy)
    with Workspace(str(copy), folder=str(shop)) as workspace:
        assert harvest(workspace, everything=True).problems == ()
    return learned(copy, shop)


@pytest.mark.slow
def test_killed_many_times_it_makes_the_same(workspace, shop, home, machine, tmp_path) -> None:
    """After each kill no incident is half there; a last harvest leaves what an undisturbed one would have made."""
    with workspace() as h:
        fill(h, shop)
    expected = undisturbed(home, tmp_path / "undisturbed", shop)
    drawn = seed()
    met = run_script(KILLER, str(home), str(shop), str(KILLS), str(drawn), environment=environment(machine))
    assert int(met) >= KILLS // 3, f"seed {drawn}: too few of the kills met a harvest at work"
    with workspace() as h:
        assert harvest(h, everything=True).problems == ()
    assert leftovers(home / "learning") == [], f"seed {drawn}"
    assert learned(home, shop) == expected, f"seed {drawn}"


def test_what_a_kill_left_beside_is_cleared_away(workspace, shop, home) -> None:
    """A proposal of a lesson that stands by now, and a file half written into an incident, are gone after a harvest."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (proposal,) = home.glob("proposals/*.md")
        told = proposal.read_bytes()
        second = complained(h, shop, "s-2", REMOVED, day="2026-05-06")
        harvest(h)
        proposal.write_bytes(told)
        (*_, incident) = sorted(home.glob("learning/failures/*/*"))
        (incident / CONTEXT).rename(incident / f"{TEMPORARY}1-2")
        harvest(h, session=second)
    assert not proposal.exists()
    assert (incident / CONTEXT).exists() and leftovers(home) == []


def test_several_at_once_make_the_same(workspace, shop, home, machine, tmp_path) -> None:
    """Four harvests at the same time leave what one alone makes, whoever did what of it."""
    with workspace() as h:
        fill(h, shop)
    expected = undisturbed(home, tmp_path / "undisturbed", shop)
    words = [sys.executable, "-c", HARVESTER, str(home), str(shop)]
    children = [subprocess.Popen(words, env=environment(machine), stderr=subprocess.PIPE) for _ in range(4)]
    ended = [child.communicate(timeout=600)[1] for child in children]
    assert [child.returncode for child in children] == [0] * 4, ended
    assert (learned(home, shop), leftovers(home)) == (expected, [])


def test_two_learnings_of_one_minute_are_both_kept(workspace, shop) -> None:
    """Two complaints within a minute, of one session, are two ratings, two lessons and two incidents."""
    said = {"10:30:05": "you deleted my migration again", "10:30:40": "you never read the style guide"}
    with workspace() as h:
        spoken = [human("Clean up"), answer(), *[human(f"2 - {words}") for words in said.values()]]
        name = talked(h, shop, "s-1", *spoken)
        for at, words in said.items():
            rated(h, name, 2, words, f"2026-05-04T{at}Z")
        harvest(h)
        assert sorted(one.evidence[0].quote for one in learned_in(h)) == sorted(said.values())
        assert len(Incidents(h.home).all()) == len(said)


@pytest.mark.slow
def test_many_incidents_hold_the_budget(workspace, shop, home) -> None:
    """However many arrive, their files stay within the budget; every one keeps its CONTEXT.md and its rating."""
    many = count(1_000, 100)
    budget = 4_000 * many
    with workspace(flags={"learning.incident_bytes": str(budget)}) as h:
        for number in range(many // 50):
            comments = [f"you broke part{number}x{each} again" for each in range(50)]
            times = [f"2026-05-{number + 1:02}T10:{each:02}:00Z" for each in range(50)]
            name = talked(h, shop, f"s-{number}", human("Go on"), ran("make", "x" * 4_000), day=times[0][:10])
            for at, words in zip(times, comments, strict=True):
                rated(h, name, 1, words, at)
        done = harvest(h, everything=True)
        left = Incidents(h.home).all()
    assert done.problems == () and len(left) == many
    assert sum(path.stat().st_size for path in home.glob("learning/failures/*/*/*")) <= budget
    assert all({CONTEXT, SENTIMENT} <= one.sizes.keys() for one in left)
    kept = [TRANSCRIPT in one.sizes for one in left]
    assert kept == sorted(kept) and kept[-1], "the newest transcripts stay"
    assert json.loads((Path(left[0].path) / SENTIMENT).read_text())["rating"] == 1
