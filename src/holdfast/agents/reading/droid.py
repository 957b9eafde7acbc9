"""The transcripts of Factory's Droid: the file that it keeps of a session, and the stream that `droid exec` prints.

The kept file has messages in blocks; what the session cost and its model stand in a small file beside it. The stream
has one record for each message, call and result, and tells its tokens at the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import files_below, first_records, small_json
from holdfast.agents.reading.values import as_dict, blocks, counts, field, is_result, is_typed, stem, text_of, whole

_FAILED = re.compile(r"\AError: |exit(?:ed with)? code:? [1-9]\d*[)\]]")
_LOOKED_AT = 400
_MIN_ID = 12
_UNTITLED = "New Session"
# What the program tells the model and does not show to the person.
HIDDEN = "llm_only"
TOKENS = (
    "inputTokens|input_tokens",
    "outputTokens|output_tokens",
    "cacheReadTokens|cache_read_input_tokens",
    "cacheCreationTokens|cache_creation_input_tokens",
    "thinkingTokens",
)


def find(place: Place) -> Iterator[str]:
    """Yield the files of sessions."""
    for name in ("sessions", "projects"):
        yield from files_below(os.path.join(place.home, ".factory", name), ".jsonl", passed_over=place.passed_over)


def sniff(path: str) -> bool:
    """Whether the file begins as a session does, or has a record that only the stream has."""
    for number, record in enumerate(first_records(path)):
        kind = field(record, "type")
        if number == 0 and kind == "session_start":
            return bool(field(_head_of(record), "id"))
        if kind not in ("system", "message", "tool_call", "tool_result", "completion") or not _session_of(record):
            return False
        if kind != "system":
            return "text" in record or "toolName" in record or "finalText" in record
    return False


class DroidReading(Reading):
    """One session."""

    agent = "droid"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._last = ""
        self._settings: dict[str, Any] = {}

    def begin(self) -> None:
        self.facts["id"] = stem(self.path)
        self._settings = small_json(self.path.removesuffix(".jsonl") + ".settings.json")
        self.circumstances(model=field(self._settings, "model"))

    def finish(self) -> None:
        # Reported as one sum, which counts for the last day.
        self._count(self._settings.get("tokenUsage"))

    def take(self, record: dict[str, Any]) -> None:
        kind = field(record, "type")
        self.circumstances(field(record, "cwd"))
        if kind == "session_start":
            self._head(_head_of(record))
        elif kind == "message" and isinstance(record.get("message"), dict):
            is_hidden = HIDDEN in (field(record, "visibility"), field(record["message"], "visibility"))
            self._message(record["message"], _id_of(record), is_hidden=is_hidden)
        elif kind == "compaction_state":
            self.say("summary", field(record, "summaryText", "summary") or field(record.get("summary"), "body"))
        elif _session_of(record):
            self.facts["id"] = _session_of(record)
            self._streamed(kind, record)

    def _head(self, record: dict[str, Any]) -> None:
        title = field(record, "sessionTitle", "title")
        self.know(
            id=field(record, "id"),
            title="" if title == _UNTITLED else title,
            version=field(record, "version"),
            parent=field(record, "parentSessionId", "parent"),
        )
        self.circumstances(field(record, "cwd"))

    def _message(self, message: dict[str, Any], id: str, *, is_hidden: bool) -> None:
        is_person, content = field(message, "role") == "user", blocks(message.get("content"))
        is_added = is_hidden or any(map(is_result, content))
        for block in content:
            kind = field(block, "type")
            if kind == "tool_use":
                self.call(field(block, "id"), field(block, "name"), as_dict(block).get("input"), id)
            elif is_result(block):
                self._result(field(block, "tool_use_id"), as_dict(block).get("content"), as_dict(block).get("is_error"))
            elif is_person and (is_added or not is_typed(block)):
                self.say("injected", text_of(block), id)
            elif kind not in ("thinking", "redacted_thinking"):
                self._spoken(is_person, text_of(block), id)

    def _spoken(self, is_person: bool, text: str, id: str) -> None:
        if is_person:
            self.person(text, id)
        else:
            self._last = text.strip()
            self.say("assistant", text, id)

    def _streamed(self, kind: str, record: dict[str, Any]) -> None:
        key = field(record, "toolCallId", "id")
        if kind == "system":
            self.circumstances(model=field(record, "model"))
        elif kind == "message":
            self._spoken(field(record, "role") == "user", field(record, "text"), _id_of(record))
        elif kind == "tool_call":
            self.call(key, field(record, "toolName", "toolId"), record.get("parameters"))
        elif kind == "tool_result":
            self._result(key, *_value(record))
        elif kind == "completion":
            if field(record, "finalText").strip() != self._last:
                self._spoken(False, field(record, "finalText"), "")
            self._count(record.get("usage"))
        elif kind == "error":
            self.say("injected", f"[error: {field(record, 'message')}]", failed=True)

    def _result(self, key: str, output: Any, failed: Any) -> None:
        text = text_of(output)
        ends = text[:_LOOKED_AT] + text[-_LOOKED_AT:]
        self.result(key, text, failed is True or (failed is None and bool(_FAILED.search(ends))))

    def _count(self, usage: Any) -> None:
        used = counts(usage, *TOKENS)
        if any(used):
            self.cost.add("", *used)


def _head_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return what the first record says of the session; some versions put it a level deeper."""
    return as_dict(record.get("session")) or record


def _id_of(record: dict[str, Any]) -> str:
    """Return the id of a message; a short one is a number within the file, and would look like a copy elsewhere."""
    id = field(record, "id")
    return id if len(id) >= _MIN_ID else ""


def _session_of(record: dict[str, Any]) -> str:
    return field(record, "session_id", "sessionId")


def _value(record: dict[str, Any]) -> tuple[Any, bool | None]:
    """Return the output of a tool and whether it failed: None where nobody says."""
    value, failed = record.get("value"), record.get("isError")
    if isinstance(value, dict) and "exitCode" in value:
        parts = [field(value, "stdout"), field(value, "stderr")]
        return "\n".join(part for part in parts if part), whole(value.get("exitCode")) != 0
    return value, failed if isinstance(failed, bool) else None


read = DroidReading.read
