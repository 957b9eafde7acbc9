"""Cursor: hooks in hooks.json, the server in mcp.json, and in a project a rule that always applies."""

from __future__ import annotations

import os

from holdfast.agents.base import CAMEL_EVENTS, Agent, ConfigPart, Place
from holdfast.base.minijson import dumps
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.launcher import Launcher


class Cursor(Agent):
    """Known by its documents only. Some builds ignore what sessionStart prints, so a project gets a rule instead."""

    name = "cursor"
    title = "Cursor"
    programs = ("cursor-agent", "cursor")
    config_folder = ("", ".cursor")
    reader = "holdfast.agents.reading.cursor"
    injects = frozenset({"start"})
    events = {  # noqa: RUF012
        **{"sessionStart": "start", "beforeSubmitPrompt": "prompt"},
        **CAMEL_EVENTS,
        **{"stop": "stop", "sessionEnd": "end"},
    }
    project_rule = ".cursor/rules/holdfast.mdc"
    rule_head = "---\ndescription: What Holdfast remembers\nalwaysApply: true\n---\n"
    project_instructions = ("AGENTS.md",)
    skill_homes = ("own",)
    knowledge = (
        ("project", "rules", ".cursor/rules/", ".mdc", ".md"),
        ("project", "instructions", "AGENTS.md", ".cursorrules"),
    )

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        roots = data.get("workspace_roots")
        if call.folder or not isinstance(roots, list) or not roots:
            return call
        return replace(call, folder=roots[0] if isinstance(roots[0], str) else "")

    def injection_output(self, call: HookCall, text: str) -> str:
        # Where the rule file exists, the memories are in it, and would be told twice.
        if call.moment != "start" or os.path.exists(os.path.join(call.folder, self.project_rule)):
            return ""
        return dumps({"additional_context": text})

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        path = os.path.join(self.folder(place), "hooks.json")
        hooks = [
            ConfigPart(path, "element", ("hooks", native), {"command": line, "timeout": seconds})
            for native, line, seconds in self.hook_lines(command)
        ]
        servers = self.server_part(os.path.join(self.folder(place), "mcp.json"), command)
        return [ConfigPart(path, "default", ("version",), 1), *hooks, servers]


AGENT = Cursor()
