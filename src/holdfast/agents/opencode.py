"""OpenCode: a plugin of our own that calls the hook, and the server in opencode.json."""

from __future__ import annotations

import os

from holdfast.agents.base import SERVER, Agent, ConfigPart, Place
from holdfast.base.minijson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.launcher import Launcher
    from holdfast.records import HookCall

PLUGIN = os.path.join(os.path.dirname(__file__), "opencode_plugin.js")


class OpenCode(Agent):
    """It has no command hooks: the plugin adds what the hook prints to the prompt, where it stays in the session."""

    name = "opencode"
    title = "OpenCode"
    programs = ("opencode",)
    reader = "holdfast.agents.reading.opencode"
    dialogs = ("question",)
    session_meta = "ai.opencode/sessionID"
    moved_by = ("XDG_DATA_HOME", "OPENCODE_DB")
    keeps_memory = False
    injects = frozenset({"start", "prompt", "before-tool", "tool-failed"})
    # It reports when a session is deleted, not when one ends.
    settles = "stop"
    guard = "tool.execute"
    acting = "bash|edit|write|multiedit|patch|apply_patch"
    looking = {"read": "read|list", "search": "grep|glob", "web": "webfetch|websearch", "agent": "task"}  # noqa: RUF012
    events = {  # noqa: RUF012
        "session.created": "start",
        "chat.message": "prompt",
        "tool.execute": "before-tool",
        # Earlier plugins call it this way, and take any output for a refusal.
        "tool.execute.before": "before-tool",
        "message.part.updated": "tool-failed",
        "experimental.session.compacting": "compact",
        "session.compacted": "compacted",
        "session.idle": "stop",
        "session.deleted": "end",
    }
    own_instructions = ("AGENTS.md",)
    reads_first = project_instructions = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
    skill_homes = ("own", ".claude", ".agents")
    knowledge = (("global", "instructions", "AGENTS.md"), ("project", "instructions", *reads_first))

    def main_session(self, call: HookCall) -> str:
        # For a sub-agent the plugin names the session that it works for.
        return call.subagent or call.session

    def injection_output(self, call: HookCall, text: str) -> str:
        if call.moment != "before-tool":
            return text
        return dumps({"say": text}) if call.native == self.guard else ""

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return dumps({"refuse": reason}) if call.native == self.guard else reason

    def folder(self, place: Place) -> str:
        if place.scope == "project":
            return os.path.join(place.folder, ".opencode")
        config = place.environment.get("XDG_CONFIG_HOME") or os.path.join(place.home, ".config")
        return place.environment.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode")

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        with open(PLUGIN, encoding="utf-8") as file:
            plugin = file.read().replace('"{COMMAND}"', dumps(command.hook(self.name, "EVENT")))
        calls = "*" if command.guards else command.bound(self.acting, self.looking) if command.rules else ""
        plugin = plugin.replace('"{CALLS}"', dumps(calls))
        folder = self.instruction_folder(place)
        config, commented = (os.path.join(folder, name) for name in ("opencode.json", "opencode.jsonc"))
        if os.path.exists(commented) and not os.path.exists(config):
            config = commented
        server = {"type": "local", "command": command.mcp(self.name), "enabled": True}
        return [
            ConfigPart(os.path.join(self.folder(place), "plugins", f"{SERVER}.js"), "file", (), plugin),
            ConfigPart(config, "member", ("mcp", SERVER), server),
        ]


AGENT = OpenCode()
