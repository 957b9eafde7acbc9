"""Codex: hooks in hooks.json, the server in config.toml."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    ABOUT,
    SERVER,
    Agent,
    Command,
    ManagedFile,
    MemoryFile,
    Part,
    Place,
    blocks_in,
    context_json,
    denial_json,
    existing,
    grouped,
    hook_groups,
    server,
    server_table,
    skills_in,
)
from holdfast.records import HookCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.headless import Headless


class Codex(Agent):
    """It runs a hook only after the person trusted it, and says nothing of itself in the environment."""

    name = "codex"
    title = "Codex"
    programs = ("codex",)
    reader = "holdfast.agents.reading.codex"
    moved_by = ("CODEX_HOME",)
    injects = frozenset({"start", "prompt"})
    guard = "PreToolUse"
    advice = ("Start codex and type /hooks: it runs new or changed hooks only after you trusted them there.",)
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before-tool",
        "PostToolUse": "tool",
        "PreCompact": "compact",
        "PostCompact": "compacted",
        "SubagentStart": "subagent-start",
        "SubagentStop": "subagent-stop",
        "Stop": "stop",
        "SessionEnd": "end",
    }

    def injection_output(self, call: HookCall, text: str) -> str:
        return context_json(call.native, text)

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return denial_json(call.native, reason)

    def folder(self, place: Place) -> str:
        return place.root("CODEX_HOME", ".codex")

    def parts(self, place: Place, command: Command) -> list[Part]:
        folder = self.folder(place)
        hooks = hook_groups(os.path.join(folder, "hooks.json"), self.name, command, self.hooked(command))
        return [*hooks, server_table(os.path.join(folder, "config.toml"), self.name, command)]

    def plugin(self, command: Command, version: str, skill: str) -> dict[str, object]:
        folder = f"plugins/{SERVER}"
        manifest = {
            "name": SERVER,
            "version": version,
            "description": ABOUT,
            "author": {"name": "Holdfast"},
            "skills": "./skills/",
            "hooks": "./hooks.json",
            "mcpServers": "./.mcp.json",
        }
        listed = {
            "name": SERVER,
            "source": {"source": "local", "path": f"./{folder}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        }
        return {
            ".agents/plugins/marketplace.json": {"name": SERVER, "plugins": [listed]},
            f"{folder}/.codex-plugin/plugin.json": manifest,
            f"{folder}/hooks.json": grouped(hook_groups("", self.name, command, self.hooked(command))),
            f"{folder}/.mcp.json": {"mcpServers": {SERVER: server("", self.name, command).value}},
            f"{folder}/skills/{SERVER}-memory/SKILL.md": skill,
        }

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        names = ("AGENTS.override.md", "AGENTS.md")
        return [
            *existing("global", "memory", os.path.join(personal, "memories"), "MEMORY.md", "memory_summary.md"),
            *existing("global", "instructions", personal, *names),
            *existing("project", "instructions", place.folder, *names),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        folder = place.folder if place.scope == "project" else self.folder(place)
        # Where there is an override, the other one is not read.
        instead = existing(place.scope, "instructions", folder, "AGENTS.override.md")
        return blocks_in(folder, "AGENTS.override.md" if instead else "AGENTS.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, os.path.join(place.folder if place.scope == "project" else place.home, ".agents"))

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        from holdfast.agents import headless

        return headless.codex(program, environment)


AGENT = Codex()
