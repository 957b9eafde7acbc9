"""Gemini CLI, by the contract of every agent."""

from __future__ import annotations

from holdfast import agents
from holdfast.privacy.fence import kept

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


def test_what_we_handed_over_is_not_recorded():
    """Its brackets come back spelled; the journal keeps nothing of what stands in our fence."""
    ours = "&lt;holdfast-memory&gt;\nDeploys need the VPN.\n&lt;/holdfast-memory&gt;"
    given = f"<hook_context>{ours} other</hook_context>\n\nrun the tests"
    call = agents.get("gemini-cli").read_hook_input("BeforeAgent", {"prompt": given}, TestGeminiCli.host)
    assert "VPN" not in kept(call.notice, 2_000) and "other" in kept(call.notice, 2_000)


def test_a_compaction_that_is_only_considered_is_none(tmp_path) -> None:
    """It tells of one before every request; one is possible only where the last request was large, or was asked for."""
    path = tmp_path / "session.jsonl"
    data = {"session_id": "s1", "transcript_path": str(path), "trigger": "auto"}
    agent = agents.get("gemini-cli")
    moments = []
    for tokens in (100, 700_000):
        path.write_text(f'{{"id": "m1", "type": "gemini", "tokens":{{"input":{tokens},"output":10}}}}\n')
        moments.append(agent.read_hook_input("PreCompress", data, {}).moment)
    assert moments == ["nothing", "compact"]
    assert agent.read_hook_input("PreCompress", {**data, "trigger": "manual"}, {}).moment == "compact"
