"""A session that is drawn to be given nothing: it is recorded as any other, and only what it is told is withheld."""

from __future__ import annotations

import pytest

from holdfast import agents
from holdfast.records import HookCall

from .test_light import HEAVY

ASKED = "how do I deploy through the VPN, please?"
ALL = {"HOLDFAST_MEASURE_HOLDOUT": "1"}
SOME = {"HOLDFAST_MEASURE_HOLDOUT": "0.000001"}


@pytest.fixture
def told(hook, remember):
    """A home with one memory that a start and a prompt would bring."""
    remember("Deploys need the VPN. Ask Kim for access.")
    return hook


def test_start_and_prompt_are_withheld_and_leave_receipts(told):
    """Nothing is printed, and a receipt says what would have been given, and that it was not."""
    assert told.start(environment=ALL).out == b""
    assert told.prompt(ASKED, session="s2", environment=ALL).out == b""
    first, second = told.events("receipt")
    assert (first["withheld"], first["holdout"], first["moment"], second["moment"]) == (True, 1.0, "start", "prompt")
    assert [given[2] for given in first["given"]] and first["tokens"] > 0
    assert told.log() == []


def test_the_session_is_recorded_as_any_other(told):
    """Prompts reach the journal, decisions the working state, whether something is withheld or not."""
    told.start(environment=ALL)
    told.prompt("we decided to use Postgres for the sessions", environment=ALL)
    assert [event["kind"] for event in told.events()][:2] == ["start", "receipt"]
    assert told.events("prompt")[0]["prompt"].startswith("we decided")
    assert any("Postgres" in page.read_text() for page in told.home.rglob("memory/projects/*/*.md"))


def test_a_session_that_is_not_drawn_is_given_all_and_says_so(told):
    """Its receipt has the share, so that it can be told from sessions before anything was withheld."""
    assert "Ask Kim" in told.start(environment=SOME).text
    assert "Ask Kim" in told.start(session="s2").text
    with_share, without = told.events("receipt")
    assert (with_share["withheld"], with_share["holdout"]) == (False, 0.000001)
    assert "holdout" not in without


def test_what_would_have_been_given_is_withheld_once(told):
    """A memory that was withheld at the start is not listed again at a prompt, as it would not come again."""
    told.start(environment=ALL)
    told.prompt(ASKED, environment=ALL)
    assert len(told.events("receipt")) == 1


def test_what_is_asked_for_is_never_withheld(told, cli, monkeypatch):
    """Recall answers in a session from which everything is withheld."""
    told.start(environment=ALL)
    monkeypatch.setenv("HOLDFAST_MEASURE_HOLDOUT", "1")
    assert "Ask Kim" in cli("recall", "deploy", "--session", "s1").out


def test_a_share_in_the_config_keeps_the_hook_light(told):
    """A float in config.toml is read without the parser, and the draw loads nothing heavy."""
    (told.home / "config.toml").write_text("[measure]\nholdout = 0.999999\n")
    modules, printed = told.loaded_by("SessionStart", source="startup")
    assert "holdfast.inject.receipts" in modules and HEAVY.intersection(modules) == set()
    assert printed == "" and told.events("receipt")[0]["withheld"] is True


def test_a_sub_agent_follows_its_session():
    """Where a sub-agent has a session of its own, the one that it works for is drawn."""
    call = HookCall("opencode", "start", "session.created", session="child", subagent="parent")
    assert agents.get("opencode").main_session(call) == "parent"
    assert agents.get("claude-code").main_session(call) == "child"
