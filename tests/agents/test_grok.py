"""Grok, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestGrok(AgentContract):
    name = "grok"
    host = {"GROK_HOOK_EVENT": "stop", "CLAUDE_PROJECT_DIR": "/p"}  # noqa: RUF012
