"""The transcripts of GitHub Copilot CLI: a log of events for each session.

Nearly half of the events are those of hooks, which repeat prompts and outputs: they are passed over. `content` is what
the person typed; `transformedContent` has what was put around it, of which only our own is kept. A call is told twice,
when it is asked for and when it begins. What a session cost is told when it is shut down; after a crash only the tokens
of each answer are known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.copilot import AGENT
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import first_record, small_text
from holdfast.agents.reading.values import apart, as_dict, as_list, counts, field, stem, text_of, whole
from holdfast.base.files import names_in
from holdfast.privacy import fence
from holdfast.records import Session

_EXIT = re.compile(r"<(?:exited|shellId: \S+ completed) with exit code [1-9]\d*>\s*\Z")
TOKENS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
KINDS = ("input", "output", "cache_read", "cache_write")
# The words that the program writes before the answer to its dialog.
ANSWERED = ("User selected: ", "User responded: ")
# Events that tell where the session stands.
PLACES = ("session.start", "session.resume", "session.context_changed")


def find(place: Place) -> Iterator[str]:
    """Yield the logs: in a folder for each session, before that one file for each."""
    root = place.environment.get("COPILOT_HOME") or os.path.join(place.home, ".copilot")
    folder = os.path.join(root, "session-state")
    for name in names_in(folder, hidden=True):
        full = os.path.join(folder, name)
        path = full if name.endswith(".jsonl") else os.path.join(full, "events.jsonl")
        if os.path.isfile(path) and not os.path.islink(full):
            yield path


def sniff(path: str) -> bool:
    """Whether the lines are events with a type of two words and data."""
    record = first_record(path)
    return "." in field(record, "type") and isinstance(record.get("data"), dict) and "id" in record


class CopilotReading(Reading):
    """One session. What sub-agents said and did stands among the rest, where it happened."""

    agent = "copilot"
    dialogs = AGENT.dialogs

    def __init__(self, path: str) -> None:
        super().__init__(path)
        # The tokens of answers since the last shutdown.
        self._unsettled: dict[str, tuple[int, str, str]] = {}

    def begin(self) -> None:
        own_folder = os.path.basename(self.path) == "events.jsonl"
        folder = os.path.dirname(os.path.abspath(self.path))
        self.facts["id"] = os.path.basename(folder) if own_folder else stem(self.path)
        for line in small_text(os.path.join(folder, "workspace.yaml")).splitlines() if own_folder else ():
            key, _, value = line.partition(":")
            if key in ("name", "summary") and value.strip():
                self.facts["title"] = value.strip().strip("\"'")
                break

    def session(self) -> Session:
        for message, (output, at, model) in self._unsettled.items():
            self.cost.add(message, 0, output, at=at, model=model)
        self._unsettled.clear()
        return super().session()

    def take(self, record: dict[str, Any]) -> None:
        kind, id, data = field(record, "type"), field(record, "id"), as_dict(record.get("data"))
        self.circumstances(model=field(data, "model"))
        if kind in PLACES:
            context = as_dict(data.get("context")) or data
            self.know(id=field(data, "sessionId"), version=field(data, "copilotVersion"))
            self.circumstances(field(context, "cwd"), field(context, "branch"))
        elif kind == "user.message":
            self._user(data, id, "task" if field(record, "agentId") else "human")
        elif kind == "assistant.message":
            self._answer(data, id)
        elif kind == "tool.execution_start":
            self.call(field(data, "toolCallId"), field(data, "toolName"), data.get("arguments"), id)
        elif kind == "tool.execution_complete":
            self._result(data)
        elif kind == "session.shutdown":
            self._settle(data)
        else:
            self._other(kind, data, id)

    def _user(self, data: dict[str, Any], id: str, usual: str) -> None:
        usual = usual if field(data, "source") in ("", "user") else "injected"
        transformed = field(data, "transformedContent")
        ours = transformed.find(fence.OPEN)
        if ours >= 0:
            self.say("ours", transformed[ours : transformed.rfind(fence.CLOSE) + len(fence.CLOSE)], id)
        self.person(text_of(data.get("content")), id, usual)

    def _answer(self, data: dict[str, Any], id: str) -> None:
        self.answer(text_of(data.get("content")), id, calls=bool(as_list(data.get("toolRequests"))))
        self._unsettled[field(data, "messageId") or id] = (whole(data.get("outputTokens")), self.at, self.model)
        for one in as_list(data.get("toolRequests")):
            self.call(field(one, "toolCallId"), field(one, "name"), as_dict(one).get("arguments"), id)

    def _result(self, data: dict[str, Any]) -> None:
        error, result = data.get("error"), as_dict(data.get("result"))
        output = text_of(result.get("content")) or text_of(result.get("detailedContent"))
        output = output or field(error, "message") or text_of(error)
        took = whole(as_dict(as_dict(data.get("toolTelemetry")).get("metrics")).get("durationMs"))
        failed = data.get("success") is False or bool(_EXIT.search(output[-100:]))
        answer = next((output.removeprefix(lead) for lead in ANSWERED if output.startswith(lead)), "")
        self.result(field(data, "toolCallId"), output, failed, field(data, "toolName"), took, [answer])

    def _settle(self, data: dict[str, Any]) -> None:
        """Count what was used since the session was started or resumed; an answer's own count is in it."""
        by_model = as_dict(data.get("modelMetrics"))
        metrics = {model: as_dict(as_dict(figures).get("usage")) for model, figures in by_model.items()}
        for model, usage in metrics.items():
            self.cost.add("", *apart(*counts(usage, *TOKENS)), at=self.at, model=model)
            self.models[model] = None
        if not any(metrics.values()):
            # Reported by kind, for all models together.
            kinds = as_dict(data.get("tokenDetails"))
            metrics = {"": kinds}
            added = [as_dict(kinds.get(name)).get("tokenCount") for name in KINDS]
            self.cost.add("", *added, at=self.at, model=self.model)
        if any(metrics.values()):
            self._unsettled.clear()
        self.release()

    def _other(self, kind: str, data: dict[str, Any], id: str) -> None:
        if kind == "session.model_change":
            self.model = field(data, "newModel") or self.model
        elif kind == "session.title_changed":
            self.know(title=field(data, "title"))
        elif kind == "session.compaction_complete":
            self.say("summary", field(data, "summaryContent", "summary"), id)
        elif kind == "session.error":
            self.say("injected", field(data, "message"), id, failed=True)
        elif kind == "abort":
            self.say("injected", f"[turn aborted: {field(data, 'reason')}]", id, failed=True)
            self.release()
        elif kind in ("system.notification", "skill.invoked", "session.warning"):
            self.say("injected", field(data, "content", "message"), id)


read = CopilotReading.read
