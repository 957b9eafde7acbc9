"""Who may write where over MCP, and how the server learns whose session and profile it serves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.surfaces import hook as hook_package

RUNNER = str(Path(hook_package.__file__).parent / "run.py")
SUBAGENT = {"threadId": "t-2", "x-codex-turn-metadata": {"thread_source": "subagent", "parent_thread_id": "t-1"}}


@pytest.fixture
def hook(home, shop):
    """Run a real hook of an agent, started by the same process as the server."""
    home.mkdir(mode=0o700, exist_ok=True)

    def run(agent: str, event: str, *, shell: bool = False, **told: str) -> None:
        words = [sys.executable, "-I", "-S", "-E", RUNNER, event, "--agent", agent, "--home", str(home)]
        told = {"cwd": str(shop), **told}
        command = ["sh", "-c", '"$@"; true', "sh", *words] if shell else words
        environment = {**os.environ, "HOLDFAST_SWEEP_AT_SESSION_END": "no", "CLAUDECODE": "1"}
        subprocess.run(command, input=json.dumps(told).encode(), env=environment, cwd=shop, timeout=300, check=True)

    return run


def call(server, meta: dict, **arguments: object) -> dict:
    """Store something by a call that carries this `_meta`."""
    params = {"name": "memory_store", "arguments": arguments, "_meta": meta}
    return server.ask("tools/call", params)["result"]


def test_a_subagent_does_not_write_global(talk, home) -> None:
    """A sub-agent is refused the scope global, told what it may use, and writes to the project; its agent may both."""
    server = talk("--agent", "codex")
    refused = call(server, SUBAGENT, content="Answer in French.", scope="global")
    assert refused["isError"] is True
    told = refused["content"][0]["text"]
    assert "sub-agent" in told and "project" in told and "reach.subagent" in told
    assert not (home / "memory" / "global").exists()
    assert not call(server, SUBAGENT, content="The build needs lld.", scope="project")["isError"]
    assert not call(server, {"threadId": "t-1"}, content="Answer in English.", scope="global")["isError"]


def test_a_program_that_nobody_knows_does_not_write_global(talk) -> None:
    """A client that is no known agent may not write what holds everywhere, nor forget it; it reads."""
    talk("--agent", "codex").call("memory_store", content="Answer in British English.", key="tone", scope="global")
    server = talk()
    assert "no known agent" in server.refused("memory_store", content="Obey me.", scope="global")
    assert "no known agent" in server.refused("memory_forget", key="tone", scope="global")
    assert [one["key"] for one in server.call("memory_recall", query="English")["memories"]] == ["tone"]


def test_the_table_is_changed_in_the_settings(talk, cli) -> None:
    """What a setting allows is allowed, what it takes away is refused, and a word that is no scope is an error."""
    assert cli("config", "set", "reach.unknown", "global project").code == 0
    assert cli("config", "set", "reach.agent", "session").code == 0
    assert talk().call("memory_store", content="Pears are green.", scope="global")["success"] is True
    agent = talk("--agent", "codex")
    assert "reach.agent" in agent.refused("memory_store", content="Pears are green.")
    assert "reach.agent" in agent.refused("working_state", focus="Pears")
    assert "reach.agent" in agent.refused("project_notes", action="todo", text="Pears")
    wrong = cli("config", "set", "reach.agent", "everything")
    assert wrong.code == 2 and "global, project, session, agent" in wrong.err


@pytest.mark.parametrize(
    ("agent", "meta"), [("codex", {"threadId": "abc-1"}), ("opencode", {"ai.opencode/sessionID": "abc-1"})]
)
def test_a_call_names_its_session(talk, agent, meta) -> None:
    """Where an agent names the session in each call, that is the session of the scope, another call has another."""
    server = talk("--agent", agent)
    stored = call(server, meta, content="Port 5433 today.", scope="session")["structuredContent"]
    assert stored["scope_id"] == "abc-1"
    assert "no session" in server.refused("memory_store", content="Port 5434.", scope="session").lower()


@pytest.mark.parametrize("shell", [False, True])
def test_hooks_of_the_same_program_tell_the_session(started, hook, shell) -> None:
    """Where no call names one, the session is the one that hooks of the same program heard last, cleared or not."""
    server = started("--agent", "codex")
    hook("codex", "SessionStart", session_id="first", source="startup", shell=shell)
    assert server.call("memory_store", content="Port 5433 today.", scope="session")["scope_id"] == "first"
    hook("codex", "SessionStart", session_id="second", source="clear", shell=shell)
    assert server.call("memory_store", content="Port 5434 today.", scope="session")["scope_id"] == "second"
    hook("kimi", "SessionStart", session_id="other", source="startup", shell=shell)
    assert server.call("memory_store", content="Port 5435 today.", scope="session")["scope_id"] == "second"


def test_the_profile_of_the_agent_selects_the_scope(talk, hook) -> None:
    """The agent's own profile name, told to its hooks, is the profile of its MCP calls and of what it is given."""
    hook("claude-code", "SessionStart", session_id="s1", source="startup", agent_type="team:Reviewer")
    server = talk("--agent", "claude-code", CLAUDE_CODE_SESSION_ID="s1")
    stored = server.call("memory_store", content="Check licences first.", scope="agent")
    assert stored["scope_id"] == "team-reviewer"
    other = talk("--agent", "claude-code", CLAUDE_CODE_SESSION_ID="s2")
    assert "profile" in other.refused("memory_store", content="x", scope="agent").lower()


def test_a_subagent_of_claude_code_is_told_by_its_transcript(talk, machine, shop) -> None:
    """A call that stands in the transcript of a sub-agent is the sub-agent's; one in the session's own is not."""
    folder = machine / ".claude" / "projects" / "-shop"
    (folder / "s1" / "subagents").mkdir(parents=True)
    (folder / "s1.jsonl").write_text('{"message":{"content":[{"type":"tool_use","id":"toolu_main"}]}}\n')
    (folder / "s1" / "subagents" / "agent-1.jsonl").write_text('{"content":[{"type":"tool_use","id":"toolu_sub"}]}\n')
    server = talk("--agent", "claude-code", CLAUDE_CODE_SESSION_ID="s1")
    assert call(server, {"claudecode/toolUseId": "toolu_sub"}, content="x", scope="global")["isError"]
    assert call(server, {"claudecode/toolUseId": "toolu_nowhere"}, content="x", scope="global")["isError"]
    assert not call(server, {"claudecode/toolUseId": "toolu_main"}, content="x", scope="global")["isError"]
