"""GitHub Copilot CLI: a hooks file of our own, the server in mcp-config.json."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    SERVER,
    Agent,
    Command,
    ManagedFile,
    MemoryFile,
    Part,
    Place,
    all_below,
    blocks_in,
    existing,
    server,
    skills_in,
)
from holdfast.base.minijson import dumps
from holdfast.records import HookCall


class Copilot(Agent):
    """Known by its documents only: no program of it was run here."""

    name = "copilot"
    title = "GitHub Copilot CLI"
    programs = ("copilot",)
    reader = "holdfast.agents.reading.copilot"
    moved_by = ("COPILOT_HOME",)
    injects = frozenset({"start", "prompt"})
    starts_again = False
    events = {  # noqa: RUF012
        "sessionStart": "start",
        "userPromptSubmitted": "prompt",
        "postToolUse": "tool",
        "postToolUseFailure": "tool-failed",
        "preCompact": "compact",
        "subagentStart": "subagent-start",
        "subagentStop": "subagent-stop",
        "agentStop": "stop",
        "sessionEnd": "end",
    }

    def injection_output(self, call: HookCall, text: str) -> str:
        return dumps({"additionalContext": text})

    def folder(self, place: Place) -> str:
        return place.root("COPILOT_HOME", ".copilot", ".github")

    def parts(self, place: Place, command: Command) -> list[Part]:
        folder = self.folder(place)
        hooks = {native: [self._handler(native, seconds, command)] for native, seconds in self.hooked(command).items()}
        own = Part(os.path.join(folder, "hooks", f"{SERVER}.json"), "file", (), {"version": 1, "hooks": hooks})
        if place.scope == "project":
            return [own]
        return [own, server(os.path.join(folder, "mcp-config.json"), self.name, command, type="local", tools=["*"])]

    def _handler(self, native: str, seconds: int, command: Command) -> dict[str, object]:
        return {"type": "command", "bash": command.hook_line(self.name, native), "timeoutSec": seconds}

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        shared = os.path.join(place.folder, ".github")
        return [
            *existing("global", "instructions", personal, "copilot-instructions.md"),
            *all_below("global", "rules", os.path.join(personal, "instructions"), ".md"),
            *existing("project", "instructions", shared, "copilot-instructions.md"),
            *all_below("project", "rules", os.path.join(shared, "instructions"), ".instructions.md"),
            *existing("project", "instructions", place.folder, "AGENTS.md"),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope != "project":
            return blocks_in(self.folder(place), "copilot-instructions.md")
        return blocks_in(place.folder, "AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place), ".claude")


AGENT = Copilot()
