"""Claude Code: hooks in settings.json, the server in .claude.json or .mcp.json."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    ABOUT,
    RUNS_OTHERS,
    SERVER,
    Agent,
    Command,
    MemoryFile,
    Part,
    Place,
    all_below,
    context_json,
    existing,
    grouped,
    hook_groups,
    server,
)
from holdfast.records import HookCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.agents.headless import Headless
    from holdfast.agents.reading.base import Reading

# Agents that read this one's settings set these, some of them beside aliases of its own variables.
FOREIGN = (RUNS_OTHERS, "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
# The seconds that each hook may take; at the end of a session there is little time for all hooks together.
SECONDS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreCompact": 5,
    "PostCompact": 5,
    "PostToolUseFailure": 5,
    "SubagentStop": 5,
    "Stop": 5,
    "SessionEnd": 3,
}


class ClaudeCode(Agent):
    """It reads what a hook prints at session start and at each prompt."""

    name = "claude-code"
    title = "Claude Code"
    programs = ("claude",)
    moved_by = ("CLAUDE_CONFIG_DIR",)
    injects = frozenset({"start", "prompt"})
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PostToolUse": "tool",
        "PostToolUseFailure": "tool-failed",
        "PreCompact": "compact",
        "PostCompact": "compacted",
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

    def folder(self, place: Place) -> str:
        return place.root("CLAUDE_CONFIG_DIR", ".claude")

    def parts(self, place: Place, command: Command) -> list[Part]:
        settings = os.path.join(self.folder(place), "settings.json")
        servers = server(self._servers(place), self.name, command, type="stdio")
        return [*hook_groups(settings, self.name, command, SECONDS), servers]

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
            "hooks/hooks.json": grouped(hook_groups("", self.name, command, SECONDS)),
            ".mcp.json": {"mcpServers": {SERVER: servers}},
            f"skills/{SERVER}-memory/SKILL.md": skill,
        }

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = place.environment.get("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")
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

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        from holdfast.agents import headless

        return headless.claude_code(program)

    def find_sessions(self, place: Place) -> Iterator[str]:
        from holdfast.agents.reading import claude_code as reading

        return reading.find(place)

    def read_session(self, path: str) -> Iterator[Reading] | None:
        from holdfast.agents.reading import claude_code as reading

        return reading.read(path) if reading.sniff(path) else None


AGENT = ClaudeCode()
