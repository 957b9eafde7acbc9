"""What a person sees of the fixes that agents are told, and how they reject one."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from holdfast.errors import BadInput, NotFound
from holdfast.learning.fixes import listing
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix, id_of, name_of
from holdfast.memory.remember import remember
from holdfast.records import replace
from holdfast.workspace import Workspace
from support.command_line import play


def fix(session: str, error: str = "no vite", step: str = "ran `npm ci`", project: str = "shop") -> Fix:
    """Return what fixed a failure in a session."""
    one = Fix(error[::-1], "npm test", error, (step,), "codex", session, project, f"2026-05-0{len(session)}T10:00:00Z")
    return replace(one, id=id_of("codex", session, one.fingerprint))


@pytest.fixture
def workspace(tmp_path):
    """A workspace of a project with a fix that helped twice and another one."""
    with Workspace(str(tmp_path / "home"), folder=str(tmp_path)) as opened:
        here = opened.project().id
        for one in (fix("a"), fix("bb"), fix("ccc", "no key", "ran `make key`")):
            fixes.add(opened.home, replace(one, project=here))
        fixes.add(opened.home, fix("dddd", project="elsewhere"))
        yield opened


def test_each_fix_is_listed_once(workspace) -> None:
    """A fix that helped in several sessions is one entry with their number; those of other projects are not listed."""
    found = listing.known(workspace)
    assert [(one.error, one.times, one.session) for one in found] == [("no key", 1, "ccc"), ("no vite", 2, "bb")]
    assert len(listing.known(workspace, everywhere=True)) == 3


@pytest.mark.parametrize(
    ("step", "told", "why"),
    [
        ("ran `make key`", True, "when it fails in the same way"),
        ("ran `fetch-key v7-b`", True, "when it fails with an error that names v7-b"),
        ("ran `sudo make key`", False, "`sudo make key` gets more rights"),
        ("ran `make key || true`", False, "`make key || true` hides whether it failed"),
        ("ran `git push --force`", False, "`git push --force` is destructive (git-force-push)"),
        ("ran `yarn add key`", False, "your rule no-yarn forbids `yarn add key`"),
    ],
)
def test_each_says_when_it_is_told_or_why_not(workspace, step: str, told: bool, why: str) -> None:
    """What no agent is ever told says so, with the step that is no advice or the rule that forbids it."""
    remember(workspace, "Never use yarn.", key="no-yarn")
    one = replace(fix("ccc", "no key v7-b", step), project=workspace.project().id)
    assert listing.told(workspace, one) == (told, why)


def test_the_second_best_is_told_after_the_first(workspace) -> None:
    """Of two fixes of one failure the one that helped more often comes first, and the other says so."""
    here = workspace.project().id
    fixes.add(workspace.home, replace(fix("eeeee", step="ran `npm install vite`"), project=here))
    vite, other = [next(one for one in listing.known(workspace) if step in one.steps[0]) for step in ("ci", "install")]
    assert listing.told(workspace, vite) == (True, "when it fails in the same way")
    after = f"when it fails in the same way and the step of {vite.id[:8]} was taken before"
    assert listing.told(workspace, other) == (True, after)


def test_a_rejected_fix_is_not_told_again(workspace) -> None:
    """A rejected fix is not found at a failure, nor learned anew from another session; the other one still is."""
    vite = listing.known(workspace)[1]
    listing.reject(workspace, [vite.id[:6]])
    assert fixes.lookup(workspace.home, [vite.project], vite.fingerprint) == []
    assert not fixes.add(workspace.home, replace(fix("eeeee"), project=vite.project))
    assert [one.error for one in listing.known(workspace)] == ["no key"]
    assert [one.id for one in listing.known(workspace, rejected=True)] == [vite.id]


def test_another_way_to_fix_it_is_still_learned(workspace) -> None:
    """Only the steps that were rejected are refused, not what solves the same failure otherwise."""
    vite = listing.known(workspace)[1]
    listing.reject(workspace, [vite.id])
    other = replace(fix("eeeee", step="ran `npm install vite`"), project=vite.project)
    assert fixes.add(workspace.home, other)
    assert fixes.lookup(workspace.home, [vite.project], vite.fingerprint) == [other]


def test_a_rejection_is_taken_back(workspace) -> None:
    """A restored fix is told again, with all the sessions that it helped in."""
    vite = listing.known(workspace)[1]
    listing.reject(workspace, [vite.id])
    listing.restore(workspace, [vite.id])
    assert listing.known(workspace, rejected=True) == [] and vite in listing.known(workspace)


def test_a_rejection_outlives_its_rows(workspace, monkeypatch) -> None:
    """When the file is cut to its bounds the words of a rejected fix go, and the rejection stays without them."""
    vite = listing.known(workspace)[1]
    listing.reject(workspace, [vite.id])
    monkeypatch.setattr(fixes, "MAX_ROWS", 4)
    fixes.add(workspace.home, replace(fix("eeeee", "no door", "ran `make door`"), project=vite.project))
    with open(fixes.path_of(workspace.home), "rb") as file:
        rows = [line for line in file.read().splitlines() if vite.project.encode() in line]
    assert not any(b"npm ci" in line for line in rows)
    assert not fixes.add(workspace.home, replace(fix("a"), project=vite.project))


def test_a_dry_run_rejects_nothing(workspace) -> None:
    """`--dry-run` names the fix and leaves it."""
    vite = listing.known(workspace)[1]
    assert listing.reject(workspace, [vite.id], dry_run=True) == [vite] and vite in listing.known(workspace)


@pytest.mark.parametrize("id", ["", "zzzz", "*"])
def test_an_unknown_id_changes_nothing(workspace, id: str) -> None:
    """An id that names no fix is refused with the way to find one, also beside one that names one."""
    before = listing.known(workspace)
    with pytest.raises(NotFound):
        listing.reject(workspace, [before[0].id, id])
    assert listing.known(workspace) == before


def test_an_id_that_names_several_is_refused(workspace) -> None:
    """The beginning of several ids is not enough: of seventeen, two begin with the same letter."""
    for number in range(17):
        fixes.add(workspace.home, fix("a", f"no {number}"))
    first = Counter(one.id[0] for one in listing.known(workspace, everywhere=True)).most_common(1)[0][0]
    with pytest.raises(BadInput, match="several"):
        listing.reject(workspace, [first])


def test_the_command_lists_and_rejects(home) -> None:
    """`holdfast fixes` tells the command, its error, the step and how often it helped; `reject` takes it away."""
    fixes.add(str(home), fix("a", project=""))
    shown = play("fixes", "--everywhere").out
    name = name_of(fix("a", project=""))
    assert name[:8] in shown and "npm test: no vite" in shown and "ran `npm ci`" in shown and "1 session" in shown
    assert "told: when it fails in the same way" in shown
    assert "rejected" in play("fixes", "reject", name[:4]).out
    assert json.loads(play("fixes", "--everywhere", "--json").out) == {"fixes": []}


def test_a_home_that_is_switched_off_rejects_nothing(home) -> None:
    """With memory switched off a rejection is refused, and says how to switch it on."""
    fixes.add(str(home), fix("a", project=""))
    ended = play("--set", "enabled=false", "fixes", "reject", name_of(fix("a", project="")))
    assert ended.code == 6 and "Set `enabled` to true" in ended.err and len(fixes.read(str(home))) == 1
