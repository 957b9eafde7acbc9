"""Pi: its sessions are read. It has no hooks but extensions in TypeScript, and no MCP."""

from __future__ import annotations

from holdfast.agents.base import Agent


class Pi(Agent):
    """Known by its documents and by sessions of others: no program of it was run here."""

    name = "pi"
    title = "Pi"
    programs = ("pi",)
    config_folder = ("PI_CODING_AGENT_DIR", ".pi/agent", ".pi")
    reader = "holdfast.agents.reading.pi"
    moved_by = ("PI_CODING_AGENT_DIR",)
    reads_first = own_instructions = project_instructions = ("AGENTS.md", "CLAUDE.md")
    skill_homes = ("own",)
    knowledge = (("global", "instructions", *reads_first), ("project", "instructions", *reads_first))


AGENT = Pi()
