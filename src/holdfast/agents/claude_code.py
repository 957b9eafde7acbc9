"""Claude Code: hooks in settings.json, the server in .claude.json or .mcp.json."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    ABOUT,
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
    context_json,
    denial_json,
    existing,
    grouped,
    hook_groups,
    server,
    skills_in,
)
from holdfast.records import HookCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.headless import Headless

# Agents that read this one's settings set these, some of them beside aliases of its own variables.
FOREIGN = (RUNS_OTHERS, "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
_MAX_INSTRUCTIONS = 262_144


class ClaudeCode(Agent):
    """It reads what a hook prints at session start and at each prompt."""

    name = "claude-code"
    title = "Claude Code"
    programs = ("claude",)
    reader = "holdfast.agents.reading.claude_code"
    moved_by = ("CLAUDE_CONFIG_DIR",)
    injects = frozenset({"start", "prompt"})
    guard = "PreToolUse"
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before-tool",
        "PostToolUse": "tool",
        "PreCompact": "compact",
        "PostCompact": "compacted",
        "PostToolUseFailure": "tool-failed",
        "SubagentStart": "subagent-start",
        "SubagentStop": "subagent-stop",
        "Stop": "stop",
        "SessionEnd": "end",
    }

    def is_host(self, environment: Mapping[str, str]) -> bool:
        ours = "CLAUDECODE" in environment or "CLAUDE_PROJECT_DIR" in environment
        return ours and not any(name in environment for name in FOREIGN)

    def session_of(self, environment: Mapping[str, str]) -> str:
        return environment.get("CLAUDE_CODE_SESSION_ID", "")

    def injection_output(self, call: HookCall, text: str) -> str:
        return context_json(call.native, text)

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return denial_json(call.native, reason)

    def archived_as(self, call: HookCall) -> str:
        return f"{call.session}.agent-{call.subagent}" if call.subagent else call.session

    def folder(self, place: Place) -> str:
        return place.root("CLAUDE_CONFIG_DIR", ".claude")

    def parts(self, place: Place, command: Command) -> list[Part]:
        settings = os.path.join(self.folder(place), "settings.json")
        servers = server(self._servers(place), self.name, command, type="stdio")
        return [*hook_groups(settings, self.name, command, self.hooked(command)), servers]

    def _servers(self, place: Place) -> str:
        if place.scope == "project":
            return os.path.join(place.folder, ".mcp.json")
        return os.path.join(place.environment.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")

    def plugin(self, command: Command, version: str, skill: str) -> dict[str, object]:
        one = {"name": SERVER, "description": ABOUT, "version": version}
        servers = server("", self.name, command).value
        return {
            ".claude-plugin/plugin.json": {**one, "author": {"name": "Holdfast"}},
            ".claude-plugin/marketplace.json": {
                "name": SERVER,
                "owner": {"name": "Holdfast"},
                "description": ABOUT,
                "plugins": [{**one, "source": "./"}],
            },
            "hooks/hooks.json": grouped(hook_groups("", self.name, command, self.hooked(command))),
            ".mcp.json": {"mcpServers": {SERVER: servers}},
            f"skills/{SERVER}-memory/SKILL.md": skill,
        }

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        shared = os.path.join(place.folder, ".claude")
        names = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
        return [
            *existing("global", "instructions", personal, "CLAUDE.md"),
            *all_below("global", "rules", os.path.join(personal, "rules"), ".md"),
            *existing("project", "instructions", place.folder, *names),
            *all_below("project", "rules", os.path.join(shared, "rules"), ".md"),
            *all_below("project", "memory", self._own_memory(place, personal), ".md"),
            *all_below("project", "memory", os.path.join(shared, "agent-memory"), ".md"),
        ]

    def _own_memory(self, place: Place, personal: str) -> str:
        """Return the folder of its own memory of a project: that of its transcripts, named after the path."""
        letters = [letter if letter.isascii() and letter.isalnum() else "-" for letter in place.folder]
        name = place.environment.get("CLAUDE_CODE_PROJECT_DIR_NAME") or "".join(letters)
        return os.path.join(personal, "projects", name, "memory")

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope != "project":
            return blocks_in(self.folder(place), "CLAUDE.md")
        there = existing("project", "instructions", place.folder, "CLAUDE.md", ".claude/CLAUDE.md")
        own = there[0].path if there else os.path.join(place.folder, "CLAUDE.md")
        return [*_imported(own, place.folder), ManagedFile(own, block=True)]

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        from holdfast.agents import headless

        return headless.claude_code(program)


def _imported(path: str, folder: str) -> list[ManagedFile]:
    """Return the shared file that an instruction file takes in by a line of its own, where it does."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = {line.strip() for line in file.read(_MAX_INSTRUCTIONS).split("\n")}
    except OSError:
        return []
    shared = blocks_in(folder, "AGENTS.md")
    name = os.path.relpath(shared[0].path, os.path.dirname(path))
    return shared if os.path.isfile(shared[0].path) and lines & {f"@{name}", f"@./{name}"} else []


AGENT = ClaudeCode()
