"""The transcripts of Pi: one JSONL file for a session, in which the entries form a tree.

The last entry is where the session stands; what does not lead to it was abandoned and is not told, though it was paid
for. Files of the first version have no ids and are a plain list. Cached tokens are not part of the input.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from holdfast.agents.reading.base import (
    MAX_OUTPUT,
    cut,
    decode,
    files_below,
    first_records,
    lines,
    open_plain,
    text_of,
    told,
    when,
    whole,
)
from holdfast.agents.reading.turns import Turns, stem, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.base import Place

SUMMARIES = ("compaction", "branch_summary", "compactionSummary", "branchSummary")


def find(place: Place) -> Iterator[str]:
    """Yield the files of sessions."""
    root = place.environment.get("PI_CODING_AGENT_DIR") or os.path.join(place.home, ".pi", "agent")
    yield from files_below(os.path.join(root, "sessions"), ".jsonl")


def sniff(path: str) -> bool:
    """Whether the first line is the head of a session with a folder."""
    for record in first_records(path):
        return told(record, "type") == "session" and bool(told(record, "id")) and "cwd" in record
    return False


def read(path: str) -> Iterator[PiReading]:
    """Yield the one session of a file."""
    yield PiReading(path)


class PiReading(Turns):
    """One session, along the branch that leads to its last entry."""

    agent = "pi"

    def _walk(self) -> Iterator[None]:
        self.facts["id"] = stem(self.path).rpartition("_")[2]
        kept = self._branch()
        for number, entry in self.records():
            self.stand(when(entry.get("timestamp")), number)
            self._count(entry)
            if kept is None or not told(entry, "id") or hash(told(entry, "id")) in kept:
                self._take(entry)
                yield

    def _branch(self) -> set[int] | None:
        """Return the digests of the ids that lead to the last entry; None where nothing branches off."""
        before: dict[int, int] = {}
        last, branches = 0, False
        with open_plain(self.path) as file:
            for _, _, raw in lines(file):
                entry = decode(raw) or {}
                if "parentId" in entry and told(entry, "id"):
                    parent = hash(told(entry, "parentId"))
                    branches = branches or (last != 0 and parent != last)
                    last = hash(told(entry, "id"))
                    before[last] = parent
        kept: set[int] = set()
        while last in before and last not in kept:
            kept.add(last)
            last = before[last]
        return kept if branches else None

    def _take(self, entry: dict[str, Any]) -> None:
        kind, id = told(entry, "type"), told(entry, "id")
        if kind == "session":
            self._head(entry)
        elif kind == "message":
            self._message(table(entry.get("message")), id)
        elif kind == "model_change":
            self.model = told(entry, "modelId")
        elif kind in SUMMARIES:
            self.say("summary", told(entry, "summary"), id)
        elif kind == "custom_message":
            self.person(text_of(entry.get("content")), id, "injected")
        elif kind == "session_info":
            self.facts["title"] = told(entry, "name") or self.facts.get("title", "")

    def _head(self, entry: dict[str, Any]) -> None:
        self.facts["id"] = told(entry, "id") or self.facts["id"]
        parent = told(entry, "parentSession", "branchedFrom")
        if parent:
            self.facts["parent"] = stem(parent).rpartition("_")[2]
        self.stand(self.at, self.line, told(entry, "cwd"))

    def _message(self, message: dict[str, Any], id: str) -> None:
        role = told(message, "role")
        if role == "user":
            self.person(text_of(message.get("content")), id)
        elif role == "assistant":
            self._answer(message, id)
        elif role == "toolResult":
            failed = message.get("isError") is True
            self.result(told(message, "toolCallId"), message.get("content"), failed, told(message, "toolName"))
        elif role == "bashExecution":
            self._command(message, id)
        elif role in SUMMARIES:
            self.say("summary", told(message, "summary") or text_of(message.get("content")), id)
        elif role in ("custom", "hookMessage"):
            self.person(text_of(message.get("content")), id, "injected")

    def _answer(self, message: dict[str, Any], id: str) -> None:
        self.model = told(message, "model") or self.model
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        said = [text_of(block) for block in blocks if told(block, "type") in ("", "text")]
        self.say("assistant", "\n".join(text for text in said if text), id)
        for block in blocks:
            if told(block, "type") == "toolCall":
                self.call(told(block, "id"), told(block, "name"), table(block).get("arguments"), id)
        if told(message, "stopReason") in ("error", "aborted"):
            self.say("injected", f"[turn {told(message, 'stopReason')}: {told(message, 'errorMessage')}]", failed=True)

    def _command(self, message: dict[str, Any], id: str) -> None:
        """Add a command that the person ran: what was typed, and what came of it."""
        output = cut(text_of(message.get("output")), MAX_OUTPUT)
        self.say("command", f"! {told(message, 'command')}\n{output}", id, whole(message.get("exitCode")) != 0)

    def _count(self, entry: dict[str, Any]) -> None:
        message = table(entry.get("message"))
        usage = table(message.get("usage"))
        if not usage:
            return
        kinds = [usage.get(name) for name in ("input", "output", "cacheRead", "cacheWrite")]
        cost = table(usage.get("cost")).get("total")
        dollars = cost if isinstance(cost, (int, float)) and 0 < cost < 1e9 else 0.0
        model = told(message, "model") or self.model
        self.cost.add(told(entry, "id"), *kinds, at=self.at, model=model, dollars=dollars)


__all__ = ["PiReading", "find", "read", "sniff"]
