from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents import get
from holdfast.agents.base import Place
from holdfast.agents.reading import codex
from holdfast.records import ROLES, Cost, Session, SessionEvent

AT = "2026-03-01T10:00:00.000Z"
# Ids carry their time: a turn of the session that was forked, the fork, and a turn of the fork.
OLD_TURN = "01900000-0000-7000-8000-000000000001"
PARENT = "018fffff-0000-7000-8000-000000000001"
FORK = "01910000-0000-7000-8000-000000000001"
NEW_TURN = "01910000-0001-7000-8000-000000000001"
# Read here, because tests run without the settings of the person.
TRANSCRIPTS = os.environ.get("HOLDFAST_TRANSCRIPTS", "")


def envelope(kind: str, payload: object, at: str = AT) -> dict[str, object]:
    """Return a line of the present generation."""
    return {"timestamp": at, "type": kind, "payload": payload}


def meta(name: str = PARENT, **fields: object) -> dict[str, object]:
    """Return the first line of a file."""
    own = {"id": name, "timestamp": AT, "cwd": "/src/app", "cli_version": "0.140.0", "git": {"branch": "main"}}
    return envelope("session_meta", {**own, **fields})


def item(kind: str, **fields: object) -> dict[str, object]:
    """Return a line with an item of the conversation."""
    return envelope("response_item", {"type": kind, **fields})


def event(kind: str, **fields: object) -> dict[str, object]:
    """Return a line with an event."""
    return envelope("event_msg", {"type": kind, **fields})


def said(role: str, *texts: str) -> dict[str, object]:
    """Return an item with what somebody said."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def call(name: str, arguments: str = '{"cmd":"ls"}', tool: str = "exec_command") -> dict[str, object]:
    """Return an item that calls a tool."""
    return item("function_call", call_id=name, name=tool, arguments=arguments)


def output(name: str, content: object) -> dict[str, object]:
    """Return an item with the result of a call."""
    return item("function_call_output", call_id=name, output=content)


def tokens(total: tuple[int, int, int, int], last: tuple[int, int, int, int]) -> dict[str, object]:
    """Return an event with counts: input, cached, output, reasoning."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    both = {
        "total_token_usage": dict(zip(names, total, strict=True)),
        "last_token_usage": dict(zip(names, last, strict=True)),
    }
    return event("token_count", info=both)


def read(path: Path, *records: object) -> tuple[list[SessionEvent], Session]:
    """Write the records as lines of a file and return what is read from it."""
    raw = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"".join(one + b"\n" for one in raw))
    return whole(path)


def whole(path: Path) -> tuple[list[SessionEvent], Session]:
    """Return events and session of a file."""
    [reading] = codex.read(str(path))
    events = list(reading)
    session = reading.session()
    assert [one.place for one in events] == list(range(session.events))
    return events, session


def roles(events: list[SessionEvent]) -> list[tuple[str, str]]:
    """Return role and text of each event."""
    return [(one.role, one.text) for one in events]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a session's file stands."""
    return tmp_path / f"rollout-2026-03-01T10-00-00-{PARENT}.jsonl"


def test_a_session_is_read(path: Path) -> None:
    """What was said is told once although it is stored twice, in either order; the tool is joined with its result."""
    events, session = read(
        path,
        meta(),
        envelope("turn_context", {"turn_id": OLD_TURN, "cwd": "/src/app/sub", "model": "gpt-x"}),
        said("user", "<environment_context>x</environment_context>", "fix it"),
        event("user_message", message="fix it"),
        event("agent_message", message="I look."),
        said("assistant", "I look."),
        call("c1"),
        output("c1", "Exit code: 0\nWall time: 1.5 seconds\nOutput:\nok"),
    )
    assert [role for role, _ in roles(events)] == ["injected", "human", "assistant", "tool"]
    assert [one.text for one in events[1:3]] == ["fix it", "I look."]
    tool = events[3]
    assert (tool.tool, tool.input, tool.milliseconds, tool.failed) == ("exec_command", '{"cmd":"ls"}', 1_500, False)
    assert (tool.folder, tool.model, tool.branch) == ("/src/app/sub", "gpt-x", "main") and tool.output.endswith("ok")
    assert (session.agent, session.id, session.folder, session.version) == ("codex", PARENT, "/src/app", "0.140.0")
    assert (session.models, session.parent, session.is_subagent) == (("gpt-x",), "", False)


def test_the_same_words_in_two_turns_are_two_events(path: Path) -> None:
    """A text that is said again, and stored twice again, is there twice."""
    twice = [said("user", "go on"), event("user_message", message="go on")]
    assert roles(read(path, meta(), *twice, *twice)[0]) == [("human", "go on")] * 2


def test_bare_records_of_the_first_generation(path: Path) -> None:
    """Files without an envelope are read, their first line being about the session."""
    events, session = read(
        path,
        {"id": "old", "timestamp": AT, "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{not json"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": '{"output":"no","metadata":{"exit_code":2,"duration_seconds":0.25}}',
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    )
    assert roles(events) == [("human", "fix it"), ("tool", ""), ("assistant", "Done.")]
    tool = events[1]
    assert (tool.input, tool.output, tool.failed, tool.milliseconds) == ("{not json", "no", True, 250)
    assert (session.id, session.branch, session.malformed) == ("old", "main", 0)


def test_items_of_the_paginated_generation(path: Path) -> None:
    """Completed items tell what was said, and once only where other lines tell it too."""
    user = {"type": "UserMessage", "content": [{"type": "text", "text": "fix it"}]}
    agent = {"type": "AgentMessage", "content": [{"type": "Text", "text": "Done."}]}
    lines = [meta(history_mode="paginated"), event("item_completed", item=user), event("item_completed", item=agent)]
    assert roles(read(path, *lines, said("assistant", "Done."))[0]) == [("human", "fix it"), ("assistant", "Done.")]


@pytest.mark.parametrize(
    ("content", "text", "failed"),
    [
        ("Process exited with code 1\nOutput:\nno", "Process exited with code 1\nOutput:\nno", True),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", False),
        ({"content": "denied", "success": False}, "denied", True),
        ('{"a":1}', '{"a":1}', False),
        (None, "", False),
    ],
)
def test_results_of_all_shapes(path: Path, content: object, text: str, failed: bool) -> None:
    """A result is a text, a list, a record or JSON in a text, and says in its own way whether the call failed."""
    [tool], _ = read(path, meta(), call("c"), output("c", content))
    assert (tool.output, tool.failed) == (text, failed)


def test_the_end_of_a_command_says_more_than_its_result(path: Path) -> None:
    """Exit code and duration come from the event of the end, whichever tool it was."""
    lines = [
        event("exec_command_end", call_id="c", exit_code=3, duration={"secs": 2, "nanos": 5_000_000}),
        event("mcp_tool_call_end", call_id="d", result={"Err": "no"}),
        event("patch_apply_end", call_id="e", success=True),
    ]
    events, _ = read(path, meta(), *map(call, "cde"), *lines, *(output(name, "text") for name in "cde"))
    assert [(one.failed, one.milliseconds) for one in events] == [(True, 2_005), (True, 0), (False, 0)]


def test_other_kinds_of_calls(path: Path) -> None:
    """Custom tools, searches and shells are tools; those that have no result wait for none, and images are no text."""
    events, _ = read(
        path,
        meta(),
        item("custom_tool_call", call_id="p", name="apply_patch", input="*** Begin Patch"),
        item("custom_tool_call_output", call_id="p", output="Success"),
        item("web_search_call", id="w", action={"type": "search", "query": "x"}),
        item("local_shell_call", call_id="s", action={"command": ["ls"]}),
        item("function_call", call_id="m", name="find", namespace="server", arguments="{}"),
        item("image_generation_call", id="i", revised_prompt="a cat", result="QUJD" * 500),
    )
    names = ["apply_patch", "web_search", "local_shell", "server.find", "image_generation"]
    assert [one.tool for one in events] == names
    assert (events[0].input, events[0].output) == ("*** Begin Patch", "Success")
    assert events[4].output.startswith("[image sha256:")


def test_a_patch_that_does_not_fit_is_a_failure(path: Path) -> None:
    """Codex tells no exit of it, only what it did not find."""
    events, _ = read(
        path,
        meta(),
        item("custom_tool_call", call_id="p", name="apply_patch", input="*** Begin Patch"),
        item("custom_tool_call_output", call_id="p", output="apply_patch verification failed: Failed to find a line"),
    )
    assert [one.failed for one in events] == [True]


def test_an_aborted_call_stays_without_a_result(path: Path) -> None:
    """The call comes out in its place, and the abort is told."""
    events, _ = read(path, meta(), call("c"), event("turn_aborted", reason="interrupted"), said("user", "again"))
    assert roles(events) == [("tool", ""), ("injected", "[turn aborted: interrupted]"), ("human", "again")]


def test_running_totals_are_counted_once(path: Path) -> None:
    """A total that is repeated adds nothing; cached tokens are not input, reasoning is not output."""
    _, session = read(
        path,
        meta(),
        event("token_count", info=None),
        tokens((100, 40, 10, 4), (100, 40, 10, 4)),
        tokens((100, 40, 10, 4), (100, 40, 10, 4)),
        tokens((250, 140, 30, 4), (150, 100, 20, 0)),
    )
    assert session.cost == Cost(input=110, output=26, cache_read=140, reasoning=4)


def test_what_was_spent_is_told_by_day_and_model(path: Path) -> None:
    """What a total grew by counts for the model of its turn, on the day on which it was told."""
    first, second = (envelope("turn_context", {"turn_id": one, "model": f"gpt-{one}"}) for one in ("a", "b"))
    grown = {**tokens((150, 0, 15, 0), (50, 0, 5, 0)), "timestamp": "2026-03-02T00:00:00.000Z"}
    _, session = read(path, meta(), first, tokens((100, 0, 10, 0), (100, 0, 10, 0)), second, grown)
    found = [(one.model, one.cost) for one in session.spends]
    assert found == [("gpt-a", Cost(100, 10)), ("gpt-b", Cost(50, 5))]
    assert session.spends[0].day < session.spends[1].day == "2026-03-02"


def test_a_total_that_starts_anew(path: Path) -> None:
    """After a compaction the total may be smaller than before: then the last step counts."""
    _, session = read(path, meta(), tokens((100, 0, 10, 0), (100, 0, 10, 0)), tokens((30, 0, 5, 0), (30, 0, 5, 0)))
    assert session.cost == Cost(input=130, output=15)


def test_a_fork_leaves_out_what_it_repeats(path: Path) -> None:
    """The copied beginning, its cost and its own first line count for the session it comes from, not for the fork."""
    old = [
        meta(),
        event("task_started", turn_id=OLD_TURN),
        envelope("turn_context", {"turn_id": OLD_TURN, "cwd": "/old", "model": "gpt-old"}),
        said("user", "old"),
        tokens((100, 0, 10, 0), (100, 0, 10, 0)),
    ]
    new = [event("task_started", turn_id=NEW_TURN), said("user", "new"), tokens((150, 0, 15, 0), (50, 0, 5, 0))]
    events, session = read(path, meta(FORK, forked_from_id=PARENT), *old, *new)
    assert roles(events) == [("human", "new")]
    assert (session.id, session.parent, session.models) == (FORK, PARENT, ())
    assert session.cost == Cost(input=50, output=5)
    assert read(path, meta(FORK, forked_from_id=PARENT), *old)[0] == []


def test_a_fork_without_turns_is_read_whole(path: Path) -> None:
    """Where no turn tells the copy from the rest, nothing is left out."""
    older = [said("user", "x"), event("user_message", message="x"), envelope("turn_context", {"cwd": "/src"})]
    assert roles(read(path, meta(FORK, forked_from_id=PARENT), *older)[0]) == [("human", "x")]
    assert roles(read(path, meta(FORK), meta(FORK), *older)[0]) == [("human", "x")]


def test_a_sub_agent_names_the_session_it_works_for(path: Path) -> None:
    """The thread of a sub-agent has a parent, and its prompt is a task."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    events, session = read(path, meta(FORK, source=source), said("user", "look"))
    assert roles(events) == [("task", "look")]
    assert (session.parent, session.is_subagent) == (PARENT, True)


def test_rolled_back_turns_are_void_but_not_free(path: Path) -> None:
    """The last turns before a roll-back are left out, again and again; what they cost was spent."""

    def turn(text: str, total: int) -> list[object]:
        return [event("task_started", turn_id=text), said("user", text), tokens((total, 0, 0, 0), (10, 0, 0, 0))]

    back = event("thread_rolled_back", num_turns=1)
    events, session = read(
        path, meta(), *turn("a", 10), *turn("b", 20), back, *turn("c", 30), *turn("d", 40), back, back
    )
    assert roles(events) == [("human", "a")]
    assert session.cost == Cost(input=40)
    older = [event("user_message", message=text) for text in "ab"]
    assert roles(read(path, meta(), *older, back)[0]) == [("human", "a")]


def test_reasoning_and_compaction(path: Path) -> None:
    """Encrypted reasoning is no text; a compaction is a summary, and the history it repeats is not told again."""
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}]
    events, session = read(
        path,
        meta(),
        said("user", "fix it"),
        item("reasoning", summary=[], encrypted_content="gAAAA" * 100),
        envelope("compacted", {"message": "So far: a.", "replacement_history": history}),
        item("compaction", encrypted_content="gAAAA"),
    )
    assert roles(events) == [("human", "fix it"), ("summary", "So far: a.")] and session.malformed == 0


def test_what_programs_add_is_not_human(path: Path) -> None:
    """Instructions, skills and our own notes have their roles, and an editor's context is apart from the request."""
    ours = "<holdfast-memory>\nnotes\n</holdfast-memory>"
    request = "# Context from my IDE setup:\n- a.py\n## My request for Codex:\nfix it"
    events, _ = read(
        path,
        meta(),
        said("developer", ours),
        said("developer", "<permissions instructions>x"),
        said("user", "# AGENTS.md instructions for /src", "<skill>x</skill>", ours),
        said("user", request),
        event("user_message", message=request),
    )
    assert [role for role, _ in roles(events)] == [
        "ours",
        "injected",
        "injected",
        "injected",
        "ours",
        "injected",
        "human",
    ]
    assert events[-1].text == "fix it"


def test_the_title_is_the_last_name(path: Path) -> None:
    """A session that was named twice has its last name."""
    named = [event("thread_name_updated", thread_name=name) for name in ("old", "new")]
    assert read(path, meta(), *named)[1].title == "new"


def test_bad_lines_are_counted(path: Path) -> None:
    """Cut lines and lists do not stop the reading; kinds that nobody knows are passed over."""
    events, session = read(
        path, meta(), b"{", b"[]", envelope("a-kind-to-come", {}), envelope("event_msg", 7), said("user", "a")
    )
    assert roles(events) == [("human", "a")] and session.malformed == 2


def test_a_compressed_file_gives_the_same(path: Path) -> None:
    """A file that was compressed meanwhile, even between listing and opening, gives the same events and session."""
    events, session = read(path, meta(), said("user", "a"), call("c"), output("c", "ok"))
    compressed = path.with_suffix(".jsonl.zst")
    compressed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    assert codex.sniff(str(compressed)) and whole(compressed)[0] == events
    path.unlink()
    again = whole(path)
    assert again[0] == events and again[1] == session
    compressed.write_bytes(compressed.read_bytes()[:30])
    assert whole(compressed)[1].malformed <= 1
    compressed.write_bytes(codex.MAGIC + b"no frame at all")
    assert whole(compressed)[1].malformed == 1 and not codex.sniff(str(compressed))


def test_sessions_are_found_by_the_adapter(tmp_path: Path) -> None:
    """The adapter lists live and archived files, a compressed one only where it is alone, and reads what is its own."""
    home = tmp_path / "codex"
    for name in (
        "sessions/2026/03/01/a.jsonl",
        "sessions/2026/03/01/a.jsonl.zst",
        "archived_sessions/b.jsonl",
        "history.jsonl",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(json.dumps(meta()) + "\n")
    (home / "archived_sessions/c.jsonl.zst").write_bytes(codex.MAGIC)
    place = Place(str(tmp_path), str(tmp_path), "user", {"CODEX_HOME": str(home)})
    adapter = get("codex")
    found = list(adapter.find_sessions(place))
    assert [os.path.basename(one) for one in found] == ["a.jsonl", "b.jsonl", "c.jsonl.zst"]
    assert [reading.session().agent for reading in adapter.read_session(found[0]) or ()] == ["codex"]
    (home / "other.jsonl").write_text('{"type":"user","message":{"content":"x"}}\n')
    assert adapter.read_session(str(home / "other.jsonl")) is None


NAMES = [
    "type",
    "id",
    "role",
    "content",
    "text",
    "call_id",
    "output",
    "message",
    "info",
    "item",
    "turn_id",
    "num_turns",
]
WORDS = ["message", "function_call", "function_call_output", "token_count", "user_message", "item_completed", "user"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)
PAYLOADS = st.fixed_dictionaries(
    {"type": st.sampled_from([*WORDS, "thread_rolled_back", "task_started", "exec_command_end"]) | VALUES},
    optional={
        name: VALUES
        for name in [*NAMES, "arguments", "duration", "result", "source", "git", "forked_from_id"]
        if name != "type"
    },
)
RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from(codex.ENVELOPES), "payload": PAYLOADS}, optional={"timestamp": VALUES}
)


@given(st.lists(RECORDS | VALUES, max_size=6))
def test_any_records_are_read(path: Path, records: list[object]) -> None:
    """Whatever stands in the fields, reading ends, and every event has a role and texts that can be written."""
    events, _ = read(path, *records)
    for one in events:
        assert one.role in ROLES
        repr(one).encode()


@given(st.binary(max_size=300), st.sampled_from([b"", codex.MAGIC]))
def test_any_bytes_are_read(path: Path, data: bytes, start: bytes) -> None:
    """No bytes make a reading or a look at the content fail, compressed or not."""
    path.write_bytes(start + data)
    codex.sniff(str(path))
    whole(path)


def counted(path: Path) -> list[int]:
    """Return the cost of a file by the rules alone: the last step of every total that differs from the one before."""
    sums, before = [0, 0, 0, 0, 0], None
    for raw in path.read_bytes().split(b"\n"):
        try:
            payload = json.loads(raw.decode("utf-8", "replace"))["payload"]
            info = payload["info"] if payload["type"] == "token_count" else None
            total, last = info["total_token_usage"], info["last_token_usage"]
        except (ValueError, KeyError, TypeError):
            continue
        if total != before:
            cached, written = last.get("cached_input_tokens", 0), last.get("cache_write_input_tokens", 0)
            reasoning = last.get("reasoning_output_tokens", 0)
            kinds = (
                last["input_tokens"] - cached - written,
                last["output_tokens"] - reasoning,
                cached,
                written,
                reasoning,
            )
            sums = [old + new for old, new in zip(sums, kinds, strict=True)]
        before = total
    return sums


@pytest.mark.skipif(not TRANSCRIPTS, reason="HOLDFAST_TRANSCRIPTS names no folder")
def test_real_files_are_read() -> None:
    """Every real file gives events in order, and its cost is that of an independent count."""
    files = [one for one in Path(TRANSCRIPTS).rglob("*.jsonl") if codex.sniff(str(one))]
    assert files
    for file in files:
        cost = whole(file)[1].cost
        found = [cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning]
        assert found == counted(file), file.name
