"""The transcripts of Claude Code: one JSONL file for a session, and one for each of its sub-agents.

One message of the model stands on several lines, each of which repeats what it cost. Most lines of the kind `user` are
not typed by a person. A resumed session may repeat the lines of another: within a file a line counts once, by its uuid;
lines that are marked as another session's, or stand before the last one that is to be skipped, are passed over. A
sub-agent's own file names the session that it works for; its id is put together from both. In older files the lines of
sub-agents stand among those of the session and stay there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import ge
from typing import Any

import msgspec
from msgspec.structs import astuple

from holdfast.agents.base import Place
from holdfast.agents.claude_code import AGENT, TYPED_SOURCES, is_of_a_peer
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import decode, files_below, first_records, lines, open_plain
from holdfast.agents.reading.values import (
    MAX_OUTPUT,
    MAX_TEXT,
    as_dict,
    cut,
    field,
    input_text,
    is_result,
    is_typed,
    text_of,
    when,
)
from holdfast.privacy.speech import OURS, REFERENCED, class_of, separated, typed
from holdfast.records import Session, replace

# Metadata lines that no other agent writes.
OWN_TYPES = (
    *("file-history-snapshot", "file-history-delta", "queue-operation", "custom-title", "ai-title", "last-prompt"),
    *("agent-name", "permission-mode", "pr-link", "bridge-session", "frame-link", "worktree-state", "attachment"),
)
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
RESULTS = ("tool_result", "web_search_tool_result", "mcp_tool_result", "web_fetch_tool_result")
# The types of lines that are the conversation; all other lines are about it.
CHAIN = ("user", "assistant", "attachment", "system")
# Attachments whose text reached the model, and the field that has it; all others say nothing of the work.
ATTACHED = {
    "hook_additional_context": ("content",),
    "hook_success": ("content", "stdout"),
    "hook_system_message": ("content",),
    "hook_blocking_error": ("blockingError",),
    "nested_memory": ("content",),
}
# The kinds of origin that a typed message has; in all others programs, sub-agents, peers or channels speak.
TYPED_BY = ("", "human")
# How the result of a refused call begins, what comes before the person's words, and what may follow them.
REFUSED = ("The user doesn't want to", "the user said:\n", "\n\nNote: The user's")
# By this mark the agent says that the person refused. Without it, what these tools say when they fail begins with words
# of the agent's; the error of another may begin as its server likes.
REFUSED_BY_PERSON = "user-rejected"
OWN_TOOLS = (
    *("Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "ExitPlanMode", "Read", "Glob", "Grep", "Task"),
    *AGENT.dialogs,
)
_MAX_QUEUED = 200
_NOTHING = msgspec.Raw(b"null")


class _Usage(msgspec.Struct, gc=False):
    """What a message cost, in the order of `Costs.add`."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None


class _Message(msgspec.Struct, gc=False):
    """The fields of a message that are read."""

    id: str | None = None
    model: str | None = None
    content: Any = None
    usage: _Usage | None = None


class _Line(msgspec.Struct, gc=False):
    """The fields of a line that are read; what has no name here is passed over without being built."""

    type: str | None = None
    uuid: str | None = None
    sessionId: str | None = None
    timestamp: Any = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    origin: Any = None
    agentId: str | None = None
    agentName: str | None = None
    userType: str | None = None
    forkedFrom: Any = None
    planContent: Any = None
    requestId: str | None = None
    message: _Message | None = None
    toolUseResult: msgspec.Raw = _NOTHING
    toolDenialKind: str | None = None
    promptSource: str | None = None
    attachment: Any = None
    subtype: str | None = None
    operation: str | None = None
    content: Any = None
    summary: str | None = None
    leafUuid: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    prUrl: str | None = None


_decode = msgspec.json.Decoder(_Line).decode
_types: dict[type, dict[str, Any]] = {
    kind: {field.name: field.type for field in msgspec.structs.fields(kind)} for kind in (_Line, _Message, _Usage)
}


def find(place: Place) -> Iterator[str]:
    """Yield the paths of all transcripts, those of sub-agents among them."""
    folder = place.environment.get("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")
    return files_below(os.path.join(folder, "projects"), ".jsonl", passed_over=place.passed_over)


def sniff(path: str) -> bool:
    """Whether the file holds lines as only this agent writes them."""
    own = False
    for record in first_records(path):
        kind, message = record.get("type"), record.get("message")
        if kind in ("user", "assistant") and isinstance(message, dict):
            return "content" in message and "parts" not in message
        own = own or (kind in OWN_TYPES and ("sessionId" in record or "snapshot" in record))
        own = own or (kind == "summary" and "leafUuid" in record)
    return own


class ClaudeCodeReading(Reading):
    """A session, or the session of a sub-agent."""

    agent = "claude-code"
    dialogs = AGENT.dialogs

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._seen: set[int] = set()
        self._sessions: dict[str, None] = {}
        self._session = ""
        self._subagent = ""
        self._is_main = False
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[int, str]] = []
        self._queued: dict[str, str] = {}
        self._counted = ("", _Usage(), "", "")
        self._id = ""
        self._circumstances: tuple[str | None, ...] = ()
        self._copied_until = 0

    def _walk(self) -> Iterator[None]:
        if self.skip:
            # Copied lines come first, up to the last line that has one of these ids.
            told_lines = ((number, _line(raw)) for number, raw in self.lines())
            copied = (number for number, line in told_lines if line and line.uuid in self.skip)
            self._copied_until = max(copied, default=0)
        for number, raw in self.lines():
            line = _line(raw)
            if line is None:
                self.malformed += 1
            elif line.type != "progress":
                self.line = number
                self._take(line)
                yield

    def _take(self, line: _Line) -> None:
        if line.uuid is not None:
            key = hash(line.uuid)
            if key in self._seen:
                return
            self._seen.add(key)
        is_usual = line.sessionId == self._session and line.forkedFrom is None and self.line > self._copied_until
        if not is_usual and self._is_copied(line):
            return
        kind = line.type
        self.at, self._id = when(line.timestamp), line.uuid or ""
        if kind == "assistant" or kind == "user":
            self._note(line)
            if line.message is None:
                self.malformed += 1
            elif kind == "assistant":
                self._assistant(line, line.message)
            else:
                self._user(line, line.message.content)
        elif kind == "attachment":
            self._note(line)
            self._attachment(line)
        elif kind == "system":
            self._note(line)
            self._system(line)
        else:
            self._metadata(line)

    def _is_copied(self, line: _Line) -> bool:
        """Whether another session has told this line; which one is kept in mind."""
        session = line.sessionId
        if session and line.type in CHAIN:
            self._session = session
        if session and session not in self._sessions and line.type in CHAIN:
            self._sessions[session] = None
            if len(self._sessions) == 1 and not self.skip:
                self._copied_until = _lines_before(self.path, session)
        if line.forkedFrom is not None:
            self.facts["forked"] = field(line.forkedFrom, "sessionId")
            return self.facts["forked"] not in ("", session)
        return self.line <= self._copied_until and (line.type in CHAIN or line.type == "queue-operation")

    def _note(self, line: _Line) -> None:
        """Take note of what a line says about the session as a whole, and where it stands."""
        self.seen_at(self.at)
        if line.isSidechain:
            self._subagent = line.agentId or self._subagent
        else:
            self._is_main = True
        if (line.cwd, line.gitBranch, line.version) == self._circumstances:
            return
        self._circumstances = (line.cwd, line.gitBranch, line.version)
        facts = self.facts
        if line.cwd:
            self.folder, self.branch = line.cwd, line.gitBranch or ""
            facts.setdefault("folder", line.cwd)
        if line.gitBranch:
            facts.setdefault("branch", line.gitBranch)
        if line.version:
            facts["version"] = line.version

    def _add(self, role: str, text: str, failed: bool = False) -> None:
        if text.strip():
            self.held.add(self.event(role, cut(text, MAX_TEXT), self._id, failed))

    def _assistant(self, line: _Line, message: _Message) -> None:
        model = self.model = message.model or ""
        if model:
            self.models[model] = None
        if message.usage is not None:
            self._count(message.id or line.requestId or "", message.usage, model)
        content = message.content
        for block in content if isinstance(content, list) else [content]:
            kind = block.get("type") if isinstance(block, dict) else "text"
            if kind in CALLS:
                key, given = field(block, "id"), input_text(block.get("input"))
                self.held.add(self.event("tool", "", self._id, False, field(block, "name"), key, given), key)
            elif kind in RESULTS:
                self._result(line, block)
            elif kind == "text":
                self._add("assistant", text_of(block), line.isApiErrorMessage is True)

    def _count(self, name: str, usage: _Usage, model: str) -> None:
        """Take a report. Each line of a message has one, and most tell more than the one before: the last is enough."""
        counted = self._counted
        if name and name == counted[0] and _covers(usage, counted[1]):
            self._counted = (name, usage, *counted[2:])
            return
        self._finish_counting()
        self._counted = (name, usage, self.at, model)

    def _finish_counting(self) -> None:
        name, usage, at, model = self._counted
        self.cost.add(name, *astuple(usage), at=at, model=model)
        self._counted = ("", _Usage(), "", "")

    def _result(self, line: _Line, block: dict[str, Any]) -> None:
        call = field(block, "tool_use_id")
        output = text_of(block.get("content")) or text_of(_spilled(line.toolUseResult))
        failed = block.get("is_error") is True
        output = cut(output, MAX_OUTPUT)
        asked = self.held.waiting(call)
        tool = asked.tool if asked is not None else ""
        if not self.held.answer(call, output, failed, until=self.at):
            self.held.add(self.event("tool", "", self._id, failed, "", call, "", output, answered=True))
        is_persons = line.toolDenialKind == REFUSED_BY_PERSON or (line.toolDenialKind is None and tool in OWN_TOOLS)
        if failed and is_persons and output.startswith(REFUSED[0]):
            # Nothing else tells what a person typed when refusing a call.
            self._add("human", typed(output.partition(REFUSED[1])[2].partition(REFUSED[2])[0]))
        elif tool in self.dialogs:
            self.choose(asked, _answers(line.toolUseResult))

    def _user(self, line: _Line, content: Any) -> None:
        usual, self.model = self._usual(line), ""
        # Joined at the end, because a message may have a million blocks.
        parts: list[tuple[str, list[str]]] = []
        given = content if isinstance(content, list) else [content]
        if line.toolUseResult != _NOTHING or any(map(is_result, given)):
            usual = "injected"
        for block in given:
            if is_result(block):
                self._result(line, block)
                continue
            text = cut(text_of(block), MAX_TEXT)
            if self._queued:
                self._unqueue(text.strip())
            usual = "injected" if is_of_a_peer(text) else usual
            found = separated(text, usual if is_typed(block) else "injected")
            usual = "injected" if REFERENCED in text else usual
            if line.isCompactSummary is True:
                found = [("summary", text)] if text.strip() else []
            for role, part in found:
                if parts and parts[-1][0] == role:
                    parts[-1][1].append(part)
                else:
                    parts.append((role, [part]))
        for role, texts in parts:
            self.held.add(self.event(role, "\n".join(texts), self._id))

    def _usual(self, line: _Line) -> str:
        """Return the role of what stands where a person speaks in this line, as far as its marks tell."""
        source = line.promptSource or ""
        is_agents = line.isSidechain is True or bool(line.agentId or line.agentName)
        # A plan or a suggestion that the person agreed to is handed over in their place, in the model's own words.
        agreed = line.planContent or source == "suggestion_accepted"
        if line.isMeta is True or field(line.origin, "kind") not in TYPED_BY or line.userType not in (None, "external"):
            return "injected"
        if is_agents or agreed:
            return "task"
        return "human" if source in TYPED_SOURCES else "injected"

    def _unqueue(self, text: str) -> None:
        """Take out the prompts that waited in the queue and are told here, several of them as lines of one."""
        told_here = f"\n{text}\n"
        for queued in [one for one in self._queued if f"\n{one}\n" in told_here]:
            self.held.drop(self._queued.pop(queued))

    def _attachment(self, line: _Line) -> None:
        attachment = line.attachment
        if not isinstance(attachment, dict):
            return
        kind = field(attachment, "type")
        if kind == "queued_command":
            text = cut(text_of(attachment.get("prompt")), MAX_TEXT)
            by_person = field(attachment.get("origin"), "kind") in TYPED_BY and attachment.get("isMeta") is not True
            by_person = by_person and not is_of_a_peer(text)
            usual = "human" if by_person and field(attachment, "commandMode") in ("prompt", "") else "injected"
            self._unqueue(text)
            for role, part in separated(text, usual):
                self._add(role, part)
            return
        texts = (text_of(attachment.get(name)) for name in ATTACHED.get(kind, ()))
        text = next((text for text in texts if text.strip()), "")
        self._add("ours" if OURS in text else "injected", text)

    def _system(self, line: _Line) -> None:
        text = line.content if isinstance(line.content, str) else ""
        if line.subtype == "local_command":
            self._add(class_of(text, "command"), text)
        elif line.subtype == "away_summary":
            self._add("injected", text)

    def _metadata(self, line: _Line) -> None:
        for kind, name in (("custom", line.customTitle), ("ai", line.aiTitle)):
            if name and name.strip():
                self._titles[kind] = name.strip()
        if line.type == "summary" and line.summary is not None and line.leafUuid is not None:
            self._summaries = [*self._summaries[-50:], (hash(line.leafUuid), line.summary.strip())]
        elif line.type == "pr-link" and line.prUrl is not None:
            self._add("injected", f"Pull request: {cut(line.prUrl, 500)}")
        elif line.type == "queue-operation" and line.operation == "enqueue" and isinstance(line.content, str):
            # A queued prompt is held at its place until the transcript repeats it, which it may never do.
            text = cut(text_of(line.content), MAX_TEXT).strip()
            is_said = typed(text) and not is_of_a_peer(text)
            if is_said and text not in self._queued and len(self._queued) < _MAX_QUEUED:
                self._queued[text] = f"queued at {self.line}"
                self.held.add(self.event("human", typed(text), self._id), self._queued[text])

    def session(self) -> Session:
        self._finish_counting()
        # What the program wrote in the model's place is not the model's.
        self.models.pop("<synthetic>", None)
        told_here = [title for leaf, title in self._summaries if leaf in self._seen]
        title = self._titles.get("custom") or self._titles.get("ai") or next(reversed(told_here), "")
        name, parent, is_subagent = self._names()
        return replace(super().session(), id=name, parent=parent, is_subagent=is_subagent, title=cut(title, 500))

    def _names(self) -> tuple[str, str, bool]:
        """Return the id, that of the session it comes from or works for, and whether it works for it."""
        above, stem = os.path.split(self.path.removesuffix(".jsonl"))
        ids = list(self._sessions)
        if (self._subagent and not self._is_main) or (os.path.basename(above) == "subagents"):
            parent = ids[-1] if ids else os.path.basename(os.path.dirname(above))
            return f"{parent}.agent-{self._subagent or stem.removeprefix('agent-')}", parent, True
        # A copy of another session's lines stands before its own ones.
        name = stem if stem in self._sessions or not ids else ids[-1]
        return name, next((one for one in ids if one != name), "") or self.facts.get("forked", ""), False


def _line(raw: bytes) -> _Line | None:
    try:
        return _decode(raw)
    except (ValueError, RecursionError):
        found = decode(raw)
    return None if found is None else _Line(**_fitting(_Line, found))


def _fitting(kind: type, found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a line of which some are of another kind than expected: those are as if they were not there.

    Of what the agent program itself kept of a result only that it was there is kept.
    """
    kept: dict[str, Any] = {}
    for name, wanted in _types[kind].items():
        value = found.get(name)
        if value is None:
            continue
        if wanted is msgspec.Raw:
            kept[name] = msgspec.Raw(b"{}")
        elif isinstance(value, dict) and name in _INNER:
            kept[name] = _INNER[name](**_fitting(_INNER[name], value))
        elif wanted is Any or (isinstance(value, (str, bool)) and wanted == type(value) | None):
            kept[name] = value
    return kept


_INNER: dict[str, type] = {"message": _Message, "usage": _Usage}


def _lines_before(path: str, first: str) -> int:
    """Return how many lines stand before those of the session that the file is named after, if it begins with others.

    `first` is the session of the first line. Where the file has another name than a session's, there is no telling.
    """
    stem = os.path.basename(path).removesuffix(".jsonl")
    mark = b'"' + stem.encode("utf-8", "replace") + b'"'
    if stem == first or len(stem) != len(first):
        return 0
    with open_plain(path) as file:
        for number, _, raw in lines(file):
            line = _line(raw) if mark in raw else None
            if line is not None and line.sessionId == stem and line.type in CHAIN:
                return number - 1
    return 0


def _covers(usage: _Usage, before: _Usage) -> bool:
    """Whether a report tells at least as much of everything as another."""
    try:
        return all(map(ge, astuple(usage), astuple(before)))
    except TypeError:
        return False


def _kept(raw: msgspec.Raw) -> Any:
    """Return the agent program's own record of a result."""
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return None


def _answers(raw: msgspec.Raw) -> dict[str, Any]:
    """Return what was answered to each question of a dialog: the options that were taken, and what was typed."""
    record = as_dict(_kept(raw))
    notes = {name: field(one, "notes") for name, one in as_dict(record.get("annotations")).items()}
    answers = as_dict(record.get("answers"))
    return {name: [answers.get(name, ""), notes.get(name, "")] for name in {**answers, **notes}}


def _spilled(raw: msgspec.Raw) -> Any:
    """Return the output that only the agent program's own record of a result has."""
    found = _kept(raw)
    if isinstance(found, dict):
        return [found.get("stdout"), found.get("stderr")] if "stdout" in found else None
    return found


read = ClaudeCodeReading.read
