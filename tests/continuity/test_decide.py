"""Decisions of a project."""

from __future__ import annotations

import pytest

from holdfast.continuity import decisions
from holdfast.errors import ScopeUnknown, SwitchedOff
from holdfast.memory.remember import remember
from holdfast.workspace import Workspace

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def page(home):
    """Where the page lies."""
    return home / "memory" / "projects" / SHOP / "decisions.md"


def test_a_decision_is_a_row_with_its_reason(cli, shop, page) -> None:
    """A decision has an id, its day and its reason; one that replaces another strikes that through."""
    added = cli("decide", "Use", "Redis", "--because", "it is fast")
    assert added.code == 0 and added.out.startswith("added  D1  20") and "\n    it is fast\n" in added.out
    assert cli("decide", "Use Postgres | one store", "--replaces", "D1", "--because", "locks").code == 0
    text = page.read_text()
    assert "~~Use Redis~~ (replaced by D2 20" in text and "| Use Postgres \\| one store | locks |" in text
    assert "Redis" not in cli("decide").out and "Use Postgres | one store" in cli("decide").out
    assert "Use Redis  (replaced by D2 20" in cli("decide", "--all").out


def test_what_is_withdrawn_stays_in_the_page(cli, shop, page) -> None:
    """Withdrawing strikes through with the day; once more changes nothing, and what is not there is said."""
    cli("decide", "Use Redis")
    gone = cli("decide", "withdraw", "d1", "--json").json
    assert gone["action"] == "withdrawn" and gone["decision"]["done"] and gone["decision"]["ended"]
    before = page.read_bytes()
    assert b"| ~~Use Redis~~ (withdrawn 20" in before
    assert cli("decide", "withdraw", "D1").out.startswith("unchanged")
    assert cli("decide", "withdraw", "D7").code == 3
    assert cli("decide", "Use it again", "--replaces", "D1").code == 4
    assert cli("decide", "Use it again", "--replaces", "D9").code == 3
    assert page.read_bytes() == before and cli("decide", "--json").json["decisions"] == []


def test_the_same_again_changes_nothing(cli, shop, page) -> None:
    """A decision that holds already is not written twice."""
    cli("decide", "Use Redis", "--because", "it is fast")
    before = page.read_bytes()
    assert cli("decide", "Use Redis").out.startswith("unchanged  D1")
    assert page.read_bytes() == before
    assert cli("decide", "Use Redis", "--because", "another reason").out.startswith("added  D2")


def test_what_the_person_wrote_stays(cli, shop, page) -> None:
    """A page by hand keeps its table, its encoding and its line ends; our table comes below."""
    mine = "# Entscheidungen\r\n\r\n| Wann | Was |\r\n|---|---|\r\n| 2025 | K\xe4se |\r\n".encode("latin-1")
    page.parent.mkdir(parents=True)
    page.write_bytes(mine)
    cli("decide", "Use Redis")
    cli("decide", "Use Postgres")
    data = page.read_bytes()
    assert data.startswith(
        mine + b"\r\n<!-- holdfast:begin decisions -->\r\n\r\n| Id | Date | Decision | Because |\r\n"
    ) and data.count(b"\n") == data.count(b"\r\n")
    assert [one["id"] for one in cli("decide", "--json").json["decisions"]] == ["D1", "D2"]


def test_secrets_are_taken_out_first(cli, shop, page) -> None:
    """A secret in the decision or in its reason is not written, and its kind is told."""
    added = cli("decide", "Rotate the token", "--because", f"{TOKEN} leaked", "--json")
    assert added.json["redacted"] == ["github-token"] and "github-token" in added.err
    assert TOKEN not in page.read_text()


def test_no_project_and_switched_off(workspace, home, machine) -> None:
    """Without a project, or while memory is off, nothing is written."""
    with workspace(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        decisions.add(opened, "x")
    with workspace(flags={"enabled": "false"}) as opened:
        assert decisions.listed(opened) == ()
        for change in (decisions.add, decisions.withdraw):
            with pytest.raises(SwitchedOff):
                change(opened, "D1")
    assert not home.exists()


def test_several_at_once_lose_nothing(workspace, home, shop, at_once) -> None:
    """Decisions of several processes at once are all kept, each with an id of its own."""
    at_once(add_some, *[(str(home), str(shop), name) for name in "ab"])
    with workspace() as opened:
        found = decisions.listed(opened)
    assert sorted(one.text for one in found) == sorted(f"{name}{n}" for name in "ab" for n in range(5))
    assert [one.id for one in found] == [f"D{number}" for number in range(1, 11)]


def add_some(home: str, folder: str, name: str) -> None:
    """Add five decisions, one by one."""
    for number in range(5):
        with Workspace(home, folder=folder, environment={}) as opened:
            decisions.add(opened, f"{name}{number}")


def test_a_decision_that_the_person_confirms_is_theirs(cli, workspace, page) -> None:
    """Deciding what an agent decided makes it the person's, under its number and with their reason, and says so."""
    with workspace() as h:
        decisions.add(h, "Use WeasyPrint", because="it was there", agent="codex")
    assert "(said by the agent codex)" in page.read_text()
    confirmed = cli("decide", "Use WeasyPrint", "--because", "it prints CSS")
    assert confirmed.out.startswith("confirmed  D1") and "now yours" in confirmed.err
    assert "| D1 |" in page.read_text() and "| Use WeasyPrint | it prints CSS |" in page.read_text()
    assert cli("decide", "Use WeasyPrint").out.startswith("unchanged  D1")


@pytest.mark.parametrize(("trust", "mark"), [("agent", "(said by the agent codex)"), ("import", "(imported)")])
@pytest.mark.parametrize("key", ["d1", "d1-use-mongo", "d1-a"])
def test_nobody_takes_the_number_of_the_persons_decision(cli, workspace, page, trust, mark, key) -> None:
    """A memory of an agent or a repository that is called D1 stands under its own name, and says whose it is."""
    cli("decide", "Use Postgres")
    with workspace() as h:
        remember(h, "Use Mongo", key=key, type="decision", trust=trust, agent="codex")
        h.store.change(h.scope("project"), key, created="2020-01-01T00:00:00Z")
    for shown in (cli("decide").out, page.read_text()):
        assert f"Use Mongo {mark}" in shown
        (row,) = [line for line in shown.splitlines() if "Use Postgres" in line]
        assert row.replace("|", " ").split()[0] == "D1" and "(" not in row.partition("Postgres")[2]
    assert cli("decide", "withdraw", "D1").out.startswith("withdrawn  D1") and "Use Mongo" in cli("decide").out
