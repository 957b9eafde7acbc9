"""Kiro CLI, by the contract of every agent, and what is its own: steering, no session, no memory."""

from __future__ import annotations

from holdfast import agents
from holdfast.records import HookCall

from .contract import AgentContract


class TestKiro(AgentContract):
    name = "kiro"
    unit = 1_000


def test_where_the_steering_stands_the_start_is_silent(tmp_path) -> None:
    """What a session starts with comes once, by steering or by the hook; a prompt is answered in any case."""
    start = HookCall("kiro", "start", "agentSpawn", folder=str(tmp_path))
    prompt = HookCall("kiro", "prompt", "userPromptSubmit", folder=str(tmp_path))
    assert agents.get("kiro").injection_output(start, "TEXT") == "TEXT"
    (tmp_path / ".kiro" / "steering").mkdir(parents=True)
    (tmp_path / ".kiro" / "steering" / "holdfast.md").touch()
    assert agents.get("kiro").injection_output(start, "TEXT") == ""
    assert agents.get("kiro").injection_output(prompt, "TEXT") == "TEXT"


def test_the_process_stands_for_the_session() -> None:
    """It names no session: the calls of one process share one, and none of them passes for a repetition."""
    agent = agents.get("kiro")
    first, second = (agent.read_hook_input("userPromptSubmit", {"prompt": "a"}, {}) for _ in range(2))
    assert first.session == second.session != "" and first.tag != second.tag


def test_it_declares_that_it_keeps_no_memory() -> None:
    """Its workspace gets the scaffold."""
    assert not agents.get("kiro").keeps_memory
