"""The transcripts of GitHub Copilot CLI: a log of events for each session.

Nearly half of the events are those of hooks, which repeat prompts and outputs: they are passed over. `content` is what
the person typed; `transformedContent` has what was put around it, of which only our own is kept. A call is told twice,
when it is asked for and when it begins. What a session cost is told when it is shut down; after a crash only the tokens
of each answer are known.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from holdfast.agents.reading.base import OURS, first_records, separated, text_of, told, when, whole
from holdfast.agents.reading.turns import Turns, listed, small_text, stem, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.base import Place
    from holdfast.records import Session

_EXIT = re.compile(r"<exited with exit code [1-9]\d*>\s*\Z")
# Events that tell where the session stands.
PLACES = ("session.start", "session.resume", "session.context_changed")


def find(place: Place) -> Iterator[str]:
    """Yield the logs: in a folder for each session, before that one file for each."""
    root = place.environment.get("COPILOT_HOME") or os.path.join(place.home, ".copilot")
    folder = os.path.join(root, "session-state")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        full = os.path.join(folder, name)
        path = full if name.endswith(".jsonl") else os.path.join(full, "events.jsonl")
        if os.path.isfile(path) and not os.path.islink(full):
            yield path


def sniff(path: str) -> bool:
    """Whether the lines are events with a type of two words and data."""
    for record in first_records(path):
        return "." in told(record, "type") and isinstance(record.get("data"), dict) and "id" in record
    return False


def read(path: str) -> Iterator[CopilotReading]:
    """Yield the one session of a file."""
    yield CopilotReading(path)


class CopilotReading(Turns):
    """One session. What sub-agents said and did stands among the rest, where it happened."""

    agent = "copilot"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        # The tokens of answers since the last shutdown.
        self._unsettled: dict[str, tuple[int, str, str]] = {}

    def _walk(self) -> Iterator[None]:
        own_folder = os.path.basename(self.path) == "events.jsonl"
        folder = os.path.dirname(os.path.abspath(self.path))
        self.facts["id"] = os.path.basename(folder) if own_folder else stem(self.path)
        self.facts["title"] = _name_in(small_text(os.path.join(folder, "workspace.yaml"))) if own_folder else ""
        for number, event in self.records():
            data = table(event.get("data"))
            self.stand(when(event.get("timestamp")), number, model=told(data, "model"))
            self._take(told(event, "type"), data, told(event, "id"))
            yield

    def session(self) -> Session:
        for message, (output, at, model) in self._unsettled.items():
            self.cost.add(message, 0, output, at=at, model=model)
        self._unsettled.clear()
        return super().session()

    def _take(self, kind: str, data: dict[str, Any], id: str) -> None:
        if kind in PLACES:
            self._place(data)
        elif kind == "user.message":
            self._user(data, id)
        elif kind == "assistant.message":
            self._answer(data, id)
        elif kind == "tool.execution_start":
            self.call(told(data, "toolCallId"), told(data, "toolName"), data.get("arguments"), id)
        elif kind == "tool.execution_complete":
            self._result(data)
        elif kind == "session.shutdown":
            self._settle(data)
        else:
            self._other(kind, data, id)

    def _place(self, data: dict[str, Any]) -> None:
        context = table(data.get("context")) or data
        self.facts["id"] = told(data, "sessionId") or self.facts["id"]
        self.facts["version"] = told(data, "copilotVersion") or self.facts.get("version", "")
        self.stand(self.at, self.line, told(context, "cwd"), told(context, "branch"))

    def _user(self, data: dict[str, Any], id: str) -> None:
        source = told(data, "source")
        usual = "human" if source in ("", "user") else "injected"
        transformed = told(data, "transformedContent")
        for role, part in separated(transformed) if OURS in transformed else ():
            if role == "ours":
                self.say("ours", part, id)
        self.person(text_of(data.get("content")), id, usual)

    def _answer(self, data: dict[str, Any], id: str) -> None:
        self.say("assistant", text_of(data.get("content")), id)
        self._unsettled[told(data, "messageId") or id] = (whole(data.get("outputTokens")), self.at, self.model)
        for one in listed(data.get("toolRequests")):
            self.call(told(one, "toolCallId"), told(one, "name"), table(one).get("arguments"), id)

    def _result(self, data: dict[str, Any]) -> None:
        error, result = data.get("error"), table(data.get("result"))
        output = text_of(result.get("content")) or text_of(result.get("detailedContent"))
        output = output or told(error, "message") or text_of(error)
        took = whole(table(table(data.get("toolTelemetry")).get("metrics")).get("durationMs"))
        failed = data.get("success") is False or bool(_EXIT.search(output[-100:]))
        self.result(told(data, "toolCallId"), output, failed, told(data, "toolName"), took)

    def _settle(self, data: dict[str, Any]) -> None:
        """Count what was used since the session was started or resumed; an answer's own count is in it."""
        metrics = {
            model: table(table(told_of).get("usage")) for model, told_of in table(data.get("modelMetrics")).items()
        }
        for model, usage in metrics.items():
            names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
            given, output, cached, made, reasoning = (whole(usage.get(name)) for name in names)
            reasoning = min(reasoning, output)
            counts = (max(0, given - cached - made), output - reasoning, cached, made, reasoning)
            self.cost.add("", *counts, at=self.at, model=model)
            self.models[model] = None
        if not any(metrics.values()):
            metrics = self._settle_by_kind(table(data.get("tokenDetails")))
        if any(metrics.values()):
            self._unsettled.clear()
        self.release()

    def _settle_by_kind(self, kinds: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Count tokens that are told by their kind, for all models together."""
        names = ("input", "output", "cache_read", "cache_write")
        counts = (whole(table(kinds.get(name)).get("tokenCount")) for name in names)
        self.cost.add("", *counts, at=self.at, model=self.model)
        return {"": kinds}

    def _other(self, kind: str, data: dict[str, Any], id: str) -> None:
        if kind == "session.model_change":
            self.model = told(data, "newModel") or self.model
        elif kind == "session.title_changed":
            self.facts["title"] = told(data, "title") or self.facts.get("title", "")
        elif kind == "session.compaction_complete":
            self.say("summary", told(data, "summaryContent", "summary"), id)
        elif kind == "session.error":
            self.say("injected", told(data, "message"), id, failed=True)
        elif kind == "abort":
            self.say("injected", f"[turn aborted: {told(data, 'reason')}]", id, failed=True)
            self.release()
        elif kind in ("system.notification", "skill.invoked", "session.warning"):
            self.say("injected", told(data, "content", "message"), id)


def _name_in(text: str) -> str:
    """Return the name that a workspace file gives the session."""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key in ("name", "summary") and value.strip():
            return value.strip().strip("\"'")
    return ""


__all__ = ["CopilotReading", "find", "read", "sniff"]
