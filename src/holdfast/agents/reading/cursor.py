"""The transcripts of Cursor: JSONL or plain text for each conversation, and the databases of its command line.

The files have mostly no times, no models and no results of tools, and a call has no id: a result is then joined with
the oldest call that waits. What a person typed stands in a tag. The folder of a project is named by a lossy slug, so
the workspace is told only where the text given to the model tells it. In the database of a conversation messages are
blobs named by their hash; the last root says which belong to it, and in which order. The database of the editor is
not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.database import AgentDatabase, is_database, opened
from holdfast.agents.reading.lines import decode, files_below, first_record, head, open_plain
from holdfast.agents.reading.values import MAX_TEXT, as_dict, blocks, field, is_result, is_typed, stem, text_of, when

CALLS = ("tool_use", "tool_call", "tool-call")
HIDDEN = "[REDACTED]"
_MARK = re.compile(rb"(user:|assistant:|\[Thinking\]|\[Tool call\]|\[Tool result\])[ \t]*(.*)\Z", re.DOTALL)
_HEX = re.compile(r"\A(?:[0-9a-fA-F]{2})+\Z")
_HASH = 32


def find(place: Place) -> Iterator[str]:
    """Yield the transcripts, of a text and a JSONL of one name the latter, then the databases of conversations."""
    root = os.path.join(place.home, ".cursor")
    for path in files_below(os.path.join(root, "projects"), ".jsonl", ".txt"):
        if "agent-transcripts" in path.split(os.sep) and not (
            path.endswith(".txt") and os.path.isfile(path.removesuffix(".txt") + ".jsonl")
        ):
            yield path
    for path in files_below(os.path.join(root, "chats"), "store.db"):
        if is_database(path):
            yield path


def sniff(path: str) -> bool:
    """Whether it is a database of blobs, lines with a role and a message, or a text that begins with a speaker."""
    if is_database(path):
        database = opened(path)
        return bool(database and database.has("blobs", "id", "data") and database.has("meta", "key", "value"))
    if record := first_record(path):
        is_line = field(record, "role") in ("user", "assistant") and "content" in as_dict(record.get("message"))
        return is_line and not record.keys() & {"uuid", "sessionId", "type"}
    return head(path).lstrip().startswith((b"user:", b"assistant:"))


def read(path: str) -> Iterator[CursorReading]:
    """Yield the one conversation of a file."""
    database = opened(path) if is_database(path) else None
    if database is not None:
        yield StoreReading(path, database)
    else:
        yield CursorReading(path) if first_record(path) else TextReading(path)


class CursorReading(Reading):
    """One conversation from JSONL."""

    agent = "cursor"
    request_tag = "user_query"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.facts["id"] = stem(path)
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.basename(folder) == "subagents":
            self.facts.update(parent=os.path.basename(os.path.dirname(folder)), is_subagent="yes")
        self._unnamed = 0

    def take(self, record: dict[str, Any]) -> None:
        self.circumstances(model=field(record, "model"))
        if field(record, "type") != "turn_ended":
            self._blocks(field(record, "role"), as_dict(record.get("message")).get("content"))
            return
        self.release()
        status = field(record, "status")
        if status not in ("", "success", "completed"):
            self.say("injected", f"[turn {status}: {field(record, 'error', 'message')}]", failed=True)

    def _blocks(self, role: str, content: Any) -> None:
        is_added = any(map(is_result, blocks(content)))
        for block in blocks(content):
            kind = field(block, "type")
            if kind in CALLS:
                self._call(block)
            elif is_result(block):
                self._result(block)
            elif role == "user" and (is_added or not is_typed(block)):
                self.say("injected", text_of(block))
            elif kind not in ("thinking", "reasoning", "redacted-reasoning"):
                self._text(role, text_of(block))

    def _text(self, role: str, text: str) -> None:
        if text.strip() == HIDDEN:
            return
        if role == "user":
            self.look_for_workspace(text)
            self.release()
            self.person(text, usual=self.usual())
        elif role == "assistant":
            self.say("assistant", text)

    def _call(self, block: dict[str, Any]) -> None:
        self._unnamed += 1
        key = field(block, "id", "toolCallId") or f"#{self._unnamed}"
        given = block.get("input", block.get("args", block.get("arguments")))
        self.call(key, field(block, "name", "toolName"), given)

    def _result(self, block: dict[str, Any]) -> None:
        key = self.awaited(field(block, "tool_use_id", "toolCallId"), "#")
        output = block.get("content", block.get("result", block.get("output")))
        failed = block.get("is_error") is True or block.get("isError") is True
        self.result(key, output, failed, field(block, "name", "toolName"))


class TextReading(CursorReading):
    """One conversation from the older plain text."""

    def _walk(self) -> Iterator[None]:
        mark, name, pieces, first, size = "", "", list[str](), 0, 0
        with open_plain(self.path) as file:
            for number, end, raw in lines_of_text(file):
                self.offset = end
                found = _MARK.match(raw)
                if found is None:
                    size += len(raw)
                    pieces += [raw.decode("utf-8", "replace")] if size < MAX_TEXT else []
                    continue
                self._piece(mark, name, "\n".join(pieces), first)
                mark, first, size = found[1].decode(), number, 0
                rest = found[2].decode("utf-8", "replace")
                name, pieces = (rest, []) if mark.startswith("[Tool") else ("", [rest])
                yield
        self._piece(mark, name, "\n".join(pieces), first)
        yield

    def _piece(self, mark: str, name: str, text: str, line: int) -> None:
        self.stand("", line)
        if mark in ("user:", "assistant:"):
            self._text(mark[:-1], text)
        elif mark == "[Tool call]":
            self._call({"name": name, "input": text.strip()})
        elif mark == "[Tool result]":
            self._result({"name": name, "content": text})


def lines_of_text(file: Any) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, end and bytes of every line of a text; the last one counts, whether it is ended or not."""
    end = 0
    for number, raw in enumerate(iter(lambda: file.readline(MAX_TEXT), b""), 1):
        end += len(raw)
        yield number, end, raw.rstrip(b"\r\n")


class StoreReading(CursorReading):
    """One conversation from the database that the command line keeps for it."""

    def __init__(self, path: str, database: AgentDatabase) -> None:
        super().__init__(path)
        self.facts["id"] = os.path.basename(os.path.dirname(os.path.abspath(path)))
        self._database = database

    def _walk(self) -> Iterator[None]:
        value = next((field(row, "value") for row in self._database.rows("SELECT value FROM meta WHERE key = '0'")), "")
        meta = decode(bytes.fromhex(value) if _HEX.match(value) else value.encode("utf-8", "replace")) or {}
        self.know(id=field(meta, "agentId"), title=field(meta, "name"))
        self.model = field(meta, "lastUsedModel")
        self.seen_at(when(meta.get("createdAt")))
        # The root names the blobs in their order; where it names none, all of them count.
        root = _fields(self._blob(field(meta, "latestRootBlobId")))
        order = [part.hex() for part in root if len(part) == _HASH]
        rows = () if order else self._database.rows("SELECT id FROM blobs ORDER BY rowid")
        for number, id in enumerate(order or [field(row, "id") for row in rows], 1):
            message = decode(self._blob(id))
            role = field(message, "role")
            if role:
                self.stand("", number)
                self._blocks("" if role == "system" else role, as_dict(message).get("content"))
                yield
        self.malformed += self._database.broken

    def _blob(self, id: str) -> bytes:
        for row in self._database.rows("SELECT data FROM blobs WHERE id = ?", id):
            data = row.get("data")
            return data if isinstance(data, bytes) else str(data or "").encode("utf-8", "replace")
        return b""


def _fields(data: bytes) -> Iterator[bytes]:
    """Yield the contents of the fields of a protobuf message that have a length; it ends where that cannot be read."""
    place = 0
    while place < len(data):
        tag, place = _number(data, place)
        kind = tag & 7
        if kind == 2:
            length, place = _number(data, place)
            yield data[place : place + length]
            place += length
        elif kind == 0:
            _, place = _number(data, place)
        elif kind in (1, 5):
            place += 8 if kind == 1 else 4
        else:
            return


def _number(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data) and shift < 64:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    return value, place
