"""OpenCode: a plugin of our own that calls the hook, and the server in opencode.json."""

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
    blocks_in,
    existing,
    skills_in,
)
from holdfast.base.minijson import dumps
from holdfast.records import HookCall

PLUGIN = os.path.join(os.path.dirname(__file__), "opencode_plugin.js")


class OpenCode(Agent):
    """It has no command hooks: the plugin adds what the hook prints to the prompt, where it stays in the session."""

    name = "opencode"
    title = "OpenCode"
    programs = ("opencode",)
    reader = "holdfast.agents.reading.opencode"
    moved_by = ("XDG_DATA_HOME", "OPENCODE_DB")
    keeps_memory = False
    injects = frozenset({"start", "prompt"})
    reads_first = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
    # It tells when a session is deleted, not when one ends.
    settles = "stop"
    guard = "tool.execute.before"
    events = {  # noqa: RUF012
        "session.created": "start",
        "chat.message": "prompt",
        "tool.execute.before": "before-tool",
        "message.part.updated": "tool-failed",
        "experimental.session.compacting": "compact",
        "session.compacted": "compacted",
        "session.idle": "stop",
        "session.deleted": "end",
    }

    def main_session(self, call: HookCall) -> str:
        # What the plugin tells of a sub-agent is the session that it works for.
        return call.subagent or call.session

    def injection_output(self, call: HookCall, text: str) -> str:
        return text

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return reason

    def folder(self, place: Place) -> str:
        if place.scope == "project":
            return os.path.join(place.folder, ".opencode")
        config = place.environment.get("XDG_CONFIG_HOME") or os.path.join(place.home, ".config")
        return place.environment.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode")

    def parts(self, place: Place, command: Command) -> list[Part]:
        first = {"type": "local", "command": command.mcp(self.name), "enabled": True}
        return [
            Part(os.path.join(self.folder(place), "plugins", f"{SERVER}.js"), "file", (), self._plugin(command)),
            Part(self._config(place), "member", ("mcp", SERVER), first),
        ]

    def _plugin(self, command: Command) -> str:
        with open(PLUGIN, encoding="utf-8") as file:
            text = file.read().replace('"{COMMAND}"', dumps(command.hook(self.name, "EVENT")))
        return text.replace('"{GUARDS}"', dumps(command.guards))

    def _config(self, place: Place) -> str:
        folder = place.folder if place.scope == "project" else self.folder(place)
        plain, commented = (os.path.join(folder, name) for name in ("opencode.json", "opencode.jsonc"))
        return commented if os.path.exists(commented) and not os.path.exists(plain) else plain

    def memory_files(self, place: Place) -> list[MemoryFile]:
        personal = self.personal_folder(place)
        shared = existing("project", "instructions", place.folder, *self.reads_first)
        return [*existing("global", "instructions", personal, "AGENTS.md"), *shared[:1]]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope != "project":
            return blocks_in(self.folder(place), "AGENTS.md")
        there = existing("project", "instructions", place.folder, *self.reads_first)
        return [ManagedFile(there[0].path, block=True)] if there else blocks_in(place.folder, "AGENTS.md")

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place), ".claude", ".agents")


AGENT = OpenCode()
