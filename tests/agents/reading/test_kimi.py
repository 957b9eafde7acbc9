"""Sessions of Kimi Code and of the Kimi CLI before it: what went over their wires."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_json, write_lines
from holdfast.agents.reading import kimi

HEAD = {"type": "metadata", "protocol_version": "1.4", "created_at": 1_772_359_200_000}
ALIAS = {"type": "config.update", "modelAlias": "moon/k-2", "time": 1_772_359_200_100}
FIRST = 1_772_359_201_000


def appended(text: str, origin: str = "user", role: str = "user") -> dict[str, object]:
    """Return a message of the context."""
    message = {"role": role, "content": [{"type": "text", "text": text}], "origin": {"kind": origin}}
    return {"type": "context.append_message", "message": message, "time": FIRST}


def step(kind: str, **more: object) -> dict[str, object]:
    """Return an event within a turn."""
    return {"type": "context.append_loop_event", "event": {"type": kind, **more}, "time": FIRST + 500}


def part(text: str, kind: str = "text") -> dict[str, object]:
    """Return a piece of an answer, or of a thought."""
    return step("content.part", part={"type": kind, kind: text})


def call(id: str, command: str, output: str, **more: object) -> list[dict[str, object]]:
    """Return a call and its result."""
    asked = step("tool.call", toolCallId=id, name="Bash", args={"command": command}, display={"cwd": "/srv/shop"})
    return [asked, step("tool.result", toolCallId=id, result={"output": output, **more})]


def used(input: int, output: int, cached: int, scope: str = "turn") -> dict[str, object]:
    """Return the tokens of one request."""
    usage = {"inputOther": input, "output": output, "inputCacheRead": cached, "inputCacheCreation": 0}
    return {"type": "usage.record", "model": "moon/k-2", "usage": usage, "usageScope": scope, "time": FIRST}


@pytest.fixture
def file(tmp_path: Path):
    """Write a session of Kimi Code where it writes it, and return its path."""

    def write(*records: object, agent: str = "main") -> Path:
        folder = tmp_path / "home" / ".kimi-code" / "sessions" / "wd_shop_0123456789ab" / "session_1"
        write_json(folder / "state.json", {"title": "Look", "workDir": "/srv/shop"})
        return write_lines(folder / "agents" / agent / "wire.jsonl", HEAD, ALIAS, *records)

    return write


def test_a_session_is_read(tmp_path, file) -> None:
    """What was typed stands once, answers without thoughts, calls with results, tokens of every request."""
    path = file(
        {"type": "turn.prompt", "input": [{"type": "text", "text": "look"}], "time": FIRST},
        appended("look"),
        part("hm", "think"),
        part("I "),
        part("build."),
        *call("Bash_0", "make", "done"),
        *call("Bash_1", "make test", "no rule", isError=True),
        step("step.end", usage={"inputOther": 9, "output": 9}),
        used(10, 5, 100),
        used(1, 2, 3, "session"),
    )
    events, session = read_one(kimi, path)
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'Bash {"command":"make"} -> done'),
        ("tool", 'Bash {"command":"make test"} -> no rule'),
    ]
    assert [one.failed for one in events] == [False, False, False, True]
    assert (session.id, session.title, session.folder, session.models) == ("session_1", "Look", "/srv/shop", ("k-2",))
    assert (session.cost.input, session.cost.output, session.cost.cache_read) == (11, 7, 103)
    assert session.started == "2026-03-01T10:00:00.000Z" and events[1].model == "k-2"
    assert list(kimi.find(home(tmp_path))) == [str(path)]


def test_a_sub_agent_has_a_session_of_its_own(file) -> None:
    """Its id tells it from the others, its parent is the session, and its task was typed by nobody."""
    events, session = read_one(kimi, file(appended("count the files", "system_trigger"), agent="agent-0"))
    assert (session.id, session.parent, session.is_subagent) == ("session_1-agent-0", "session_1", True)
    assert spoken(events) == [("task", "count the files")]


def test_other_records_have_their_roles(file) -> None:
    """Reminders, summaries and cut-off turns are not the person's; what a hook of ours handed over is ours."""
    path = file(
        appended("<system-reminder>\nbe brief\n</system-reminder>", "injection"),
        appended("<holdfast-memory>\nx\n</holdfast-memory>", "hook"),
        {"type": "context.apply_compaction", "summary": "We looked."},
        {"type": "turn.cancel", "time": FIRST},
        {"type": "turn.ended", "reason": "completed", "time": FIRST},
        "not json",
    )
    events, session = read_one(kimi, path)
    assert [(one.role, one.failed) for one in events] == [
        *(("injected", False), ("ours", False), ("summary", False)),
        ("injected", True),
    ]
    assert session.malformed == 1


def test_ids_of_calls_may_come_again(file) -> None:
    """A session that went on counts its calls anew, and none of them is lost or joined with another's result."""
    events, _ = read_one(kimi, file(*call("Bash_0", "one", "1"), *call("Bash_0", "two", "2")))
    assert [(one.input, one.output) for one in events] == [('{"command":"one"}', "1"), ('{"command":"two"}', "2")]


def wired(kind: str, **payload: object) -> dict[str, object]:
    """Return a message of the older program."""
    return {"timestamp": 1_772_359_201.5, "message": {"type": kind, "payload": payload}}


@pytest.fixture
def older(tmp_path: Path):
    """Write a session of the Kimi CLI, whose folder is known by a hash."""

    def write(*records: object) -> Path:
        share = tmp_path / "home" / ".kimi"
        write_json(share / "kimi.json", {"work_dirs": [{"path": "/srv/other"}, {"path": "/srv/shop"}]})
        hashed = hashlib.md5(b"/srv/shop", usedforsecurity=False).hexdigest()
        return write_lines(share / "sessions" / hashed / "s-1" / "wire.jsonl", *records)

    return write


def test_a_session_of_the_older_program_is_read(tmp_path, older) -> None:
    """Turns, pieces of answers, calls, results, tokens once for each message, and what sub-agents did."""
    usage = {"input_other": 10, "output": 5, "input_cache_read": 100, "input_cache_creation": 7}
    called = wired("ToolCall", id="c-1", function={"name": "Shell", "arguments": '{"command": "make"}'})
    inner = wired("ToolCall", id="c-2", function={"name": "ReadFile", "arguments": "{}"})["message"]
    path = older(
        {"type": "metadata", "protocol_version": "1.1"},
        wired("TurnBegin", user_input="look"),
        wired("ContentPart", type="think", think="hm"),
        wired("ContentPart", type="text", text="I bu"),
        wired("ContentPart", type="text", text="ild."),
        called,
        wired("StatusUpdate", token_usage=usage, message_id="m-1"),
        wired("StatusUpdate", token_usage=usage, message_id="m-1"),
        wired("ToolResult", tool_call_id="c-1", return_value={"is_error": True, "output": "", "message": "no rule"}),
        wired("SubagentEvent", event=inner),
        wired("SubagentEvent", event=wired("TurnBegin", user_input="find it")["message"]),
        wired("StepInterrupted"),
    )
    events, session = read_one(kimi, path)
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'Shell {"command":"make"} -> no rule'),
        ("tool", "ReadFile {} -> "),
        ("task", "find it"),
        ("injected", "[turn cancelled]"),
    ]
    assert events[2].failed and (session.id, session.folder) == ("s-1", "/srv/shop")
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write) == (10, 5, 100, 7)
    assert list(kimi.find(home(tmp_path))) == [str(path)]
    assert list(kimi.find(home(tmp_path, KIMI_SHARE_DIR="/nowhere"))) == []


def test_a_file_without_a_head_is_known_by_its_messages(older) -> None:
    """The first files had no head; other programs' records with a message are not taken for one."""
    assert [one.text for one in read_one(kimi, older(wired("TurnBegin", user_input="look")))[0]] == ["look"]
    assert not kimi.sniff(str(older({"timestamp": 1, "message": {"role": "user", "content": "x"}})))
