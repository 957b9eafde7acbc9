"""Kiro CLI: an agent file of our own with hooks, the server in mcp.json, and in a project a steering file."""

from __future__ import annotations

import os
import time

from holdfast.agents.base import (
    MILLISECONDS,
    SERVER,
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
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STEERING = ".kiro/steering/holdfast.md"
HEAD = "---\ninclusion: always\n---\n"


class Kiro(Agent):
    """Known by its documents only. Its hooks belong to one agent file, and name no session."""

    name = "kiro"
    title = "Kiro CLI"
    programs = ("kiro-cli",)
    reader = "holdfast.agents.reading.kiro"
    moved_by = ("XDG_DATA_HOME",)
    keeps_memory = False
    injects = frozenset({"start", "prompt"})
    settles = "stop"
    advice = (
        "Its hooks run only with the agent `holdfast`: use `kiro-cli chat --agent holdfast`, or make it the default "
        "with `kiro-cli settings chat.defaultAgent holdfast`.",
    )
    events = {  # noqa: RUF012
        "agentSpawn": "start",
        "userPromptSubmit": "prompt",
        "postToolUse": "tool",
        "stop": "stop",
    }

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        # It names no session, so the process that runs the hook stands for one; a day bounds the reuse of its number.
        return call if call.session else replace(call, session=f"kiro-{time.strftime('%Y%m%d')}-{os.getppid()}")

    def injection_output(self, call: HookCall, text: str) -> str:
        # Where the steering file stands, what a session starts with is in it, and would come twice.
        if call.moment == "start" and os.path.exists(os.path.join(call.folder, STEERING)):
            return ""
        return text

    def folder(self, place: Place) -> str:
        return place.root("", ".kiro")

    def parts(self, place: Place, command: Command) -> list[Part]:
        folder = self.folder(place)
        hooks = {native: [self._hook(native, seconds, command)] for native, seconds in self.hooked(command).items()}
        own = {
            "name": SERVER,
            "description": "The usual agent, with the memory of Holdfast.",
            "tools": ["*"],
            "includeMcpJson": True,
            "resources": ["file://AGENTS.md", "file://README.md", "file://.kiro/steering/**/*.md"],
            "hooks": hooks,
        }
        return [
            Part(os.path.join(folder, "agents", f"{SERVER}.json"), "file", (), own),
            server(os.path.join(folder, "settings", "mcp.json"), self.name, command),
        ]

    def _hook(self, native: str, seconds: int, command: Command) -> dict[str, object]:
        return {"command": command.hook_line(self.name, native), "timeout_ms": seconds * MILLISECONDS}

    def rules_file(self, place: Place) -> ManagedFile | None:
        return ManagedFile(os.path.join(place.folder, STEERING), HEAD) if place.scope == "project" else None

    def memory_files(self, place: Place) -> list[MemoryFile]:
        steering = os.path.join(".kiro", "steering")
        return [
            *all_below("global", "rules", os.path.join(place.home, steering), ".md"),
            *all_below("project", "rules", os.path.join(place.folder, steering), ".md"),
            *existing("project", "instructions", place.folder, "AGENTS.md"),
        ]

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        own = ManagedFile(os.path.join(self.folder(place), "steering", f"{name}.md"), HEAD)
        return [own, *(blocks_in(place.folder, "AGENTS.md") if place.scope == "project" else ())]

    def skill_folders(self, place: Place) -> list[str]:
        return skills_in(place, self.folder(place))


AGENT = Kiro()
