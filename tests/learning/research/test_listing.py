"""The command that lists and shows what sub-agents found out."""

from __future__ import annotations

import pytest

from holdfast.learning.research import model as research
from holdfast.learning.research.model import Report

SHOP = "example.com--acme--shop"
CART = Report("2026-05-04T10:00:00Z", "codex", "s1.agent-a", "s1", SHOP, "# The cart\n\nIt adds twice.\x1b[31m")
BANK = Report("2026-05-05T10:00:00Z", "codex", "s2.agent-b", "s2", "bank", "The vault is open.")


@pytest.fixture
def reports(home):
    """One report of the shop and one of another project."""
    home.mkdir()
    for report in (CART, BANK):
        research.add(str(home), report)


def test_reports_of_this_project_are_listed(reports, shop, cli) -> None:
    """Each with its id, time, agent and first line; those of another project only on request."""
    (line,) = cli("research").out.splitlines()
    assert line.split() == [CART.id, "2026-05-04T10:00Z", "codex", "The", "cart"]
    everywhere = cli("research", "--everywhere", "--json").json["reports"]
    assert [row["id"] for row in everywhere] == [BANK.id, CART.id] and "text" not in everywhere[0]
    assert cli("research", "--since", "2026-05-05", "--json").json == {"reports": []}


def test_a_report_is_shown_whole(reports, shop, cli) -> None:
    """By its id, with its text, and nothing in it reaches the terminal as it is; an unknown one is told."""
    ended = cli("research", "show", CART.id)
    assert ended.code == 0 and "It adds twice." in ended.out and "\x1b" not in ended.out
    shown = cli("research", "show", CART.id, "--json").json
    assert shown["text"] == CART.text and shown["parent"] == "s1"
    assert cli("research", "show", "nothing").code == 3


def test_without_reports_it_says_so(home, shop, cli) -> None:
    """Nothing was handed over yet, and that is no fault."""
    ended = cli("research")
    assert ended.code == 0 and ended.out == "" and "no sub-agent" in ended.err
