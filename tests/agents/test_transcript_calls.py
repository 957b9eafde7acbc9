"""Calls of tools in the lines of transcripts, as different agents write them."""

from __future__ import annotations

import json

import pytest

from holdfast.agents import transcript_calls
from holdfast.agents.transcript_calls import ToolCall, told


def calls(lines: list[bytes]) -> list[ToolCall]:
    """Return the calls in lines of a transcript."""
    return told(lines).calls


def lines(*values: object) -> list[bytes]:
    """Return the values as lines of a transcript."""
    return [json.dumps(value).encode() for value in values]


def test_calls_with_results():
    """A call is joined with its result: it went well, it failed, or nobody said."""
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"c{n}"}} for n in range(3)]
    results = [{"tool_use_id": "t0", "content": "ok"}, {"tool_use_id": "t1", "is_error": True}]
    told = lines({"message": {"content": uses}}, {"message": {"content": results}})
    assert calls(told) == [
        ToolCall("Bash", "c0", "passed"),
        ToolCall("Bash", "c1", "failed"),
        ToolCall("Bash", "c2", ""),
    ]


def test_arguments_within_a_text():
    """An agent that writes arguments as JSON within a text is understood too."""
    call = {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "x"}
    assert calls(lines({"payload": call})) == [ToolCall("shell", '{"command": ["ls"]}', "")]


def test_a_message_that_is_written_again():
    """Of a call that is written again, as its message changes, the last form counts, once and in its place."""
    first, second = ({"id": name, "name": "run", "args": {"command": name}} for name in ("a", "b"))
    done = {**first, "status": "error", "result": [{"functionResponse": {"id": "a", "response": {"error": "no"}}}]}
    told = lines({"toolCalls": [first]}, {"toolCalls": [second]}, {"toolCalls": [done]})
    assert calls(told) == [ToolCall("run", "a", "failed", "no"), ToolCall("run", "b", "")]


def test_a_long_text_does_not_hide_the_file():
    """What is written into a file may be long and stand before its name."""
    (call,) = calls(lines({"name": "Write", "input": {"content": "x" * 9_000, "file_path": "a.py"}}))
    assert json.loads(call.given)["file_path"] == "a.py"


def test_a_description_of_a_tool_is_no_call():
    """A list of the tools that there are, and an object that only has a name, call nothing."""
    tool = {"name": "Edit", "parameters": {"type": "object", "properties": {"path": {}}}}
    assert calls(lines({"tools": [tool]}, {"name": "Kim"}, {"name": 3, "input": {"a": 1}})) == []


@pytest.mark.parametrize("line", [b"", b"{", b'"name"', b'{"name": "x", "input": ' + b"[" * 9_000, b'\xff"name"'])
def test_broken_lines_are_passed_over(line):
    """Whatever stands in a line, the others are read."""
    good = lines({"name": "Edit", "input": {"file_path": "a.py"}})
    assert [call.tool for call in calls([line, *good])] == ["Edit"]


def test_a_line_of_megabytes_is_passed_over():
    """A line that is too long to be read between two prompts costs nothing."""
    assert calls(lines({"name": "Write", "input": {"content": "x" * 2_000_000}})) == []


def test_which_transcripts_can_be_read(tmp_path):
    """One JSON object a line can; one document over many lines, or no file, cannot."""
    (tmp_path / "a.jsonl").write_text('{"type": "x"}\n{"type": "y"}\n')
    (tmp_path / "b.json").write_text('{\n  "messages": []\n}\n')
    found = [transcript_calls.is_readable(str(tmp_path / name)) for name in ("a.jsonl", "b.json", "c", "", "a\0b")]
    assert found == [True, False, False, False, False]


def use(name: str) -> dict:
    """Return a call."""
    return {"id": name, "name": "Bash", "input": {"command": name}}


def done(name: str) -> dict:
    """Return the result of a call."""
    return {"tool_use_id": name, "content": "ok"}


@pytest.mark.parametrize(
    ("values", "settled"),
    [
        ((use("a"), done("a"), {"text": "There."}), 3),
        ((use("a"), done("a"), use("b")), 2),
        ((use("a"), use("b"), done("a")), 1),
        ((use("a"), use("b"), done("b")), 0),
        ((use("a"), use("b"), done("b"), use("c"), done("c")), 5),
        (({"name": "Bash", "input": {"command": "a"}},), 1),
    ],
)
def test_calls_that_wait_for_their_results(values, settled):
    """The calls of the last round wait for their results; not one that was left behind, or that has no id."""
    assert told(lines(*values)).settled == settled


def test_an_id_that_is_used_again_is_another_call():
    """Some models count their calls anew in every turn; each call has its own result."""
    values: list[object] = []
    for command, is_error in (("npm test", True), ("npm run lint", False)):
        values.append({"type": "tool_use", "id": "call_0", "name": "Bash", "input": {"command": command}})
        values.append({"tool_use_id": "call_0", "content": "said", "is_error": is_error})
    found = calls(lines(*values))
    assert [(one.given, one.ended) for one in found] == [("npm test", "failed"), ("npm run lint", "passed")]
