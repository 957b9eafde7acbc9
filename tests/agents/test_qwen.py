"""Qwen Code, by the contract of every agent."""

from __future__ import annotations

from holdfast import agents

from .contract import AgentContract


class TestQwen(AgentContract):
    name = "qwen"
    unit = 1_000


def test_a_prompt_without_a_word_is_none() -> None:
    """With every result of a tool the program tells of a prompt that is empty; nobody said anything."""
    qwen = agents.get("qwen")
    moments = [qwen.read_hook_input("UserPromptSubmit", {"prompt": said}, {}).moment for said in ("hello", "")]
    assert moments == ["prompt", "nothing"]
