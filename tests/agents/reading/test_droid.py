"""Sessions of Droid: the file that it keeps, and the stream that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_json, write_lines
from holdfast.agents.reading import droid

HEAD = {"type": "session_start", "id": "d-1", "title": "New Session", "sessionTitle": "Look", "cwd": "/srv/shop"}


def said(id: str, role: str, *blocks: object) -> dict[str, object]:
    """Return a message of a kept file."""
    message = {"role": role, "content": list(blocks)}
    return {"type": "message", "id": id, "timestamp": "2026-03-01T10:00:01.000Z", "message": message}


def text(words: str) -> dict[str, str]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def called(id: str, command: str) -> dict[str, object]:
    """Return the block of a call."""
    return {"type": "tool_use", "id": id, "name": "Execute", "input": {"command": command}}


def answered(id: str, output: str, **more: object) -> dict[str, object]:
    """Return the block of a result."""
    return {"type": "tool_result", "tool_use_id": id, "content": output, **more}


@pytest.fixture
def file(tmp_path: Path):
    """Write a session where Droid keeps it and return its path."""

    def write(*records: object) -> Path:
        return write_lines(tmp_path / "home" / ".factory" / "sessions" / "-srv-shop" / "d-1.jsonl", *records)

    return write


def test_a_kept_session_is_read(tmp_path, file) -> None:
    """Texts without thoughts and reminders, calls with results, model and tokens from the file beside it."""
    path = file(
        HEAD,
        said("a", "user", text("<system-reminder>\nx\n</system-reminder>"), text("look")),
        said("b", "assistant", {"type": "thinking", "thinking": "hm"}, text("I build."), called("c-1", "make")),
        said("c", "user", answered("c-1", "done")),
        {"type": "todo_state", "id": "t", "todos": "..."},
        {"type": "compaction_state", "id": "z", "summaryText": "We looked."},
    )
    tokens = {"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 100, "cacheCreationTokens": 7}
    write_json(path.with_name("d-1.settings.json"), {"model": "m-1", "tokenUsage": {**tokens, "thinkingTokens": 2}})
    events, session = read_one(droid, path)
    assert spoken(events) == [
        ("injected", "<system-reminder>\nx\n</system-reminder>"),
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'Execute {"command":"make"} -> done'),
        ("summary", "We looked."),
    ]
    assert (session.id, session.title, session.folder, session.models) == ("d-1", "Look", "/srv/shop", ("m-1",))
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning) == (10, 5, 100, 7, 2)
    assert [(one.day, one.model) for one in session.spends] == [("2026-03-01", "m-1")]
    assert list(droid.find(home(tmp_path))) == [str(path)]


def test_other_versions_of_the_head_and_of_a_summary_are_read(file) -> None:
    """A head that stands a level deeper, a content that is a plain text, and a summary in parts."""
    nested = {"type": "session_start", "session": {"id": "d-2", "title": "Deep", "cwd": "/srv/deep"}}
    plain = {"type": "message", "id": "a", "message": {"role": "user", "content": "look"}}
    summary = {"type": "compaction_state", "summary": {"title": "So far", "body": "We looked."}}
    events, session = read_one(droid, file(nested, plain, summary))
    assert spoken(events) == [("human", "look"), ("summary", "We looked.")]
    assert (session.id, session.title, session.folder) == ("d-2", "Deep", "/srv/deep")


@pytest.mark.parametrize(
    ("output", "more", "failed"),
    [
        ("Error: Command failed (exit code: 1)\nls: no such file", {}, True),
        ("out\n\n[Process exited with code 2]", {}, True),
        ("out\n\n[Process exited with code 0]", {}, False),
        ("the word Error: in a text", {}, False),
        ("Error: not really", {"is_error": False}, False),
        ("fine", {"is_error": True}, True),
    ],
)
def test_a_failure_is_told_by_the_result_or_by_its_words(file, output, more, failed) -> None:
    """What the result says counts; where it says nothing, how the program reports an exit does."""
    path = file(HEAD, said("b", "assistant", called("c-1", "x")), said("c", "user", answered("c-1", output, **more)))
    assert [one.failed for one in read_one(droid, path)[0]] == [failed]


def test_an_id_counts_only_where_no_other_session_has_it(file) -> None:
    """A long id is that of the message everywhere; a short one would make strangers look like copies."""
    path = file(HEAD, said("m1", "user", text("one")), said("0a1b2c3d-4e5f", "assistant", text("two")))
    assert [one.id for one in read_one(droid, path)[0]] == ["", "0a1b2c3d-4e5f"]


def streamed(kind: str, **more: object) -> dict[str, object]:
    """Return a record of the stream."""
    return {"type": kind, "session_id": "s-1", "timestamp": 1_772_359_201_000, **more}


def test_a_stream_is_read(file) -> None:
    """Messages, calls, results and the last text, which is not told twice; tokens come at the end."""
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7}
    path = file(
        streamed("system", subtype="init", model="m-1", cwd="/srv/shop"),
        streamed("message", role="user", text="look", id="a"),
        streamed("tool_call", toolCallId="c-1", toolName="Shell", parameters={"command": "make"}),
        streamed("tool_result", toolCallId="c-1", value={"stdout": "out", "stderr": "no rule", "exitCode": 2}),
        streamed("message", role="assistant", text="It failed.", id="b"),
        streamed("completion", finalText="It failed.", usage=usage),
        streamed("error", message="socket"),
    )
    events, session = read_one(droid, path)
    assert spoken(events) == [
        ("human", "look"),
        ("tool", 'Shell {"command":"make"} -> out\nno rule'),
        ("assistant", "It failed."),
        ("injected", "[error: socket]"),
    ]
    assert [one.failed for one in events] == [False, True, False, True]
    assert (session.id, session.folder, session.models) == ("s-1", "/srv/shop", ("m-1",))
    assert (session.cost.input, session.cost.cache_write, session.started) == (10, 7, "2026-03-01T10:00:01.000Z")


def test_the_stream_of_another_program_is_not_taken(file) -> None:
    """A stream that begins alike but has other records is somebody else's."""
    other = {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": []}}
    assert not droid.sniff(str(file({"type": "system", "session_id": "s", "cwd": "/x"}, other)))
    assert not droid.sniff(str(file({"type": "message", "id": "a", "text": "x"})))
