"""`holdfast receipts`: what each session was given, rebuilt from the journal."""

from __future__ import annotations

import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.inject.receipts import receipts
from holdfast.memory.remember import remember


@pytest.fixture
def given(home, workspace, shop):
    """Two sessions that started with one memory."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.", key="deploy")
    adapter = agents.get("claude-code")
    for session in ("alpha-1", "beta-2"):
        told = {"session_id": session, "cwd": str(shop), "source": "startup"}
        hook(str(home), adapter, adapter.read_hook_input("SessionStart", told, {}), os.environ)


def test_the_newest_comes_first(given, workspace):
    """Receipts are listed newest first, and at most as many as asked for."""
    with workspace() as opened:
        assert [receipt.session for receipt in receipts(opened)] == ["beta-2", "alpha-1"]
        assert [receipt.session for receipt in receipts(opened, limit=1)] == ["beta-2"]


def test_a_session_is_found_by_the_beginning_of_its_id(given, cli):
    """The first letters of a session id are enough."""
    ended = cli("receipts", "alpha")
    assert ended.code == 0 and "alpha-1" in ended.out and "beta" not in ended.out
    assert "project:example.com--acme--shop/deploy" in ended.out and "tokens" in ended.out


def test_json_has_every_field(given, cli):
    """As JSON a receipt has what was given, why, its cost, and what was left out."""
    receipt = cli("receipts", "--json", "-n", "1").json["receipts"][0]
    about = {"at", "agent", "session", "moment", "holdout", "withheld"}
    assert receipt.keys() == about | {"characters", "tokens", "given", "left_out"}
    assert receipt["given"][0].keys() == {"scope", "owner", "key", "digest", "why", "tokens"}
    assert receipt["given"][0]["key"] == "deploy" and receipt["left_out"] == []


def test_what_was_withheld_is_told_as_such(given, home, shop, cli):
    """A receipt of a session that was given nothing says what it would have been given, and that it was withheld."""
    adapter = agents.get("claude-code")
    told = {"session_id": "gamma-3", "cwd": str(shop), "source": "startup"}
    environment = {**os.environ, "HOLDFAST_MEASURE_HOLDOUT": "1"}
    assert hook(str(home), adapter, adapter.read_hook_input("SessionStart", told, {}), environment) == ""
    assert "tokens, withheld\n" in cli("receipts", "gamma").out and "withheld" not in cli("receipts", "alpha").out
    found = cli("receipts", "gamma", "--json").json["receipts"][0]
    assert (found["holdout"], found["withheld"], found["given"][0]["key"]) == (1.0, True, "deploy")


def test_they_survive_the_index(given, workspace, home, cli):
    """Receipts live in the journal: with index.db deleted they are all there."""
    for path in home.glob("index.db*"):
        path.unlink()
    with workspace() as opened:
        assert len(receipts(opened)) == 2


def test_no_receipts_are_no_error(workspace, cli):
    """Where no session was given anything, the command says so and ends with 0."""
    ended = cli("receipts")
    assert (ended.code, ended.out) == (0, "") and "no session was given anything yet" in ended.err


def test_switched_off_it_is_empty(given, cli):
    """With memory switched off nothing is shown."""
    assert cli("--set", "enabled=false", "receipts", "--json").json == {"receipts": []}
