"""Sessions of Grok: a folder of files that are merged."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_json, write_lines
from holdfast.agents.reading import grok

SUMMARY = {
    "info": {"id": "s-1", "cwd": "/srv/shop"},
    "generated_title": "Look around",
    "created_at": "2026-03-01T10:00:00Z",
    "updated_at": "2026-03-01T10:09:00Z",
    "head_branch": "topic",
    "current_model_id": "g-1",
}
QUERY = {"type": "user", "content": [{"type": "text", "text": "<user_query>\nlook\n</user_query>"}], "prompt_index": 0}


def update(kind: str, milliseconds: int = 0, **fields: object) -> dict[str, object]:
    """Return a line of the log."""
    meta = {"agentTimestampMs": 1_772_359_200_000 + milliseconds}
    inner = {"sessionUpdate": kind, **fields}
    return {"timestamp": 1_772_359_200, "method": "session/update", "params": {"update": inner, "_meta": meta}}


def prompt(text: str, turn: int, milliseconds: int = 0) -> dict[str, object]:
    """Return the line of a prompt."""
    content = {"type": "text", "text": text}
    return update("user_message_chunk", milliseconds, content=content, _meta={"promptIndex": turn, "modelId": "g-1"})


def piece(text: str, milliseconds: int = 0) -> dict[str, object]:
    """Return the line of a piece of an answer."""
    return update("agent_message_chunk", milliseconds, content={"type": "text", "text": text})


def ended(prompt_id: str, **usage: int) -> dict[str, object]:
    """Return the line that ends a turn."""
    return update("turn_completed", prompt_id=prompt_id, stop_reason="end_turn", usage=usage)


CALL = update("tool_call", 2_000, toolCallId="c-1", title="run", rawInput={"command": "make"})
RESULT = update(
    "tool_call_update",
    2_500,
    toolCallId="c-1",
    status="completed",
    content=[{"type": "content", "content": {"type": "text", "text": "built"}}],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a session with a summary."""
    made = tmp_path / "home" / ".grok" / "sessions" / "%2Fsrv%2Fshop" / "s-1"
    write_json(made / "summary.json", SUMMARY)
    return made


def test_a_session_is_told_by_its_log_with_the_times_of_the_log(folder) -> None:
    """Pieces become one text, a call has its result, and every event has the time at which it began."""
    log = (prompt("look", 0), piece("I ", 1_000), piece("see.", 1_500), CALL, RESULT, piece("Done.", 3_000), ended("p"))
    write_lines(folder / "updates.jsonl", *log)
    events, session = read_one(grok, folder)
    expected = [("human", "look"), ("assistant", "I see."), ("tool", 'run {"command":"make"} -> built')]
    assert spoken(events) == [*expected, ("assistant", "Done.")]
    assert [one.at[17:23] for one in events] == ["00.000", "01.000", "02.000", "03.000"]
    assert (events[2].milliseconds, events[2].model, events[2].branch, events[2].folder) == (
        500,
        "g-1",
        "topic",
        "/srv/shop",
    )
    told = (session.id, session.title, session.folder, session.started, session.ended, session.models)
    assert told == ("s-1", "Look around", "/srv/shop", "2026-03-01T10:00:00.000Z", "2026-03-01T10:09:00.000Z", ("g-1",))


def test_how_a_tool_ended_is_told_by_the_events(folder) -> None:
    """A command that failed is `completed` in the log; the events say that it failed, and how long it took."""
    write_lines(folder / "updates.jsonl", prompt("look", 0), CALL, RESULT)
    event = {"type": "tool_completed", "tool_call_id": "c-1", "duration_ms": 77, "outcome": "error", "ts": "x"}
    write_lines(folder / "events.jsonl", event)
    events, _ = read_one(grok, folder)
    assert (events[1].failed, events[1].milliseconds) == (True, 77)


def test_an_exit_code_is_a_failure_too(folder) -> None:
    """Where there are no events, the exit code in the raw output tells."""
    raw = {"exit_code": 2, "output_for_prompt": "exit: 2\nno rule"}
    done = update("tool_call_update", toolCallId="c-1", status="completed", rawOutput=raw)
    write_lines(folder / "updates.jsonl", prompt("look", 0), CALL, done)
    events, _ = read_one(grok, folder)
    assert (events[1].failed, events[1].output) == (True, "exit: 2\nno rule")


def test_a_rewind_makes_turns_void_but_they_were_paid_for(folder) -> None:
    """What stands between the undone prompt and the marker is left out; its tokens are counted."""
    marker = update("rewind_marker", target_prompt_index=1)
    first = (prompt("one", 0), piece("1"), ended("p0", inputTokens=10, outputTokens=1))
    undone = (prompt("two", 1), piece("2"), ended("p1", inputTokens=20, outputTokens=2), marker)
    write_lines(folder / "updates.jsonl", *first, *undone, prompt("three", 1), piece("3"))
    events, session = read_one(grok, folder)
    assert [one.text for one in events] == ["one", "1", "three", "3"]
    assert (session.cost.input, session.cost.output) == (30, 3)


def test_a_turn_is_counted_once_and_cached_tokens_apart(folder) -> None:
    """Of two reports on a turn the larger counts; cached input and reasoning are told apart; ticks are dollars."""
    more = {"cachedReadTokens": 60, "cacheCreationTokens": 10, "reasoningTokens": 5, "costUsdTicks": 5_000_000_000}
    log = (
        prompt("look", 0),
        ended("p", inputTokens=50, outputTokens=8),
        ended("p", inputTokens=100, outputTokens=20, **more),
    )
    write_lines(folder / "updates.jsonl", *log)
    _, session = read_one(grok, folder)
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning) == (30, 15, 60, 10, 5)
    assert cost.dollars == 0.5
    assert [(one.day, one.cost) for one in session.spends] == [("2026-03-01", cost)]


def test_what_the_program_put_in_stands_before_its_prompt(folder) -> None:
    """Only the history has the injected texts; they come before the turn they belong to, and nothing comes twice."""
    reminder = {
        "type": "user",
        "content": "<system-reminder>mind</system-reminder>",
        "synthetic_reason": "system_reminder",
    }
    info = {"type": "user", "content": "<user_info>\nWorkspace Path: /elsewhere\n</user_info>"}
    second = {"type": "user", "content": "<user_query>more</user_query>", "prompt_index": 1}
    memory = {"type": "user", "content": "<holdfast-memory>\nx\n</holdfast-memory>", "synthetic_reason": "rules"}
    write_lines(
        folder / "chat_history.jsonl", {"type": "system", "content": "You are"}, info, QUERY, reminder, memory, second
    )
    write_lines(folder / "updates.jsonl", prompt("look", 0), piece("seen"), prompt("more", 1), piece("done"))
    events, _ = read_one(grok, folder)
    assert [one.role for one in events] == ["injected", "human", "assistant", "injected", "ours", "human", "assistant"]


def test_after_a_compaction_nothing_said_is_lost_or_told_twice(folder) -> None:
    """The history is rewritten as a summary with the last prompt in it; the log still has everything."""
    summary = "This session is being continued from a previous conversation that ran out of context."
    repeated = {"type": "user", "content": "<user_query>\nmore\n</user_query>"}
    later = {"type": "user", "content": "<user_query>on</user_query>", "prompt_index": 2}
    info, told = (
        {"type": "user", "content": text, "synthetic_reason": "compaction_meta"} for text in ("<user_info>\n", summary)
    )
    write_lines(folder / "chat_history.jsonl", info, repeated, told, later)
    log = (prompt("look", 0), piece("seen"), prompt("more", 1), piece("done"), prompt("on", 2), piece("yes"))
    write_lines(folder / "updates.jsonl", *log)
    events, _ = read_one(grok, folder)
    assert [one.text for one in events] == ["look", "seen", "more", "done", "<user_info>", summary, "on", "yes"]
    assert [one.role for one in events[4:6]] == ["injected", "summary"]


def test_an_interjection_is_the_person_speaking(folder) -> None:
    """A synthetic item with the reason `interjection` is human, and told once even where the log has it, too."""
    typed = {"type": "user", "content": "<user_query>\nwait\n</user_query>", "synthetic_reason": "interjection"}
    write_lines(folder / "chat_history.jsonl", QUERY, typed)
    events, _ = read_one(grok, folder)
    assert [(one.role, one.text) for one in events] == [("human", "look"), ("human", "wait")]
    write_lines(folder / "updates.jsonl", prompt("look", 0), prompt("wait", -1), piece("yes"))
    events, _ = read_one(grok, folder)
    assert [(one.role, one.text) for one in events] == [("human", "look"), ("human", "wait"), ("assistant", "yes")]


def test_without_a_log_the_history_is_told_with_the_times_of_the_events(folder) -> None:
    """Items have no times: those of turns and tools come from the events."""
    answer = {
        "type": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "name": "run", "arguments": '{"command": "ls"}'}],
    }
    result = {"type": "tool_result", "tool_call_id": "c", "content": "a.txt"}
    search = {
        "type": "backend_tool_call",
        "kind": {"tool_type": "web_search", "id": "w", "status": "completed", "action": {}},
    }
    write_lines(folder / "chat_history.jsonl", QUERY, {"type": "reasoning", "summary": []}, answer, result, search)
    started = {"type": "turn_started", "turn_number": 0, "ts": "2026-03-01T10:00:01Z"}
    done = {
        "type": "tool_completed",
        "tool_call_id": "c",
        "ts": "2026-03-01T10:00:02Z",
        "duration_ms": 5,
        "outcome": "success",
    }
    write_lines(folder / "events.jsonl", started, done)
    events, _ = read_one(grok, folder)
    assert spoken(events) == [
        ("human", "look"),
        ("tool", 'run {"command":"ls"} -> a.txt'),
        ("tool", "web_search {} -> "),
    ]
    assert (events[0].at, events[1].milliseconds) == ("2026-03-01T10:00:01.000Z", 5)


def test_the_oldest_format_is_read(folder) -> None:
    """Items with roles and nested functions tell the same."""
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    items = [
        {"role": "system", "content": "You are"},
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": "Reading.", "tool_calls": [call], "model_id": "g-0"},
        {"role": "tool", "content": "text", "tool_call_id": "c"},
    ]
    write_lines(folder / "chat_history.jsonl", *items)
    events, _ = read_one(grok, folder)
    assert spoken(events) == [("human", "look"), ("assistant", "Reading."), ("tool", 'read {"path":"a"} -> text')]


def test_a_sub_agent_has_a_task_and_a_parent(folder) -> None:
    """The session of a sub-agent is an ordinary one whose prompt no person typed."""
    write_json(folder / "summary.json", {**SUMMARY, "session_kind": "subagent", "parent_session_id": "s-0"})
    write_lines(folder / "updates.jsonl", prompt("count the files", 0), piece("One."))
    events, session = read_one(grok, folder)
    assert (events[0].role, session.parent, session.is_subagent) == ("task", "s-0", True)


def test_a_command_of_the_program_and_a_failed_turn_are_told(folder) -> None:
    """A slash command is an echo, and a turn that ended with an error says which."""
    typed = update("user_message_chunk", content={"type": "text", "text": "/compact"}, _meta={"hostTurn": True})
    broken = update("turn_completed", prompt_id="p", stop_reason="error", agent_result="too short")
    write_lines(folder / "updates.jsonl", typed, broken)
    events, _ = read_one(grok, folder)
    assert [(one.role, one.text, one.failed) for one in events] == [
        ("command", "/compact", False),
        ("injected", "too short", True),
    ]


def test_bad_lines_are_counted_and_a_torn_last_line_is_held_back(folder) -> None:
    """A line that is no JSON costs nothing but itself."""
    path = write_lines(folder / "updates.jsonl", prompt("look", 0), "not json", piece("seen"))
    path.write_bytes(path.read_bytes() + b'{"params": {"upd')
    events, session = read_one(grok, folder)
    assert ([one.text for one in events], session.malformed) == (["look", "seen"], 1)


def test_sessions_are_found_and_their_folder_is_told_by_a_name(tmp_path, folder) -> None:
    """Every folder with a log or a history is found; without a summary, the encoded name or `.cwd` tells the folder."""
    write_lines(folder / "updates.jsonl", prompt("look", 0))
    (folder / "summary.json").unlink()
    long = folder.parent.parent / "slug-1a2b"
    write_lines(long / "s-2" / "chat_history.jsonl", QUERY)
    (long / ".cwd").write_text("/srv/deep\n")
    (long / "empty").mkdir()
    assert list(grok.find(home(tmp_path))) == [str(folder), str(long / "s-2")]
    assert read_one(grok, folder)[1].folder == "/srv/shop"
    assert read_one(grok, long / "s-2")[1].folder == "/srv/deep"
    moved = home(tmp_path, GROK_HOME=str(tmp_path / "none"))
    assert list(grok.find(moved)) == []
