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
from holdfast.agents.reading.values import as_dict, as_list, counts, field, stem, text_of, when, whole

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
        if "uuid" not in record or "sessionId" not in record or field(record, "type") not in TYPES:
            return False
        if "systemPayload" in record or isinstance(as_dict(record.get("message")).get("parts"), list):
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
                    at, model = when(record.get("timestamp")), field(record, "model")
                    self.cost.add(field(record, "uuid"), *usage(*used), at=at, model=model)
                if not any(first < number < last for first, last in void):
                    yield number, record

    def _rewound(self) -> list[tuple[int, int]]:
        """Return the lines between which records are void."""
        places: dict[int, int] = {}
        void = []
        is_rewound = any(b'"rewind"' in raw for _, raw in self.lines())
        for number, raw in self.lines() if is_rewound else ():
            record = decode(raw) or {}
            places.setdefault(hash(field(record, "uuid")), number)
            if field(record, "subtype") == "rewind":
                target = field(record.get("systemPayload"), "targetUuid") or field(record, "parentUuid")
                void.append((places.get(hash(target), number), number))
        return void

    def take(self, record: dict[str, Any]) -> None:
        kind, id = field(record, "type"), field(record, "uuid")
        if not self._is_named and field(record, "sessionId"):
            self.facts["id"], self._is_named = field(record, "sessionId"), True
        self.know(version=field(record, "version"))
        model = field(record, "model") if kind == "assistant" else ""
        self.circumstances(field(record, "cwd"), field(record, "gitBranch"), model)
        parts = [as_dict(part) for part in as_list(as_dict(record.get("message")).get("parts"))]
        if kind == "user":
            self._user(record, parts, id)
        elif kind == "assistant":
            self._answer(parts, id)
        elif kind == "tool_result":
            outcome = as_dict(record.get("toolCallResult"))
            for part in parts:
                answer = as_dict(part.get("functionResponse"))
                response = as_dict(answer.get("response"))
                error = text_of(response.get("error"))
                failed = field(outcome, "status") in ("error", "cancelled") or bool(error)
                output = text_of(response.get("output")) or error or field(outcome, "error")
                output = output or text_of(outcome.get("resultDisplay"))
                key = field(answer, "id") or field(outcome, "callId")
                took = whole(outcome.get("durationMs"))
                self.result(key, output, failed, field(answer, "name"), took, self._answers(key, output))
        elif kind == "system":
            self._system(field(record, "subtype"), as_dict(record.get("systemPayload")), id)

    def _answers(self, key: str, output: str) -> dict[str, str]:
        """Return the answers to a dialog: the program writes each behind the heading of its question."""
        asked = self.held.waiting(key)
        if asked is None or asked.tool not in self.dialogs or not output.startswith(ANSWERED):
            return {}
        questions = as_list((decode(asked.input.encode("utf-8", "replace")) or {}).get("questions"))
        found, rest = {}, f"\n{output.removeprefix(ANSWERED)}"
        for number, question in reversed(list(enumerate(questions))):
            rest, lead, answer = rest.rpartition(f"\n**{field(question, 'header') or f'Question {number + 1}'}**: ")
            if not lead:
                return {}
            found[str(number)] = answer
        return found

    def _user(self, record: dict[str, Any], parts: list[dict[str, Any]], id: str) -> None:
        usual = "human" if field(record, "subtype") in TYPED else "injected"
        if record.get("isSidechain") is True or field(record, "agentId"):
            usual = "task"
        self.person(parts, id, usual)

    def _answer(self, parts: list[dict[str, Any]], id: str) -> None:
        said = [text_of(part) for part in parts if part.get("thought") is not True and "functionCall" not in part]
        self.say("assistant", "\n".join(text for text in said if text), id)
        for part in parts:
            call = as_dict(part.get("functionCall"))
            if call:
                self.call(field(call, "id"), field(call, "name"), call.get("args"), id)

    def _system(self, kind: str, payload: dict[str, Any], id: str) -> None:
        if kind == "custom_title":
            self.know(title=field(payload, "customTitle"))
        elif kind == "slash_command" and field(payload, "phase") != "result":
            self.say("command", field(payload, "rawCommand"), id)
        elif kind == "parent_session":
            self.know(parent=field(payload, "parentSessionId", "sessionId"))
        elif kind == "chat_compression":
            first = [as_dict(one).get("parts") for one in as_list(payload.get("compressedHistory"))[:1]]
            self.say("summary", field(payload, "summary") or text_of(first), id)


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
