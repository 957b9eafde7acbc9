"""Factory Droid: its sessions are read."""

from __future__ import annotations

from holdfast.agents.base import Agent, ManagedFile, Place, blocks_in, skills_in


class Droid(Agent):
    """Known by sessions of others: no program of it was run here, and its hooks were not verified."""

    name = "droid"
    title = "Factory Droid"
    programs = ("droid",)
    reader = "holdfast.agents.reading.droid"

    def folder(self, place: Place) -> str:
        return place.root("", ".factory")

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        return blocks_in(place.folder if place.scope == "project" else self.folder(place), "AGENTS.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Droid()
