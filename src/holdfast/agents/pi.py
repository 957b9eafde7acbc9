"""Pi: its sessions are read. It has no hooks but extensions in TypeScript, and no MCP."""

from __future__ import annotations

from holdfast.agents.base import Agent, ManagedFile, MemoryFile, Place, blocks_in, existing, skills_in


class Pi(Agent):
    """Known by its documents and by sessions of others: no program of it was run here."""

    name = "pi"
    title = "Pi"
    programs = ("pi",)
    reader = "holdfast.agents.reading.pi"
    moved_by = ("PI_CODING_AGENT_DIR",)
    reads_first = ("AGENTS.md", "CLAUDE.md")

    def folder(self, place: Place) -> str:
        return place.root("PI_CODING_AGENT_DIR", ".pi/agent", ".pi")

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        own = existing("global", "instructions", personal, *self.reads_first)
        shared = existing("project", "instructions", place.folder, *self.reads_first)
        return [*own[:1], *shared[:1]]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        folder = place.folder if place.scope == "project" else self.folder(place)
        there = existing(place.scope, "instructions", folder, *self.reads_first)
        return [ManagedFile(there[0].path, block=True)] if there else blocks_in(folder, "AGENTS.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Pi()
