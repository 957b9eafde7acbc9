"""GitHub Copilot CLI, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestCopilot(AgentContract):
    name = "copilot"
