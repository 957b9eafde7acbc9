"""Sessions of GitHub Copilot CLI: a log of events."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_lines
from holdfast.agents.reading import copilot

CONTEXT = {"cwd": "/srv/shop", "branch": "main"}
START = {"sessionId": "s-1", "copilotVersion": "1.0.60", "selectedModel": "auto", "context": CONTEXT}
USAGE = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 60, "cacheWriteTokens": 10, "reasoningTokens": 5}


def event(kind: str, second: int = 0, **data: object) -> dict[str, object]:
    """Return an event."""
    return {"type": kind, "data": data, "id": f"e-{kind}-{second}", "timestamp": f"2026-03-01T10:00:{second:02}.000Z"}


def answer(text: str, *calls: dict[str, object], **more: object) -> dict[str, object]:
    """Return an answer."""
    return event("assistant.message", 2, content=text, toolRequests=list(calls), model="m-1", **more)


CALL = {"toolCallId": "c-1", "name": "bash", "arguments": '{"command": "make"}'}
BEGUN = event("tool.execution_start", 3, toolCallId="c-1", toolName="bash", arguments={"command": "make"})
DONE = event("tool.execution_complete", 4, toolCallId="c-1", success=True, result={"content": "built"})


@pytest.fixture
def log(tmp_path: Path):
    """Write a log and return its path."""

    def write(*events: object) -> Path:
        path = tmp_path / "home" / ".copilot" / "session-state" / "s-1" / "events.jsonl"
        return write_lines(path, event("session.start", 0, **START), *events)

    return write


def test_a_call_that_is_told_twice_is_one_event(log) -> None:
    """It is asked for, begun and completed; arguments may be a text or an object."""
    asked = event(
        "user.message", 1, content="look", transformedContent="<current_datetime>now</current_datetime>\nlook"
    )
    events, session = read_one(copilot, log(asked, answer("I build.", CALL), BEGUN, DONE, answer("Done.")))
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'bash {"command":"make"} -> built'),
        ("assistant", "Done."),
    ]
    assert (events[2].milliseconds, events[2].folder, events[2].branch) == (2_000, "/srv/shop", "main")
    assert (session.id, session.version, session.models) == ("s-1", "1.0.60", ("m-1",))


def test_a_turn_that_ends_without_a_text_is_told_so(log) -> None:
    """The agent answered, and the log has nothing of it; a message that only calls a tool is no such answer."""
    asked = event("user.message", 1, content="Reply with READY only.")
    events, _ = read_one(copilot, log(asked, answer("", CALL), BEGUN, DONE, answer("")))
    assert [role for role, _ in spoken(events)] == ["human", "tool", "injected"]
    assert events[-1].text == "[turn ended without a text]"


def test_hooks_are_passed_over_and_our_own_text_is_ours(log) -> None:
    """What hooks were given repeats prompts; what we handed over stands in the transformed prompt only."""
    hook = event("hook.start", 1, hookType="userPromptSubmitted", input={"prompt": "look"})
    fence = "<holdfast-memory>\n- x\n</holdfast-memory>\nlook"
    events, _ = read_one(copilot, log(hook, event("user.message", 1, content="look", transformedContent=fence)))
    assert [(one.role, "look" in one.text) for one in events] == [("ours", False), ("human", True)]


def test_tokens_are_told_at_the_shutdown(log) -> None:
    """Cached tokens and reasoning are apart; the counts of single answers are in them, but for those after it."""
    over = event("session.shutdown", 9, modelMetrics={"m-1": {"usage": USAGE}})
    resumed = answer("more", messageId="b", outputTokens=7)
    _, session = read_one(copilot, log(answer("a", messageId="a", outputTokens=20), over, resumed))
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning) == (30, 22, 60, 10, 5)
    assert [(one.day, one.model, one.cost.output) for one in session.spends] == [("2026-03-01", "m-1", 22)]


def test_after_a_crash_the_answers_are_counted(log) -> None:
    """Without a shutdown the output of each message counts, once for each id."""
    twice = answer("a", messageId="a", outputTokens=20)
    assert read_one(copilot, log(twice, twice, answer("b", messageId="b", outputTokens=1)))[1].cost.output == 21


def test_tokens_by_kind_are_read_where_no_model_tells_them(log) -> None:
    """Some versions tell tokens for all models together."""
    details = {"input": {"tokenCount": 100}, "output": {"tokenCount": 15}, "cache_read": {"tokenCount": 5}}
    over = event("session.shutdown", 9, modelMetrics={"m-1": {"requests": 2}}, tokenDetails=details)
    cost = read_one(copilot, log(answer("a", outputTokens=15), over))[1].cost
    assert (cost.input, cost.output, cost.cache_read) == (100, 15, 5)


@pytest.mark.parametrize("end", ["<exited with exit code 2>", "<shellId: 1 completed with exit code 2>"])
def test_failures_are_told(log, end: str) -> None:
    """A refused call, an exit code, an error of the session and an abort are failures."""
    refused = event("tool.execution_complete", 4, toolCallId="c-1", success=False, error={"message": "denied"})
    exited = event("tool.execution_complete", 4, toolCallId="c-2", success=True, result={"content": f"x\n{end}"})
    records = (
        answer("", CALL, {**CALL, "toolCallId": "c-2"}),
        refused,
        exited,
        event("session.error", 5, message="quota"),
    )
    events, _ = read_one(copilot, log(*records, event("abort", 6, reason="user")))
    assert [(one.output or one.text, one.failed) for one in events] == [
        ("denied", True),
        (f"x\n{end}", True),
        ("quota", True),
        ("[turn aborted: user]", True),
    ]


def test_folder_and_branch_change_with_a_resume(log) -> None:
    """Each event has the folder of its time; the session has the first."""
    moved = event("session.resume", 5, context={"cwd": "/srv/other", "branch": "topic"})
    events, session = read_one(
        copilot, log(event("user.message", 1, content="a"), moved, event("user.message", 6, content="b"))
    )
    assert [(one.folder, one.branch) for one in events] == [("/srv/shop", "main"), ("/srv/other", "topic")]
    assert session.folder == "/srv/shop"


def test_a_compaction_is_a_summary_and_a_message_of_a_skill_is_injected(log) -> None:
    """Neither was typed by a person."""
    summary = event("session.compaction_complete", 3, summaryContent="We looked.")
    skill = event("user.message", 4, content="skill text", source="skill-pdf")
    assert [one.role for one in read_one(copilot, log(summary, skill))[0]] == ["summary", "injected"]


def test_both_layouts_are_found_and_the_workspace_names_the_session(tmp_path, log) -> None:
    """A folder for each session, or one file as before; the name stands beside the log."""
    path = log(event("user.message", 1, content="look"))
    (path.parent / "workspace.yaml").write_text('id: s-1\nname: "Look around"\ncwd: /srv\n')
    flat = write_lines(path.parents[1] / "s-2.jsonl", event("session.start", 0), event("user.message", 1, content="x"))
    (path.parents[1] / "s-3").mkdir()
    assert list(copilot.find(home(tmp_path))) == [str(path), str(flat)]
    assert read_one(copilot, path)[1].title == "Look around"
    assert read_one(copilot, flat)[1].id == "s-2"


def test_bad_lines_are_counted(log) -> None:
    """A line that is no JSON costs only itself."""
    events, session = read_one(copilot, log("{", event("user.message", 1, content="look"), {"type": 7, "data": []}))
    assert ([one.text for one in events], session.malformed) == (["look"], 1)
