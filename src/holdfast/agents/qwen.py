"""Qwen Code: hooks and the server in settings.json, with timeouts in milliseconds."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    MILLISECONDS,
    Agent,
    Command,
    ManagedFile,
    MemoryFile,
    Part,
    Place,
    blocks_in,
    context_json,
    existing,
    hook_groups,
    server,
    skills_in,
)
from holdfast.records import HookCall


class Qwen(Agent):
    """Known by its documents only: no program of it was run here."""

    name = "qwen"
    title = "Qwen Code"
    programs = ("qwen",)
    reader = "holdfast.agents.reading.qwen"
    moved_by = ("QWEN_HOME", "QWEN_RUNTIME_DIR")
    injects = frozenset({"start", "prompt"})
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PostToolUse": "tool",
        "PreCompact": "compact",
        "PostToolUseFailure": "tool-failed",
        "SubagentStart": "subagent-start",
        "SubagentStop": "subagent-stop",
        "Stop": "stop",
        "SessionEnd": "end",
    }

    def injection_output(self, call: HookCall, text: str) -> str:
        return context_json(call.native, text)

    def folder(self, place: Place) -> str:
        return place.root("QWEN_HOME", ".qwen")

    def parts(self, place: Place, command: Command) -> list[Part]:
        settings = os.path.join(self.folder(place), "settings.json")
        hooks = hook_groups(settings, self.name, command, self.hooked(command), MILLISECONDS, name="holdfast")
        return [*hooks, server(settings, self.name, command)]

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        return [
            *existing("global", "instructions", personal, "QWEN.md"),
            *existing("project", "instructions", place.folder, "QWEN.md", "AGENTS.md"),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope == "project":
            return blocks_in(place.folder, "AGENTS.md", "QWEN.md")
        return blocks_in(self.folder(place), "QWEN.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Qwen()
