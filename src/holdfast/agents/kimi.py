"""Kimi Code, and the Kimi CLI before it: their sessions are read."""

from __future__ import annotations

import os

from holdfast.agents.base import Agent, ManagedFile, MemoryFile, Place, blocks_in, existing, skills_in


class Kimi(Agent):
    """Known by its documents and by sessions of others: neither a program nor the hooks of it were run here."""

    name = "kimi"
    title = "Kimi Code"
    programs = ("kimi",)
    reader = "holdfast.agents.reading.kimi"
    moved_by = ("KIMI_SHARE_DIR",)

    def folder(self, place: Place) -> str:
        return place.root("", ".kimi-code")

    def memory_files(self, place: Place) -> list[MemoryFile]:
        return existing("project", "instructions", place.folder, "AGENTS.md")

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        return blocks_in(place.folder, "AGENTS.md") if place.scope == "project" else []

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, os.path.join(place.folder, ".agents")) if place.scope == "project" else []


AGENT = Kimi()
