"""Answers to an agent's question dialog: the person's choice, by the name of the tool and its answers, not by text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.reading.told import read_one, write_json, write_lines
from holdfast.agents.reading import claude_code, codex, copilot, gemini_cli, kimi, opencode, qwen

Records = list[dict[str, object]]
Given = dict[str, object]
AT = "2026-03-01T10:00:00.000Z"
ASKED = "Where should the diagram go?"
GIVEN: Given = {
    "questions": [
        {
            "question": ASKED,
            "header": "Folder",
            "id": "folder",
            "options": [{"label": "docs", "description": "beside the text"}, {"label": "site", "description": "new"}],
        }
    ]
}
CHOSE = f'Chose "docs" (asked: "{ASKED}"; other options: "site")'
ANSWERED = f'User has answered your questions: "{ASKED}"="docs". You can now continue with the user\'s answers in mind.'


def claude_records(tool: str, given: Given, answer: str, output: str = "", record: object = None) -> Records:
    """Return a dialog as Claude Code writes it: the answers stand in the program's own record of the result."""
    line = {"sessionId": "s-1", "timestamp": AT, "cwd": "/srv/shop"}
    call = {"type": "tool_use", "id": "c-1", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "c-1", "content": output or ANSWERED}
    own = {**given, "answers": {ASKED: answer}} if record is None else record
    return [
        {**line, "type": "assistant", "uuid": "a", "message": {"role": "assistant", "content": [call]}},
        {
            **{**line, "type": "user", "uuid": "b", "toolUseResult": own},
            "message": {"role": "user", "content": [result]},
        },
    ]


def codex_records(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as Codex writes it: the answers are JSON in the output."""
    output = json.dumps({"answers": {"folder": {"answers": [answer]}}})
    call = {"type": "function_call", "call_id": "c-1", "name": tool, "arguments": json.dumps(given)}
    items = [call, {"type": "function_call_output", "call_id": "c-1", "output": output}]
    meta = {"timestamp": AT, "type": "session_meta", "payload": {"id": "s-1", "cwd": "/srv/shop"}}
    return [meta, *({"timestamp": AT, "type": "response_item", "payload": one} for one in items)]


def gemini_records(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as Gemini CLI writes it: the result stands in the call, answers by the place of the question."""
    output = json.dumps({"answers": {"0": answer}})
    response = {"functionResponse": {"id": "c-1", "name": tool, "response": {"output": output}}}
    call = {"id": "c-1", "name": tool, "args": given, "result": [response], "status": "success"}
    message = {"id": "m-1", "timestamp": AT, "type": "gemini", "content": "", "toolCalls": [call]}
    return [{"sessionId": "s-1", "projectHash": "ab", "startTime": AT, "kind": "main"}, message]


def kimi_records(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as Kimi Code writes it."""
    call = {"type": "tool.call", "toolCallId": "c-1", "name": tool, "args": given}
    result = {"output": json.dumps({"answers": {ASKED: answer}})}
    events = [call, {"type": "tool.result", "toolCallId": "c-1", "result": result}]
    steps = [{"type": "context.append_loop_event", "event": one, "time": 1_772_359_201_000} for one in events]
    return [{"type": "metadata", "protocol_version": "1.4", "created_at": 1_772_359_200_000}, *steps]


def copilot_records(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as Copilot CLI writes it: one question, and the answer behind a fixed lead."""
    del given
    asked = {"toolCallId": "c-1", "toolName": tool, "arguments": {"question": ASKED, "choices": ["docs", "site"]}}
    lead = "User selected: " if answer == "docs" else "User responded: "
    done = {"toolCallId": "c-1", "success": True, "result": {"content": lead + answer}}
    kinds = {"session.start": {"sessionId": "s-1"}, "tool.execution_start": asked, "tool.execution_complete": done}
    return [{"type": kind, "data": data, "id": f"e-{kind}", "timestamp": AT} for kind, data in kinds.items()]


def qwen_records(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as Qwen Code writes it: each answer behind the heading of its question."""
    line = {"sessionId": "s-1", "timestamp": AT, "cwd": "/srv/shop"}
    output = f"User has provided the following answers:\n\n**Folder**: {answer}"
    call = {"functionCall": {"id": "c-1", "name": tool, "args": given}}
    response = {"functionResponse": {"id": "c-1", "name": tool, "response": {"output": output}}}
    return [
        {**line, "uuid": "a", "type": "assistant", "message": {"role": "model", "parts": [call]}},
        {**line, "uuid": "b", "type": "tool_result", "message": {"role": "user", "parts": [response]}},
    ]


def opencode_document(tool: str, given: Given, answer: str) -> Records:
    """Return a dialog as OpenCode exports it: answers in the order of the questions, beside the output."""
    state = {"status": "completed", "input": given, "output": ANSWERED, "metadata": {"answers": [[answer]]}}
    part = {"id": "prt_1", "type": "tool", "tool": tool, "callID": "c-1", "state": state}
    message = {"info": {"id": "msg_1", "role": "assistant", "time": {"created": 1}}, "parts": [part]}
    return [{"info": {"id": "ses_1", "projectID": "p", "directory": "/srv/shop"}, "messages": [message]}]


Maker = Callable[[str, Given, str], Records]
AGENTS: dict[str, tuple[Maker, object, str, str]] = {
    "claude-code": (claude_records, claude_code, "AskUserQuestion", "mcp__notes__AskUserQuestion"),
    "codex": (codex_records, codex, "request_user_input", "mcp__notes__request_user_input"),
    "gemini-cli": (gemini_records, gemini_cli, "ask_user", "mcp_notes_ask_user"),
    "kimi": (kimi_records, kimi, "AskUserQuestion", "mcp__notes__AskUserQuestion"),
    "copilot": (copilot_records, copilot, "ask_user", "notes-ask_user"),
    "qwen": (qwen_records, qwen, "ask_user_question", "mcp__notes__ask_user_question"),
    "opencode": (opencode_document, opencode, "question", "notes_question"),
}


def read(folder: Path, agent: str, tool: str, answer: str, given: Given = GIVEN) -> list[tuple[str, str]]:
    """Return roles and texts of what is read of a dialog, without its call."""
    make, reader, *_ = AGENTS[agent]
    records = make(tool, given, answer)
    if len(records) == 1:
        path = write_json(folder / "s-1.json", records[0])
    else:
        path = write_lines(folder / "s-1.jsonl", *records)
    return [(one.role, one.text) for one in read_one(reader, path)[0] if one.role != "tool"]


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_chosen_is_kept_with_what_was_asked(tmp_path: Path, agent: str) -> None:
    """The choice is the person's, its wording the agent's, so it is an event of its own and stands in quotes."""
    assert read(tmp_path, agent, AGENTS[agent][2], "docs") == [("choice", CHOSE)]


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_typed_instead_is_the_persons_word(tmp_path: Path, agent: str) -> None:
    """Text that was typed into the dialog is speech, and answers the question."""
    assert read(tmp_path, agent, AGENTS[agent][2], "into wiki/, never into docs") == [
        ("choice", f'Answered "into wiki/, never into docs" (asked: "{ASKED}")'),
        ("human", "into wiki/, never into docs"),
    ]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_server_that_imitates_the_dialog_says_nothing(tmp_path: Path, agent: str) -> None:
    """A tool of a server has another name, whatever it is called there and whatever it answers."""
    assert read(tmp_path, agent, AGENTS[agent][3], "docs") == []


def test_codex_a_server_is_told_by_its_namespace(tmp_path: Path) -> None:
    """A tool of a server may have the plain name, and its server beside it."""
    meta, call, output = codex_records("request_user_input", GIVEN, "docs")
    call["payload"] = {**dict(call["payload"]), "namespace": "mcp__notes"}  # type: ignore[call-overload]
    events, _ = read_one(codex, write_lines(tmp_path / "s-1.jsonl", meta, call, output))
    assert [one.role for one in events] == ["tool"]


def test_gemini_a_server_is_told_by_what_it_is_shown_as(tmp_path: Path) -> None:
    """Where the program has no dialog, a server's tool may have its plain name, and is shown with the server's."""
    head, message = gemini_records("ask_user", GIVEN, "docs")
    message["toolCalls"][0]["displayName"] = "ask_user (notes MCP Server)"  # type: ignore[index]
    events, _ = read_one(gemini_cli, write_lines(tmp_path / "s-1.jsonl", head, message))
    assert [one.role for one in events] == ["tool"]


def test_claude_the_text_of_a_result_is_not_read(tmp_path: Path) -> None:
    """A command or a page may print what the program writes, and a result without its record says nothing."""
    for tool, record in (("Bash", {"stdout": ANSWERED}), ("AskUserQuestion", "no record"), ("WebFetch", None)):
        records = claude_records(tool, GIVEN, "docs", record=record)
        events, _ = read_one(claude_code, write_lines(tmp_path / "s-1.jsonl", *records))
        assert [one.role for one in events] == ["tool"]


def test_claude_a_note_beside_an_option_was_typed(tmp_path: Path) -> None:
    """Beside the option that was taken a person may write a note."""
    own = {**GIVEN, "answers": {ASKED: "docs"}, "annotations": {ASKED: {"notes": "only SVG", "preview": "<svg>"}}}
    records = claude_records("AskUserQuestion", GIVEN, "docs", record=own)
    events, _ = read_one(claude_code, write_lines(tmp_path / "s-1.jsonl", *records))
    assert [(one.role, one.text) for one in events[1:]] == [("choice", CHOSE), ("human", "only SVG")]


def test_claude_a_refused_dialog_has_the_words_of_the_person_only(tmp_path: Path) -> None:
    """Who declines may say why; what the program writes in their place is none of theirs."""
    refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{}"
    told = {
        "ask me tomorrow": [("human", "ask me tomorrow")],
        "The user wants to clarify these questions.\nQuestions asked:\n- Where?": [],
    }
    for words, kept in told.items():
        call, answer = claude_records("AskUserQuestion", GIVEN, "", refused.format(words), "Error: rejected")
        answer["message"]["content"][0]["is_error"] = True  # type: ignore[index]
        events, _ = read_one(claude_code, write_lines(tmp_path / "s-1.jsonl", call, answer))
        assert [(one.role, one.text) for one in events[1:]] == kept


@pytest.mark.parametrize("agent", AGENTS)
def test_no_preference_is_no_choice(tmp_path: Path, agent: str) -> None:
    """What a dialog writes where nothing was chosen is nobody's word."""
    assert read(tmp_path, agent, AGENTS[agent][2], "No preference") == []
