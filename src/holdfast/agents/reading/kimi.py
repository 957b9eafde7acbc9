"""The transcripts of Kimi: what was sent over its wire, one file for each agent of a session.

Kimi Code writes one kind of record, with sub-agents in files of their own; the Kimi CLI before it wrote another, with
the events of sub-agents among the rest. What a person typed stands twice, as the prompt of a turn and as a message of
the context: the message counts. The folder of a session is told beside it, or known by its hash. Each request to the
model has one record of its tokens, also the one that makes a summary.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

from holdfast.agents.reading.base import files_below, first_records, text_of, told, when
from holdfast.agents.reading.turns import Turns, listed, small_json, stem, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.base import Place

FILE = "wire.jsonl"
MAIN = "main"
# Who put a message where a person speaks, by the kind of its origin.
ORIGINS = {"user": "human", "system_trigger": "task", "": "human"}
# Without cache, output, read from the cache, written to it; in the words of either program.
TOKENS = (
    ("inputOther", "input_other"),
    ("output",),
    ("inputCacheRead", "input_cache_read"),
    ("inputCacheCreation", "input_cache_creation"),
)
_PARTS = ("ContentPart", "TextPart")
_CUT_OFF = ("cancelled", "failed", "error")


def find(place: Place) -> Iterator[str]:
    """Yield the files of Kimi Code and of the Kimi CLI before it."""
    before = place.environment.get("KIMI_SHARE_DIR") or os.path.join(place.home, ".kimi")
    for root in (os.path.join(place.home, ".kimi-code"), before):
        yield from files_below(os.path.join(root, "sessions"), FILE)


def sniff(path: str) -> bool:
    """Whether the first line is the head of a wire file, or a message of one that has no head."""
    for record in first_records(path):
        message = table(record.get("message"))
        is_old = "timestamp" in record and bool(told(message, "type")) and isinstance(message.get("payload"), dict)
        return is_old or (told(record, "type") == "metadata" and bool(told(record, "protocol_version")))
    return False


def read(path: str) -> Iterator[KimiReading]:
    """Yield the one session of a file."""
    yield KimiReading(path)


class KimiReading(Turns):
    """One session, or one sub-agent of it."""

    agent = "kimi"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._said: list[str] = []
        # Ids of calls are counted anew when a session goes on, so each has a key of its own here.
        self._keys: dict[str, str] = {}

    def _walk(self) -> Iterator[None]:
        self._look_beside()
        for number, record in self.records():
            message = table(record.get("message"))
            is_old = isinstance(message.get("payload"), dict)
            part = _text_part(message if is_old else record, is_old)
            if part is None:
                self._finish_text()
            self.stand(when(record.get("time") or record.get("timestamp") or record.get("created_at")), number)
            if part is not None:
                self._said.append(part)
            elif is_old:
                self._take_old(told(message, "type"), table(message.get("payload")))
            else:
                self._take(told(record, "type"), record)
            yield
        self._finish_text()

    def _look_beside(self) -> None:
        """Take id, title and folder from where the file lies and what lies beside it."""
        folder = os.path.dirname(self.path)
        name = os.path.basename(folder)
        self.facts["id"] = stem(self.path)
        if os.path.basename(os.path.dirname(folder)) == "agents":
            above = os.path.dirname(os.path.dirname(folder))
            self._name(os.path.basename(above), name)
            self._take_state(small_json(os.path.join(above, "state.json")))
        elif os.path.basename(self.path) == FILE:
            self.facts["id"] = name
            self._take_state(small_json(os.path.join(folder, "state.json")))
            self._know_folder(os.path.dirname(folder))

    def _name(self, session: str, agent: str) -> None:
        self.facts["id"] = session if agent == MAIN else f"{session}-{agent}"
        if agent != MAIN:
            self.facts.update(parent=session, is_subagent="yes")

    def _take_state(self, state: dict[str, Any]) -> None:
        self.facts["title"] = told(state, "custom_title", "title")
        self.stand(folder=told(state, "workDir"))

    def _know_folder(self, hashed: str) -> None:
        """Look up which folder a hash stands for, in the list that the Kimi CLI keeps."""
        known = small_json(os.path.join(os.path.dirname(os.path.dirname(hashed)), "kimi.json"))
        for one in listed(known.get("work_dirs")):
            path = told(one, "path")
            digest = hashlib.md5(path.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
            if path and os.path.basename(hashed).endswith(digest):
                self.stand(folder=path)

    def _finish_text(self) -> None:
        """Add the answer whose pieces came one after the other."""
        if self._said:
            self.say("assistant", "".join(self._said))
            self._said.clear()

    def _take(self, kind: str, record: dict[str, Any]) -> None:
        if kind == "context.append_message":
            self._message(table(record.get("message")))
        elif kind == "context.append_loop_event":
            self._step(table(record.get("event")))
        elif kind == "usage.record":
            self._count(table(record.get("usage")))
        elif kind in ("config.update", "profile.bind", "llm.request"):
            self._circumstances(record)
        elif kind == "context.apply_compaction":
            self.say("summary", told(record, "summary", "contextSummary"))
        elif kind == "turn.cancel" or (kind == "turn.ended" and told(record, "reason") in _CUT_OFF):
            self.release()
            self.say("injected", f"[turn {told(record, 'reason') or 'cancelled'}]", failed=True)

    def _message(self, message: dict[str, Any]) -> None:
        role, text = told(message, "role"), text_of(message.get("content"))
        if role == "user":
            origin = told(table(message.get("origin")), "kind")
            self.person(text, usual=ORIGINS.get(origin, "injected"))
        elif role == "assistant":
            self.say("assistant", text)

    def _step(self, event: dict[str, Any]) -> None:
        kind, id = told(event, "type"), told(event, "toolCallId")
        if kind == "tool.call":
            if "folder" not in self.facts:
                self.stand(self.at, self.line, folder=told(table(event.get("display")), "cwd"))
            self._call(id, told(event, "name"), event.get("args"))
        elif kind == "tool.result":
            result = table(event.get("result"))
            self._result(id, result.get("output"), result.get("isError") is True)

    def _circumstances(self, record: dict[str, Any]) -> None:
        where = told(record, "cwd") or told(table(record.get("environmentDisclosure")), "cwd")
        model = told(record, "model") or told(record, "modelAlias").rpartition("/")[2]
        self.stand(self.at, self.line, folder=where, model=model)

    def _count(self, usage: dict[str, Any], message: str = "") -> None:
        self.cost.add(message, *(next((usage[name] for name in names if name in usage), 0) for names in TOKENS))

    def _take_old(self, kind: str, payload: dict[str, Any], usual: str = "human") -> None:
        if kind in ("TurnBegin", "SteerInput"):
            self.person(text_of(payload.get("user_input")), usual=usual)
        elif kind == "ToolCall":
            function = table(payload.get("function"))
            self._call(told(payload, "id"), told(function, "name"), function.get("arguments"))
        elif kind == "ToolResult":
            result = table(payload.get("return_value", payload.get("result")))
            output = text_of(result.get("output")) or told(result, "message")
            self._result(told(payload, "tool_call_id"), output, result.get("is_error") is True)
        elif kind == "StatusUpdate" and payload.get("token_usage"):
            self._count(table(payload["token_usage"]), told(payload, "message_id"))
        elif kind == "SubagentEvent" and usual == "human":
            inner = table(payload.get("event"))
            self._take_old(told(inner, "type"), table(inner.get("payload")), "task")
        elif kind == "StepInterrupted":
            self.release()
            self.say("injected", "[turn cancelled]", failed=True)

    def _call(self, id: str, tool: str, given: Any) -> None:
        key = f"{id}#{self.line}" if id in self._keys else id
        self._keys[id] = key
        self.call(key, tool, given)

    def _result(self, id: str, output: Any, failed: bool) -> None:
        self.result(self._keys.get(id, id), output, failed)


def _text_part(record: dict[str, Any], is_old: bool) -> str | None:
    """Return the piece of an answer in a record; None where it is something else, nothing where it is a thought."""
    if is_old:
        payload = table(record.get("payload"))
        return _spoken(payload) if told(record, "type") in _PARTS else None
    event = table(record.get("event"))
    return _spoken(table(event.get("part"))) if told(event, "type") == "content.part" else None


def _spoken(part: dict[str, Any]) -> str:
    return told(part, "text") if told(part, "type") == "text" else ""


__all__ = ["KimiReading", "find", "read", "sniff"]
