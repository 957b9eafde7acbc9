"""The command that lists the audit trail."""

from __future__ import annotations

import pytest

from holdfast.learning.security import model as security_trail
from holdfast.learning.security.model import Record

SHOP = "example.com--acme--shop"


@pytest.fixture
def trail(home):
    """Three calls: two of the shop, one of another project."""
    home.mkdir()
    rows = [
        ("2026-05-04T10:00:00Z", SHOP, "destructive", "rm-recursive", "rm -rf src"),
        ("2026-05-05T10:00:00Z", SHOP, "secret", "read-secret-file", "cat .env\x1b[31m"),
        ("2026-05-06T10:00:00Z", "bank", "destructive", "git-force-push", "git push -f"),
    ]
    for at, project, kind, rule, text in rows:
        security_trail.add(str(home), Record(at, "codex", "s1", project, "Bash", kind, rule, text))


def test_the_calls_of_this_project_are_listed(trail, shop, cli) -> None:
    """The newest comes first, another project's are not among them, and nothing reaches the terminal as it is."""
    ended = cli("security")
    lines = ended.out.splitlines()
    assert ended.code == 0 and [line.split()[2] for line in lines] == ["read-secret-file", "rm-recursive"]
    assert "\x1b" not in ended.out and "git push" not in ended.out


def test_calls_can_be_chosen(trail, shop, cli) -> None:
    """By time, by kind, by number, and of every project."""
    rules = lambda *words: [row["rule"] for row in cli("security", "--json", *words).json["records"]]  # noqa: E731
    assert rules("--since", "2026-05-05") == ["read-secret-file"]
    assert rules("--kind", "destructive") == ["rm-recursive"]
    assert rules("--everywhere") == ["git-force-push", "read-secret-file", "rm-recursive"]
    assert rules("--everywhere", "--limit", "1") == ["git-force-push"]
    assert rules("--project", "bank") == ["git-force-push"]


def test_an_empty_trail_says_how_it_fills(home, shop, cli) -> None:
    """Without a call the command says so and ends well; a kind that is none is refused."""
    ended = cli("security")
    assert ended.code == 0 and ended.out == "" and "harvest" in ended.err
    assert cli("security", "--kind", "odd").code == 2


def test_who_thinks_that_calls_are_refused_is_told_where_they_are_not(home, shop, cli) -> None:
    """With refusing on, agents that were installed before, and those that cannot refuse, are named; others are not."""
    for agent in ("codex", "opencode", "copilot"):
        cli("install", agent, "--yes")
    assert "refus" not in cli("security").err
    cli("config", "set", "security.block", "destructive")
    told = cli("security").err
    assert "holdfast install codex" in told and "install opencode" in told and "GitHub Copilot CLI cannot" in told
    for agent in ("codex", "opencode"):
        cli("install", agent, "--yes")
    assert "install" not in cli("security").err
