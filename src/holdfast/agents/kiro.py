"""Kiro CLI: an agent file of our own with the hooks, the server in mcp.json, and in a project a steering file."""

from __future__ import annotations

import os
import time

from holdfast.agents.base import MILLISECONDS, SERVER, Agent, ConfigPart, ManagedFile, Place
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.launcher import Launcher


class Kiro(Agent):
    """Known by its documents only. Its hooks belong to one agent file, and name no session."""

    name = "kiro"
    title = "Kiro CLI"
    programs = ("kiro-cli",)
    config_folder = ("", ".kiro")
    reader = "holdfast.agents.reading.kiro"
    moved_by = ("XDG_DATA_HOME",)
    keeps_memory = False
    injects = frozenset({"start", "prompt"})
    settles = "stop"
    advice = (
        "Its hooks run only with the agent `holdfast`: use `kiro-cli chat --agent holdfast`, or make it the default "
        "with `kiro-cli settings chat.defaultAgent holdfast`.",
    )
    events = {"agentSpawn": "start", "userPromptSubmit": "prompt", "postToolUse": "after-tool", "stop": "stop"}  # noqa: RUF012
    # Output there is not known to reach the model, so it comes with the next prompt.
    around, acting = ("postToolUse",), "execute_bash|fs_write"
    looking = {"read": "fs_read"}  # noqa: RUF012
    project_rule = ".kiro/steering/holdfast.md"
    rule_head = "---\ninclusion: always\n---\n"
    project_instructions = ("AGENTS.md",)
    skill_homes = ("own",)
    knowledge = (
        ("global", "rules", "steering/", ".md"),
        ("project", "rules", ".kiro/steering/", ".md"),
        ("project", "instructions", "AGENTS.md"),
    )

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        # It names no session, so the process that runs the hook stands for one; with the day, as numbers are reused.
        return call if call.session else replace(call, session=f"kiro-{time.strftime('%Y%m%d')}-{os.getppid()}")

    def injection_output(self, call: HookCall, text: str) -> str:
        # Where the steering file exists, it has what a session starts with, which would be told twice.
        if call.moment == "start" and os.path.exists(os.path.join(call.folder, self.project_rule)):
            return ""
        return text

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        folder = self.folder(place)
        own = {
            "name": SERVER,
            "description": "The usual agent, with the memory of Holdfast.",
            "tools": ["*"],
            "includeMcpJson": True,
            "resources": ["file://AGENTS.md", "file://README.md", "file://.kiro/steering/**/*.md"],
            "hooks": {
                native: [
                    {**({"matcher": tool} if tool else {}), "command": line, "timeout_ms": seconds * MILLISECONDS}
                    for tool in (
                        command.bound(self.acting, self.looking).split("|") if native in self.around else ("",)
                    )
                ]
                for native, line, seconds in self.hook_lines(command)
            },
        }
        return [
            ConfigPart(os.path.join(folder, "agents", f"{SERVER}.json"), "file", (), own),
            self.server_part(os.path.join(folder, "settings", "mcp.json"), command),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        own = ManagedFile(os.path.join(self.folder(place), "steering", f"{name}.md"), self.rule_head)
        return [own, *super().instruction_files(place, name)]


AGENT = Kiro()
