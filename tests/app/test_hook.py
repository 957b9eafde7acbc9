"""The walk of a hook: what is kept of a text, whose scopes are seen, and what other adapters mark as shown."""

from __future__ import annotations

import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.errors import SwitchedOff
from holdfast.exchange import repository_set
from holdfast.inject.hand_over import mark_shown
from holdfast.memory.remember import remember
from holdfast.parts import HookRun
from holdfast.privacy.fence import kept
from holdfast.recall.recall import recall
from holdfast.records import Scope
from holdfast.sessions.archive import Archive


@pytest.fixture
def call(shop):
    """A call of a hook as an agent's adapter reads it."""

    def make(native: str = "SessionStart", session: str = "s1", **told: str):
        data = {"session_id": session, "cwd": str(shop), **told}
        return agents.get("claude-code").read_hook_input(native, data, {})

    return make


@pytest.fixture
def answer(home, call):
    """Run a hook in this process and return what it prints."""

    def make(native: str = "SessionStart", session: str = "s1", **told: str) -> str:
        return hook(str(home), agents.get("claude-code"), call(native, session, **told), os.environ)

    return make


def test_a_long_text_is_cut_between_two_words():
    """What an event keeps is bounded and ends with a whole word."""
    text = kept("word " * 1_000, 100)
    assert len(text) <= 110 and text.endswith("word [...]")


def test_a_secret_at_the_cut_is_not_cut_in_two():
    """A secret that crosses the bound is taken out whole."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    for place in range(60, 110):
        assert "ghp_" not in kept("x" * place + " " + token + " y" * 200, 100)


def test_a_text_without_spaces_is_cut_too():
    """A text of one endless word is bounded as well."""
    assert len(kept("x" * 100_000, 500)) <= 510


def test_scopes_are_those_of_the_call(home, workspace, call, monkeypatch):
    """A hook sees the session of the agent, the project of its folder, the profile of the environment, and global."""
    with workspace():
        home.mkdir()
    monkeypatch.setenv("HOLDFAST_PROFILE", "reviewer")
    run = HookRun(str(home), agents.get("claude-code"), call(), os.environ)
    assert run.scopes() == {
        "session": (Scope("session", "s1"),),
        "project": (Scope("project", "example.com--acme--shop"),),
        "agent": (Scope("agent", "reviewer"),),
        "global": (Scope("global"),),
    }


def test_an_id_that_cannot_be_one_is_no_scope(home, call):
    """A session id that cannot be a folder's name opens no scope, and never another one."""
    home.mkdir()
    run = HookRun(str(home), agents.get("claude-code"), call(session="../x"), os.environ)
    assert run.scopes()["session"] == ()


def test_outside_a_project_only_the_rest_is_seen(home, machine, call):
    """In the person's home folder there is no project, and no project's memory."""
    home.mkdir()
    run = HookRun(str(home), agents.get("claude-code"), call(cwd=str(machine)), os.environ)
    assert run.project() is None and run.scopes()["project"] == ()


def test_what_another_door_showed_no_hook_gives_again(workspace, answer):
    """A hit that an agent asked for itself is not injected afterwards, and the receipt is there."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN. Ask Kim for access.")
        hits = recall(opened, "how do we deploy?")
        mark_shown(opened, "s1", hits, agent="claude-code")
        assert [event.data["moment"] for event in opened.journal.events("receipt")] == ["recall"]
    asked = {"prompt": "how do I deploy through the VPN?", "prompt_id": "1"}
    assert answer("UserPromptSubmit", "s1", **asked) == ""
    assert "Ask Kim" in answer("UserPromptSubmit", "s2", **asked)


def test_without_a_session_nothing_is_marked(workspace, home):
    """An adapter that knows no session marks nothing and leaves no receipt."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.")
        mark_shown(opened, "", recall(opened, "deploy"))
        assert list(opened.journal.events("receipt")) == []


def test_the_budget_of_the_start_is_a_setting(workspace, answer, monkeypatch):
    """The block is no longer than inject.start_characters."""
    with workspace() as opened:
        for number in range(30):
            remember(opened, f"Statement number {number} about deploys, with some more words.", key=f"k-{number}")
    assert len(answer(session="s1")) > 800
    monkeypatch.setenv("HOLDFAST_INJECT_START_CHARACTERS", "500")
    assert len(answer(session="s2")) < 700


def test_pinned_memories_come_first(workspace, answer):
    """A pinned memory stands before newer ones of its scope."""
    with workspace() as opened:
        remember(opened, "The pinned one.", key="first", pinned=True)
        remember(opened, "The newer one.", key="second")
    text = answer()
    assert 0 < text.index("The pinned one.") < text.index("The newer one.")


def test_a_prompt_brings_no_more_than_its_items(workspace, answer, monkeypatch):
    """At most inject.prompt_items memories come with a prompt."""
    with workspace() as opened:
        for number in range(6):
            remember(opened, f"Deploys need the VPN, rule {number}.", key=f"k-{number}")
    asked = "deploys need the VPN, which rules?"
    assert answer("UserPromptSubmit", "s1", prompt=asked, prompt_id="1").count("- Deploys need") == 3
    monkeypatch.setenv("HOLDFAST_INJECT_PROMPT_ITEMS", "1")
    assert answer("UserPromptSubmit", "s2", prompt=asked, prompt_id="2").count("- Deploys need") == 1


def test_a_bar_of_a_hundred_lets_little_through(workspace, answer, monkeypatch):
    """inject.relevance decides what is near enough."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN. Ask Kim for access.")
    monkeypatch.setenv("HOLDFAST_INJECT_RELEVANCE", "150")
    assert answer("UserPromptSubmit", "s1", prompt="how do I deploy through the VPN?", prompt_id="1") == ""


@pytest.mark.parametrize(
    ("name", "start", "asks", "compacts"),
    [
        ("gemini-cli", "SessionStart", "BeforeAgent", "PreCompress"),
        ("copilot", "sessionStart", "userPromptSubmitted", "preCompact"),
    ],
)
def test_the_prompt_after_a_compaction_makes_up_for_a_start(name, start, asks, compacts, home, workspace, shop):
    """An agent that starts no session anew after a compaction gets everything back with its next prompt, once."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.")
        remember(opened, "Answer in English.", scope="global")
    agent = agents.get(name)

    def answer(native: str, **told: str) -> str:
        data = {"session_id": "s1", "cwd": str(shop), **told}
        return hook(str(home), agent, agent.read_hook_input(native, data, {}), os.environ)

    assert "VPN" in answer(start, source="startup")
    assert answer(asks, prompt="tidy the kitchen drawers") == ""
    assert answer(compacts, trigger="manual") == ""
    after = answer(asks, prompt="and now the VPN for deploys?")
    assert after.count("Deploys need the VPN.") == 1 and "Answer in English." in after
    assert "last asked:\\n- tidy the kitchen drawers" in after
    assert answer(asks, prompt="the VPN for deploys again?") == ""


def test_what_a_team_withdrew_is_told_no_longer_in_a_session_that_runs(workspace, answer, shop):
    """After a pull in the middle of a session no prompt brings the file that is gone, and the session hears of it."""
    path = shop / ".holdfast" / "memory" / "deploys.md"
    path.parent.mkdir(parents=True)
    path.write_text("Deploys need the VPN.\n")
    with workspace() as opened:
        found = repository_set.of(opened)
        found.allow(found.plan())
    assert "need the VPN" in answer("UserPromptSubmit", "s1", prompt="do deploys need the VPN?")
    path.unlink()
    assert "forgotten" in answer("UserPromptSubmit", "s1", prompt="do deploys need the VPN?")
    assert "VPN" not in answer("UserPromptSubmit", "s2", prompt="do deploys need the VPN?")


def test_a_session_that_had_no_start_is_given_it_with_its_first_prompt(home, workspace, shop):
    """Where an agent runs no hook of a start without a person, the person's rules come with the first prompt, once."""
    with workspace() as opened:
        remember(opened, "Always answer in English.", scope="global")

    def said(native: str, session: str, **told: str) -> str:
        agent = agents.get("qwen")
        data = {"session_id": session, "cwd": str(shop), **told}
        return hook(str(home), agent, agent.read_hook_input(native, data, {}), os.environ)

    assert "Always answer in English." in said("UserPromptSubmit", "s1", prompt="tidy the kitchen drawers")
    assert said("UserPromptSubmit", "s1", prompt="and now the cellar") == ""
    assert "Always answer in English." in said("SessionStart", "s2", source="startup")
    assert said("UserPromptSubmit", "s2", prompt="tidy the kitchen drawers") == ""


def test_a_sealed_session_is_given_nothing_and_nothing_of_it_is_kept(home, workspace, answer, tree, monkeypatch):
    """Its hooks leave one line, by which no sweep takes it in; commands and tools find memory switched off."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.", scope="global")
    assert "VPN" in answer("SessionStart", "open")
    before = tree(home)
    monkeypatch.setenv("HOLDFAST_SEALED", "1")
    for native in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert answer(native, "secret", prompt="remember that the code name is bluebird") == ""
    after = tree(home)
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} <= {
        *("archive", "archive/forgotten.txt"),
    }
    assert Archive(str(home)).is_forgotten("claude-code/secret")
    assert not Archive(str(home)).is_forgotten("claude-code/open")
    with workspace() as opened, pytest.raises(SwitchedOff, match="sealed"):
        remember(opened, "The code name is bluebird.", scope="global")
