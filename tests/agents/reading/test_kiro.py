"""Sessions of Kiro: conversations in a database, and two kinds of logs."""

from __future__ import annotations

import json
from pathlib import Path

from agents.reading.told import database, home, read_one, spoken, write_json, write_lines
from holdfast.agents.reading import kiro

TABLE = "CREATE TABLE conversations_v2 (key, conversation_id, value, created_at, updated_at)"
EXPECTED = [
    ("human", "look"),
    ("assistant", "I build."),
    ("tool", 'bash {"command":"make"} -> no rule'),
    ("assistant", "Done."),
]


def conversation(asked: str = "look") -> dict[str, object]:
    """Return a conversation as a row holds it."""
    prompt = {"content": {"Prompt": {"prompt": asked}}, "timestamp": "2026-03-01T10:00:00Z"}
    uses = [{"id": "c-1", "name": "bash", "args": {"command": "make"}}]
    result = {"tool_use_id": "c-1", "content": [{"Text": "no rule"}], "status": "Error"}
    return {
        "conversation_id": "s-1",
        "model_info": {"model_id": "m-1"},
        "history": [
            {"user": prompt, "assistant": {"ToolUse": {"content": "I build.", "tool_uses": uses}}},
            {
                "user": {"content": {"ToolUseResults": {"tool_use_results": [result]}}},
                "assistant": {"Response": {"content": "Done."}},
                "request_metadata": {"stream_end_timestamp_ms": 1_772_359_205_000},
            },
        ],
    }


def row(folder: str, value: object, updated: int) -> tuple[str, tuple[object, ...]]:
    """Return the statement that writes a conversation."""
    values = (folder, "s-1", json.dumps(value), 1_772_359_200_000, updated)
    return "INSERT INTO conversations_v2 VALUES (?,?,?,?,?)", values


def test_a_conversation_is_read(tmp_path) -> None:
    """Prompts, answers and calls with results; the key of the row is the folder."""
    path = tmp_path / "data.sqlite3"
    database(path, TABLE, row("/srv/shop", conversation(), 1_772_359_206_000)).close()
    events, session = read_one(kiro, path)
    assert spoken(events) == EXPECTED and events[2].failed
    assert (session.id, session.folder, session.models, session.ended[:19]) == (
        "s-1",
        "/srv/shop",
        ("m-1",),
        "2026-03-01T10:00:06",
    )


def test_of_a_conversation_under_two_folders_the_newest_counts(tmp_path) -> None:
    """The same conversation may stand under several keys."""
    path = tmp_path / "data.sqlite3"
    database(path, TABLE, row("/old", conversation("old"), 5), row("/new", conversation("new"), 9)).close()
    events, session = read_one(kiro, path)
    assert (events[0].text, session.folder) == ("new", "/new")


def test_what_the_program_put_before_a_prompt_is_left_out(tmp_path) -> None:
    """Entries of context are not the person's."""
    path = tmp_path / "data.sqlite3"
    asked = "--- CONTEXT ENTRY BEGIN ---\nfiles\n--- CONTEXT ENTRY END ---\n\nlook"
    database(path, TABLE, row("/srv", conversation(asked), 5)).close()
    assert read_one(kiro, path)[0][0].text == "look"


def test_a_cancelled_call_has_failed_and_the_prompt_that_cancelled_it_is_told(tmp_path) -> None:
    """The person went on with something else while the tool was about to run."""
    value = conversation()
    results = {"prompt": "stop", "tool_use_results": [{"tool_use_id": "c-1", "content": [{"Text": "cancelled"}]}]}
    value["history"][1] = {"user": {"content": {"CancelledToolUses": results}}, "assistant": {}}
    path = tmp_path / "data.sqlite3"
    database(path, TABLE, row("/srv", value, 5)).close()
    events, _ = read_one(kiro, path)
    assert [(one.role, one.failed) for one in events[2:]] == [("tool", True), ("human", False)]


def test_rows_that_are_broken_are_counted(tmp_path) -> None:
    """A value that is no JSON is a session without events, and one malformed record."""
    path = tmp_path / "data.sqlite3"
    database(path, TABLE, row("/srv", "no object", 5)).close()
    events, session = read_one(kiro, path)
    assert (events, session.malformed) == ([], 1)


def test_a_log_of_the_second_engine_is_read(tmp_path) -> None:
    """The facts stand in a file beside the log."""

    def data(kind: str, *content: object) -> dict[str, object]:
        return {"version": "v1", "kind": kind, "data": {"message_id": kind, "content": list(content)}}

    def piece(kind: str, value: object) -> dict[str, object]:
        return {"kind": kind, "data": value}

    use = piece("toolUse", {"toolUseId": "c-1", "name": "bash", "input": {"command": "make"}})
    result = piece("toolResult", {"toolUseId": "c-1", "status": "error", "content": [piece("text", "no rule")]})
    records = (
        data("Prompt", piece("text", "look")),
        data("AssistantMessage", piece("text", "I build."), use),
        data("ToolResults", result),
        data("AssistantMessage", piece("text", "Done.")),
    )
    path = write_lines(tmp_path / "home" / ".kiro" / "sessions" / "cli" / "s-1.jsonl", *records, "{")
    turns = [{"input_token_count": 10, "output_token_count": 3}]
    state = {"conversation_metadata": {"user_turn_metadatas": turns}}
    write_json(
        path.with_suffix(".json"), {"session_id": "s-1", "cwd": "/srv/shop", "title": "Look", "session_state": state}
    )
    events, session = read_one(kiro, path)
    assert spoken(events) == EXPECTED and events[2].failed
    assert (session.title, session.folder, session.cost.input, session.malformed) == ("Look", "/srv/shop", 10, 1)
    assert [one.cost for one in session.spends] == [session.cost]
    assert list(kiro.find(home(tmp_path))) == [str(path)]


def test_a_log_of_the_third_engine_is_read(tmp_path) -> None:
    """Events have payloads; only what the agent says is its text."""

    def event(kind: str, **payload: object) -> dict[str, object]:
        return {"id": kind, "timestamp": "2026-03-01T10:00:00Z", "payload": {"type": kind, **payload}}

    records = (
        event("user", content="look"),
        event("assistant", operationType="Think", content="hm"),
        event("assistant", operationType="Say", content="I build."),
        event("tool_call", toolCallId="c-1", toolName="bash", args={"command": "make"}),
        event("tool_result", toolCallId="c-1", success=False, content="no rule"),
        event("assistant", operationType="Say", content="Done."),
    )
    path = write_lines(tmp_path / "sess_1" / "messages.jsonl", *records)
    write_json(path.with_name("session.json"), {"id": "s-1", "modelId": "m-1"})
    events, session = read_one(kiro, path)
    assert spoken(events) == EXPECTED and events[2].failed
    assert (session.id, session.models) == ("s-1", ("m-1",))


def test_the_database_is_found(tmp_path) -> None:
    """It lies where programs keep their data."""
    path = Path(tmp_path) / "data" / "kiro-cli" / "data.sqlite3"
    database(path, TABLE).close()
    assert list(kiro.find(home(tmp_path, XDG_DATA_HOME=str(tmp_path / "data")))) == [str(path)]
