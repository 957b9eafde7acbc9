"""Claude Code: hooks in settings.json, the server in .claude.json or .mcp.json."""

from __future__ import annotations

import os

from holdfast.agents.base import (
    ABOUT,
    EVENTS,
    RUNS_OTHERS,
    SERVER,
    Agent,
    ConfigPart,
    ManagedFile,
    MemoryFile,
    Place,
    all_below,
    blocks_in,
    folder_name,
    told,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.headless import Headless
    from holdfast.agents.launcher import Launcher
    from holdfast.records import HookCall

# Agents that read this one's settings set these, some of them beside aliases of its own variables.
FOREIGN = (RUNS_OTHERS, "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
_MAX_INSTRUCTIONS = 262_144
# Where a prompt comes from that a person typed, as hooks and transcripts tell it: all others are messages of programs.
TYPED_SOURCES = ("", "user", "sdk", "typed", "queued")
# How a message of another session begins.
_PEERS = ("Another Claude session sent a message", "A peer session sent a message")


class ClaudeCode(Agent):
    """It reads what a hook prints at session start and at each prompt."""

    name = "claude-code"
    title = "Claude Code"
    programs = ("claude",)
    config_folder = ("CLAUDE_CONFIG_DIR", ".claude")
    session_variable = "CLAUDE_CODE_SESSION_ID"
    reader = "holdfast.agents.reading.claude_code"
    dialogs = ("AskUserQuestion",)
    moved_by = ("CLAUDE_CONFIG_DIR",)
    injects = frozenset({"start", "prompt", "before-tool", "tool", "tool-failed"})
    shows = frozenset({"start", "prompt"})
    # Without a terminal a question is a refusal that nobody reads, and in other modes some versions make the call.
    guard, asks = "PreToolUse", ("default", "acceptEdits", "plan")
    in_terminal = ("CLAUDE_CODE_ENTRYPOINT", "cli")
    answer_path = ("message", "id")
    around = ("PreToolUse",)
    acting = "Bash|Edit|MultiEdit|Write|NotebookEdit"
    looking = {"read": "Read", "search": "Grep|Glob", "web": "WebFetch|WebSearch", "agent": "Agent|Task"}  # noqa: RUF012
    events = EVENTS
    own_instructions = ("CLAUDE.md",)
    skill_homes = ("own",)
    knowledge = (
        ("global", "instructions", "CLAUDE.md"),
        ("global", "rules", "rules/", ".md"),
        ("project", "instructions", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        ("project", "rules", ".claude/rules/", ".md"),
        ("project", "memory", ".claude/agent-memory/", ".md"),
    )

    def is_host(self, environment: Mapping[str, str]) -> bool:
        ours = "CLAUDECODE" in environment or "CLAUDE_PROJECT_DIR" in environment
        return ours and not any(name in environment for name in FOREIGN)

    def spoken(self, given: str, data: Mapping[str, object]) -> tuple[str, str]:
        is_typed = told(data, "source") in TYPED_SOURCES and not is_of_a_peer(given)
        return super().spoken(given, data) if is_typed else ("", given)

    def is_subagent(self, environment: Mapping[str, str], meta: Mapping[str, object]) -> bool:
        session, call = self.session_of(environment, meta), told(meta, "claudecode/toolUseId")
        if not session or not call or os.sep in session:
            return False
        from holdfast.agents import claude_subagents

        home = environment.get("HOME") or os.path.expanduser("~")
        config = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        return claude_subagents.made_by_subagent(config, session, call)

    def archived_as(self, call: HookCall) -> str:
        return f"{call.session}.agent-{call.subagent}" if call.subagent else call.session

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        servers = os.path.join(place.environment.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")
        if place.scope == "project":
            servers = os.path.join(place.folder, ".mcp.json")
        settings = os.path.join(self.folder(place), "settings.json")
        return [*self.hook_parts(settings, command), self.server_part(servers, command, type="stdio")]

    def plugin(self, command: Launcher, version: str, skill: str) -> dict[str, object]:
        one = {"name": SERVER, "description": ABOUT, "version": version}
        return {
            ".claude-plugin/plugin.json": {**one, "author": {"name": "Holdfast"}},
            ".claude-plugin/marketplace.json": {
                "name": SERVER,
                "owner": {"name": "Holdfast"},
                "description": ABOUT,
                "plugins": [{**one, "source": "./"}],
            },
            "hooks/hooks.json": self.hooks_file(command),
            ".mcp.json": {"mcpServers": {SERVER: self.server(command)}},
            f"skills/{SERVER}-memory/SKILL.md": skill,
        }

    def memory_files(self, place: Place) -> list[MemoryFile]:
        folder = os.path.dirname(self.own_memory(place))
        return [*super().memory_files(place), *all_below("project", "memory", folder, ".md")]

    def own_memory(self, place: Place) -> str:
        # It lies beside the transcripts, in a folder named after the project's path.
        name = place.environment.get("CLAUDE_CODE_PROJECT_DIR_NAME") or folder_name(place.folder)
        return os.path.join(self.personal_folder(place), "projects", name, "memory", "MEMORY.md")

    def memory_switch(self, place: Place) -> ConfigPart | None:
        return ConfigPart(os.path.join(self.folder(place), "settings.json"), "default", ("autoMemoryEnabled",), False)

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        if place.scope != "project":
            return super().instruction_files(place, name)
        paths = [os.path.join(place.folder, name) for name in ("CLAUDE.md", ".claude/CLAUDE.md")]
        own = next(filter(os.path.isfile, paths), paths[0])
        return [*_imported(own, place.folder), ManagedFile(own, block=True)]

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        from holdfast.agents import headless

        return headless.claude_code(program)


def is_of_a_peer(text: str) -> bool:
    """Whether another session sent the text that stands where the person speaks."""
    return text.lstrip().startswith(_PEERS)


def _imported(path: str, folder: str) -> list[ManagedFile]:
    """Return the shared file that an instruction file takes in by a line of its own, where it does."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = {line.strip() for line in file.read(_MAX_INSTRUCTIONS).split("\n")}
    except OSError:
        return []
    shared = blocks_in(folder, "AGENTS.md")
    name = os.path.relpath(shared[0].path, os.path.dirname(path))
    return shared if os.path.isfile(shared[0].path) and lines & {f"@{name}", f"@./{name}"} else []


AGENT = ClaudeCode()
