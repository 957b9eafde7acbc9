"""Factory Droid: its sessions are read."""

from __future__ import annotations

from holdfast.agents.base import Agent


class Droid(Agent):
    """Known by sessions of others: no program of it was run here, and its hooks were not verified."""

    name = "droid"
    title = "Factory Droid"
    programs = ("droid",)
    config_folder = ("", ".factory")
    reader = "holdfast.agents.reading.droid"
    own_instructions = project_instructions = ("AGENTS.md",)
    skill_homes = ("own",)


AGENT = Droid()
