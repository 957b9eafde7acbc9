"""The transcripts of Claude Code: one JSONL file for a session, and one for each of its sub-agents.

One message of the model stands on several lines, each of which repeats what it cost. Most lines of the kind `user` are
not typed by a person. A resumed session may repeat the lines of another; within a file a line counts once, by its uuid.
A sub-agent's own file names the session that it works for; its id is put together from both. In older files the lines
of sub-agents stand among those of the session and stay there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.agents.reading.base import (
    MOST_OUTPUT,
    MOST_TEXT,
    OURS,
    Reading,
    class_of,
    cut,
    decode_broken,
    files_below,
    first_records,
    input_text,
    lines,
    open_plain,
    separated,
    text_of,
    told,
    when,
)
from holdfast.records import SessionEvent, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.base import Place
    from holdfast.records import Session

# Metadata lines that no other agent writes.
OWN_TYPES = (
    *("file-history-snapshot", "file-history-delta", "queue-operation", "custom-title", "ai-title", "last-prompt"),
    *("agent-name", "permission-mode", "pr-link", "bridge-session", "frame-link", "worktree-state", "attachment"),
)
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
RESULTS = ("tool_result", "web_search_tool_result", "mcp_tool_result", "web_fetch_tool_result")
# Attachments with text that reached the model, and where in them it stands; all others say nothing of the work.
ATTACHED = {
    "hook_additional_context": ("content",),
    "hook_success": ("content", "stdout"),
    "hook_system_message": ("content",),
    "hook_blocking_error": ("blockingError",),
    "nested_memory": ("content",),
}
_MOST_QUEUED = 200


class _Line(msgspec.Struct, gc=False):
    """The fields of a line that are read; what has no name here is passed over without being built."""

    type: Any = None
    uuid: Any = None
    sessionId: Any = None
    timestamp: Any = None
    cwd: Any = None
    gitBranch: Any = None
    version: Any = None
    isSidechain: Any = None
    isMeta: Any = None
    isCompactSummary: Any = None
    isApiErrorMessage: Any = None
    origin: Any = None
    agentId: Any = None
    forkedFrom: Any = None
    requestId: Any = None
    message: Any = None
    toolUseResult: msgspec.Raw = msgspec.Raw(b"null")
    attachment: Any = None
    subtype: Any = None
    operation: Any = None
    content: Any = None
    summary: Any = None
    leafUuid: Any = None
    customTitle: Any = None
    aiTitle: Any = None
    prUrl: Any = None


_decode = msgspec.json.Decoder(_Line).decode


def find(place: Place) -> Iterator[str]:
    """Yield the paths of all transcripts, those of sub-agents among them."""
    folder = place.environment.get("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")
    return files_below(os.path.join(folder, "projects"), ".jsonl")


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


def read(path: str) -> Iterator[Reading]:
    """Yield the one session of a file."""
    yield ClaudeCodeReading(path)


class ClaudeCodeReading(Reading):
    """A session, or the session of a sub-agent."""

    agent = "claude-code"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._seen: set[int] = set()
        self._sessions: dict[str, None] = {}
        self._subagent = ""
        self._is_main = False
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[int, str]] = []
        self._queued: dict[str, str] = {}
        self._counted: tuple[str, dict[str, Any]] = ("", {})
        self._number = 0
        self._at = ""

    def _walk(self) -> Iterator[None]:
        with open_plain(self.path) as file:
            for number, end, raw in lines(file):
                self.offset = end
                line = _line(raw)
                if line is None:
                    self.malformed += 1
                    continue
                self._number = number
                self._take(line)
                yield

    def _take(self, line: _Line) -> None:
        if isinstance(line.uuid, str):
            key = hash(line.uuid)
            if key in self._seen:
                return
            self._seen.add(key)
        kind = line.type
        self._at = when(line.timestamp)
        if kind == "assistant" or kind == "user":
            self._note(line)
            if isinstance(line.message, dict):
                (self._assistant if kind == "assistant" else self._user)(line, line.message)
            else:
                self.malformed += 1
        elif kind == "attachment":
            self._note(line)
            self._attachment(line)
        elif kind == "system":
            self._note(line)
            self._system(line)
        elif kind != "progress":
            self._metadata(line)

    def _note(self, line: _Line) -> None:
        """Take note of what a line says about the session as a whole."""
        self.seen_at(self._at)
        facts = self.facts
        if isinstance(line.sessionId, str) and line.sessionId:
            self._sessions[line.sessionId] = None
        if line.isSidechain is True:
            if isinstance(line.agentId, str):
                self._subagent = line.agentId
        else:
            self._is_main = True
        if line.cwd and isinstance(line.cwd, str):
            facts.setdefault("folder", line.cwd)
        if line.gitBranch and isinstance(line.gitBranch, str):
            facts.setdefault("branch", line.gitBranch)
        if line.version and isinstance(line.version, str):
            facts["version"] = line.version
        if line.forkedFrom is not None:
            facts["forked"] = told(line.forkedFrom, "sessionId")

    def _event(self, line: _Line, role: str, text: str = "", **more: Any) -> SessionEvent:
        return SessionEvent(
            self.held.place,
            role,
            text,
            self._at,
            more.get("tool", ""),
            more.get("call", ""),
            more.get("input", ""),
            more.get("output", ""),
            more.get("failed", False),
            0,
            line.cwd if isinstance(line.cwd, str) else "",
            line.gitBranch if isinstance(line.gitBranch, str) else "",
            more.get("model", ""),
            line.uuid if isinstance(line.uuid, str) else "",
            self._number,
        )

    def _assistant(self, line: _Line, message: dict[str, Any]) -> None:
        model = told(message, "model")
        if model and model != "<synthetic>":
            self.models[model] = None
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._count(line, message, usage)
        content = message.get("content")
        blocks: list[Any] = content if isinstance(content, list) else [content]
        for block in blocks:
            kind = block.get("type") if isinstance(block, dict) else "text"
            if kind in CALLS:
                self._call(line, block, model)
            elif kind in RESULTS:
                self._result(line, block)
            elif kind == "text":
                text = cut(text_of(block), MOST_TEXT)
                if text.strip():
                    failed = line.isApiErrorMessage is True
                    self.held.add(self._event(line, "assistant", text, model=model, failed=failed))

    def _count(self, line: _Line, message: dict[str, Any], usage: dict[str, Any]) -> None:
        name = told(message, "id") or (line.requestId if isinstance(line.requestId, str) else "")
        if name and (name, usage) == self._counted:
            return
        self._counted = (name, usage)
        self.cost.add(
            name,
            usage.get("input_tokens"),
            usage.get("output_tokens"),
            usage.get("cache_read_input_tokens"),
            usage.get("cache_creation_input_tokens"),
        )

    def _call(self, line: _Line, block: dict[str, Any], model: str) -> None:
        call = told(block, "id")
        given = input_text(block.get("input"))
        event = self._event(line, "tool", tool=told(block, "name"), call=call, input=given, model=model)
        self.held.add(event, call)

    def _result(self, line: _Line, block: dict[str, Any]) -> None:
        call = told(block, "tool_use_id")
        output = text_of(block.get("content")) or text_of(_spilled(line.toolUseResult))
        failed = block.get("is_error") is True
        output = cut(output, MOST_OUTPUT)
        if not self.held.answer(call, output=output, failed=failed, until=self._at):
            self.held.add(self._event(line, "tool", call=call, output=output, failed=failed))

    def _user(self, line: _Line, message: dict[str, Any]) -> None:
        content = message.get("content")
        usual = self._usual(line)
        parts: list[tuple[str, str]] = []
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict) and block.get("type") in RESULTS:
                self._result(line, block)
                continue
            for part in self._parts(line, cut(text_of(block), MOST_TEXT), usual):
                if parts and parts[-1][0] == part[0]:
                    parts[-1] = (part[0], f"{parts[-1][1]}\n{part[1]}")
                else:
                    parts.append(part)
        for role, text in parts:
            self._unqueue(text)
            self.held.add(self._event(line, role, text))

    def _usual(self, line: _Line) -> str:
        """Return the role of what stands where a person speaks in this line, as far as its marks tell."""
        kind = told(line.origin, "kind")
        if line.isMeta is True or kind.endswith(("notification", "hook", "coordinator", "channel", "teammate")):
            return "injected"
        return "task" if line.isSidechain is True else "human"

    def _parts(self, line: _Line, text: str, usual: str) -> list[tuple[str, str]]:
        if line.isCompactSummary is True:
            return [("summary", text)] if text.strip() else []
        return separated(text, usual)

    def _unqueue(self, text: str) -> None:
        """Take out the prompts that waited in the queue and are told here, several of them as lines of one."""
        told_here = f"\n{text}\n"
        for queued in [one for one in self._queued if f"\n{one}\n" in told_here]:
            self.held.drop(self._queued.pop(queued))

    def _attachment(self, line: _Line) -> None:
        attachment = line.attachment
        if not isinstance(attachment, dict):
            return
        kind = told(attachment, "type")
        if kind == "queued_command":
            self._queued_command(line, attachment)
            return
        for name in ATTACHED.get(kind, ()):
            text = cut(text_of(attachment.get(name)), MOST_TEXT)
            if text.strip():
                role = "ours" if OURS in text else "injected"
                self.held.add(self._event(line, role, text))
                return

    def _queued_command(self, line: _Line, attachment: dict[str, Any]) -> None:
        text = cut(text_of(attachment.get("prompt")), MOST_TEXT)
        usual = "human" if told(attachment, "commandMode") in ("prompt", "") else "injected"
        self._unqueue(text)
        for role, part in separated(text, usual):
            self.held.add(self._event(line, role, part))

    def _system(self, line: _Line) -> None:
        text = line.content if isinstance(line.content, str) else ""
        if line.subtype == "local_command" and text.strip():
            self.held.add(self._event(line, class_of(text, "command"), cut(text, MOST_TEXT)))
        elif line.subtype == "away_summary" and text.strip():
            self.held.add(self._event(line, "injected", cut(text, MOST_TEXT)))

    def _metadata(self, line: _Line) -> None:
        for kind, name in (("custom", line.customTitle), ("ai", line.aiTitle)):
            if isinstance(name, str) and name.strip():
                self._titles[kind] = name.strip()
        if line.type == "summary" and isinstance(line.summary, str) and isinstance(line.leafUuid, str):
            self._summaries = [*self._summaries[-50:], (hash(line.leafUuid), line.summary.strip())]
        elif line.type == "pr-link" and isinstance(line.prUrl, str):
            self.held.add(self._event(line, "injected", f"Pull request: {cut(line.prUrl, 500)}"))
        elif line.type == "queue-operation" and line.operation == "enqueue" and isinstance(line.content, str):
            self._enqueue(line, line.content)

    def _enqueue(self, line: _Line, content: str) -> None:
        """Keep a prompt in its place until it is told again; it may never be."""
        text = cut(text_of(content), MOST_TEXT).strip()
        if class_of(text) == "human" and text and text not in self._queued and len(self._queued) < _MOST_QUEUED:
            key = f"queued at {self._number}"
            self._queued[text] = key
            self.held.add(self._event(line, "human", text), key)

    def session(self) -> Session:
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
        found = decode_broken(raw)
    if not isinstance(found, dict):
        return None
    found.pop("toolUseResult", None)
    return msgspec.convert(found, _Line)


def _spilled(raw: msgspec.Raw) -> Any:
    """Return the output that only the agent program's own record of a result has."""
    try:
        found = msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        return [found.get("stdout"), found.get("stderr")] if "stdout" in found else None
    return found
