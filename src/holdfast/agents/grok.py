"""Grok: a hooks file of our own, the server in config.toml, and a rules file, because its hooks cannot inject."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    EVENTS,
    HOOK_SECONDS,
    RUNS_OTHERS,
    SERVER,
    Agent,
    ConfigPart,
    ManagedFile,
    Place,
    plain_end,
)
from holdfast.base.minijson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.launcher import Launcher
    from holdfast.records import HookCall


class Grok(Agent):
    """It ignores what hooks print at session start and at a prompt, and reads the hooks of other agents too.

    What they print around a call it hands over with the result.
    """

    name = "grok"
    title = "Grok"
    programs = ("grok",)
    config_folder = ("GROK_HOME", ".grok")
    session_variable = "GROK_SESSION_ID"
    reader = "holdfast.agents.reading.grok"
    moved_by = ("GROK_HOME",)
    injects = frozenset({"before-tool", "after-tool", "tool-failed"})
    tells_exits = True
    calls_file = "chat_history.jsonl"
    guard = "PreToolUse"
    around = ("PreToolUse", "PostToolUse")
    acting = "run_terminal_command|search_replace|write"
    looking = {"read": "read_file|list_dir", "search": "grep", "web": "web_search", "agent": "spawn_subagent"}  # noqa: RUF012
    advice = (
        "What holds everywhere reaches Grok by a rules file. For a project's memories, install it there with "
        "--scope project, and trust the folder: `grok --trust`.",
    )
    events = {**EVENTS, "PostToolUse": "after-tool"}  # noqa: RUF012
    seconds = {**HOOK_SECONDS, "start": 5}  # noqa: RUF012
    project_instructions = ("AGENTS.md", "CLAUDE.md")
    skill_homes = ("own",)
    knowledge = (
        ("global", "memory", "memory/MEMORY.md"),
        ("global", "rules", "rules/", ".md"),
        ("project", "rules", ".grok/rules/", ".md"),
        ("project", "instructions", "AGENTS.md"),
    )

    def is_host(self, environment: Mapping[str, str]) -> bool:
        return RUNS_OTHERS in environment

    def outcome(self, data: Mapping[str, object]) -> tuple[str, bool]:
        given = data.get("toolResult", data.get("tool_response"))
        if not isinstance(given, dict) or "exit_code" not in given:
            return plain_end(given), False
        return plain_end(given.get("output_for_prompt")), given["exit_code"] not in (0, None)

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return dumps({"decision": "deny", "reason": reason})

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        folder = self.folder(place)
        return [
            ConfigPart(os.path.join(folder, "hooks", f"{SERVER}.json"), "file", (), self.hooks_file(command)),
            self.server_part(os.path.join(folder, "config.toml"), command),
        ]

    def rules_file(self, place: Place) -> ManagedFile | None:
        return ManagedFile(os.path.join(self.folder(place), "rules", f"{SERVER}.md"))

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope == "project":
            return super().instruction_files(place, name)
        return [ManagedFile(os.path.join(self.folder(place), "rules", f"{name}.md"))]


AGENT = Grok()
