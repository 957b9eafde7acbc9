"""A preview is what the hook would give, with its costs and reasons, and nothing is recorded."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.app.preview import preview
from holdfast.errors import BadInput, NotFound
from holdfast.memory.remember import remember

AGENT = "claude-code"


@pytest.fixture
def told(home, shop):
    """Run a hook and return what it prints, as JSON."""

    def make(native: str, session: str = "s1", name: str = AGENT, **given: str) -> dict:
        data = {"session_id": session, "cwd": str(shop), "prompt_id": os.urandom(4).hex(), **given}
        agent = agents.get(name)
        environment = {**os.environ, "CLAUDECODE": "1"} if name == AGENT else dict(os.environ)
        out = hook(str(home), agent, agent.read_hook_input(native, data, {}), environment)
        return json.loads(out) if out.startswith("{") else {"plain": out} if out else {}

    return make


def text(answer: dict) -> str:
    """Return what reaches the model."""
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.fixture
def filled(workspace):
    """Two rules, a decision with its reason, and a fact."""
    with workspace() as opened:
        remember(opened, "Answer in British English.", scope="global", type="feedback")
        remember(opened, "Never force a push.", type="feedback")
        remember(opened, "Use Postgres.\n\nWhy: we know it.", type="decision")
        remember(opened, "Deploys need the VPN. Ask Kim for access.")


def test_a_preview_is_what_a_session_then_gets(told, workspace, filled):
    """At a start, at a prompt and after a compaction the text is the hook's, byte for byte."""
    with workspace() as opened:
        start = preview(opened).block.text
        remember(opened, "The bastion of the deploys is called Otto.")
    assert "British English" in start and "Why: we know it." in start
    with workspace() as opened:
        assert preview(opened, agent=AGENT).block.text == text(told("SessionStart", source="startup"))
    asked = "repair the login form, but do not change the public function names"
    told("UserPromptSubmit", prompt=asked)
    with workspace() as opened:
        found = preview(opened, after_compaction=True)
    told("PreCompact", trigger="auto")
    assert found.block.text == text(told("SessionStart", source="compact")) and asked in found.block.text


def test_a_prompt_brings_what_its_start_left_out(workspace, filled, monkeypatch):
    """What the start told is named with that reason; what found no room there comes with the prompt."""
    with workspace() as opened:
        found = preview(opened, prompt="how do we deploy through the VPN?")
        assert found.block.text == "" and "the start of the session told it already" in [
            why for _, why in found.block.left_out
        ]
    monkeypatch.setenv("HOLDFAST_INJECT_START_CHARACTERS", "400")
    with workspace() as opened:
        for number in range(9):
            remember(opened, f"Rule {number} of the house: shut window{number} at night.", scope="global", type="user")
        assert "Ask Kim" in preview(opened, prompt="how do we deploy through the VPN?").block.text


def test_each_line_has_its_cost_and_what_is_missing_its_reason(workspace, filled):
    """The lines are those of the text; together with fences and headings they are all of it."""
    with workspace() as opened:
        remember(opened, "never force a push", key="again")
        found = preview(opened)
    lines = found.block.lines
    assert all(line.why and f"- {line.text}\n" in found.block.text for line in lines)
    assert 0 < sum(line.characters for line in lines) < len(found.block.text) <= found.budget == 3_000
    assert any("said already by" in why for _, why in found.block.left_out)


def test_nothing_is_written(workspace, home, filled, told):
    """No journal, no receipt and no session knows of a preview."""

    def everything() -> dict[str, bytes]:
        kept = ("journal", "state/shown", "state/seen", "memory", "updates")
        paths = [path for name in kept for path in (home / name).rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in paths}

    told("UserPromptSubmit", prompt="repair the login form")
    before = everything()
    with workspace() as opened:
        for asked in ({}, {"prompt": "how do we deploy?"}, {"after_compaction": True}, {"agent": "codex"}):
            preview(opened, **asked)
    assert everything() == before


def test_what_cannot_be_shown_is_refused(workspace, filled):
    """An unknown agent, and two moments at once, are errors."""
    with workspace() as opened:
        with pytest.raises(NotFound):
            preview(opened, agent="nobody")
        with pytest.raises(BadInput, match="two moments"):
            preview(opened, prompt="x", after_compaction=True)
        assert preview(opened, agent="grok").note


def test_the_person_is_shown_what_was_stored(told, workspace, filled):
    """Claude Code, Codex and Gemini CLI get one line for the person; an agent that shows none gets no such field."""
    for name, native in ((AGENT, "UserPromptSubmit"), ("codex", "UserPromptSubmit"), ("gemini-cli", "BeforeAgent")):
        said = told(native, f"{name}-1", name, prompt=f"Remember that the colour of {name} is teal.")
        assert said["systemMessage"].startswith(f'Holdfast: remembered "The colour of {name} is teal.')
        assert "\n" not in said["systemMessage"]
        assert "systemMessage" not in told(native, f"{name}-1", name, prompt="write a haiku about autumn")
    assert "systemMessage" not in str(told("chat.message", "o-1", "opencode", prompt="Remember that I like tea."))


def test_the_line_can_be_switched_off(told, filled, monkeypatch):
    """Without the setting nothing is shown, and what was stored is stored."""
    monkeypatch.setenv("HOLDFAST_HOOK_NOTICES", "no")
    assert told("UserPromptSubmit", prompt="Remember that I like tea.") == {}


def test_what_waits_is_told_once(told, home, filled):
    """Proposals that wait are named at a start, and again only when they are others."""
    (home / "proposals").mkdir()
    (home / "proposals" / "abcd1234.md").write_text("x", encoding="utf-8")
    assert "1 proposal waiting for you" in told("SessionStart", source="startup")["systemMessage"]
    assert "systemMessage" not in told("SessionStart", "s2", source="startup")
    (home / "proposals" / "efab5678.md").write_text("x", encoding="utf-8")
    assert "2 proposals waiting" in told("SessionStart", "s3", source="startup")["systemMessage"]


def test_what_was_recovered_is_said_in_a_line(told, filled):
    """After a compaction the last line names what came back."""
    told("UserPromptSubmit", prompt="repair the login form of the shop")
    lines = text(told("SessionStart", source="compact")).split("\n")
    assert lines[-2] == "Recovered after the compaction: what was asked last, 4 memories."


def test_a_fact_whose_code_changed_comes_with_a_warning(told, workspace, shop):
    """At a start, at a prompt and in the preview of both; never where the code is as it was."""
    (shop / "auth.py").write_text("def login_user():\n    return 1\n", encoding="utf-8")
    with workspace() as opened:
        remember(opened, "`login_user` in auth.py gives a session number back.")
    asked = "what session number does login_user in auth.py give back?"
    assert "- `login_user` in auth.py" in text(told("SessionStart", "a", source="startup"))
    assert "- `login_user` in auth.py" in text(told("UserPromptSubmit", "b", prompt=asked))
    (shop / "auth.py").write_text("def login_user():\n    return 2\n", encoding="utf-8")
    with workspace() as opened:
        start, prompt = preview(opened).block.text, preview(opened, prompt=asked).block
    assert "- [login_user in auth.py changed since (" in start and "): verify first] `login_user` in auth.py" in start
    assert not prompt.given
    assert text(told("SessionStart", "c", source="startup")) == start
    told("UserPromptSubmit", "d", prompt=asked)
    assert "): verify first] `login_user` in auth.py" in text(told("UserPromptSubmit", "e", prompt=asked))


def test_a_long_fact_is_told_whole_behind_its_warning(told, workspace, shop):
    """A warning takes no word from a statement of up to 300 characters."""
    (shop / "auth.py").write_text("def login_user():\n    return 1\n", encoding="utf-8")
    said = "`login_user` in auth.py gives a number. " + "It is unique for the day. " * 9 + "Ask Kim for more."
    with workspace() as opened:
        remember(opened, said)
    (shop / "auth.py").write_text("def login_user():\n    return 2\n", encoding="utf-8")
    assert f"verify first] {said}" in text(told("SessionStart", source="startup"))
    assert f"verify first] {said}" in text(
        told("UserPromptSubmit", "b", prompt="what does login_user in auth.py give?")
    )


def test_what_holds_on_another_branch_is_not_given(told, workspace, shop):
    """The branch that is checked out is read from the files of git."""
    with workspace() as opened:
        remember(opened, "The invoices are numbered by the till.", key="k")
        opened.store.change(opened.scope("project"), "k", branch="till/numbers")
    asked = "how are the invoices numbered by the till?"
    assert "invoices" not in text(told("SessionStart", "a", source="startup")).partition("ask memory_recall")[0]
    assert text(told("UserPromptSubmit", "b", prompt=asked)) == ""
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/till/numbers\n", encoding="utf-8")
    assert "numbered by the till" in text(told("SessionStart", "c", source="startup"))
    assert "numbered by the till" in text(told("UserPromptSubmit", "d", prompt=asked))


@pytest.mark.parametrize("prompt", ["how do we deploy?", "deploy to production", "do I need the VPN?"])
def test_a_new_home_brings_what_is_asked_for_or_says_that_it_was_told(cli, told, prompt):
    """A memory is found by its meaning from its first prompt on; where the start told it, a preview says so."""
    cli("remember", "Deploys need the VPN. Ask Kim for access.", "--tag", "deploy")
    cli("remember", "--scope", "global", "--type", "user", "Answer in British English.")
    assert "- Deploys need the VPN. Ask Kim for access.\n" in text(told("UserPromptSubmit", prompt=prompt))
    assert (
        "deploys-need-the-vpn-ask-kim  the start of the session told it already"
        in cli("preview", "--prompt", prompt).out
    )


def test_a_preview_of_a_prompt_that_brings_nothing_says_how_far_it_was_from_the_bar(workspace):
    """The nearest memory is named with its mark and the bar."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.")
    with workspace() as opened:
        ((name, why), *_) = preview(opened, prompt="translate the poem about the sea").block.left_out
        none = preview(opened, prompt="yes, do it").block.left_out
    assert name.endswith("/deploys-need-the-vpn") and "the bar inject.relevance is 0.45" in why and not none


def test_many_short_memories_fill_the_room(told, workspace):
    """Nothing that would fit is left out, however short the newest memories are."""
    names, things = ("atlas", "bolt", "cedar", "delta", "fable", "hazel", "iris", "jade", "lotus", "nova"), range(16)
    with workspace() as opened:
        for name in names:
            for number in things:
                remember(opened, f"{name.title()} opens gate {number * 7}.")
        given = preview(opened, agent=AGENT).block.text
    assert len(given) > 2_900 and given == text(told("SessionStart", source="startup"))
