"""The sessions of Kiro: rows of a database, and in newer versions a file of facts beside a JSONL log.

A row holds a whole conversation as turns of what was asked or which tools answered, and what the agent said or called.
One conversation may stand under several folders: the newest counts. Two kinds of logs are known, those of the second
engine (`cli/ID.json` and `.jsonl`) and of the third (`FOLDER/sess_ID/session.json` and `messages.jsonl`). Known from
documents and other people's readers only: no program of it was run here.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from holdfast.agents.reading.base import decode, files_below, first_records, text_of, told, when
from holdfast.agents.reading.database import Database, is_database, opened, text_in, value_in
from holdfast.agents.reading.turns import Turns, listed, small_json, stem, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.base import Place

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
    yield from files_below(os.path.join(place.home, ".kiro", "sessions"), ".jsonl")


def sniff(path: str) -> bool:
    """Whether it is a database of conversations, or a log of either kind."""
    if is_database(path):
        database = opened(path)
        return bool(database and any(database.has(name, "key", "value") for name in TABLES))
    for record in first_records(path):
        if told(record, "kind") in KINDS:
            return isinstance(record.get("data"), dict)
        return bool(told(record.get("payload"), "type")) and "ordinal" not in record and "type" not in record
    return False


def read(path: str) -> Iterator[Turns]:
    """Yield the sessions of a database, or the one of a log."""
    database = opened(path) if is_database(path) else None
    if database is None:
        yield NewerReading(path) if os.path.basename(path) == NEWER else LogReading(path)
        return
    for name in TABLES:
        if database.has(name, "key", "value"):
            yield from _conversations(path, database, name)


def _conversations(path: str, database: Database, name: str) -> Iterator[Turns]:
    has_times = database.has(name, "updated_at")
    order = "ORDER BY updated_at DESC" if has_times else "ORDER BY rowid DESC"
    seen: set[str] = set()
    for row in database.rows(f"SELECT rowid AS place FROM {name} {order}"):
        for found in database.rows(f"SELECT * FROM {name} WHERE rowid = ?", row["place"]):
            value = decode(text_in(found, "value").encode("utf-8", "replace")) or {}
            id = text_in(found, "conversation_id") or told(value, "conversation_id")
            if id not in seen:
                seen.add(id)
                times = (value_in(found, "created_at"), value_in(found, "updated_at"))
                yield ConversationReading(path, id, text_in(found, "key"), value, times)


class ConversationReading(Turns):
    """One conversation of the database."""

    agent = "kiro"

    def __init__(self, path: str, id: str, folder: str, value: dict[str, Any], times: tuple[Any, Any]) -> None:
        super().__init__(path)
        self._value = value
        self.facts["id"] = id
        self.stand("", 0, folder)
        for time in times:
            self.seen_at(when(time))
        self.model = told(value.get("model_info"), "model_id", "model_name")

    def _walk(self) -> Iterator[None]:
        self.malformed += not isinstance(self._value.get("history"), list)
        self.say("summary", _summary(self._value.get("latest_summary")))
        for number, turn in enumerate(listed(self._value.get("history")), 1):
            if not isinstance(turn, dict):
                self.malformed += 1
                continue
            self._user(table(turn.get("user")), number)
            self._answer(table(turn.get("assistant")), table(turn.get("request_metadata")), number)
            yield

    def _user(self, user: dict[str, Any], number: int) -> None:
        content = table(user.get("content"))
        self.stand(when(user.get("timestamp")), number, _folder_in(user.get("env_context")))
        self.person(_typed(told(content.get("Prompt"), "prompt")))
        for name in ("ToolUseResults", "CancelledToolUses"):
            results = table(content.get(name))
            for one in listed(results.get("tool_use_results")):
                failed = told(one, "status").lower() == "error" or name == "CancelledToolUses"
                self.result(told(one, "tool_use_id"), _joined(table(one).get("content")), failed)
            self.person(told(results, "prompt"))

    def _answer(self, answer: dict[str, Any], request: dict[str, Any], number: int) -> None:
        said = table(answer.get("ToolUse")) or table(answer.get("Response"))
        at = when(request.get("stream_end_timestamp_ms")) or when(request.get("request_start_timestamp_ms")) or self.at
        self.stand(at, number, model=told(request, "model_id"))
        self.say("assistant", told(said, "content"), told(said, "message_id"))
        for one in listed(said.get("tool_uses")):
            self.call(told(one, "id"), told(one, "name", "orig_name"), table(one).get("args"))


class LogReading(Turns):
    """One session of the second engine."""

    agent = "kiro"

    def _walk(self) -> Iterator[None]:
        self._facts(small_json(self.path.removesuffix("l")))
        for number, record in self.records():
            data = table(record.get("data"))
            self.stand(when(table(data.get("meta")).get("timestamp")) or self.at, number)
            self._take(told(record, "kind"), listed(data.get("content")), told(data, "message_id"))
            yield

    def _facts(self, facts: dict[str, Any]) -> None:
        self.facts["id"] = told(facts, "session_id") or stem(self.path)
        self.facts["title"] = told(facts, "title")
        self.stand("", 0, told(facts, "cwd"))
        for name in ("created_at", "updated_at"):
            self.seen_at(when(facts.get(name)))
        state = table(facts.get("session_state"))
        self.model = told(table(state.get("rts_model_state")).get("model_info"), "model_id")
        turns = listed(table(state.get("conversation_metadata")).get("user_turn_metadatas"))
        for turn in turns:
            counts = (table(turn).get(name) for name in ("input_token_count", "output_token_count"))
            at = when(table(turn).get("end_timestamp")) or self.ended
            self.cost.add("", *counts, at=at, model=self.model)

    def _take(self, kind: str, content: list[Any], id: str) -> None:
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


class NewerReading(Turns):
    """One session of the third engine."""

    agent = "kiro"

    def _walk(self) -> Iterator[None]:
        folder = os.path.dirname(os.path.abspath(self.path))
        facts = small_json(os.path.join(folder, "session.json"))
        self.facts["id"] = told(facts, "id") or os.path.basename(folder)
        self.facts["title"] = told(facts, "title", "name")
        self.model = told(facts, "modelId")
        self.stand("", 0, told(facts, "cwd", "workspacePath"))
        for number, record in self.records():
            self.stand(when(record.get("timestamp")), number)
            self._take(table(record.get("payload")), told(record, "id"))
            yield

    def _take(self, payload: dict[str, Any], id: str) -> None:
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


def _summary(value: Any) -> str:
    """Return the text of a summary, which is one, or stands first in a list."""
    return text_of(value[0]) if isinstance(value, list) and value else text_of(value)


def _folder_in(context: Any) -> str:
    return told(table(context).get("env_state"), "current_working_directory")


def _joined(content: Any) -> str:
    """Return what a tool answered: pieces of text and of JSON, named in either of two ways."""
    pieces = content if isinstance(content, list) else [content]
    return "\n".join(_piece(piece) for piece in pieces)


def _piece(piece: Any) -> str:
    known = table(piece)
    for name in ("Text", "text"):
        if isinstance(known.get(name), str):
            return text_of(known[name])
    value = known.get("Json", known.get("json", known.get("data")))
    if isinstance(value, dict):
        return "\n".join(text_of(value[name]) for name in ("stdout", "stderr", "content", "text") if value.get(name))
    return text_of(piece if value is None else value)


__all__ = ["ConversationReading", "LogReading", "NewerReading", "find", "read", "sniff"]
