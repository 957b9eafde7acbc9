"""The transcripts of Kimi: what was sent over its wire, one file for each agent of a session.

Kimi Code writes one kind of record, with sub-agents in files of their own; the Kimi CLI before it wrote another, with
the events of sub-agents among the rest. What a person typed stands twice, as the prompt of a turn and as a message of
the context: the message counts. The folder of a session is told beside it, or known by its hash. Each request to the
model has one record of its tokens, also the one that makes a summary.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.kimi import AGENT
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import files_below, first_record, small_json
from holdfast.agents.reading.values import as_dict, as_list, counts, field, stem, text_of

FILE = "wire.jsonl"
MAIN = "main"
# Who wrote a message in the person's place, by the kind of its origin.
ORIGINS = {"user": "human", "system_trigger": "task", "": "human"}
# Input without cache, output, cache reads, cache writes; under the names of either program.
TOKENS = (
    "inputOther|input_other",
    "output",
    "inputCacheRead|input_cache_read",
    "inputCacheCreation|input_cache_creation",
)
_PARTS = ("ContentPart", "TextPart")
_CUT_OFF = ("cancelled", "failed", "error")


def find(place: Place) -> Iterator[str]:
    """Yield the files of Kimi Code and of the Kimi CLI before it."""
    before = place.environment.get("KIMI_SHARE_DIR") or os.path.join(place.home, ".kimi")
    for root in (os.path.join(place.home, ".kimi-code"), before):
        yield from files_below(os.path.join(root, "sessions"), FILE, passed_over=place.passed_over)


def sniff(path: str) -> bool:
    """Whether the first line is the head of a wire file, or a message of one that has no head."""
    record = first_record(path)
    message = as_dict(record.get("message"))
    is_old = "timestamp" in record and bool(field(message, "type")) and isinstance(message.get("payload"), dict)
    return is_old or (field(record, "type") == "metadata" and bool(field(record, "protocol_version")))


class KimiReading(Reading):
    """One session, or one sub-agent of it."""

    agent = "kimi"
    dialogs = AGENT.dialogs
    times = ("time", "timestamp", "created_at")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._said: list[str] = []
        # Ids of calls are counted again when a session goes on, so each has a key of its own here.
        self._keys: dict[str, str] = {}

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the records; an answer whose pieces came one after the other is added where its last piece stood."""
        for number, record in super().records():
            if _text_part(record) is None:
                self.finish()
            yield number, record

    def finish(self) -> None:
        self.say("assistant", "".join(self._said))
        self._said.clear()

    def begin(self) -> None:
        folder = os.path.dirname(self.path)
        name = os.path.basename(folder)
        self.facts["id"] = stem(self.path)
        if os.path.basename(os.path.dirname(folder)) == "agents":
            folder = os.path.dirname(os.path.dirname(folder))
            session = self.facts["id"] = os.path.basename(folder)
            if name != MAIN:
                self.facts.update(id=f"{session}-{name}", parent=session, is_subagent="yes")
        elif os.path.basename(self.path) == FILE:
            self.facts["id"] = name
        else:
            return
        state = small_json(os.path.join(folder, "state.json"))
        self.know(title=field(state, "custom_title", "title"))
        self.circumstances(field(state, "workDir") or _folder_by_hash(os.path.dirname(folder)))

    def take(self, record: dict[str, Any]) -> None:
        kind, message, part = field(record, "type"), as_dict(record.get("message")), _text_part(record)
        if part is not None:
            self._said.append(part)
        elif _is_old(message):
            self._take_old(field(message, "type"), message["payload"])
        elif kind == "context.append_message":
            self._message(message)
        elif kind == "context.append_loop_event":
            self._step(as_dict(record.get("event")))
        elif kind == "usage.record":
            self.cost.add("", *counts(record.get("usage"), *TOKENS))
        elif kind in ("config.update", "profile.bind", "llm.request"):
            where = field(record, "cwd") or field(record.get("environmentDisclosure"), "cwd")
            self.circumstances(where, model=field(record, "model") or field(record, "modelAlias").rpartition("/")[2])
        elif kind == "context.apply_compaction":
            self.say("summary", field(record, "summary", "contextSummary"))
        elif kind == "turn.cancel" or (kind == "turn.ended" and field(record, "reason") in _CUT_OFF):
            self.release()
            self.say("injected", f"[turn {field(record, 'reason') or 'cancelled'}]", failed=True)

    def _message(self, message: dict[str, Any]) -> None:
        role, content = field(message, "role"), message.get("content")
        if role == "user":
            self.person(content, usual=ORIGINS.get(field(message.get("origin"), "kind"), "injected"))
        elif role == "assistant":
            self.say("assistant", text_of(content))

    def _step(self, event: dict[str, Any]) -> None:
        kind, id = field(event, "type"), field(event, "toolCallId")
        if kind == "tool.call":
            if "folder" not in self.facts:
                self.circumstances(field(event.get("display"), "cwd"))
            self._call(id, field(event, "name"), event.get("args"))
        elif kind == "tool.result":
            result = as_dict(event.get("result"))
            self._result(id, result.get("output"), result.get("isError") is True)

    def _take_old(self, kind: str, payload: dict[str, Any], usual: str = "human") -> None:
        if kind in ("TurnBegin", "SteerInput"):
            self.person(payload.get("user_input"), usual=usual)
        elif kind == "ToolCall":
            function = as_dict(payload.get("function"))
            self._call(field(payload, "id"), field(function, "name"), function.get("arguments"))
        elif kind == "ToolResult":
            result = as_dict(payload.get("return_value", payload.get("result")))
            output = text_of(result.get("output")) or field(result, "message")
            self._result(field(payload, "tool_call_id"), output, result.get("is_error") is True)
        elif kind == "StatusUpdate" and payload.get("token_usage"):
            self.cost.add(field(payload, "message_id"), *counts(payload["token_usage"], *TOKENS))
        elif kind == "SubagentEvent" and usual == "human":
            inner = as_dict(payload.get("event"))
            self._take_old(field(inner, "type"), as_dict(inner.get("payload")), "task")
        elif kind == "StepInterrupted":
            self.release()
            self.say("injected", "[turn cancelled]", failed=True)

    def _call(self, id: str, tool: str, given: Any) -> None:
        key = f"{id}#{self.line}" if id in self._keys else id
        self._keys[id] = key
        self.call(key, tool, given)

    def _result(self, id: str, output: Any, failed: bool) -> None:
        self.result(self._keys.get(id, id), output, failed)


def _is_old(message: dict[str, Any]) -> bool:
    """Whether this is a record of the Kimi CLI."""
    return isinstance(message.get("payload"), dict)


def _text_part(record: dict[str, Any]) -> str | None:
    """Return the piece of an answer in a record; None where it is something else, nothing where it is a thought."""
    message = as_dict(record.get("message"))
    if _is_old(message):
        is_part, part = field(message, "type") in _PARTS, message["payload"]
    else:
        event = as_dict(record.get("event"))
        is_part, part = field(event, "type") == "content.part", event.get("part")
    if not is_part:
        return None
    return field(part, "text") if field(part, "type") == "text" else ""


def _folder_by_hash(hashed: str) -> str:
    """Return which folder a hash stands for, in the list that the Kimi CLI keeps."""
    known = small_json(os.path.join(os.path.dirname(os.path.dirname(hashed)), "kimi.json"))
    for path in filter(None, (field(one, "path") for one in as_list(known.get("work_dirs")))):
        digest = hashlib.md5(path.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        if os.path.basename(hashed).endswith(digest):
            return path
    return ""


read = KimiReading.read
