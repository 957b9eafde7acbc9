"""Gemini CLI: hooks and the server in settings.json."""

from __future__ import annotations

import os

from holdfast.agents.base import MILLISECONDS, SERVER, Agent, ConfigPart, MemoryFile, Place, all_below, plain_end
from holdfast.base import files
from holdfast.base.minijson import dumps
from holdfast.base.text import hash_of
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.launcher import Launcher

_LONGEST_PATH = 4_096
# No setting makes a session smaller that has fewer tokens than these; its transcript has their number at its end.
_MIN_FULL, _MAX_TAIL = 50_000, 1 << 18
# The tag around what hooks hand over, in which every bracket is escaped as in HTML.
HANDED_OVER = "hook_context"
# Its own notes that nobody reviewed yet: patches of its memory files, in a folder for each scope.
_INBOX = (".inbox", "global")
# The line with the exit code in a command's result; a successful command has none.
EXIT = "Exit Code: "


class GeminiCli(Agent):
    """It takes JSON only on a hook's standard output, and counts timeouts in milliseconds."""

    name = "gemini-cli"
    title = "Gemini CLI"
    programs = ("gemini",)
    session_variable = "GEMINI_SESSION_ID"
    reader = "holdfast.agents.reading.gemini_cli"
    dialogs = ("ask_user",)
    moved_by = ("GEMINI_CLI_HOME",)
    injects = frozenset({"start", "prompt", "after-tool", "tool-failed"})
    shows = frozenset({"start", "prompt"})
    starts_again = False
    # Where a hook asks for the person and nobody is there, it waits for ever.
    tells_exits = True
    guard = "BeforeTool"
    around = ("BeforeTool", "AfterTool")
    acting = "run_shell_command|write_file|replace"
    looking = {  # noqa: RUF012
        **{"read": "read_file|read_many_files|list_directory", "search": "grep_search|search_file_content|glob"},
        **{"web": "web_fetch|google_web_search", "agent": "invoke_agent"},
    }
    events = {  # noqa: RUF012
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": "before-tool",
        "AfterTool": "after-tool",
        "AfterAgent": "stop",
        "PreCompress": "compact",
        "SessionEnd": "end",
    }
    own_instructions = project_instructions = ("GEMINI.md",)
    skill_homes = ("own", ".agents")
    knowledge = (("global", "instructions", "GEMINI.md"), ("project", "instructions", "GEMINI.md"))

    def is_host(self, environment: Mapping[str, str]) -> bool:
        return "GEMINI_PROJECT_DIR" in environment or "GEMINI_SESSION_ID" in environment

    def spoken(self, given: str, data: Mapping[str, object]) -> tuple[str, str]:
        # What the hook of the session's start handed over stands before the first prompt.
        from holdfast.privacy import speech

        prompt, notice = speech.apart(speech.behind_block(given, HANDED_OVER))
        # It spells the brackets of what hooks handed over, so our fence around it would not be known.
        return prompt, notice.replace("&lt;", "<").replace("&gt;", ">")

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        call = super().read_hook_input(native, data, environment)
        # It reports a compaction at every request, before it checks whether one is needed.
        is_idle = call.moment == "compact" and call.source == "auto" and not _is_full(call.transcript)
        return replace(call, moment="nothing") if is_idle else call

    def outcome(self, data: Mapping[str, object]) -> tuple[str, bool]:
        given = data.get("tool_response")
        answer = given if isinstance(given, dict) else {}
        output, code = plain_end(answer.get("llmContent")), ""
        for line in output.split("\n"):
            code = line.removeprefix(EXIT).strip() if line.startswith(EXIT) else code
        return output, bool(answer.get("error")) or code not in ("", "0")

    def refusal_output(self, call: HookCall, reason: str) -> str:
        return dumps({"decision": "deny", "reason": reason})

    def folder(self, place: Place) -> str:
        root = place.environment.get("GEMINI_CLI_HOME") or place.home
        return os.path.join(place.folder if place.scope == "project" else root, ".gemini")

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        settings = os.path.join(self.folder(place), "settings.json")
        hooks = self.hook_parts(settings, command, MILLISECONDS, name=SERVER)
        return [*hooks, self.server_part(settings, command)]

    def own_memory(self, place: Place) -> str:
        # It is in a folder named after a hash of the path, or in one that a file names.
        folder = os.path.join(self.personal_folder(place), "tmp")
        own = hash_of(place.folder, length=64)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            try:
                with open(os.path.join(folder, name, ".project_root"), encoding="utf-8", errors="replace") as file:
                    if file.read(_LONGEST_PATH).strip() == place.folder:
                        own = name
                        break
            except OSError:
                continue
        return os.path.join(folder, own, "memory", "MEMORY.md")

    def memory_switch(self, place: Place) -> ConfigPart | None:
        keys = ("experimental", "autoMemory")
        return ConfigPart(os.path.join(self.folder(place), "settings.json"), "default", keys, False)

    def memory_files(self, place: Place) -> list[MemoryFile]:
        memory = os.path.dirname(self.own_memory(place))
        inbox = os.path.join(memory, *_INBOX, "")
        found = all_below("project", "memory", memory, ".md", ".patch")
        # Notes for the person's own file hold everywhere.
        found = [replace(one, scope="global") if one.path.startswith(inbox) else one for one in found]
        return [*super().memory_files(place), *found]


def _is_full(transcript: str) -> bool:
    """Whether the last request of a session was so large that the agent may make it smaller."""
    try:
        tail, _ = files.read_tail(transcript, _MAX_TAIL)
    except (OSError, ValueError):
        return False
    said = tail.rpartition(b'"tokens":')[2].partition(b'"input":')[2].lstrip()[:10]
    digits = said.partition(b",")[0].strip()
    return digits.isdigit() and int(digits) >= _MIN_FULL


AGENT = GeminiCli()
