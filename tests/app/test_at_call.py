"""What is told around a call of a tool: what is chosen, in whose form, what waits, and what is written down."""

from __future__ import annotations

import json

import pytest

from holdfast import agents
from holdfast.app.at_call import answer
from holdfast.app.hook import hook
from holdfast.parts import Effect, HookRun
from holdfast.records import Given, Scope

PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push"}}


@pytest.fixture
def told(home, shop):
    """Let parts tell something at a call of an agent; return what is printed."""
    (home / "state").mkdir(parents=True)

    def make(*effects: Effect, agent: str = "claude-code", native: str = "PreToolUse", **more: object) -> str:
        adapter = agents.get(agent)
        data = {"session_id": "s1", "cwd": str(shop), **PUSH, **more}
        run = HookRun(str(home), adapter, adapter.read_hook_input(native, data, {}), {})
        return answer(run, [("rules", effect) for effect in effects])

    return make


def said(line: str, noted: list[str] | None = None, **more: object) -> Effect:
    """Return a line of the person's, which notes that it was told."""
    given = Given(Scope("global"), line[:5], "d", "said at git push", 3)
    return Effect(lambda: None if noted is None else noted.append(line), say=line, theirs=True, given=given, **more)


def journal(home) -> list[dict]:
    """Return the rows of the journal."""
    return [json.loads(line) for path in sorted((home / "journal").iterdir()) for line in path.read_text().splitlines()]


def test_two_lines_at_most_come_with_a_result(told, home) -> None:
    """Of three lines the first two are told, in one fence of the person's; the third is not noted as told."""
    noted: list[str] = []
    printed = told(*(said(f"line {number}", noted) for number in range(3)))
    text = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    assert text.count("<holdfast-memory>") == 1 and "- line 0\n- line 1\n" in text and "line 2" not in text
    assert noted == ["line 0", "line 1"]
    (receipt,) = [row for row in journal(home) if row["kind"] == "receipt"]
    assert [given[2] for given in receipt["given"]] == ["line ", "line "] and receipt["characters"] == len(text)


def test_a_call_that_is_held_gets_no_line_and_all_reasons_at_once(told) -> None:
    """What is said of a call comes when it runs; what holds it does so once, so that its repeat goes through."""
    noted: list[str] = []
    printed = told(said("a line", noted), Effect(hold="Held by Holdfast, one"), Effect(hold="and two"))
    answered = json.loads(printed)["hookSpecificOutput"]
    assert answered["permissionDecision"] == "deny"
    assert answered["permissionDecisionReason"] == "Held by Holdfast, one\nand two"
    assert noted == []


def test_what_cannot_be_noted_as_held_is_not_held(told, home) -> None:
    """Else it would be held for ever: the call goes on, and the log says why."""

    def fail() -> None:
        raise OSError("no space")

    assert told(Effect(fail, hold="Held by Holdfast")) == ""
    assert "rules: OSError" in (home / "state" / "hook.log").read_text()
    assert told(Effect(lambda: False, hold="Held by Holdfast")) == "", "another hook of this event has told it"


def test_the_person_is_asked_where_the_agent_can(told) -> None:
    """A reason that wants the person's word is put to them; every reason begins so that it is known again."""
    answered = json.loads(told(Effect(ask="Never push.")))["hookSpecificOutput"]
    assert (answered["permissionDecision"], answered["permissionDecisionReason"]) == (
        *("ask", "Held by Holdfast: Never push."),
    )


def test_a_session_that_is_to_be_told_nothing_is_told_no_line_but_held(told, home, monkeypatch) -> None:
    """`measure.holdout` withholds what is said, with a receipt; what a person forbids holds in every session."""
    (home / "config.toml").write_text("[measure]\nholdout = 1.0\n")
    assert told(said("a line")) == ""
    assert [row["withheld"] for row in journal(home)] == [True]
    assert "Held by Holdfast" in told(Effect(hold="Held by Holdfast"))


def test_what_an_agent_cannot_hear_now_comes_with_its_next_prompt(told, home, shop) -> None:
    """Kiro takes nothing at a call: the line waits, comes with the next prompt of that session, and then no more."""
    lines = [said("Pushes go through the gate."), said("Pushes go through the gate.")]
    assert told(*lines, agent="kiro", native="postToolUse") == ""
    adapter = agents.get("kiro")

    def prompt(session: str, id: str) -> str:
        data = {"session_id": session, "cwd": str(shop), "prompt": "please go on with the work", "prompt_id": id}
        return hook(str(home), adapter, adapter.read_hook_input("userPromptSubmit", data, {}), {})

    assert prompt("s2", "1") == ""
    assert prompt("s1", "2").count("Pushes go through the gate.") == 1
    assert prompt("s1", "3") == ""
    assert not (home / "state" / "hook.log").exists()


def test_a_call_that_was_not_made_teaches_nothing(home, shop) -> None:
    """Some agents tell a held call as one that failed: no failure is noted, and nothing goes into the trail."""
    (home / "state").mkdir(parents=True)
    adapter = agents.get("claude-code")
    error = "Hook denied: Held by Holdfast, before it ran: never remove anything."
    data = {"session_id": "s1", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": "rm -rf src"}}
    call = adapter.read_hook_input("PostToolUseFailure", {**data, "error": error}, {})
    assert hook(str(home), adapter, call, {}) == ""
    assert not (home / "state" / "failures").exists() and not (home / "security").exists()
    (row,) = journal(home)
    assert row["kind"] == "tool-failed" and row["ms"] > 0
