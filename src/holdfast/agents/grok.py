"""Grok: a hooks file of our own, the server in config.toml, and a rules file, because its hooks cannot inject."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    HOOK_SECONDS,
    RUNS_OTHERS,
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
    grouped,
    hook_groups,
    server_table,
    skills_in,
)
from holdfast.base.minijson import dumps
from holdfast.records import HookCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Grok(Agent):
    """It ignores what hooks print at session start and at a prompt, and reads the hooks of other agents too."""

    name = "grok"
    title = "Grok"
    programs = ("grok",)
    reader = "holdfast.agents.reading.grok"
    moved_by = ("GROK_HOME",)
    guard = "PreToolUse"
    advice = (
        "What holds everywhere reaches Grok by a rules file. For a project's memories, install it there with "
        "--scope project, and trust the folder: `grok --trust`.",
    )
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before-tool",
        "PostToolUse": "tool",
        "PostToolUseFailure": "tool-failed",
        "PreCompact": "compact",
        "PostCompact": "compacted",
        "SubagentStart": "subagent-start",
        "SubagentStop": "subagent-stop",
        "Stop": "stop",
        "SessionEnd": "end",
    }
    seconds = {**HOOK_SECONDS, "start": 5}  # noqa: RUF012

    def is_host(self, environment: Mapping[str, str]) -> bool:
        return RUNS_OTHERS in environment

    def session_of(self, environment: Mapping[str, str]) -> str:
        return environment.get("GROK_SESSION_ID", "")

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return dumps({"decision": "deny", "reason": reason})

    def folder(self, place: Place) -> str:
        return place.root("GROK_HOME", ".grok")

    def parts(self, place: Place, command: Command) -> list[Part]:
        folder = self.folder(place)
        hooks = grouped(hook_groups("", self.name, command, self.hooked(command)))
        return [
            Part(os.path.join(folder, "hooks", f"{SERVER}.json"), "file", (), hooks),
            server_table(os.path.join(folder, "config.toml"), self.name, command),
        ]

    def rules_file(self, place: Place) -> ManagedFile | None:
        return ManagedFile(os.path.join(self.folder(place), "rules", f"{SERVER}.md"))

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        return [
            *existing("global", "memory", os.path.join(personal, "memory"), "MEMORY.md"),
            *all_below("global", "rules", os.path.join(personal, "rules"), ".md"),
            *all_below("project", "rules", os.path.join(place.folder, ".grok", "rules"), ".md"),
            *existing("project", "instructions", place.folder, "AGENTS.md"),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope == "project":
            return blocks_in(place.folder, "AGENTS.md", "CLAUDE.md")
        return [ManagedFile(os.path.join(self.folder(place), "rules", f"{name}.md"))]

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Grok()
