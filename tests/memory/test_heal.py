"""Healing what is safe to heal."""

from __future__ import annotations

import os

import pytest

from holdfast.memory import heal
from holdfast.memory.lint import lint
from holdfast.memory.remember import remember
from holdfast.memory.show import show
from holdfast.records import Filter

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def ill(workspace, home, write):
    """A home with a secret, a leftover, two memories that say the same, and a file that others can read."""
    with workspace() as h:
        remember(h, "The shop opens at nine.", key="opens", scope="global", tags=("hours",))
        remember(h, "The shop opens at ten.", key="start", scope="global", tags=("time",), pinned=True)
        remember(h, "The shop  opens at NINE.", key="start", scope="global")
        remember(h, "See [[start]].", key="see", scope="global")
    write("global/memories/token.md", f"The token is {TOKEN}.\n")
    write("global/memories/.holdfast-tmp-1-ab", "half a wri")
    write("global/memories/open.md", "Others can read me.\n").chmod(0o644)
    return workspace


def test_the_plan_changes_nothing(ill, home, tree) -> None:
    """The plan has one step for each repair, and the files stay as they are."""
    with ill() as h:
        pass
    before = tree(home)
    with ill(finishes=False) as h:
        steps = heal.plan(h)
    assert sorted((step.act, step.target) for step in steps) == [
        ("merge", "global/memories/start.md"),
        ("protect", "memory/global/memories/open.md"),
        ("redact", "global/memories/token.md"),
        ("remove", "global/memories/.holdfast-tmp-1-ab"),
    ]
    assert tree(home) == before


def test_what_killed_writers_left_is_cleared(workspace, home, tmp_path) -> None:
    """What is half-written and old goes, wherever we write; what is fresh, and what a link leads to, stays."""
    left = [home / folder / ".holdfast-tmp-1-ab" for folder in ("proposals", "archive/signals/codex", "learning/x")]
    linked = tmp_path / "elsewhere" / ".holdfast-tmp-1-ab"
    fresh = home / "proposals" / f".holdfast-tmp-{os.getpid()}-cd"
    for path in (*left, linked, fresh):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half a wri")
        path.chmod(0o600)
        os.utime(path, (0, 0) if path != fresh else None)
    (home / "research").symlink_to(linked.parent)
    with workspace() as h:
        steps = [step for step in heal.plan(h) if step.act == "clear"]
        assert [step.target for step in steps] == sorted(str(path.relative_to(home)) for path in left)
        assert heal.apply(h, steps) == steps
    assert not any(path.exists() for path in left) and linked.exists() and fresh.exists()


def test_each_repair_is_done_and_noted(ill, home) -> None:
    """After healing there is nothing to heal; each act has a line in updates/, without the secret."""
    with ill() as h:
        assert len(heal.apply(h, heal.plan(h))) == 4
    with ill() as h:
        assert heal.plan(h) == [] and lint(h) == []
    memories = home / "memory" / "global" / "memories"
    assert TOKEN not in (memories / "token.md").read_text()
    assert (memories / "open.md").stat().st_mode & 0o077 == 0
    assert not list(memories.glob(".holdfast-tmp*"))
    (updates,) = (home / "updates").glob("*.md")
    lines = updates.read_text().splitlines()
    assert len(lines) == 4 and all(line.startswith("- 20") for line in lines)
    assert {line.split()[3] for line in lines} == {
        "redact",
        "remove",
        "merge",
        "protect",
    } and TOKEN not in updates.read_text()


def test_a_merge_loses_nothing(ill) -> None:
    """The one that is kept has the tags, the pin and the history of both, and links lead to it."""
    with ill() as h:
        heal.apply(h, heal.plan(h))
        kept = show(h, "opens")
        assert (set(kept.tags), kept.pinned) == ({"hours", "time"}, True)
        assert [earlier.text for earlier in kept.history] == ["The shop opens at ten."]
        assert show(h, "see").body == "See [[opens]]."


def test_two_files_of_one_key(workspace, write, home) -> None:
    """Where two files with one key say the same, the one that answers is kept."""
    write("global/memories/a.md", "---\nupdated: 2026-01-01\n---\nThe shop opens at nine.\n")
    write("global/memories/sub/a.md", "---\nupdated: 2026-02-01\n---\nThe shop opens at nine.\n")
    with workspace() as h:
        assert [step.act for step in heal.apply(h, heal.plan(h))] == ["merge"]
    assert [str(path.name) for path in home.rglob("a.md")] == ["a.md"]
    with workspace() as h:
        assert show(h, "a").updated.startswith("2026-02-01")


def test_a_secret_in_a_file_that_is_not_utf8(workspace, write) -> None:
    """A secret is redacted and the other bytes stay, whatever the encoding."""
    path = write("global/memories/x.md", b"caf\xe9 " + TOKEN.encode() + b"\n")
    with workspace() as h:
        heal.apply(h, heal.plan(h))
    assert path.read_bytes().startswith(b"caf\xe9 ") and TOKEN.encode() not in path.read_bytes()


def test_what_fails_does_not_stop_the_rest(ill) -> None:
    """A step whose file is gone meanwhile is told, is not noted as done, and the others are done."""
    with ill() as h:
        steps = heal.plan(h)
        (merge,) = [step for step in steps if step.act == "merge"]
        h.store.remove(show(h, "start").scope, "start", forget=False)
        done = heal.apply(h, steps)
    assert merge not in done and len(done) == 3
    assert any("start.md" in text for text in ill.said)


def test_the_modes_of_other_programs_stay(workspace, home, write) -> None:
    """What git or Obsidian keep in their hidden folders is theirs, and a script of the person can still be run."""
    write("global/memories/a.md", "One.\n")
    for path in (home / "memory" / ".git" / "hook", home / "memory" / "global" / "data" / "run.sh"):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    with workspace() as h:
        heal.apply(h, heal.plan(h))
    assert (home / "memory" / ".git" / "hook").stat().st_mode & 0o777 == 0o755
    assert (home / "memory" / "global" / "data" / "run.sh").stat().st_mode & 0o777 == 0o700


def test_a_repository_that_others_can_read_is_one_step(workspace, home) -> None:
    """Its objects are closed with it, and neither listed nor journalled one by one."""
    objects = home / "sync" / "depot.git" / "objects"
    objects.mkdir(parents=True)
    for name in ("a", "b"):
        (objects / name).write_text("x")
        (objects / name).chmod(0o644)
    for folder in (home, home / "sync"):
        folder.chmod(0o700)
    with workspace() as h:
        steps = heal.plan(h)
        assert [step.target for step in steps] == ["sync/depot.git"]
        heal.apply(h, steps)
        assert heal.plan(h) == []


def test_a_leftover_is_cleared_once(workspace, home, write) -> None:
    """What a killed writer left is one step, whoever may read it, and nothing is said of a file that is gone."""
    with workspace() as h:
        remember(h, "Apples are red.")
    write("projects/x/.holdfast-tmp-1-abcd", "half").chmod(0o644)
    with workspace() as h:
        steps = heal.plan(h)
        assert [step.target for step in steps if "holdfast-tmp" in step.target] == ["projects/x/.holdfast-tmp-1-abcd"]
        (home / "memory" / "projects" / "x" / ".holdfast-tmp-1-abcd").unlink()
        heal.apply(h, steps)
    assert not any("Errno" in said for said in workspace.said)


def test_a_copy_by_an_agent_does_not_take_what_the_person_said(workspace) -> None:
    """Of two that say the same the one of the stronger trust stays, whatever the keys are."""
    with workspace() as h:
        remember(h, "Never push to main.", key="zz-mine", type="feedback")
        remember(h, "Never push to main.", key="a-copy", type="feedback", trust="agent", agent="codex")
        assert [step.act for step in heal.apply(h, heal.plan(h)) if step.act == "merge"] == ["merge"]
        (left,) = h.store.find(Filter((h.scope("project"),)))
        assert (left.key, left.trust) == ("zz-mine", "user")


def test_the_plan_says_whose_memory_it_changes(workspace) -> None:
    """Before anything is merged or redacted, the person reads whether it is their own."""
    with workspace() as h:
        remember(h, "The shop opens at nine.", key="a")
        remember(h, "The shop opens at nine.", key="b", trust="agent", agent="codex")
        assert [(step.act, step.reason) for step in heal.plan(h)] == [("merge", "says the same as a (an agent's)")]
