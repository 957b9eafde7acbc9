"""How calls ended, as the objects of different agents' transcripts say it."""

from __future__ import annotations

import json

import pytest

from holdfast.agents.transcript_calls import MAX_TEXT, result_of

MISSING = "ModuleNotFoundError: No module named 'yaml'"
CHUNK = "Chunk ID: 1a2b3c\nWall time: 0.2100 seconds\nProcess exited with code {}\nOriginal token count: 9\nOutput:\n{}"
SHELL = "Command: pytest\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: (none)\nPIDs: 7"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": f"Exit code 1\n{MISSING}"},
        {"type": "tool_result", "tool_use_id": "c", "content": f"Error: Command failed (exit code: 2)\n{MISSING}"},
        {"type": "function_call_output", "call_id": "c", "output": f"Exit code: 1\nWall time: 1 seconds\n{MISSING}"},
        {"type": "function_call_output", "call_id": "c", "output": CHUNK.format(127, MISSING)},
        {"call_id": "c", "output": json.dumps({"output": MISSING, "metadata": {"exit_code": 1}})},
        {"call_id": "c", "output": [{"type": "input_text", "text": CHUNK.format(1, MISSING)}]},
        {"type": "exec_command_end", "call_id": "c", "exit_code": 1, "output": MISSING},
        {"id": "c", "name": "run_shell_command", "response": {"output": SHELL.format(MISSING, 1)}},
        {"id": "c", "name": "run_shell_command", "response": {"error": MISSING}},
        {"toolCallId": "c", "success": False, "error": {"message": MISSING}},
        {"toolCallId": "c", "success": True, "result": {"content": f"{MISSING}\n<exited with exit code 1>"}},
        {"toolCallId": "c", "value": {"stdout": MISSING, "exitCode": 1}},
    ],
)
def test_a_failure_is_told(value):
    """A failure is known by a field, or by the exit code before or behind the output, with what was printed."""
    result = result_of(value)
    assert result is not None
    assert (result.call, result.ended) == ("c", "failed")
    assert MISSING in result.text


@pytest.mark.parametrize(
    "value",
    [
        {"type": "tool_result", "tool_use_id": "c", "content": "3 passed"},
        {"type": "function_call_output", "call_id": "c", "output": CHUNK.format(0, "3 passed")},
        {"call_id": "c", "output": json.dumps({"output": "ok", "metadata": {"exit_code": 0}})},
        {"id": "c", "name": "run_shell_command", "response": {"output": SHELL.format("ok", 0)}},
        {"callId": "c", "status": "success", "resultDisplay": "ok"},
        {"toolCallId": "c", "success": True, "result": {"content": "ok\n<exited with exit code 0>"}},
    ],
)
def test_a_success_is_told(value):
    """A success is known in the same ways, and what it printed is not kept."""
    result = result_of(value)
    assert result is not None
    assert (result.call, result.ended, result.text) == ("c", "passed", "")


@pytest.mark.parametrize(
    "value",
    [
        {"call_id": "c", "output": "Plan updated"},
        {"call_id": "c", "output": "Wall time: 1.0 seconds\nProcess running with session ID 4\nOutput:\n"},
        {"call_id": "c", "output": "Wall time: 1 seconds\nOutput:\nExit code: 3 is what the other program gave"},
        {"call_id": "c", "output": "aborted by user after 3.1s"},
    ],
)
def test_what_nobody_says_is_not_guessed(value):
    """A result without an exit, or of what still runs, is neither; nor is a number that the output speaks of."""
    result = result_of(value)
    assert result is None or result.ended == ""


@pytest.mark.parametrize(
    "value",
    [
        {"id": "m1", "type": "gemini", "content": "Exit code: 1"},
        {"type": "custom_tool_call", "status": "completed", "call_id": "c", "name": "apply_patch", "input": "x"},
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": '{"command": ["ls"]}'},
        {"call_id": 3, "output": "Exit code: 1"},
        {"name": "x"},
    ],
)
def test_what_is_no_result(value):
    """A message and a call without its result tell no end."""
    assert result_of(value) is None


def test_a_long_output_is_cut():
    """Of what a failed call printed no more is kept than counts."""
    result = result_of({"tool_use_id": "c", "is_error": True, "content": "x" * 50_000})
    assert result is not None
    assert len(result.text) == MAX_TEXT


def test_deep_nesting_ends():
    """Answers within answers are followed a few levels only."""
    told: object = "Exit code: 1"
    for _ in range(50):
        told = [{"content": told}]
    result = result_of({"tool_use_id": "c", "content": told})
    assert result is not None
    assert result.ended == "passed"
