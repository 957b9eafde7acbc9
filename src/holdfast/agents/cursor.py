"""Cursor: hooks in hooks.json, the server in mcp.json, and in a project a rule that always applies."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    Agent,
    Command,
    ManagedFile,
    MemoryFile,
    Part,
    Place,
    all_below,
    blocks_in,
    existing,
    server,
    skills_in,
)
from holdfast.base.minijson import dumps
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RULE = ".cursor/rules/holdfast.mdc"
HEAD = "---\ndescription: What Holdfast remembers\nalwaysApply: true\n---\n"


class Cursor(Agent):
    """Known by its documents only. Some builds ignore what sessionStart prints, so a project gets a rule instead."""

    name = "cursor"
    title = "Cursor"
    programs = ("cursor-agent", "cursor")
    reader = "holdfast.agents.reading.cursor"
    injects = frozenset({"start"})
    events = {  # noqa: RUF012
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "postToolUse": "tool",
        "postToolUseFailure": "tool-failed",
        "preCompact": "compact",
        "subagentStart": "subagent-start",
        "subagentStop": "subagent-stop",
        "stop": "stop",
        "sessionEnd": "end",
    }

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        roots = data.get("workspace_roots")
        if call.folder or not isinstance(roots, list) or not roots:
            return call
        return replace(call, folder=roots[0] if isinstance(roots[0], str) else "")

    def injection_output(self, call: HookCall, text: str) -> str:
        # Where the rule stands, the memories are in it, and would come twice.
        if call.moment != "start" or os.path.exists(os.path.join(call.folder, RULE)):
            return ""
        return dumps({"additional_context": text})

    def folder(self, place: Place) -> str:
        return place.root("", ".cursor")

    def parts(self, place: Place, command: Command) -> list[Part]:
        folder = self.folder(place)
        path = os.path.join(folder, "hooks.json")
        hooks = [
            Part(path, "element", ("hooks", native), self._handler(native, seconds, command))
            for native, seconds in self.hooked(command).items()
        ]
        servers = server(os.path.join(folder, "mcp.json"), self.name, command)
        return [Part(path, "default", ("version",), 1), *hooks, servers]

    def _handler(self, native: str, seconds: int, command: Command) -> dict[str, object]:
        return {"command": command.hook_line(self.name, native), "timeout": seconds}

    def rules_file(self, place: Place) -> ManagedFile | None:
        if place.scope != "project":
            return None
        return ManagedFile(os.path.join(place.folder, RULE), HEAD)

    def memory_files(self, place: Place) -> list[MemoryFile]:
        return [
            *all_below("project", "rules", os.path.join(place.folder, ".cursor", "rules"), ".mdc", ".md"),
            *existing("project", "instructions", place.folder, "AGENTS.md", ".cursorrules"),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        return blocks_in(place.folder, "AGENTS.md") if place.scope == "project" else []

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Cursor()
