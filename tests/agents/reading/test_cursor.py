"""Conversations of Cursor: JSONL, plain text, and the database of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.reading.told import database, home, read_one, spoken, write_lines
from holdfast.agents.reading import cursor


def line(role: str, *blocks: object, **more: object) -> dict[str, object]:
    """Return a line."""
    return {"role": role, "message": {"content": list(blocks)}, **more}


def text(said: str) -> dict[str, str]:
    """Return a block of text."""
    return {"type": "text", "text": said}


CALL = {"type": "tool_use", "name": "Shell", "input": {"command": "make"}}
ASKED = line("user", text("<user_info>\nWorkspace Path: /srv/shop\n</user_info>\n<user_query>\nlook\n</user_query>"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of transcripts of a project."""
    return tmp_path / "home" / ".cursor" / "projects" / "srv-shop" / "agent-transcripts"


def test_what_a_person_typed_stands_in_a_tag(folder) -> None:
    """The rest of the text is injected, and tells the workspace; what the person tagged is data."""
    nested = line("user", text("<user_query>\nsay <user_query>x</user_query> now\n</user_query>"))
    events, session = read_one(cursor, write_lines(folder / "s-1.jsonl", ASKED, nested, line("user", text("plain"))))
    assert [(one.role, one.text) for one in events[1:]] == [
        ("human", "look"),
        ("human", "say"),
        ("injected", "<user_query>x</user_query>"),
        ("human", "now"),
        ("human", "plain"),
    ]
    assert (events[0].role, session.folder, session.id) == ("injected", "/srv/shop", "s-1")


def test_results_without_ids_are_joined_in_order(folder) -> None:
    """Calls have no id: the oldest that waits is answered; a call that nobody answers comes out as it is."""
    results = [
        {"type": "tool_result", "tool_use_id": f"t{number}", "content": [text(f"out {number}")]} for number in (1, 2)
    ]
    records = (ASKED, line("assistant", text("I build."), CALL, CALL), line("user", *results), line("assistant", CALL))
    events, _ = read_one(
        cursor, write_lines(folder / "s-1.jsonl", *records, {"type": "turn_ended", "status": "success"})
    )
    assert [one.output for one in events if one.role == "tool"] == ["out 1", "out 2", ""]


def test_a_call_without_a_result_holds_nothing_up(folder) -> None:
    """It comes out when its turn is over, and not at the end of the file."""
    turn = (ASKED, line("assistant", CALL), {"type": "turn_ended", "status": "success"})
    path = write_lines(folder / "s-1.jsonl", *(turn * 50))
    [reading] = cursor.read(str(path))
    first = next(event for event in reading if event.role == "tool")
    assert first.output == "" and reading.offset < path.stat().st_size / 10


def test_what_is_hidden_or_thought_says_nothing(folder) -> None:
    """Redacted texts and thoughts are left out; a turn that failed is told."""
    records = (ASKED, line("assistant", text("[REDACTED]"), {"type": "thinking", "thinking": "hm"}, text("Done.")))
    ended = {"type": "turn_ended", "status": "error", "error": "quota"}
    events, _ = read_one(cursor, write_lines(folder / "s-1.jsonl", *records, ended, "bad"))
    assert spoken(events)[2:] == [("assistant", "Done."), ("injected", "[turn error: quota]")]


def test_a_sub_agent_has_a_task_and_a_parent(folder) -> None:
    """Its file lies below that of its parent."""
    events, session = read_one(
        cursor, write_lines(folder / "s-1" / "subagents" / "s-2.jsonl", line("user", text("count")))
    )
    assert (events[0].role, session.parent, session.is_subagent) == ("task", "s-1", True)


def test_plain_text_is_read(folder) -> None:
    """The older form marks speakers and tools at the beginning of a line."""
    told = "user:\n<user_query>\nlook\n</user_query>\n\nassistant:\n[Thinking] hm\nassistant:\nI build.\n"
    told += "[Tool call] Shell\n  command: make\n\n[Tool result] Shell\nbuilt\nassistant: Done."
    folder.mkdir(parents=True)
    (folder / "s-1.txt").write_text(told)
    events, _ = read_one(cursor, folder / "s-1.txt")
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", "Shell command: make -> built"),
        ("assistant", "Done."),
    ]


def test_transcripts_are_found_once(tmp_path, folder) -> None:
    """Of a text and a JSONL of one name the latter is read; both layouts are found, and databases of chats."""
    nested = write_lines(folder / "s-2" / "s-2.jsonl", ASKED)
    flat = write_lines(folder / "s-1.jsonl", ASKED)
    flat.with_suffix(".txt").write_text("user:\nlook")
    old = folder / "s-0.txt"
    old.write_text("user:\nlook")
    write_lines(folder.parent / "other" / "x.jsonl", ASKED)
    store = tmp_path / "home" / ".cursor" / "chats" / "ab" / "s-3" / "store.db"
    database(store, "CREATE TABLE blobs (id, data)", "CREATE TABLE meta (key, value)").close()
    assert list(cursor.find(home(tmp_path))) == [str(old), str(flat), str(nested), str(store)]


def test_a_database_is_read_in_the_order_of_its_root(tmp_path) -> None:
    """Messages are blobs by their hash; the root names those that belong to the conversation, in order."""
    ids = [f"{number:02x}" * 32 for number in range(3)]
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "Shell", "args": {"command": "make"}}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "Shell", "result": "built"}
    messages = [
        {"role": "tool", "content": [result]},
        {"role": "user", "content": "<user_query>look</user_query>"},
        {"role": "assistant", "content": [text("I build."), call]},
    ]
    root = b"".join(b"\x0a\x20" + bytes.fromhex(ids[place]) for place in (1, 2, 0)) + b"\x10\x05"
    meta = (
        json.dumps({"agentId": "s-9", "name": "Look", "lastUsedModel": "m-1", "latestRootBlobId": "ff"}).encode().hex()
    )
    rows = [
        ("INSERT INTO blobs VALUES (?,?)", (id, json.dumps(one).encode()))
        for id, one in zip(ids, messages, strict=True)
    ]
    rows += [("INSERT INTO blobs VALUES ('ff', ?)", (root,)), ("INSERT INTO meta VALUES ('0', ?)", (meta,))]
    path = tmp_path / "store.db"
    database(path, "CREATE TABLE blobs (id, data)", "CREATE TABLE meta (key, value)", *rows).close()
    events, session = read_one(cursor, path)
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'Shell {"command":"make"} -> built'),
    ]
    assert (session.id, session.title, session.models) == ("s-9", "Look", ("m-1",))
