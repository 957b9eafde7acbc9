"""Codex, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestCodex(AgentContract):
    name = "codex"
