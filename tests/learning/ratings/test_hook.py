"""What hooks do for ratings, and what learning does where a part fails."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.learning.ratings import model as signals

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def told(home, shop):
    """Let a hook hear an event and do what it does for learning; return the ratings that are there then."""
    (home / "state").mkdir(parents=True)

    def make(native: str, session: str = "s1", agent: str = "claude-code", **fields: object) -> list[tuple[int, str]]:
        environment = {**os.environ, "HOLDFAST_SWEEP_AT_SESSION_END": "no", **fields.pop("environment", {})}
        data = {"session_id": session, "cwd": str(shop), **fields}
        adapter = agents.get(agent)
        hook(str(home), adapter, adapter.read_hook_input(native, data, {}), environment)
        return [(row.rating, row.source) for row in signals.read(str(home))]

    return make


def said(told, text: str, **more) -> list[tuple[int, str]]:
    """Let the person say something."""
    return told("UserPromptSubmit", prompt=text, **more)


def test_a_rating_is_a_row_at_once(told, home) -> None:
    """A number in a prompt is a row with agent, session, project, time and comment when the hook has answered."""
    assert said(told, "8 - clean and quick") == [(8, "explicit")]
    (row,) = signals.read(str(home))
    assert (row.agent, row.session, row.project) == ("claude-code", "s1", SHOP)
    assert (row.comment, row.text, row.confidence) == ("clean and quick", "8 - clean and quick", 1.0)
    assert row.at.endswith("Z") and row.id


def test_a_mood_is_an_implicit_row(told) -> None:
    """Clear praise and clear frustration are rows; six neutral messages leave none."""
    for text in ("add a test", "ok", "thanks", "what does this do?", "the API sucks", "3 files changed"):
        assert said(told, text) == []
    assert said(told, "great job!")[0][0] >= 7
    assert said(told, "you deleted my migration again")[1][0] <= 3


def test_a_choice_makes_no_row(told) -> None:
    """After an answer with numbered options a number chooses; after a report it rates; unknown, a low one is left."""
    assert said(told, "2") == [], "nobody knows what was asked"
    told("Stop", last_assistant_message="Which one?\n1. Keep\n2. Drop")
    assert said(told, "2") == []
    told("Stop", last_assistant_message="word " * 2_000)
    assert said(told, "2") == [], "the end of the answer is not known"
    told("Stop", session="other", last_assistant_message="Which one?\n1. Keep\n2. Drop")
    told("Stop", last_assistant_message="Done. The tests pass.")
    assert said(told, "2") == [(2, "explicit")]


def test_only_the_person_is_heard(told) -> None:
    """What programs add, what an agent tells its sub-agent and a pasted file give no rating."""
    assert said(told, "<system-reminder>8/10</system-reminder>") == []
    assert said(told, "8/10", agent_id="sub", agent_type="reviewer") == []
    assert said(told, "great job\n" + "x" * 9_000) == []


def test_a_secret_is_taken_out_first(told, home) -> None:
    """No byte of a secret in a comment reaches the file."""
    assert said(told, f"2/10 - you printed {TOKEN}") == [(2, "explicit")]
    assert TOKEN not in (home / "learning" / "signals" / "ratings.jsonl").read_text()


def test_a_poor_rating_sets_a_sweep_going(told, home, monkeypatch) -> None:
    """A rating up to 5 starts a sweep behind the hook, a good one does not."""
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    on = {"HOLDFAST_SWEEP_AT_SESSION_END": "yes"}
    said(told, "8/10", environment=on)
    assert not (home / "state" / "sweep-started").exists()
    said(told, "5/10", environment=on)
    assert (home / "state" / "sweep-started").exists()


def test_learning_can_be_switched_off(told) -> None:
    """With learning.enabled off no hook writes a rating."""
    assert said(told, "8/10", environment={"HOLDFAST_LEARNING_ENABLED": "no"}) == []


def test_trouble_is_logged_and_goes_no_further(told, home) -> None:
    """Where the file of ratings cannot be written, the hook goes on and its log says why."""
    (home / "learning").write_text("in the way")
    assert said(told, "8/10") == []
    log = (home / "state" / "hook.log").read_text()
    assert "prompt, ratings: " in log and len(log.splitlines()) == 1
