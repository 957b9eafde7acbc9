"""What may be a lasting rule: with `capture.confirm` the agent is asked about it, in one line; nothing is stored."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.inject.receipts import receipts
from holdfast.language import triggers

SENTENCES = (
    "please keep the functions short in this code base",
    "In this repo we normally keep the migrations small and reviewed by two people.",
    "the tests should always run with postgres here",
    "functions in this code base are kept short",
)


@pytest.fixture
def unsure() -> str:
    """A sentence that may be a rule, as far as the weights of today tell."""
    return next(text for text in SENTENCES if (found := triggers.scan(text)) and not any(one.sure for one in found))


@pytest.fixture
def prompt(home, shop):
    """Send a prompt and return what reaches the model."""

    def send(text: str, session: str = "s1") -> str:
        agent = agents.get("claude-code")
        data = {"session_id": session, "cwd": str(shop), "prompt_id": os.urandom(4).hex(), "prompt": text}
        call = agent.read_hook_input("UserPromptSubmit", data, {})
        out = hook(str(home), agent, call, {**os.environ, "CLAUDECODE": "1"})
        return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""

    return send


def test_nobody_is_asked_by_default(prompt, unsure):
    """Without the setting what is not sure stays unsaid."""
    assert "lasting rule" not in prompt(unsure)


def test_the_agent_is_asked_once_in_the_persons_words(prompt, unsure, home, workspace, monkeypatch):
    """One line a prompt, each sentence once a session; the receipt counts it, and no memory is made of it."""
    monkeypatch.setenv("HOLDFAST_CAPTURE_CONFIRM", "true")
    text = prompt(unsure)
    assert text.count("lasting rule") == 1 and unsure.rstrip(".") in text
    assert "lasting rule" not in prompt(unsure)
    assert "lasting rule" in prompt(unsure, session="s2")
    with workspace() as opened:
        given = [one.key.partition(":")[0] for receipt in receipts(opened) for one in receipt.given]
        assert given == ["candidate", "candidate"]
        assert not list((home / "memory").glob("**/memories/*.md"))


def test_what_is_sure_or_says_nothing_asks_nobody(prompt, monkeypatch):
    """What was written down already needs no agent, and a task is no rule."""
    monkeypatch.setenv("HOLDFAST_CAPTURE_CONFIRM", "true")
    assert "lasting rule" not in prompt("From now on never use console.log")
    assert "lasting rule" not in prompt("Fix the typo in cart.py", session="s2")
