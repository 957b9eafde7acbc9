"""Qwen Code: hooks and the server in settings.json, with timeouts in milliseconds."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    EVENTS,
    MILLISECONDS,
    SERVER,
    Agent,
    ConfigPart,
    MemoryFile,
    Place,
    all_below,
    folder_name,
)
from holdfast.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.launcher import Launcher
    from holdfast.records import HookCall


class Qwen(Agent):
    """Older versions run no hook of a session's start where there is no person."""

    name = "qwen"
    title = "Qwen Code"
    programs = ("qwen",)
    config_folder = ("QWEN_HOME", ".qwen")
    reader = "holdfast.agents.reading.qwen"
    dialogs = ("ask_user_question",)
    moved_by = ("QWEN_HOME", "QWEN_RUNTIME_DIR")
    injects = frozenset({"start", "prompt", "before-tool", "tool-failed"})
    misses_starts = True
    events = {name: moment for name, moment in EVENTS.items() if moment != "compacted"}  # noqa: RUF012
    around, acting = ("PreToolUse",), "run_shell_command|write_file|edit"
    looking = {"read": "read_file|list_directory", "search": "grep_search|glob", "web": "web_fetch"}  # noqa: RUF012
    own_instructions = ("QWEN.md",)
    project_instructions = ("AGENTS.md", "QWEN.md")
    skill_homes = ("own",)
    knowledge = (
        ("global", "instructions", "QWEN.md"),
        ("project", "instructions", "QWEN.md", "AGENTS.md"),
        ("project", "memory", ".qwen/team-memory/", ".md"),
        ("project", "memory", ".qwen/memory/", ".md"),
    )

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        # It reports an empty prompt with every result of a tool.
        return replace(call, moment="nothing") if call.moment == "prompt" and data.get("prompt") == "" else call

    def memory_files(self, place: Place) -> list[MemoryFile]:
        folder = os.path.dirname(self.own_memory(place))
        return [*super().memory_files(place), *all_below("project", "memory", folder, ".md")]

    def own_memory(self, place: Place) -> str:
        # Its memory lies beside its sessions, in a folder named after the project's path.
        folder = os.path.join(self.personal_folder(place), "projects", folder_name(place.folder))
        return os.path.join(folder, "memory", "MEMORY.md")

    def memory_switch(self, place: Place) -> ConfigPart | None:
        keys = ("memory", "enableManagedAutoMemory")
        return ConfigPart(os.path.join(self.folder(place), "settings.json"), "default", keys, False)

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        settings = os.path.join(self.folder(place), "settings.json")
        hooks = self.hook_parts(settings, command, MILLISECONDS, name=SERVER)
        return [*hooks, self.server_part(settings, command)]


AGENT = Qwen()
