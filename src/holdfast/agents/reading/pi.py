"""The transcripts of Pi: one JSONL file for a session, in which the entries form a tree.

The last entry is where the session stands; what does not lead to it was abandoned and is not told, though it was paid
for. Files of the first version have no ids and are a plain list. Cached tokens are not part of the input.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import decode, files_below, first_record
from holdfast.agents.reading.values import MAX_OUTPUT, as_dict, blocks, cut, dollars, field, stem, text_of, whole

SUMMARIES = ("compaction", "branch_summary", "compactionSummary", "branchSummary")


def find(place: Place) -> Iterator[str]:
    """Yield the files of sessions."""
    root = place.environment.get("PI_CODING_AGENT_DIR") or os.path.join(place.home, ".pi", "agent")
    yield from files_below(os.path.join(root, "sessions"), ".jsonl", passed_over=place.passed_over)


def sniff(path: str) -> bool:
    """Whether the first line is the head of a session with a folder."""
    record = first_record(path)
    return field(record, "type") == "session" and bool(field(record, "id")) and "cwd" in record


class PiReading(Reading):
    """One session, along the branch that leads to its last entry."""

    agent = "pi"

    # The digests of the ids that lead to the last entry; None where nothing branches off.
    _kept: set[int] | None = None

    def begin(self) -> None:
        self.facts["id"] = stem(self.path).rpartition("_")[2]
        before: dict[int, int] = {}
        last, branches = 0, False
        for _, raw in self.lines():
            entry = decode(raw) or {}
            if "parentId" in entry and field(entry, "id"):
                parent = hash(field(entry, "parentId"))
                branches = branches or (last != 0 and parent != last)
                last = hash(field(entry, "id"))
                before[last] = parent
        kept: set[int] = set()
        while last in before and last not in kept:
            kept.add(last)
            last = before[last]
        self._kept = kept if branches else None

    def take(self, record: dict[str, Any]) -> None:
        kind, id = field(record, "type"), field(record, "id")
        self._count(record)
        if self._kept is not None and id and hash(id) not in self._kept:
            return
        if kind == "session":
            parent = stem(field(record, "parentSession", "branchedFrom")).rpartition("_")[2]
            self.know(id=id, parent=parent)
            self.circumstances(field(record, "cwd"))
        elif kind == "message":
            self._message(as_dict(record.get("message")), id)
        elif kind == "model_change":
            self.model = field(record, "modelId")
        elif kind in SUMMARIES:
            self.say("summary", field(record, "summary"), id)
        elif kind == "custom_message":
            self.person(text_of(record.get("content")), id, "injected")
        elif kind == "session_info":
            self.know(title=field(record, "name"))

    def _message(self, message: dict[str, Any], id: str) -> None:
        role = field(message, "role")
        if role == "user":
            self.person(message.get("content"), id)
        elif role == "assistant":
            self._answer(message, id)
        elif role == "toolResult":
            failed = message.get("isError") is True
            self.result(field(message, "toolCallId"), message.get("content"), failed, field(message, "toolName"))
        elif role == "bashExecution":
            # A command that the person ran: what was typed, and what came of it.
            output = cut(text_of(message.get("output")), MAX_OUTPUT)
            self.say("command", f"! {field(message, 'command')}\n{output}", id, whole(message.get("exitCode")) != 0)
        elif role in SUMMARIES:
            self.say("summary", field(message, "summary") or text_of(message.get("content")), id)
        elif role in ("custom", "hookMessage"):
            self.person(text_of(message.get("content")), id, "injected")

    def _answer(self, message: dict[str, Any], id: str) -> None:
        self.model = field(message, "model") or self.model
        content = blocks(message.get("content"))
        said = [text_of(block) for block in content if field(block, "type") in ("", "text")]
        calls = [block for block in content if field(block, "type") == "toolCall"]
        reason = field(message, "stopReason")
        is_broken = reason in ("error", "aborted")
        self.answer("\n".join(text for text in said if text), id, calls=bool(calls) or is_broken)
        for block in calls:
            self.call(field(block, "id"), field(block, "name"), as_dict(block).get("arguments"), id)
        if is_broken:
            self.say("injected", f"[turn {reason}: {field(message, 'errorMessage')}]", failed=True)

    def _count(self, entry: dict[str, Any]) -> None:
        message = as_dict(entry.get("message"))
        usage = as_dict(message.get("usage"))
        if not usage:
            return
        kinds = [usage.get(name) for name in ("input", "output", "cacheRead", "cacheWrite")]
        price = dollars(as_dict(usage.get("cost")).get("total"))
        model = field(message, "model") or self.model
        self.cost.add(field(entry, "id"), *kinds, at=self.at, model=model, dollars=price)


read = PiReading.read
