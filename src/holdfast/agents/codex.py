"""Codex: hooks in hooks.json, the server in config.toml."""

from __future__ import annotations

import os

from holdfast.agents.base import ABOUT, EVENTS, SERVER, Agent, ConfigPart, ManagedFile, Place, blocks_in
from holdfast.base.minijson import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.base import MemoryFile
    from holdfast.agents.headless import Headless
    from holdfast.agents.launcher import Launcher

# An editor writes this between what it adds, which begins in one of these ways, and the words of the person.
REQUEST = "## My request for Codex:"
FRAMED = ("# Context from my IDE setup:", "# Files mentioned by the user:")
# The override comes first: where it exists, the other file is not read.
INSTRUCTIONS = ("AGENTS.override.md", "AGENTS.md")


# What it tells an MCP server about the turn: an object, in some versions as text.
_TURN = "x-codex-turn-metadata"


class Codex(Agent):
    """It runs a hook only after the person trusted it, and says nothing of itself in the environment."""

    name = "codex"
    title = "Codex"
    programs = ("codex",)
    config_folder = ("CODEX_HOME", ".codex")
    reader = "holdfast.agents.reading.codex"
    dialogs = ("request_user_input",)
    moved_by = ("CODEX_HOME",)
    injects = frozenset({"start", "prompt", "before-tool", "after-tool"})
    shows = frozenset({"start", "prompt"})
    # It ignores a hook that asks the person, and never tells a hook whether a command failed.
    guard = "PreToolUse"
    around = ("PreToolUse", "PostToolUse")
    acting = "Bash|apply_patch"
    session_meta = "threadId"
    advice = ("Start codex and type /hooks: it runs new or changed hooks only after you trusted them there.",)
    events = {  # noqa: RUF012
        **{native: moment for native, moment in EVENTS.items() if moment != "tool-failed"},
        "PostToolUse": "after-tool",
    }
    skill_homes = (".agents",)
    knowledge = (
        ("global", "memory", "memories/MEMORY.md", "memories/memory_summary.md"),
        ("global", "instructions", *INSTRUCTIONS),
        ("project", "instructions", *INSTRUCTIONS),
    )

    def spoken(self, given: str, data: Mapping[str, object]) -> tuple[str, str]:
        from holdfast.privacy import speech

        return speech.apart(speech.behind_line(given, REQUEST, FRAMED))

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        folder = self.folder(place)
        hooks = self.hook_parts(os.path.join(folder, "hooks.json"), command)
        return [*hooks, self.server_part(os.path.join(folder, "config.toml"), command)]

    def memory_parts(self, found: MemoryFile, text: str, place: Place) -> list[tuple[str, str]]:
        from holdfast.agents import codex_memory

        if found.kind != "memory":
            return [(found.scope, text)]
        here = place.folder if place.scope == "project" else ""
        parts = codex_memory.parts(text, here, place.home)
        # Where somebody said where it is to hold, all of it holds there.
        return parts if found.scope == "global" else [(found.scope, part) for _, part in parts]

    def memory_switch(self, place: Place) -> ConfigPart | None:
        off: dict[str, object] = {"generate_memories": False, "use_memories": False}
        return ConfigPart(os.path.join(self.folder(place), "config.toml"), "table", ("memories",), off)

    def is_subagent(self, environment: Mapping[str, str], meta: Mapping[str, object]) -> bool:
        turn = meta.get(_TURN)
        try:
            turn = loads(turn) if isinstance(turn, str) else turn
        except ValueError:
            return False
        return isinstance(turn, dict) and bool(turn.get("parent_thread_id") or turn.get("thread_source") == "subagent")

    def untrusted(self, place: Place) -> tuple[str, ...]:
        """Return the events of our hooks that have no hash of trust in its config.toml, or are switched off there.

        Whether a hash still fits its hook only Codex can tell.
        """
        from holdfast.agents import codex_trust

        path = os.path.join(self.folder(place), "hooks.json")
        config = os.path.join(self.personal_folder(place), "config.toml")
        return codex_trust.untrusted(path, config, f"--agent {self.name}")

    def plugin(self, command: Launcher, version: str, skill: str) -> dict[str, object]:
        folder = f"plugins/{SERVER}"
        manifest = {
            "name": SERVER,
            "version": version,
            "description": ABOUT,
            "author": {"name": "Holdfast"},
            "skills": "./skills/",
            "hooks": "./hooks.json",
            "mcpServers": "./.mcp.json",
        }
        listed = {
            "name": SERVER,
            "source": {"source": "local", "path": f"./{folder}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        }
        return {
            ".agents/plugins/marketplace.json": {"name": SERVER, "plugins": [listed]},
            f"{folder}/.codex-plugin/plugin.json": manifest,
            f"{folder}/hooks.json": self.hooks_file(command),
            f"{folder}/.mcp.json": {"mcpServers": {SERVER: self.server(command)}},
            f"{folder}/skills/{SERVER}-memory/SKILL.md": skill,
        }

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        override, usual = blocks_in(self.instruction_folder(place), *INSTRUCTIONS)
        return [override if os.path.isfile(override.path) else usual]

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        from holdfast.agents import headless

        return headless.codex(program, environment)


AGENT = Codex()
