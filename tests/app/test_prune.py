"""Pruning what has had its time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.app import prune
from holdfast.inject import receipts
from holdfast.records import Given, Receipt, Scope

SHOP = "projects/example.com--acme--shop"


def days_ago(days: int) -> str:
    """Return a time as memory files write it."""
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def aged(write):
    """Write a memory that was last updated and last touched so many days ago."""

    def make(path: str, days: int, head: str = "", touched: int | None = None) -> None:
        full = write(path, f"---\nupdated: {days_ago(days)}\n{head}---\nApples of {path}.\n")
        at = datetime.now(UTC).timestamp() - 86_400 * (days if touched is None else touched)
        os.utime(full, (at, at))

    return make


@pytest.fixture
def fates(workspace):
    """Return for each memory whether it expires, and the rule."""

    def run() -> dict[str, tuple[bool, str]]:
        with workspace() as h:
            verdicts, steps = prune.plan(h)
        assert len(steps) == sum(verdict.expired for verdict in verdicts)
        return {verdict.memory.key: (verdict.expired, verdict.rule) for verdict in verdicts}

    return run


def test_the_rule_of_each_scope(aged, fates) -> None:
    """Project memories go after 90 idle days and session memories after 14, by the rule that the plan names."""
    aged(f"{SHOP}/memories/p-young.md", 89)
    aged(f"{SHOP}/memories/p-old.md", 91)
    aged("projects/other/memories/p-other.md", 91)
    aged("sessions/s1/memories/s-young.md", 13)
    aged("sessions/s1/memories/s-old.md", 15)
    aged("global/memories/g.md", 5000)
    aged("agents/reviewer/memories/a.md", 5000)
    found = fates()
    assert {key for key, (expired, _) in found.items() if expired} == {"p-old", "p-other", "s-old"}
    assert found["p-old"][1] == "scope project: 90 days, idle for 91"
    assert found["g"][1] == "scope global: kept" and found["a"][1] == "scope agent: kept"


@pytest.mark.parametrize(
    "head", ["type: user\n", "type: feedback\n", "type: decision\n", "type: lesson\n", "pinned: true\n"]
)
def test_what_never_goes(aged, fates, head) -> None:
    """The types user, feedback, decision and lesson, and pinned ones, stay however old they are."""
    aged(f"{SHOP}/memories/k.md", 5000, head)
    expired, rule = fates()["k"]
    assert not expired and rule.endswith(": kept")


def test_an_edit_by_hand_counts(aged, fates) -> None:
    """A file that was written lately is kept, though its front matter is old."""
    aged(f"{SHOP}/memories/k.md", 200, touched=1)
    assert fates()["k"] == (False, "scope project: 90 days, idle for 1")


def test_a_use_counts(aged, fates, home) -> None:
    """A memory that recall handed out lately is kept."""
    aged(f"{SHOP}/memories/k.md", 200)
    (home / "journal").mkdir()
    owner = SHOP.split("/")[1]
    (home / "journal" / "x.jsonl").write_text(
        f'{{"at": "{days_ago(3)}", "kind": "use", "memories": [["project", "{owner}", "k"]]}}\n'
    )
    assert fates()["k"] == (False, "scope project: 90 days, idle for 3")


def test_being_given_counts(aged, fates, workspace) -> None:
    """A memory that a session was given lately is kept; where it was withheld, that was no use."""
    given = (Given(Scope("project", SHOP.split("/")[1]), "given", "0" * 16, "start", 5),)
    withheld = (Given(Scope("project", SHOP.split("/")[1]), "withheld", "0" * 16, "start", 5),)
    aged(f"{SHOP}/memories/given.md", 200)
    aged(f"{SHOP}/memories/withheld.md", 200)
    with workspace() as h:
        for one, is_withheld in ((given, False), (withheld, True)):
            receipt = Receipt(days_ago(4), "claude-code", "s1", "start", one, (), 20, 5, 0.5, withheld=is_withheld)
            h.journal.append(receipts.event_of(receipt))
    found = fates()
    assert found["given"] == (False, "scope project: 90 days, idle for 4") and found["withheld"][0]


def test_the_days_are_settings(aged, workspace) -> None:
    """Retention days come from the settings."""
    aged(f"{SHOP}/memories/k.md", 10)
    with workspace(flags={"retention.project_days": "5"}) as h:
        assert [step.reason for step in prune.plan(h)[1]] == ["scope project: 5 days, idle for 10"]


def test_the_plan_then_the_act(aged, workspace, home, tree) -> None:
    """The plan changes nothing and has the bytes; applying removes the files, notes it, and leaves no tombstone."""
    aged(f"{SHOP}/memories/k.md", 200)
    aged(f"{SHOP}/memories/stays.md", 2)
    with workspace() as h:
        prune.plan(h)
    before = tree(home)
    with workspace() as h:
        verdicts, steps = prune.plan(h)
    assert steps[0].act == "expire" and steps[0].size > 0 and tree(home) == before
    with workspace() as h:
        assert prune.apply(h, verdicts) == 1
    assert [path.name for path in (home / "memory" / SHOP / "memories").glob("*.md")] == ["stays.md"]
    assert "prune" in next((home / "updates").glob("*.md")).read_text()
    assert not (home / "memory" / SHOP / ".forgotten").exists()
    assert "[k]" not in (home / "memory" / SHOP / "index.md").read_text()
