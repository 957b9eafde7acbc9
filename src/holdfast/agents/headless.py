"""Asking an agent one question without a terminal: how it is started with its tools off, and how its answer is read.

The prompt goes to standard input, where no other process sees it. No hook, server or transcript is wanted: what is
asked here is no session of the person's.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.agents.reading.values import as_dict, whole
from holdfast.errors import Refused

ROLE = "You are a careful editor of a software project's notes. You use no tools. You answer with JSON only."
# Tools that could run, read or reach out; a version that does not know one of them ignores it.
_CODEX_TOOLS = (
    *("shell_tool", "unified_exec", "view_image", "image_generation", "apps", "plugins", "multi_agent", "goals"),
    *("browser_use", "computer_use", "skill_search", "tool_suggest", "sleep_tool", "memories", "hooks"),
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What an agent answered, and the tokens that it says it was sent and answered with; 0 where it does not."""

    text: str
    sent: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class Headless:
    """The words that start the agent, and what reads its standard output; ValueError where that is no answer.

    `without` are variables that would tell it that it runs within itself, which it refuses.
    """

    words: tuple[str, ...]
    read: Callable[[str], Answered]
    without: tuple[str, ...] = ()


def claude_code(program: str) -> Headless:
    """Return how Claude Code is asked."""
    alone = ("--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence")
    quiet = ("--settings", '{"disableAllHooks": true}')
    words = (program, "-p", "--output-format", "json", "--tools", "", *alone, *quiet, "--system-prompt", ROLE)
    return Headless(words, _read_result, without=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"))


def codex(program: str, environment: Mapping[str, str]) -> Headless:
    """Return how Codex is asked. It knows no switch for all tools, so each is switched off, and what is left may read.

    A setting on its command line joins the person's own, so each of their servers has to be named.
    """
    settings = [f"features.{name}=false" for name in _CODEX_TOOLS]
    settings += [f"mcp_servers.{name}.enabled=false" for name in _servers_of_codex(environment)]
    settings += ['web_search="disabled"', "project_doc_max_bytes=0"]
    off = [word for setting in settings for word in ("-c", setting)]
    alone = ("--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--ignore-rules")
    return Headless((program, "exec", *alone, *off, "-"), _read_events)


def _servers_of_codex(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the servers in its config; one that cannot be named on a command line refuses the whole."""
    folder = environment.get("CODEX_HOME") or os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".codex")
    try:
        with open(os.path.join(folder, "config.toml"), "rb") as file:
            servers = tomllib.load(file).get("mcp_servers")
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as problem:
        raise Refused(f"the config of Codex cannot be read: {problem}", "Mend it, or ask another agent.") from None
    names = list(servers) if isinstance(servers, dict) else []
    strange = [name for name in names if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii()]
    if strange:
        raise Refused(f"the server {strange[0]!a} of Codex cannot be switched off", "Rename it, or ask another agent.")
    return names


def _read_result(out: str) -> Answered:
    result = _object(out)
    text = result.get("result")
    if result.get("is_error") or not isinstance(text, str):
        raise ValueError(f"it ended with {result.get('subtype') or 'an error'}: {str(text or '')[:200]}")
    usage = as_dict(result.get("usage"))
    sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Answered(text, sum(whole(usage.get(name)) for name in sent), whole(usage.get("output_tokens")))


def _read_events(out: str) -> Answered:
    text, sent, answered = "", 0, 0
    for line in filter(str.strip, out.splitlines()):
        event = _object(line)
        item, usage = as_dict(event.get("item")), as_dict(event.get("usage"))
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif event.get("type") == "turn.completed":
            sent += whole(usage.get("input_tokens"))
            answered += whole(usage.get("output_tokens"))
    if not text:
        raise ValueError("it gave no answer")
    return Answered(text, sent, answered)


def _object(text: str) -> dict[str, object]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("it did not print what was expected")
    return value
