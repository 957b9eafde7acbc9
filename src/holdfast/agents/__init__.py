"""The adapters: one file for each agent. Nothing outside this folder names one."""

from __future__ import annotations

import sys

from holdfast.agents.base import Agent
from holdfast.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoints

# The built-in agents. Each has a module of its name, which is loaded when the agent is asked for.
BUILT_IN = (
    *("claude-code", "codex", "gemini-cli", "opencode", "grok", "kiro", "copilot", "cursor"),
    *("qwen", "pi", "droid", "kimi", "antigravity"),
)
# Variables that agents set in the shells in which they run commands.
SHELLS = {
    **{"CLAUDECODE": "claude-code", "CODEX_SANDBOX": "codex", "CODEX_THREAD_ID": "codex", "CODEX_CI": "codex"},
    **{"QWEN_CODE": "qwen", "GEMINI_CLI": "gemini-cli", "OPENCODE": "opencode", "CURSOR_AGENT": "cursor"},
}
GROUP = "holdfast.agents"
# The record of all installs, in the home; and of agents in whose own memory of a project a block of ours stands.
INSTALLS, NATIVE = "installs.json", "native.json"
_found: dict[tuple[str, ...], EntryPoints] = {}
# How the hooks' log marks a hook that another agent ran, because it reads this one's files.
SILENT = "another program runs this hook, so it stays silent"


def get(name: str) -> Agent:
    """Return the agent of that name; NotFound names those that are known."""
    if name in BUILT_IN:
        __import__(module_of(name))
        agent: Agent = sys.modules[module_of(name)].AGENT
        return agent
    for entry in _added():
        if entry.name == name:
            try:
                added: Agent = entry.load()()
            except Exception as problem:
                # Whatever is wrong with a third-party package, only its own agent is missing.
                why = f"the agent {name} cannot be loaded from {entry.value}: {type(problem).__name__}: {problem}"
                raise NotFound(why, "Update or remove the package that adds it.") from problem
            return added
    meant = [one for one in names() if name and one.startswith(f"{name.lower()}-")]
    hint = f"Did you mean {' or '.join(meant)}?" if meant else f"Known: {', '.join(names())}."
    raise NotFound(f"there is no agent {name!r}", hint)


def of_client(name: str) -> str:
    """Return which agent a program is that calls itself so to an MCP server, as `codex-mcp-client`; "" where none."""
    plain = name.lower().replace(" ", "-").replace("_", "-")
    return next((one for one in BUILT_IN if plain == one or plain.startswith(f"{one}-")), "")


def in_shell(environment: Mapping[str, str]) -> str:
    """Return the agent in whose shell we run, as far as the environment tells; "" where it is nobody's."""
    return next((name for variable, name in SHELLS.items() if environment.get(variable)), "")


def module_of(name: str) -> str:
    """Return the module of an agent that is built in."""
    return f"holdfast.agents.{name.replace('-', '_')}"


def names() -> list[str]:
    """Return the names of all agents: those that are built in, then those that other packages add."""
    return [*BUILT_IN, *sorted(entry.name for entry in _added() if entry.name not in BUILT_IN)]


def _added() -> EntryPoints:
    """Return the agents that other packages add."""
    # Listing installed packages is slow: a harvest asks for every session, a hook of a built-in agent never.
    places = tuple(sys.path)
    if places not in _found:
        from importlib.metadata import entry_points

        _found[places] = entry_points(group=GROUP)
    return _found[places]
