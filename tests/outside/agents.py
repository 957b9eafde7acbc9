"""The five real agents, each run once with a prompt, in a home of its own and against the model on loopback.

Nothing of the caller's environment reaches them. What a person has in an agent's config files before Holdfast comes
is here as well, with comments, hooks and servers of their own, for an install must leave all of it alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from outside.loopback import Call, Model, Request, Say
from outside.programs import CACHE, ENVIRONMENT, native

SECONDS = 600
# How long a process of the agent's may outlive it, or a sweep that our hook started.
GRACE = 300


@dataclass(frozen=True)
class Program:
    """A real agent: how it is called, what points it at the model, and how it calls a tool of our MCP server."""

    name: str
    command: Callable[[Path], list[str]]
    environment: Callable[[str], dict[str, str]]
    files: dict[str, str]
    tool: Callable[[str, dict], list[Call]]
    shell: Callable[[str], Call]


@dataclass(frozen=True)
class Ran:
    """One run of an agent: how it ended, what it printed, what it asked the model, and what it left running."""

    code: int
    out: str
    err: str
    turns: list[Request]
    requests: list[Request]
    missing: list[str]
    left_behind: list[str]

    @property
    def first(self) -> Request:
        """The first turn."""
        assert self.turns, f"the agent asked nothing:\n{self.out[-3000:]}\n{self.err[-3000:]}"
        return self.turns[0]


def _claude(there: Path) -> list[str]:
    return [str(native(there, "@anthropic-ai/claude-code") / "claude"), "--dangerously-skip-permissions", "-p"]


def _codex(there: Path) -> list[str]:
    [program] = native(there, "@openai/codex").glob("vendor/*/bin/codex")
    free = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
    return [str(program), "exec", "--skip-git-repo-check", *free]


def _gemini(there: Path) -> list[str]:
    node = shutil.which("node", path=ENVIRONMENT.get("PATH"))
    return [str(node), str(there / "node_modules/@google/gemini-cli/bundle/gemini.js"), "--yolo", "-p"]


def _opencode(there: Path) -> list[str]:
    return [str(native(there, "opencode") / "bin" / "opencode"), "run"]


def _grok(there: Path) -> list[str]:
    # A person who connects it in a project trusts that folder, or nothing of the project is read.
    options = ("-m", "loopback", "--always-approve", "--trust", "-p")
    return [str(native(there, "@xai-official/grok") / "bin" / "grok"), *options]


def _copilot(there: Path) -> list[str]:
    return [str(native(there, "@github/copilot") / "copilot"), "--allow-all-tools", "-p"]


def _qwen(there: Path) -> list[str]:
    node = shutil.which("node", path=ENVIRONMENT.get("PATH"))
    options = ("--yolo", "--auth-type", "openai", "--model", "loopback", "-p")
    return [str(node), str(there / "node_modules/@qwen-code/qwen-code/cli.js"), *options]


def _copilot_environment(url: str) -> dict[str, str]:
    # It unpacks itself, once for all homes.
    quiet = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "XDG_CACHE_HOME": str(CACHE / "unpacked")}
    return {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "loopback", **quiet}


def _claude_environment(url: str) -> dict[str, str]:
    quiet = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "loopback", "IS_SANDBOX": "1", **quiet}


def _gemini_environment(url: str) -> dict[str, str]:
    quiet = {"GEMINI_TELEMETRY_ENABLED": "false", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    # Else it starts itself a second time, to have more memory.
    once = {"GEMINI_CLI_NO_RELAUNCH": "true"}
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "loopback", **quiet, **once}


def _opencode_environment(url: str) -> dict[str, str]:
    # With any plugin it fetches a package from npm before it starts; where that fails at once, it goes on without.
    offline = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}
    # The last stage of its compiler is for programs that run for hours, and its own plugins sign in to providers.
    short = {"BUN_JSC_useFTLJIT": "0", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}
    # It would read a list of the models of all providers, which takes a third of a session.
    short["OPENCODE_MODELS_PATH"] = str(Path(__file__).with_name("no_models.json"))
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1", **offline, **short}


def _grok_environment(url: str) -> dict[str, str]:
    names = ("GROK_XAI_API_BASE_URL", "GROK_MODELS_BASE_URL", "GROK_CLI_CHAT_PROXY_BASE_URL")
    return {"XAI_API_KEY": "loopback", **dict.fromkeys(names, f"{url}/v1")}


def _shell(name: str, key: str, **more: str) -> Callable[[str], Call]:
    return lambda line: Call(name, {key: line, **more})


def _tool(spelled: str, shell: Callable[[str], Call], namespace: str = "") -> Callable[[str, dict], list[Call]]:
    # Agents wait for a server about a second and then ask without its tools; a later request has them.
    return lambda name, arguments: [
        Call(spelled.replace("NAME", name), arguments, namespace, meanwhile=shell("sleep 1"))
    ]


def _grok_tool(name: str, arguments: dict) -> list[Call]:
    used = {"tool_name": f"holdfast__{name}", "tool_input": arguments}
    search = {"query": f"holdfast {name}"}
    wait = Call("run_terminal_command", {"command": "sleep 1", "description": "wait"})
    return [Call("search_tool", search, sign="- holdfast (", meanwhile=wait), Call("use_tool", used)]


def _qwen_tool(name: str, arguments: dict) -> list[Call]:
    spelled = f"mcp__holdfast__{name}"
    used = {"name": spelled, "arguments": arguments}
    return [Call("tool_search", {"query": f"select:{spelled}"}), Call("tool_call", used)]


CLAUDE_SETTINGS = """{
   "cleanupPeriodDays": 99999,
   "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] },
   "includeCoAuthoredBy": false
}"""
CODEX_CONFIG = """# the person's own
model = "loopback"
model_provider = "loopback"   # on this machine

[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
"""
GEMINI_SETTINGS = """{
  // comments are allowed here
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "ui": {
    "hideTips": true
  }
}
"""
OPENCODE_CONFIG = """{
    // comments are allowed here
    "$schema": "https://opencode.ai/config.json",
    "model": "loopback/loopback", "autoupdate": false,
    "share": "disabled",
    "provider": {
        "loopback": {
            "npm": "@ai-sdk/openai-compatible", "name": "loopback",
            "models": { "loopback": { "name": "loopback" } },
            "options": { "baseURL": "{url}/v1", "apiKey": "x" },
        },
    },
}
"""
GROK_CONFIG = """# the person's own
[models]
default = "loopback"

[model.loopback]   # on this machine
model = "loopback"
name = "Loopback"
api_key = "x"
base_url = "{url}/v1"
"""
QWEN_SETTINGS = """{
  // comments are allowed here
  "telemetry": { "enabled": false },
  "general": { "enableAutoUpdate": false }
}
"""

PROGRAMS = {
    one.name: one
    for one in (
        Program(
            "claude-code",
            _claude,
            _claude_environment,
            {".claude/settings.json": CLAUDE_SETTINGS},
            _tool("mcp__holdfast__NAME", _shell("Bash", "command")),
            _shell("Bash", "command"),
        ),
        Program(
            "codex",
            _codex,
            lambda url: {"LOOPBACK_KEY": "x"},
            {".codex/config.toml": CODEX_CONFIG},
            _tool("NAME", _shell("exec_command", "cmd"), "mcp__holdfast"),
            _shell("exec_command", "cmd"),
        ),
        Program(
            "gemini-cli",
            _gemini,
            _gemini_environment,
            {".gemini/settings.json": GEMINI_SETTINGS},
            _tool("mcp_holdfast_NAME", _shell("run_shell_command", "command")),
            _shell("run_shell_command", "command"),
        ),
        Program(
            "opencode",
            _opencode,
            _opencode_environment,
            {".config/opencode/opencode.jsonc": OPENCODE_CONFIG},
            _tool("holdfast_NAME", _shell("bash", "command")),
            _shell("bash", "command"),
        ),
        Program(
            "grok",
            _grok,
            _grok_environment,
            {".grok/config.toml": GROK_CONFIG},
            _grok_tool,
            _shell("run_terminal_command", "command", description="run it"),
        ),
    )
}

# Those of which one session in the long run shows what there is.
MORE = {
    one.name: one
    for one in (
        Program(
            "copilot",
            _copilot,
            _copilot_environment,
            {},
            _tool("holdfast-NAME", _shell("bash", "command", description="run it")),
            _shell("bash", "command", description="run it"),
        ),
        Program(
            "qwen",
            _qwen,
            lambda url: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x"},
            {".qwen/settings.json": QWEN_SETTINGS},
            _qwen_tool,
            _shell("run_shell_command", "command", description="run it"),
        ),
    )
}
EVERY = {**PROGRAMS, **MORE}


class Person:
    """A person with a home, a project, and the agents' programs. `has` writes the config of an agent into the home.

    Hooks start no sweep, unless `sweeps` is set: then a run waits until it is over. `more` is added to the environment.
    """

    sweeps = False

    def __init__(self, home: Path, folder: Path, programs: Path, model: Model) -> None:
        self.home, self.folder, self.programs, self.model = home, folder, programs, model
        self.more: dict[str, str] = {}

    def has(self, agent: str) -> None:
        """Let the person be one who uses that agent already."""
        for name, text in EVERY[agent].files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{url}", self.model.url))

    def environment(self, agent: str = "") -> dict[str, str]:
        """Return the whole environment of a program that this person starts."""
        node = os.path.dirname(shutil.which("node", path=ENVIRONMENT.get("PATH")) or "/usr/bin/node")
        path = os.pathsep.join(dict.fromkeys(["/usr/local/bin", "/usr/bin", "/bin", node]))
        plain = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        plain["HOLDFAST_SWEEP_AT_SESSION_END"] = "yes" if self.sweeps else "no"
        # A hook that is over its time says nothing, which on a busy machine may be any hook.
        plain["HOLDFAST_HOOK_BUDGET_MS"] = "60000"
        return {**plain, **self.more, **(EVERY[agent].environment(self.model.url) if agent else {})}

    def run(self, agent: str, prompt: str = "hello", steps: Sequence[Say | Call] = (), *options: str) -> Ran:
        """Run the agent once and return what came of it. Whatever it leaves running is named and ended."""
        self.model.play(list(steps))
        command = EVERY[agent].command(self.programs)
        # The last word may be the option that takes the prompt.
        words = [*command[:-1], *options, command[-1], prompt]
        with subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment(agent),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                _end_group(process.pid)
                out, err = process.communicate()
                err += f"\nended after {SECONDS} seconds"
        model, left_behind = self.model, self._left_behind()
        return Ran(process.returncode, out, err, model.turns, model.requests, model.missing, left_behind)

    def _left_behind(self) -> list[str]:
        """Return the command lines of processes that this person still has after a while, and end them."""
        until, others = time.monotonic() + GRACE, set[str]()
        while (found := processes_of(self.home, others)) and time.monotonic() < until:
            time.sleep(0.05)
        for process in found:
            _end(process)
        return list(found.values())


def processes_of(home: Path, others: set[str]) -> dict[int, str]:
    """Return the processes whose HOME is that folder. Where there is no /proc, nobody can tell.

    Those of others are added to what is given, and not looked at again.
    """
    mark = f"\0HOME={home}\0".encode()
    found = {}
    for name in filter(str.isdigit, set(os.listdir("/proc")) - others if os.path.isdir("/proc") else ()):
        entry = Path("/proc") / name
        try:
            if mark in b"\0" + (entry / "environ").read_bytes():
                found[int(name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            else:
                others.add(name)
        except OSError:
            continue
    return found


def _end(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _end_group(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return
