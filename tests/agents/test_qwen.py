"""Qwen Code, by the contract of every agent."""

from __future__ import annotations

from .contract import AgentContract


class TestQwen(AgentContract):
    name = "qwen"
    unit = 1_000
