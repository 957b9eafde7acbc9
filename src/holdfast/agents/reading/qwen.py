"""The transcripts of Qwen Code: one JSONL file for a session, with parts as Gemini has them.

A record names the one before it. After a rewind, the records between the one it goes back to and itself are void. An
answer may stand on several lines of one id, which tell different parts of it, and sometimes two records stand on one
line. What a hook of a prompt handed over is a part of its own in the prompt. Folder and branch stand on every record.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.qwen import AGENT
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.gemini_cli import usage
from holdfast.agents.reading.lines import decode, files_below, first_records, lines, open_plain
from holdfast.agents.reading.values import counts, listed, stem, table, text_of, told, when, whole

TYPES = ("user", "assistant", "tool_result", "system")
# The kinds of user messages that a person typed; the first kind has no name.
TYPED = ("", "mid_turn_user_message")
# The words that the program writes before the answers to its dialog.
ANSWERED = "User has provided the following answers:\n\n"
TOKENS = (
    *("promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount"),
    "totalTokenCount",
)


def find(place: Place) -> Iterator[str]:
    """Yield the files of chats."""
    root = place.environment.get("QWEN_RUNTIME_DIR") or place.environment.get("QWEN_HOME")
    for path in files_below(
        os.path.join(root or os.path.join(place.home, ".qwen"), "projects"), ".jsonl", passed_over=place.passed_over
    ):
        if os.path.basename(os.path.dirname(path)) == "chats":
            yield path


def sniff(path: str) -> bool:
    """Whether the lines have messages with parts, or payloads of the program, as no other agent with uuids has."""
    found = list(first_records(path))
    if not found:
        with contextlib.suppress(OSError), open_plain(path) as file:
            found = [one for _, _, raw in islice(lines(file), 1) for one in _glued(raw)]
    for record in found:
        if "uuid" not in record or "sessionId" not in record or told(record, "type") not in TYPES:
            return False
        if "systemPayload" in record or isinstance(table(record.get("message")).get("parts"), list):
            return True
    return False


class QwenReading(Reading):
    """One session. What sub-agents did stands among the rest; what they were asked is a task."""

    agent = "qwen"
    dialogs = AGENT.dialogs

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.facts["id"] = stem(path)
        self._is_named = False

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the records that are not void, also those that stand on one line."""
        void = self._rewound()
        for number, raw in self.lines():
            one = decode(raw)
            found = [one] if one is not None else _glued(raw)
            self.malformed += not found
            for record in found:
                used = counts(record["usageMetadata"], *TOKENS) if "usageMetadata" in record else ()
                if any(used):
                    at, model = when(record.get("timestamp")), told(record, "model")
                    self.cost.add(told(record, "uuid"), *usage(*used), at=at, model=model)
                if not any(first < number < last for first, last in void):
                    yield number, record

    def _rewound(self) -> list[tuple[int, int]]:
        """Return the lines between which records are void."""
        places: dict[int, int] = {}
        void = []
        is_rewound = any(b'"rewind"' in raw for _, raw in self.lines())
        for number, raw in self.lines() if is_rewound else ():
            record = decode(raw) or {}
            places.setdefault(hash(told(record, "uuid")), number)
            if told(record, "subtype") == "rewind":
                target = told(record.get("systemPayload"), "targetUuid") or told(record, "parentUuid")
                void.append((places.get(hash(target), number), number))
        return void

    def take(self, record: dict[str, Any]) -> None:
        kind, id = told(record, "type"), told(record, "uuid")
        if not self._is_named and told(record, "sessionId"):
            self.facts["id"], self._is_named = told(record, "sessionId"), True
        self.know(version=told(record, "version"))
        model = told(record, "model") if kind == "assistant" else ""
        self.circumstances(told(record, "cwd"), told(record, "gitBranch"), model)
        parts = [table(part) for part in listed(table(record.get("message")).get("parts"))]
        if kind == "user":
            self._user(record, parts, id)
        elif kind == "assistant":
            self._answer(parts, id)
        elif kind == "tool_result":
            outcome = table(record.get("toolCallResult"))
            for part in parts:
                answer = table(part.get("functionResponse"))
                response = table(answer.get("response"))
                error = text_of(response.get("error"))
                failed = told(outcome, "status") in ("error", "cancelled") or bool(error)
                output = text_of(response.get("output")) or error or told(outcome, "error")
                output = output or text_of(outcome.get("resultDisplay"))
                key = told(answer, "id") or told(outcome, "callId")
                took = whole(outcome.get("durationMs"))
                self.result(key, output, failed, told(answer, "name"), took, self._answers(key, output))
        elif kind == "system":
            self._system(told(record, "subtype"), table(record.get("systemPayload")), id)

    def _answers(self, key: str, output: str) -> dict[str, str]:
        """Return the answers to a dialog: the program writes each behind the heading of its question."""
        asked = self.held.waiting(key)
        if asked is None or asked.tool not in self.dialogs or not output.startswith(ANSWERED):
            return {}
        questions = listed((decode(asked.input.encode("utf-8", "replace")) or {}).get("questions"))
        found, rest = {}, f"\n{output.removeprefix(ANSWERED)}"
        for number, question in reversed(list(enumerate(questions))):
            rest, lead, answer = rest.rpartition(f"\n**{told(question, 'header') or f'Question {number + 1}'}**: ")
            if not lead:
                return {}
            found[str(number)] = answer
        return found

    def _user(self, record: dict[str, Any], parts: list[dict[str, Any]], id: str) -> None:
        usual = "human" if told(record, "subtype") in TYPED else "injected"
        if record.get("isSidechain") is True or told(record, "agentId"):
            usual = "task"
        self.person(parts, id, usual)

    def _answer(self, parts: list[dict[str, Any]], id: str) -> None:
        said = [text_of(part) for part in parts if part.get("thought") is not True and "functionCall" not in part]
        self.say("assistant", "\n".join(text for text in said if text), id)
        for part in parts:
            call = table(part.get("functionCall"))
            if call:
                self.call(told(call, "id"), told(call, "name"), call.get("args"), id)

    def _system(self, kind: str, payload: dict[str, Any], id: str) -> None:
        if kind == "custom_title":
            self.know(title=told(payload, "customTitle"))
        elif kind == "slash_command" and told(payload, "phase") != "result":
            self.say("command", told(payload, "rawCommand"), id)
        elif kind == "parent_session":
            self.know(parent=told(payload, "parentSessionId", "sessionId"))
        elif kind == "chat_compression":
            first = [table(one).get("parts") for one in listed(payload.get("compressedHistory"))[:1]]
            self.say("summary", told(payload, "summary") or text_of(first), id)


def _glued(raw: bytes) -> list[dict[str, Any]]:
    """Return the objects of a line on which several stand, one right behind the other."""
    found: list[dict[str, Any]] = []
    text, place = raw.decode("utf-8", "replace"), 0
    decoder = json.JSONDecoder(strict=False)
    while place < len(text):
        try:
            one, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return found
        if isinstance(one, dict):
            found.append(one)
    return found


read = QwenReading.read
