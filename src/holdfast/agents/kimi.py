"""Kimi Code, and the Kimi CLI before it: their sessions are read."""

from __future__ import annotations

from holdfast.agents.base import Agent, Place


class Kimi(Agent):
    """Known by its documents and by sessions of others: neither a program nor the hooks of it were run here."""

    name = "kimi"
    title = "Kimi Code"
    programs = ("kimi",)
    config_folder = ("", ".kimi-code")
    reader = "holdfast.agents.reading.kimi"
    dialogs = ("AskUserQuestion",)
    moved_by = ("KIMI_SHARE_DIR",)
    project_instructions = ("AGENTS.md",)
    skill_homes = (".agents",)
    knowledge = (("project", "instructions", "AGENTS.md"),)

    def skill_folders(self, place: Place) -> list[str]:
        return super().skill_folders(place) if place.scope == "project" else []


AGENT = Kimi()
