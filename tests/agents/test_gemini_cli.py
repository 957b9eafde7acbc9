"""Gemini CLI, by the contract of every agent."""

from __future__ import annotations

from holdfast import agents

from .contract import AgentContract


class TestGeminiCli(AgentContract):
    name = "gemini-cli"
    host = {"GEMINI_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}  # noqa: RUF012
    unit = 1_000


def test_what_a_hook_handed_over_is_no_prompt():
    """Before the first prompt stands what the start of the session was given; the person said only the rest."""
    given = "<hook_context>&lt;holdfast-memory&gt; ... </hook_context>\n\nrun the tests"
    adapter, host = agents.get("gemini-cli"), TestGeminiCli.host
    assert adapter.read_hook_input("BeforeAgent", {"prompt": given}, host).prompt == "run the tests"
    assert adapter.read_hook_input("BeforeAgent", {"prompt": "run <b>"}, host).prompt == "run <b>"
