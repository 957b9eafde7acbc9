"""GitHub Copilot CLI: a hooks file of our own, the server in mcp-config.json."""

from __future__ import annotations

import os

from holdfast.agents.base import CAMEL_EVENTS, SERVER, Agent, ConfigPart, Place
from holdfast.base.minijson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.launcher import Launcher
    from holdfast.records import HookCall


class Copilot(Agent):
    """A command that exits badly is no failed tool to it."""

    name = "copilot"
    title = "GitHub Copilot CLI"
    programs = ("copilot",)
    config_folder = ("COPILOT_HOME", ".copilot", ".github")
    reader = "holdfast.agents.reading.copilot"
    dialogs = ("ask_user",)
    moved_by = ("COPILOT_HOME",)
    injects = frozenset({"start", "prompt"})
    starts_again = False
    events = {  # noqa: RUF012
        **{"sessionStart": "start", "userPromptSubmitted": "prompt"},
        **CAMEL_EVENTS,
        **{"agentStop": "stop", "sessionEnd": "end"},
    }
    own_instructions = ("copilot-instructions.md",)
    project_instructions = ("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")
    skill_homes = ("own", ".claude")
    knowledge = (
        ("global", "instructions", "copilot-instructions.md"),
        ("global", "rules", "instructions/", ".md"),
        ("project", "instructions", ".github/copilot-instructions.md"),
        ("project", "rules", ".github/instructions/", ".instructions.md"),
        ("project", "instructions", "AGENTS.md"),
    )

    def injection_output(self, call: HookCall, text: str) -> str:
        return dumps({"additionalContext": text})

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        folder = self.folder(place)
        hooks = {
            native: [{"type": "command", "bash": line, "timeoutSec": seconds}]
            for native, line, seconds in self.hook_lines(command)
        }
        own = ConfigPart(os.path.join(folder, "hooks", f"{SERVER}.json"), "file", (), {"version": 1, "hooks": hooks})
        if place.scope == "project":
            return [own]
        return [own, self.server_part(os.path.join(folder, "mcp-config.json"), command, type="local", tools=["*"])]


AGENT = Copilot()
