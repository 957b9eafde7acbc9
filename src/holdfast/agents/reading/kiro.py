"""The sessions of Kiro: rows of a database, and in newer versions a file of facts beside a JSONL log.

A row holds a whole conversation as turns of what was asked or which tools answered, and what the agent said or called.
One conversation may stand under several folders: the newest counts. Two kinds of logs are known, those of the second
engine (`cli/ID.json` and `.jsonl`) and of the third (`FOLDER/sess_ID/session.json` and `messages.jsonl`). Known from
documents and other people's readers only: no program of it was run here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.database import AgentDatabase, is_database, opened
from holdfast.agents.reading.lines import decode, files_below, first_record, small_json
from holdfast.agents.reading.values import blocks, listed, stem, table, text_of, told, when

TABLES = ("conversations_v2", "conversations")
KINDS = ("Prompt", "AssistantMessage", "ToolResults")
NEWER = "messages.jsonl"
_ADDED = ("--- CONTEXT ENTRY BEGIN ---", "--- CONTEXT ENTRY END ---")


def find(place: Place) -> Iterator[str]:
    """Yield the database and the logs."""
    data = os.path.join(place.home, "Library", "Application Support")
    if sys.platform != "darwin":
        data = place.environment.get("XDG_DATA_HOME") or os.path.join(place.home, ".local", "share")
    database = os.path.join(data, "kiro-cli", "data.sqlite3")
    if is_database(database):
        yield database
    yield from files_below(os.path.join(place.home, ".kiro", "sessions"), ".jsonl", passed_over=place.passed_over)


def sniff(path: str) -> bool:
    """Whether it is a database of conversations, or a log of either kind."""
    if is_database(path):
        database = opened(path)
        return bool(database and any(database.has(name, "key", "value") for name in TABLES))
    record = first_record(path)
    if told(record, "kind") in KINDS:
        return isinstance(record.get("data"), dict)
    return bool(told(record.get("payload"), "type")) and "ordinal" not in record and "type" not in record


def read(path: str) -> Iterator[Reading]:
    """Yield the sessions of a database, or the one of a log."""
    database = opened(path) if is_database(path) else None
    if database is None:
        yield NewerReading(path) if os.path.basename(path) == NEWER else LogReading(path)
        return
    for name in TABLES:
        if database.has(name, "key", "value"):
            yield from _conversations(path, database, name)


def _conversations(path: str, database: AgentDatabase, name: str) -> Iterator[Reading]:
    has_times = database.has(name, "updated_at")
    order = "ORDER BY updated_at DESC" if has_times else "ORDER BY rowid DESC"
    seen: set[str] = set()
    for row in database.rows(f"SELECT rowid AS place FROM {name} {order}"):
        for found in database.rows(f"SELECT * FROM {name} WHERE rowid = ?", row["place"]):
            value = decode(told(found, "value").encode("utf-8", "replace")) or {}
            id = told(found, "conversation_id") or told(value, "conversation_id")
            if id not in seen:
                seen.add(id)
                times = (found.get("created_at"), found.get("updated_at"))
                yield ConversationReading(path, id, told(found, "key"), value, times)


class ConversationReading(Reading):
    """One conversation of the database."""

    agent = "kiro"

    def __init__(self, path: str, id: str, folder: str, value: dict[str, Any], times: tuple[Any, Any]) -> None:
        super().__init__(path)
        self._value = value
        self.facts["id"] = id
        self.circumstances(folder)
        self.seen_at(*map(when, times))
        self.model = told(value.get("model_info"), "model_id", "model_name")

    def begin(self) -> None:
        summary = self._value.get("latest_summary")
        # The text stands alone, or first in a list.
        self.say("summary", text_of(summary[0] if isinstance(summary, list) and summary else summary))

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Return the turns of the conversation."""
        history = self._value.get("history")
        turns = history if isinstance(history, list) else [None]
        return self.numbered(turn if isinstance(turn, dict) else None for turn in turns)

    def time_of(self, record: dict[str, Any]) -> str:
        return when(table(record.get("user")).get("timestamp"))

    def take(self, record: dict[str, Any]) -> None:
        self._user(table(record.get("user")))
        self._answer(table(record.get("assistant")), table(record.get("request_metadata")))

    def _user(self, user: dict[str, Any]) -> None:
        content, state = table(user.get("content")), table(user.get("env_context")).get("env_state")
        self.circumstances(told(state, "current_working_directory"))
        self.person(_typed(told(content.get("Prompt"), "prompt")))
        for name in ("ToolUseResults", "CancelledToolUses"):
            results = table(content.get(name))
            for one in listed(results.get("tool_use_results")):
                failed = told(one, "status").lower() == "error" or name == "CancelledToolUses"
                self.result(told(one, "tool_use_id"), _joined(table(one).get("content")), failed)
            self.person(told(results, "prompt"))

    def _answer(self, answer: dict[str, Any], request: dict[str, Any]) -> None:
        said = table(answer.get("ToolUse")) or table(answer.get("Response"))
        at = when(request.get("stream_end_timestamp_ms")) or when(request.get("request_start_timestamp_ms")) or self.at
        self.stand(at, self.line, model=told(request, "model_id"))
        self.say("assistant", told(said, "content"), told(said, "message_id"))
        for one in listed(said.get("tool_uses")):
            self.call(told(one, "id"), told(one, "name", "orig_name"), table(one).get("args"))


class LogReading(Reading):
    """One session of the second engine."""

    agent = "kiro"

    def begin(self) -> None:
        facts = small_json(self.path.removesuffix("l"))
        self.know(id=told(facts, "session_id") or stem(self.path), title=told(facts, "title"))
        self.circumstances(told(facts, "cwd"))
        self.seen_at(when(facts.get("created_at")), when(facts.get("updated_at")))
        state = table(facts.get("session_state"))
        self.model = told(table(state.get("rts_model_state")).get("model_info"), "model_id")
        for turn in map(table, listed(table(state.get("conversation_metadata")).get("user_turn_metadatas"))):
            used = (turn.get("input_token_count"), turn.get("output_token_count"))
            self.cost.add("", *used, at=when(turn.get("end_timestamp")) or self.ended, model=self.model)

    def time_of(self, record: dict[str, Any]) -> str:
        return when(table(table(record.get("data")).get("meta")).get("timestamp")) or self.at

    def take(self, record: dict[str, Any]) -> None:
        kind, data = told(record, "kind"), table(record.get("data"))
        content, id = listed(data.get("content")), told(data, "message_id")
        text = "\n".join(told(one, "data") for one in content if told(one, "kind") == "text")
        if kind == "Prompt":
            self.person(_typed(text), id)
        elif kind == "AssistantMessage":
            self.say("assistant", text, id)
        for one in content:
            data = table(table(one).get("data"))
            if told(one, "kind") == "toolUse":
                self.call(told(data, "toolUseId"), told(data, "name"), data.get("input"))
            elif told(one, "kind") == "toolResult":
                failed = told(data, "status").lower() not in ("", "success")
                self.result(told(data, "toolUseId"), _joined(data.get("content")), failed)


class NewerReading(Reading):
    """One session of the third engine."""

    agent = "kiro"

    def begin(self) -> None:
        folder = os.path.dirname(os.path.abspath(self.path))
        facts = small_json(os.path.join(folder, "session.json"))
        self.know(id=told(facts, "id") or os.path.basename(folder), title=told(facts, "title", "name"))
        self.model = told(facts, "modelId")
        self.circumstances(told(facts, "cwd", "workspacePath"))

    def take(self, record: dict[str, Any]) -> None:
        payload, id = table(record.get("payload")), told(record, "id")
        kind, text = told(payload, "type"), text_of(payload.get("content"))
        if kind == "user":
            self.person(text, id)
        elif kind == "assistant" and told(payload, "operationType") in ("", "Say"):
            self.say("assistant", text, id)
        elif kind == "tool_call":
            self.call(told(payload, "toolCallId"), told(payload, "toolName"), payload.get("args"), id)
        elif kind == "tool_result":
            self.result(told(payload, "toolCallId"), text, payload.get("success") is False, told(payload, "toolName"))


def _typed(text: str) -> str:
    """Return a prompt without the entries of context that the program put before it."""
    return text[text.rfind(_ADDED[1]) + len(_ADDED[1]) :] if text.startswith(_ADDED[0]) and _ADDED[1] in text else text


def _joined(content: Any) -> str:
    """Return what a tool answered: pieces of text and of JSON, named in either of two ways."""
    return "\n".join(map(_piece, blocks(content)))


def _piece(piece: Any) -> str:
    known = table(piece)
    for name in ("Text", "text"):
        if isinstance(known.get(name), str):
            return text_of(known[name])
    value = known.get("Json", known.get("json", known.get("data")))
    if isinstance(value, dict):
        return "\n".join(text_of(value[name]) for name in ("stdout", "stderr", "content", "text") if value.get(name))
    return text_of(piece if value is None else value)
