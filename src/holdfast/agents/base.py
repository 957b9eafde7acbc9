"""The adapter of an agent: what Holdfast asks of it, with harmless answers for everything that an agent does not say.

An adapter is one class in one file. Most of it is data, the attributes at the top of `Agent`; a method is overridden
where an agent differs from what several share. **Names**: `name` is what people type and what `--agent` carries;
`title` is how the agent calls itself. Nothing outside this folder asks for a name: it asks for a capability below.

**Hooks** (`is_host`, `moment`, `read_hook_input`, `injection_output`) run in front of a waiting person. They import
nothing but `base/`, read no transcript and never raise for what an agent sends: a field that is missing or of another
kind is empty. `is_host` is false where another agent runs our line because it reads this one's files.

**Installing** is a plan. `parts` says what of ours stands in which file; `agents/editing/plan` turns that into changes
of whole files. A change only adds bytes to a foreign file, so taking those out again gives back the file as it was.
What is ours is found by its tag: the hook's command line, the server's name. A file that cannot be parsed is refused.

**Rules files** are for agents whose hooks cannot hand text to the model: `rules_file` says where a file or a block
of memories stands that is kept up to date by `holdfast.inject.publish`.

**Standing rules and skills** are what a person approved for agents to be told: `instruction_files` and `skill_folders`
say where an agent reads them. Several agents read one file, so each names all of its places, the best first.

**Transcripts** are heavy to read: `find_sessions` and `read_session` load the module that `reader` names when called.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from holdfast.base import files
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps
from holdfast.records import HookCall, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from holdfast.agents.headless import Headless
    from holdfast.agents.launcher import Launcher
    from holdfast.agents.reading.base import Reading

SERVER = "holdfast"
ABOUT = "One memory for all your coding agents: what was remembered reaches this one too."
MAX_TEXT, MAX_INPUT = 4_000, 64_000  # a patch names its last file far behind
MILLISECONDS, GUARD_SECONDS = 1_000, 5
# The moments that get a hook, and the seconds that it may take. At the end of a session there is little time for all
# hooks together: one agent gives them three seconds at most.
HOOK_SECONDS = {
    "start": 10,
    **dict.fromkeys(("prompt", "tool-failed", "compact", "compacted", "subagent-stop", "stop"), 5),
    "end": 3,
}
# A folder of rules or memories has no more files than this; a larger one is something else.
MAX_FILES = 1_000
# Set by an agent that runs the hooks of other agents, too, beside aliases of their variables.
RUNS_OTHERS = "GROK_HOOK_EVENT"
# Names of events that several agents share, in two spellings, with their moments.
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-tool",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool-failed",
    "PreCompact": "compact",
    "PostCompact": "compacted",
    "SubagentStart": "subagent-start",
    "SubagentStop": "subagent-stop",
    "Stop": "stop",
    "SessionEnd": "end",
}
CAMEL_EVENTS = {
    **{"postToolUse": "tool", "postToolUseFailure": "tool-failed", "preCompact": "compact"},
    **{"subagentStart": "subagent-start", "subagentStop": "subagent-stop"},
}
# The fields that tell one hook call from the next, under any agent's name.
_TAGS = (
    *("prompt_id", "promptId", "turn_id", "generation_id", "tool_use_id", "toolUseId", "agent_id", "timestamp"),
    "stop_hook_active",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent is installed: the person's home, the project's root, which of the two, and the environment.

    `made` has, for each file, the JSON containers that an earlier install made; None where nobody remembers. `was` has,
    for each file that nobody touched since then, what it was before. `passed_over` takes links among transcripts.
    """

    home: str
    folder: str
    scope: str
    environment: Mapping[str, str]
    made: Mapping[str, tuple[tuple[str, ...], ...]] | None = None
    was: Mapping[str, bytes] | None = None
    passed_over: list[str] | None = None

    def root(self, variable: str, personal: str, shared: str = "") -> str:
        """Return the agent's folder: in the project, or where its variable says, or in the person's home."""
        if self.scope == "project":
            return os.path.join(self.folder, shared or personal)
        return self.environment.get(variable) or os.path.join(self.home, personal)


@dataclass(frozen=True, slots=True)
class FoundAgent:
    """An agent that is there: the path of its program and its folder, either of them empty where only one is."""

    program: str
    folder: str


@dataclass(frozen=True, slots=True)
class ConfigPart:
    """One thing of ours in one file of an agent.

    `form` says how: `member` is a member of a JSON object and `element` one more element of a JSON array, both at
    `keys`; `default` is a member that the format needs and that is anybody's; `table` is a TOML table; `file` is a
    file that is wholly ours, as a text or as a value to be written as JSON.
    """

    path: str
    form: str
    keys: tuple[str, ...] = ()
    value: object = None


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One file before and after; None is no file.

    `spans` are the places of our bytes in `after`, `made` the JSON containers that we made around them. `empty`: what
    is left in `after` says nothing, so a file that an install made can go.
    """

    path: str
    before: bytes | None
    after: bytes | None
    spans: tuple[tuple[int, int], ...] = ()
    made: tuple[tuple[str, ...], ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class ManagedFile:
    """Where memories stand for an agent that reads them from a file.

    `head` opens a file of our own; a `block` stands between markers in an instruction file of the person's.
    """

    path: str
    head: str = ""
    block: bool = False


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file with what an agent knows of itself: where it is, and where that holds, `global` or `project`.

    `kind` says who wrote it: `memory` the agent, `instructions` or `rules` mostly the person.
    """

    path: str
    scope: str
    kind: str


class Agent:
    """An agent of which nothing is known. An adapter overrides what it knows better."""

    name: str = ""
    title: str = ""
    # It keeps a memory of its own. One that does not, and says so, gets the scaffold in its workspace.
    keeps_memory: bool = True
    # Whether a session without a person has no hook of its start; its first prompt then brings what a start brings.
    misses_starts: bool = False
    # The moments at which what a hook prints reaches the model, before a call with its result, and those at which its
    # `systemMessage` is shown.
    injects: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()
    # After a compaction it runs its hook of a session's start once more; where it does not, the next prompt makes up.
    starts_again: bool = True
    # The moment at which a session is worth reading: its end, or each pause where the agent tells of no end.
    settles: str = "end"
    # The agent's own names of events, with their moments.
    events: Mapping[str, str] = {}
    seconds: Mapping[str, int] = HOOK_SECONDS
    # What the person must still do after an install.
    advice: tuple[str, ...] = ()
    # The programs on the PATH that show that the agent is here.
    programs: tuple[str, ...] = ()
    # Its config folder: the variable that says where it is, its name in the person's home, and in a project if another.
    config_folder: tuple[str, ...] = ()
    # What names the session to an MCP server: a variable of its environment, a name in the `_meta` of each call.
    session_variable: str = ""
    session_meta: str = ""
    # Its event before a tool where a hook can refuse the call; `asks`: in which modes, in a terminal, it asks you.
    guard, in_terminal = "", ("", "")
    asks: tuple[str, ...] = ()
    # It tells its hook behind a call whether a command failed, so that one of which it says nothing went well.
    tells_exits: bool = False
    # Its events around a call that rules and fixes need, and the tools to which its hooks bind them: those that run
    # commands and change files, as a matcher of the agent's names them.
    around: tuple[str, ...] = ()
    acting: str = ""
    # Its other tools, by their kind in `language/tools.py`: hooks are bound to those as well that a rule names.
    looking: Mapping[str, str] = {}
    # The file that has the calls of an answer before they are made, where the transcript beside it has not; the path to
    # the id of an answer in a line of the transcript.
    calls_file: str = ""
    answer_path: tuple[str, ...] = ()
    # Instruction files of a folder of which it reads only the first that is there; its instruction files in which a
    # block of ours can stand, best first: in its own folder, and in a project.
    reads_first: tuple[str, ...] = ()
    own_instructions: tuple[str, ...] = ()
    project_instructions: tuple[str, ...] = ()
    # Folders in which it looks for skills, best first; `own` is its config folder, others are in the home or project.
    skill_homes: tuple[str, ...] = ()
    # Its instruction and memory files: scope, kind, and names in its personal folder or the project; or a folder, which
    # ends with a slash, and the endings of the files below it.
    knowledge: tuple[tuple[str, ...], ...] = ()
    # A rules file in the project for memories, and what that file begins with.
    project_rule: str = ""
    rule_head: str = ""
    # Variables of the environment that say where it keeps its sessions; a scheduled sweep is given them.
    moved_by: tuple[str, ...] = ()
    # The module with `find`, `sniff` and `read` for its sessions: the contract is in `agents/reading/base.py`.
    reader: str = ""
    # Its own tools with which it asks the person something; no tool of a server may have one of these names.
    dialogs: tuple[str, ...] = ()

    def is_host(self, environment: Mapping[str, str]) -> bool:
        """Whether the program that runs this hook really is this agent, as far as the environment tells."""
        return RUNS_OTHERS not in environment

    def untrusted(self, place: Place) -> tuple[str, ...]:
        """Return the events whose hooks of ours the agent does not run, because the person has not trusted them."""
        return ()

    def session_of(self, environment: Mapping[str, str], meta: Mapping[str, object]) -> str:
        """Return the session that a call of the MCP server names, else its environment; or nothing."""
        return told(meta, self.session_meta) or environment.get(self.session_variable, "")

    def is_subagent(self, environment: Mapping[str, str], meta: Mapping[str, object]) -> bool:
        """Whether a call of the MCP server comes from a sub-agent, as far as the agent tells."""
        return False

    def moment(self, native: str) -> str:
        """Return which of MOMENTS the agent's own event is."""
        return self.events.get(native, "other")

    def read_hook_input(self, native: str, data: Mapping[str, object], environment: Mapping[str, str]) -> HookCall:
        """Return what the agent told its hook; a call that failed is told as one, also where one event is for all."""
        moment = self.moment(native)
        output, failed = self.outcome(data) if moment in ("after-tool", "tool-failed") else ("", False)
        moment = "tool-failed" if failed else moment
        transcript = told(data, "transcript_path", "transcriptPath")
        given = told(data, "prompt", "initialPrompt") if moment in ("prompt", "start") else ""
        prompt, notice = self.spoken(given, data) if given else ("", "")
        return HookCall(
            *(self.name, moment, native),
            session=told(data, "session_id", "sessionId", "conversation_id"),
            folder=told(data, "cwd", "workspaceRoot", "workspace_root"),
            source=told(data, "source", "reason", "trigger"),
            prompt=prompt,
            notice=notice,
            transcript=transcript,
            subagent=told(data, "agent_id", "agentId", "subagentType"),
            profile=told(data, "agent_type", "agentType", "subagentType"),
            tool=told(data, "tool_name", "toolName"),
            tool_input=plain(data.get("tool_input", data.get("toolInput", data.get("toolArgs"))), MAX_INPUT),
            error=plain(data.get("error", data.get("toolError"))) or (output if failed else ""),
            output=output,
            answer=told(data, "last_assistant_message", "lastAssistantMessage", "prompt_response"),
            tag=tag(data, transcript),
            call_id=told(data, "tool_use_id", "toolUseId"),
            made_at=told(data, "made_at", "timestamp"),
            mode=told(data, "permission_mode"),
        )

    def outcome(self, data: Mapping[str, object]) -> tuple[str, bool]:
        """Return the end of what a call printed, and whether it is told to have failed."""
        return plain_end(data.get("tool_response", data.get("toolResult"))), False

    def spoken(self, given: str, data: Mapping[str, object]) -> tuple[str, str]:
        """Return what the person typed of a prompt, and what programs put there."""
        from holdfast.privacy import speech

        return speech.apart(speech.separated(given))

    def injection_output(self, call: HookCall, text: str) -> str:
        """Return what to print so that the text reaches the model; nothing where it cannot."""
        if call.moment not in self.injects:
            return ""
        return dumps({"hookSpecificOutput": {"hookEventName": call.native, "additionalContext": text}})

    def refusal_output(self, call: HookCall, reason: str) -> str:
        """Return what to print so that the call is refused and the model reads why; nothing where it cannot."""
        return _decision(call, "deny", reason) if self.guard else ""

    def question_output(self, call: HookCall, reason: str) -> str:
        """Return what to print so that the person is asked whether the call may run; nothing where it cannot."""
        return _decision(call, "ask", reason) if self.asks else ""

    def archived_as(self, call: HookCall) -> str:
        """Return the id that the session of a call has in the archive; a sub-agent may have one of its own."""
        return call.session

    def main_session(self, call: HookCall) -> str:
        """Return the id of the session that a call serves; a sub-agent may have one of its own and serve another."""
        return call.session

    def detect(self, place: Place) -> FoundAgent | None:
        """Return where the agent is, or None where neither its program nor its folder is here."""
        folder, program = self.folder(place), files.on_path(self.programs, place.environment.get("PATH", ""))
        found = FoundAgent(program, folder if folder and os.path.isdir(folder) else "")
        return found if found.program or found.folder else None

    def folder(self, place: Place) -> str:
        """Return the folder of the agent's config at that place, whether it is there or not."""
        return place.root(*self.config_folder) if self.config_folder else ""

    def personal_folder(self, place: Place) -> str:
        """Return the folder of its config for the person, at whatever scope `place` is."""
        return self.folder(replace(place, scope="user"))

    def instruction_folder(self, place: Place) -> str:
        """Return the folder of its instruction files: the project's, or its own."""
        return place.folder if place.scope == "project" else self.folder(place)

    def hook_lines(self, command: Launcher) -> list[tuple[str, str, int]]:
        """Return event, command line and seconds of each hook to install; around a call only where that is wanted."""
        timed = {native: self.seconds[moment] for native, moment in self.events.items() if moment in self.seconds}
        wanted = (*((self.guard,) if command.guards else ()), *(self.around if command.rules else ()))
        timed.update({native: GUARD_SECONDS for native in wanted if native})
        return [(native, command.hook_line(self.name, native), seconds) for native, seconds in timed.items()]

    def hook_parts(self, path: str, command: Launcher, unit: int = 1, **more: object) -> list[ConfigPart]:
        """Return our group for each event in the shape that several agents share; `unit` is a second in the agent's."""
        found = []
        for native, line, seconds in self.hook_lines(command):
            handler = {"type": "command", "command": line, "timeout": seconds * unit, **more}
            bound = self.acting and native in self.around and not (command.guards and native == self.guard)
            matcher = {"matcher": command.bound(self.acting, self.looking)} if bound else {}
            group = {**matcher, "hooks": [handler]}
            found.append(ConfigPart(path, "element", ("hooks", native), group))
        return found

    def hooks_file(self, command: Launcher) -> dict[str, object]:
        """Return the same groups as a file of their own has them."""
        return {"hooks": {part.keys[1]: [part.value] for part in self.hook_parts("", command)}}

    def server(self, command: Launcher, **more: object) -> dict[str, object]:
        """Return our MCP server in the shape that most agents share."""
        first, *rest = command.mcp(self.name)
        return {"command": first, "args": rest, **more}

    def server_part(self, path: str, command: Launcher, **more: object) -> ConfigPart:
        """Return what puts our MCP server into a file, JSON or TOML."""
        if path.endswith(".toml"):
            return ConfigPart(path, "table", ("mcp_servers", SERVER), self.server(command))
        return ConfigPart(path, "member", ("mcpServers", SERVER), self.server(command, **more))

    def parts(self, place: Place, command: Launcher) -> list[ConfigPart]:
        """Return what of ours stands in which of its files."""
        return []

    def memory_files(self, place: Place) -> list[MemoryFile]:
        """Return the instruction and memory files of the agent's own that are there, at whatever scope `place` is."""
        found: list[MemoryFile] = []
        for scope, kind, *names in self.knowledge:
            root = self.personal_folder(place) if scope == "global" else place.folder
            if names[0].endswith("/"):
                found += all_below(scope, kind, os.path.join(root, names[0]), *names[1:])
            else:
                paths = [os.path.join(root, name) for name in names]
                there = [MemoryFile(path, scope, kind) for path in paths if os.path.isfile(path)]
                found += there[:1] if tuple(names) == self.reads_first else there
        return found

    def memory_parts(self, found: MemoryFile, text: str, place: Place) -> list[tuple[str, str]]:
        """Return what of such a file is knowledge, by the scope in which it holds, with every line at its place."""
        return [(found.scope, text)]

    def own_memory(self, place: Place) -> str:
        """Return the file of its own in which it notes what it knows of a project; nothing where there is none."""
        return ""

    def memory_switch(self, place: Place) -> ConfigPart | None:
        """Return what in its settings switches the memory of its own off; None where it has none, or no switch."""
        return None

    def rules_file(self, place: Place) -> ManagedFile | None:
        """Return where memories stand for the agent to read, or None where its hooks hand them over."""
        if not self.project_rule or place.scope != "project":
            return None
        return ManagedFile(os.path.join(place.folder, self.project_rule), self.rule_head)

    def instruction_files(self, place: Place, name: str) -> list[ManagedFile]:
        """Return where a rule can stand that the agent always reads, best first: a block, or a file of that name."""
        names = self.project_instructions if place.scope == "project" else self.own_instructions
        folder = self.instruction_folder(place)
        if names and names == self.reads_first:
            names = tuple(name for name in names if os.path.isfile(os.path.join(folder, name)))[:1] or names[:1]
        return blocks_in(folder, *names)

    def skill_folders(self, place: Place) -> list[str]:
        """Return the folders in which the agent looks for skills, its own first; none where it knows no skills."""
        root = place.folder if place.scope == "project" else place.home
        folders = [self.folder(place) if name == "own" else os.path.join(root, name) for name in self.skill_homes]
        return [os.path.join(folder, "skills") for folder in folders]

    def plugin(self, command: Launcher, version: str, skill: str) -> dict[str, object]:
        """Return the files of a plugin with hooks, server and skill, by their paths; none where it takes none."""
        return {}

    def headless(self, program: str, environment: Mapping[str, str]) -> Headless | None:
        """Return how its program answers one prompt with its tools off, or None where it cannot."""
        return None

    def find_sessions(self, place: Place) -> Iterator[str]:
        """Yield the paths of the agent's transcripts."""
        return _module(self.reader).find(place) if self.reader else iter(())

    def read_session(self, path: str) -> Iterator[Reading] | None:
        """Return the sessions that a transcript tells, or None where its content is none of this agent's."""
        if not self.reader or not _module(self.reader).sniff(path):
            return None
        return _module(self.reader).read(path)  # type: ignore[no-any-return]


def _module(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


def _decision(call: HookCall, decision: str, reason: str) -> str:
    answer = {"hookEventName": call.native, "permissionDecision": decision, "permissionDecisionReason": reason}
    return dumps({"hookSpecificOutput": answer})


def told(data: Mapping[str, object], *names: str) -> str:
    """Return the first of these fields that is a text and not empty."""
    return next((value for name in names if isinstance(value := data.get(name), str) and value), "")


def plain(value: object, most: int = MAX_TEXT) -> str:
    """Return the value as a text of bounded length: a text as it is, a lone command without its key."""
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        value = value["command"]
    return _text(value)[:most]


def plain_end(value: object) -> str:
    """Return the end of the value as a text: what went wrong stands there."""
    return _text(value)[-MAX_TEXT:]


def _text(value: object) -> str:
    try:
        return value if isinstance(value, str) else "" if value is None else dumps(value)
    except (TypeError, RecursionError):
        return ""


def tag(data: Mapping[str, object], transcript: str) -> str:
    """Return what tells this call from the next of its moment, and is the same for two hooks of one event.

    Where the agent sends no id, the length of its transcript serves, which grows; else the time does.
    """
    found = [str(data[name]) for name in _TAGS if isinstance(data.get(name), (str, int)) and data[name]]
    if not found:
        try:
            status = os.stat(transcript) if transcript else None
            found = [str(status.st_size if stat.S_ISREG(status.st_mode) else 0) if status else str(time.time_ns())]
        except (OSError, ValueError):
            found = ["0"]
    return "/".join([*found, told(data, "source", "trigger", "reason")]).strip("/")


def all_below(scope: str, kind: str, folder: str, *endings: str) -> list[MemoryFile]:
    """Return the files with these endings in the folder and below it, in order; links to folders are not followed."""
    found = []
    for here, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.join(here, name) for name in sorted(names) if name.endswith(endings)]
    return [MemoryFile(path, scope, kind) for path in found[:MAX_FILES] if os.path.isfile(path)]


def folder_name(path: str) -> str:
    """Return a path as the name of one folder, as several agents write it: what is no ASCII letter or digit is `-`."""
    return "".join([letter if letter.isascii() and letter.isalnum() else "-" for letter in path])


def blocks_in(folder: str, *names: str) -> list[ManagedFile]:
    """Return the instruction files of these names, in each of which a block can stand."""
    return [ManagedFile(os.path.join(folder, name), block=True) for name in names]
