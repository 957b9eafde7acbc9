"""What may be a lasting rule: with `capture.confirm` the agent is asked about it, in one line; nothing is stored."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.at_prompt import _WEIGHED, _Found
from holdfast.app.hook import hook
from holdfast.inject.receipts import receipts
from holdfast.language import triggers
from holdfast.records import Filter
from holdfast.store import words
from holdfast.store.words import Asked

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


@pytest.fixture
def line(home, shop):
    """Send a prompt and return the line that the person is shown."""

    def send(text: str, session: str = "s1") -> str:
        agent = agents.get("claude-code")
        data = {"session_id": session, "cwd": str(shop), "prompt_id": os.urandom(4).hex(), "prompt": text}
        out = hook(
            str(home), agent, agent.read_hook_input("UserPromptSubmit", data, {}), {**os.environ, "CLAUDECODE": "1"}
        )
        return json.loads(out).get("systemMessage", "") if out else ""

    return send


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("Remember: order ids are uuid v7", "order ids are not uuid v7, that was wrong. they're ulids"),
        ("Remember: order ids are uuid v7", "forget that order ids are uuid v7"),
        ("merk dir: releases nur dienstags", "vergiss das mit den releases am dienstag, wir deployen jetzt jederzeit"),
    ],
)
def test_who_takes_a_memory_back_is_told_how(line, prompt, kept, said):
    """A prompt ends no memory: it is not told to the agent, and the person learns that it stays and what ends it."""
    key = line(kept).partition("(")[2].partition(")")[0]
    assert f"{key} stays as it is" in line(said) and f"holdfast forget {key}" in line(said, session="s2")
    assert prompt(said, session="s3") == ""


@pytest.mark.parametrize("said", ["don't forget the tests of the order ids", "are order ids uuid v7?"])
def test_who_takes_nothing_back_is_told_nothing(line, said):
    """A task or a question about a memory is no wish to end it."""
    line("Remember: order ids are uuid v7")
    assert "stays as it is" not in line(said)


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


@pytest.mark.parametrize(("count", "is_bounded"), [(_WEIGHED // 3, False), (_WEIGHED, True)])
def test_of_words_that_stand_in_very_many_memories_only_some_are_weighed(count, is_bounded):
    """Words that are rare together are weighed wherever they stand; common ones where a rare one or two of them do."""
    narrowed = words._expression([('"apples"', count), ('"pears"', count)], 100 * _WEIGHED)
    asked = Asked("apples pears", ("apples", "pears"), narrowed, 1.0, {}, (count, count), 100 * _WEIGHED)
    seen = []

    class Table:
        def matches(self, expression: str, *given: object) -> list[object]:
            seen.append((words.is_narrowed(expression), given[-1]))
            return []

        def texts(self, rows: list[int]) -> dict[int, str]:
            return {}

    _Found(Table(), None, Filter(None), 100 * _WEIGHED, asked.text).look(asked)
    assert seen == [(is_bounded, _WEIGHED)]
