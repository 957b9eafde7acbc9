"""What holds for every reader: whatever a file says, it neither fails nor hangs, and what it tells is in order."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reading.told import read_one, write_lines
from holdfast.agents.reading import (
    antigravity,
    claude_code,
    codex,
    copilot,
    cursor,
    droid,
    gemini_cli,
    grok,
    kimi,
    kiro,
    opencode,
    pi,
    qwen,
)
from holdfast.agents.reading.values import MAX_OUTPUT, MAX_TEXT
from holdfast.records import ROLES
from support.sampling import count

READERS = (antigravity, claude_code, codex, copilot, cursor, droid, gemini_cli, grok, kimi, kiro, opencode, pi, qwen)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TRANSCRIPTS = os.environ.get("HOLDFAST_TRANSCRIPTS", "")
QUICK = settings(max_examples=count(60, 15))
# The words that mean something to one reader or another.
WORDS = (
    *(
        "type",
        "role",
        "id",
        "uuid",
        "parentUuid",
        "parentId",
        "sessionId",
        "message",
        "messages",
        "content",
        "parts",
        "text",
    ),
    *(
        "$set",
        "$rewindTo",
        "params",
        "update",
        "sessionUpdate",
        "_meta",
        "promptIndex",
        "toolCallId",
        "rawInput",
        "status",
    ),
    *(
        "data",
        "kind",
        "payload",
        "tool_calls",
        "toolCalls",
        "functionCall",
        "functionResponse",
        "info",
        "usage",
        "tokens",
    ),
    *(
        "timestamp",
        "cwd",
        "time",
        "state",
        "result",
        "response",
        "history",
        "user",
        "assistant",
        "summary",
        "systemPayload",
    ),
    *("step_index", "source", "created_at", "event", "part", "protocol_version", "return_value", "session_id", "value"),
    *("target_prompt_index", "prompt_index", "synthetic_reason", "subtype", "projectHash", "directory", "projectID"),
)
VALUES = (
    *(
        "user",
        "assistant",
        "gemini",
        "tool",
        "tool_result",
        "system",
        "message",
        "session",
        "rewind",
        "text",
        "toolCall",
    ),
    *("metadata", "context.append_message", "context.append_loop_event", "content.part", "tool.call", "tool.result"),
    *("session_start", "USER_INPUT", "PLANNER_RESPONSE", "MODEL", "TurnBegin", "ToolCall", "ToolResult", "ContentPart"),
    *("user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update", "turn_completed", "rewind_marker"),
    *("user.message", "assistant.message", "tool.execution_complete", "session.start", "session.shutdown", "Prompt"),
    *("2026-03-01T10:00:00Z", "a", "b", "<user_query>x</user_query>", "<holdfast-memory>", "completed", "\ud800", ""),
)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.sampled_from(VALUES), st.text(max_size=8)
)
keys = st.one_of(st.sampled_from(WORDS), st.text(max_size=4))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)),
    max_leaves=24,
)
records = st.dictionaries(st.sampled_from(WORDS), values, max_size=8)


def walk(reader, path: str) -> int:
    """Read everything that a path tells, whether it looks right or not, and check what holds for any event."""
    reader.sniff(path)
    total = 0
    for reading in reader.read(path):
        count = 0
        with contextlib.suppress(IsADirectoryError, FileNotFoundError):
            for place, event in enumerate(reading):
                assert event.place == place and event.role in ROLES
                assert not event.at or TIME.fullmatch(event.at)
                assert event.answered or event.role != "tool" or not event.output
                assert len(event.text) <= MAX_TEXT + 100 and len(event.output) <= MAX_OUTPUT + 100
                (event.text + event.input + event.output + event.tool + event.call + event.id).encode("utf-8")
                count += 1
            session = reading.session()
            assert (session.events, session.agent) == (count, reading.agent)
            assert all(not one or TIME.fullmatch(one) for one in (session.started, session.ended))
            for kind in ("input", "output", "cache_read", "cache_write", "reasoning", "dollars"):
                parts = [getattr(spend.cost, kind) for spend in session.spends]
                assert sum(parts) == pytest.approx(getattr(session.cost, kind))
            assert session.malformed == reading.malformed and min(session.cost.input, session.cost.output) >= 0
        total += count
    return total


def try_all(content: bytes, names: tuple[str, ...] = ("x.jsonl", "messages.jsonl", "x.txt")) -> None:
    """Let every reader read a file, and a folder, of this content."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (*names, "updates.jsonl", "chat_history.jsonl", "events.jsonl", "summary.json"):
            Path(folder, name).write_bytes(content)
        for reader in READERS:
            for path in (folder,) if reader is grok else (os.path.join(folder, name) for name in names):
                walk(reader, path)


@QUICK
@given(st.binary(max_size=400))
def test_any_bytes_are_read(content) -> None:
    """No reader fails on bytes that mean nothing."""
    try_all(content)


@QUICK
@given(st.lists(st.one_of(records, values), max_size=8))
def test_any_records_are_read(lines) -> None:
    """No reader fails on JSON with its own words in the wrong places, as lines and as a document."""
    try_all(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    try_all(json.dumps({"info": {"id": "x"}, "projectHash": "x", "messages": lines}).encode())


@QUICK
@given(st.lists(st.tuples(values, values), max_size=4), st.booleans())
def test_any_rows_are_read(rows, as_bytes) -> None:
    """No reader of databases fails on rows with the wrong things in them."""
    tables = {
        "session": ("id", "directory", "parent_id", "title", "time_created", "time_updated", "revert"),
        "message": ("id", "session_id", "time_created", "data"),
        "part": ("id", "message_id", "data"),
        "conversations_v2": ("key", "conversation_id", "value", "created_at", "updated_at"),
        "meta": ("key", "value"),
        "blobs": ("id", "data"),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.db")
        connection = sqlite3.connect(path)
        for name, columns in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            for first, second in rows:
                text = json.dumps(first) if not as_bytes else json.dumps(second).encode()
                row = ["0" if column in ("id", "key", "session_id", "message_id") else text for column in columns]
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", row)
        connection.commit()
        connection.close()
        for reader in (opencode, kiro, cursor):
            walk(reader, path)


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.__name__.rpartition(".")[2])
def test_nothing_is_found_in_nothing_and_no_file_is_no_session(tmp_path, reader) -> None:
    """A path that is not there, an empty file, a broken database and a pipe are not taken for sessions."""
    empty, broken, pipe = (tmp_path / name for name in ("empty", "broken.db", "pipe"))
    empty.write_bytes(b"")
    broken.write_bytes(b"SQLite format 3\0" + b"\xff" * 2_000)
    os.mkfifo(pipe)
    for path in (tmp_path / "none", empty, broken, pipe, tmp_path):
        assert not reader.sniff(str(path))
    assert list(reader.read(str(broken))) == [] or walk(reader, str(broken)) == 0


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.__name__.rpartition(".")[2])
def test_long_texts_take_no_time(tmp_path, reader) -> None:
    """Texts full of beginnings without an end, and thousands of pieces, take no longer than their length."""
    bad = "<user_query><hook_context>--- CONTEXT ENTRY BEGIN ---\nExit Code: 1 \n" * 20_000
    line = {"type": "user", "role": "user", "id": "a", "uuid": "a", "sessionId": "s", "content": bad}
    line |= {"message": {"role": "user", "content": bad, "parts": [{"text": bad}]}, "kind": "Prompt"}
    line |= {"data": {"content": [{"kind": "text", "data": bad}]}, "payload": {"type": "user", "content": bad}}
    piece = {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "abcd"}}}
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "x.jsonl").write_text(json.dumps(line) + "\n")
    (folder / "updates.jsonl").write_text((json.dumps(piece) + "\n") * 20_000)
    began = time.process_time()
    walk(reader, str(folder if reader is grok else folder / "x.jsonl"))
    assert time.process_time() - began < 30, "it grows faster than the text"


@pytest.mark.skipif(not TRANSCRIPTS, reason="HOLDFAST_TRANSCRIPTS names no folder of transcripts")
def test_every_transcript_in_a_folder_is_known_by_one_reader_at_most() -> None:
    """Whatever lies in the folder is read without a failure, and no two of these readers take it for theirs."""
    for parent, folders, names in os.walk(TRANSCRIPTS):
        paths = [os.path.join(parent, name) for name in (*names, *folders)]
        for path in paths:
            known = [reader for reader in READERS if reader.sniff(path)]
            assert len(known) <= 1, path
            for reader in known:
                walk(reader, path)


ODD_BLOCKS = [{"type": "text", "text": "look"}, {"type": "new", "text": "x"}]


BLOCKS_OF_A_PERSON = pytest.mark.parametrize(
    ("reader", "records"),
    [
        (claude_code, lambda told: [{"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": told}}]),
        (cursor, lambda told: [{"role": "user", "message": {"content": told}}]),
        (
            droid,
            lambda told: [
                {"type": "session_start", "id": "s"},
                {"type": "message", "message": {"role": "user", "content": told}},
            ],
        ),
    ],
)


@BLOCKS_OF_A_PERSON
def test_a_block_of_an_unknown_kind_is_not_a_persons(tmp_path, reader, records) -> None:
    """In a message of the person what nobody knows is a program's."""
    events, _ = read_one(reader, write_lines(tmp_path / "s.jsonl", *records(ODD_BLOCKS)))
    told = sorted((one.role, one.text or one.output) for one in events)
    assert told == [("human", "look"), ("injected", "x")]


@BLOCKS_OF_A_PERSON
def test_a_block_that_names_a_call_is_its_result_without_a_type(tmp_path, reader, records) -> None:
    """A result that lost its type is still what a tool answered, and what stands beside it is not the person's."""
    blocks = [{"type": "text", "text": "look"}, {"tool_use_id": "c", "content": "built"}]
    events, _ = read_one(reader, write_lines(tmp_path / "s.jsonl", *records(blocks)))
    told = sorted((one.role, one.text or one.output) for one in events)
    assert told == [("injected", "look"), ("tool", "built")]
