"""Sessions of Qwen Code: records with parts, in a chain that can be rewound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_lines
from holdfast.agents.reading import qwen


def record(id: str, kind: str, *parts: object, before: str = "", **more: object) -> dict[str, object]:
    """Return a record with the parts of its message."""
    about = {"uuid": id, "parentUuid": before or None, "sessionId": "s-1", "timestamp": "2026-03-01T10:00:00.000Z"}
    about |= {"type": kind, "cwd": "/srv/shop", "version": "0.21", "gitBranch": "main"}
    return {**about, "message": {"role": kind, "parts": list(parts)}, **more}


def system(id: str, subtype: str, before: str = "", **payload: object) -> dict[str, object]:
    """Return a record of the program."""
    return {**record(id, "system", before=before), "subtype": subtype, "systemPayload": payload}


CALL = {"functionCall": {"id": "c-1", "name": "read_file", "args": {"path": "a"}}}
RESPONSE = {"functionResponse": {"id": "c-1", "name": "read_file", "response": {"output": "text"}}}
ASKED = record("u-1", "user", {"text": "look"})
ANSWERED = record("u-2", "assistant", {"text": "hm", "thought": True}, {"text": "I read."}, CALL, model="q-1")
RESULT = record("u-3", "tool_result", RESPONSE, timestamp="2026-03-01T10:00:02.000Z")


@pytest.fixture
def chat(tmp_path: Path):
    """Write a chat and return its path."""

    def write(*records: object, name: str = "s-1.jsonl") -> Path:
        return write_lines(tmp_path / "home" / ".qwen" / "projects" / "-srv-shop" / "chats" / name, *records)

    return write


def test_a_session_is_read(chat) -> None:
    """Texts, a call with its result, and no thoughts; folder and branch stand on every record."""
    events, session = read_one(qwen, chat(ASKED, ANSWERED, RESULT, system("u-4", "custom_title", customTitle="Look")))
    assert spoken(events) == [("human", "look"), ("assistant", "I read."), ("tool", 'read_file {"path":"a"} -> text')]
    assert (events[2].milliseconds, events[2].branch, events[2].model) == (2_000, "main", "q-1")
    assert (session.id, session.title, session.folder, session.version) == ("s-1", "Look", "/srv/shop", "0.21")


def test_what_a_hook_handed_over_is_not_the_persons(chat) -> None:
    """It is a part of its own in the prompt; ours is known by its fence."""
    wrapped = "<qwen:user-prompt-submit-context>\n{}\n</qwen:user-prompt-submit-context>"
    ours = {"text": wrapped.format("<holdfast-memory>\nx\n</holdfast-memory>")}
    events, _ = read_one(qwen, chat(record("u-1", "user", {"text": "look"}, {"text": wrapped.format("other")}, ours)))
    assert [one.role for one in events] == ["human", "injected", "ours"]


def test_a_rewind_makes_records_void(chat) -> None:
    """What stands between the record it goes back to and the rewind is left out; its tokens are counted."""
    lost = record("u-2", "assistant", {"text": "lost"}, before="u-1", usageMetadata={"candidatesTokenCount": 9})
    back = system("u-3", "rewind", "u-1", targetUuid="u-1")
    events, session = read_one(
        qwen, chat(ASKED, lost, back, record("u-4", "assistant", {"text": "kept"}, before="u-3"))
    )
    assert ([one.text for one in events], session.cost.output) == (["look", "kept"], 9)


def test_an_answer_on_several_lines_is_counted_once(chat) -> None:
    """Lines of one id tell different parts; cached tokens are part of the prompt, thoughts sometimes of the answer."""
    usage = {
        "promptTokenCount": 100,
        "candidatesTokenCount": 20,
        "cachedContentTokenCount": 60,
        "thoughtsTokenCount": 5,
    }
    first = record("u-2", "assistant", {"text": "one"}, usageMetadata={**usage, "totalTokenCount": 120})
    events, session = read_one(qwen, chat(ASKED, first, {**first, "message": {"parts": [{"text": "two"}]}}))
    assert [one.text for one in events] == ["look", "one", "two"]
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.reasoning) == (40, 15, 60, 5)
    assert [(bool(one.day), one.cost) for one in session.spends] == [(True, cost)]


def test_two_records_on_one_line_are_both_read(chat) -> None:
    """Some writers leave the line end out."""
    events, session = read_one(qwen, chat(json.dumps(ASKED) + json.dumps(ANSWERED), RESULT))
    assert ([one.role for one in events], session.malformed) == (["human", "assistant", "tool"], 0)


def test_other_subtypes_have_their_roles(chat) -> None:
    """A notification is injected, a command is an echo, a compression a summary, a sub-agent's prompt a task."""
    history = [{"role": "user", "parts": [{"text": "We looked."}]}]
    records = (
        record("u-1", "user", {"text": "ready"}, subtype="notification"),
        record("u-2", "user", {"text": "and now"}, subtype="mid_turn_user_message"),
        system("u-3", "slash_command", phase="invocation", rawCommand="/stats"),
        system("u-4", "chat_compression", compressedHistory=history),
        record("u-5", "user", {"text": "count"}, isSidechain=True, agentId="a"),
        system("u-6", "ui_telemetry", uiEvent={"input_token_count": 5}),
        system("u-7", "parent_session", parentSessionId="s-0"),
    )
    events, session = read_one(qwen, chat(*records))
    assert [one.role for one in events] == ["injected", "human", "command", "summary", "task"]
    assert (session.parent, session.cost.input) == ("s-0", 0)


def test_a_failed_tool_says_why(chat) -> None:
    """The status of the call or an error in the response makes it a failure."""
    bad = {"functionResponse": {"id": "c-1", "name": "read_file", "response": {"error": "no such file"}}}
    events, _ = read_one(
        qwen, chat(ASKED, ANSWERED, record("u-3", "tool_result", bad, toolCallResult={"status": "error"}))
    )
    assert (events[2].failed, events[2].output) == (True, "no such file")


def test_chats_are_found_and_bad_lines_counted(tmp_path, chat) -> None:
    """Only files in a folder of chats are; the id is that of the records, not of the file."""
    path = chat(ASKED, "{", name="other.jsonl")
    write_lines(path.parents[1] / "notes.jsonl", ASKED)
    assert list(qwen.find(home(tmp_path))) == [str(path)]
    session = read_one(qwen, path)[1]
    assert (session.id, session.malformed) == ("s-1", 1)
    assert list(qwen.find(home(tmp_path, QWEN_RUNTIME_DIR=str(tmp_path)))) == []
