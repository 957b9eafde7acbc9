"""Gemini CLI, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestGeminiCli(AgentContract):
    name = "gemini-cli"
    host = {"GEMINI_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}  # noqa: RUF012
    unit = 1_000
