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
from holdfast.agents.reading.values import as_dict, as_list, blocks, field, stem, text_of, when

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
    if field(record, "kind") in KINDS:
        return isinstance(record.get("data"), dict)
    return bool(field(record.get("payload"), "type")) and "ordinal" not in record and "type" not in record


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
            value = decode(field(found, "value").encode("utf-8", "replace")) or {}
            id = field(found, "conversation_id") or field(value, "conversation_id")
            if id not in seen:
                seen.add(id)
                times = (found.get("created_at"), found.get("updated_at"))
                yield ConversationReading(path, id, field(found, "key"), value, times)


class ConversationReading(Reading):
    """One conversation of the database."""

    agent = "kiro"

    def __init__(self, path: str, id: str, folder: str, value: dict[str, Any], times: tuple[Any, Any]) -> None:
        super().__init__(path)
        self._value = value
        self.facts["id"] = id
        self.circumstances(folder)
        self.seen_at(*map(when, times))
        self.model = field(value.get("model_info"), "model_id", "model_name")

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
        return when(as_dict(record.get("user")).get("timestamp"))

    def take(self, record: dict[str, Any]) -> None:
        self._user(as_dict(record.get("user")))
        self._answer(as_dict(record.get("assistant")), as_dict(record.get("request_metadata")))

    def _user(self, user: dict[str, Any]) -> None:
        content, state = as_dict(user.get("content")), as_dict(user.get("env_context")).get("env_state")
        self.circumstances(field(state, "current_working_directory"))
        self.person(_typed(field(content.get("Prompt"), "prompt")))
        for name in ("ToolUseResults", "CancelledToolUses"):
            results = as_dict(content.get(name))
            for one in as_list(results.get("tool_use_results")):
                failed = field(one, "status").lower() == "error" or name == "CancelledToolUses"
                self.result(field(one, "tool_use_id"), _joined(as_dict(one).get("content")), failed)
            self.person(field(results, "prompt"))

    def _answer(self, answer: dict[str, Any], request: dict[str, Any]) -> None:
        said = as_dict(answer.get("ToolUse")) or as_dict(answer.get("Response"))
        at = when(request.get("stream_end_timestamp_ms")) or when(request.get("request_start_timestamp_ms")) or self.at
        self.stand(at, self.line, model=field(request, "model_id"))
        self.say("assistant", field(said, "content"), field(said, "message_id"))
        for one in as_list(said.get("tool_uses")):
            self.call(field(one, "id"), field(one, "name", "orig_name"), as_dict(one).get("args"))


class LogReading(Reading):
    """One session of the second engine."""

    agent = "kiro"

    def begin(self) -> None:
        facts = small_json(self.path.removesuffix("l"))
        self.know(id=field(facts, "session_id") or stem(self.path), title=field(facts, "title"))
        self.circumstances(field(facts, "cwd"))
        self.seen_at(when(facts.get("created_at")), when(facts.get("updated_at")))
        state = as_dict(facts.get("session_state"))
        self.model = field(as_dict(state.get("rts_model_state")).get("model_info"), "model_id")
        for turn in map(as_dict, as_list(as_dict(state.get("conversation_metadata")).get("user_turn_metadatas"))):
            used = (turn.get("input_token_count"), turn.get("output_token_count"))
            self.cost.add("", *used, at=when(turn.get("end_timestamp")) or self.ended, model=self.model)

    def time_of(self, record: dict[str, Any]) -> str:
        return when(as_dict(as_dict(record.get("data")).get("meta")).get("timestamp")) or self.at

    def take(self, record: dict[str, Any]) -> None:
        kind, data = field(record, "kind"), as_dict(record.get("data"))
        content, id = as_list(data.get("content")), field(data, "message_id")
        text = "\n".join(field(one, "data") for one in content if field(one, "kind") == "text")
        if kind == "Prompt":
            self.person(_typed(text), id)
        elif kind == "AssistantMessage":
            self.say("assistant", text, id)
        for one in content:
            data = as_dict(as_dict(one).get("data"))
            if field(one, "kind") == "toolUse":
                self.call(field(data, "toolUseId"), field(data, "name"), data.get("input"))
            elif field(one, "kind") == "toolResult":
                failed = field(data, "status").lower() not in ("", "success")
                self.result(field(data, "toolUseId"), _joined(data.get("content")), failed)


class NewerReading(Reading):
    """One session of the third engine."""

    agent = "kiro"

    def begin(self) -> None:
        folder = os.path.dirname(os.path.abspath(self.path))
        facts = small_json(os.path.join(folder, "session.json"))
        self.know(id=field(facts, "id") or os.path.basename(folder), title=field(facts, "title", "name"))
        self.model = field(facts, "modelId")
        self.circumstances(field(facts, "cwd", "workspacePath"))

    def take(self, record: dict[str, Any]) -> None:
        payload, id = as_dict(record.get("payload")), field(record, "id")
        kind, text = field(payload, "type"), text_of(payload.get("content"))
        if kind == "user":
            self.person(text, id)
        elif kind == "assistant" and field(payload, "operationType") in ("", "Say"):
            self.say("assistant", text, id)
        elif kind == "tool_call":
            self.call(field(payload, "toolCallId"), field(payload, "toolName"), payload.get("args"), id)
        elif kind == "tool_result":
            self.result(field(payload, "toolCallId"), text, payload.get("success") is False, field(payload, "toolName"))


def _typed(text: str) -> str:
    """Return a prompt without the entries of context that the program put before it."""
    return text[text.rfind(_ADDED[1]) + len(_ADDED[1]) :] if text.startswith(_ADDED[0]) and _ADDED[1] in text else text


def _joined(content: Any) -> str:
    """Return what a tool answered: pieces of text and of JSON, named in either of two ways."""
    return "\n".join(map(_piece, blocks(content)))


def _piece(piece: Any) -> str:
    known = as_dict(piece)
    for name in ("Text", "text"):
        if isinstance(known.get(name), str):
            return text_of(known[name])
    value = known.get("Json", known.get("json", known.get("data")))
    if isinstance(value, dict):
        return "\n".join(text_of(value[name]) for name in ("stdout", "stderr", "content", "text") if value.get(name))
    return text_of(piece if value is None else value)
