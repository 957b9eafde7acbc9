"""Claude Code, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestClaudeCode(AgentContract):
    name = "claude-code"
    host = {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/p"}  # noqa: RUF012
