"""Conversations of Antigravity: steps without ids of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_lines
from holdfast.agents.reading import antigravity

ASKED = (
    "<USER_REQUEST>\nlook\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nThe user changed setting `Model Selection` from "
    "None to M 1 (Low).\n</USER_SETTINGS_CHANGE>"
)


def step(kind: str, content: str = "", source: str = "MODEL", **more: object) -> dict[str, object]:
    """Return a step."""
    about = {"step_index": 0, "source": source, "type": kind, "status": "DONE", "created_at": "2026-03-01T10:00:01Z"}
    return {**about, **({"content": content} if content else {}), **more}


def planned(*calls: tuple[str, dict[str, str]], content: str = "") -> dict[str, object]:
    """Return a step of the model with calls."""
    return step("PLANNER_RESPONSE", content, tool_calls=[{"name": name, "args": given} for name, given in calls])


@pytest.fixture
def file(tmp_path: Path):
    """Write a conversation where it is kept and return its path."""

    def write(*steps: object, name: str = "transcript_full.jsonl") -> Path:
        brain = tmp_path / "home" / ".gemini" / "antigravity-cli" / "brain"
        return write_lines(brain / "a-1" / ".system_generated" / "logs" / name, *steps)

    return write


def test_a_conversation_is_read(tmp_path, file) -> None:
    """The request apart from what stands around it, calls with the results that follow, model and folder."""
    make = {"CommandLine": '"make \\"all\\""', "Cwd": '"/srv/shop"'}
    path = file(
        step("USER_INPUT", ASKED, "USER_EXPLICIT"),
        step("CONVERSATION_HISTORY", source="SYSTEM"),
        planned(("run_command", make), ("list_dir", {"DirectoryPath": '"/srv"'})),
        step("RUN_COMMAND", "The command failed with exit code: 2\nOutput:\nno rule"),
        step("LIST_DIRECTORY", "shop"),
        step("VIEW_FILE", "1: hello"),
        step("PLANNER_RESPONSE", "There is no rule."),
    )
    file(step("USER_INPUT", ASKED, "USER_EXPLICIT"), name="transcript.jsonl")
    events, session = read_one(antigravity, path)
    assert [one for one in spoken(events) if one[0] != "injected"] == [
        ("human", "look"),
        (
            "tool",
            'run_command {"CommandLine":"make \\"all\\"","Cwd":"/srv/shop"} -> '
            "The command failed with exit code: 2\nOutput:\nno rule",
        ),
        ("tool", 'list_dir {"DirectoryPath":"/srv"} -> shop'),
        ("tool", "view_file  -> 1: hello"),
        ("assistant", "There is no rule."),
    ]
    assert [one.failed for one in events if one.role == "tool"] == [True, False, False]
    assert (session.id, session.folder, session.models) == ("a-1", "/srv/shop", ("M 1 (Low)",))
    assert list(antigravity.find(home(tmp_path))) == [str(path)]


def test_other_steps_have_their_roles(file) -> None:
    """Checkpoints are summaries; what the system says, or puts in as input, nobody typed."""
    events, _ = read_one(
        antigravity,
        file(
            step("USER_INPUT", "<USER_REQUEST>\ngo on\n</USER_REQUEST>", "SYSTEM_SDK"),
            step("CHECKPOINT", "# We looked", "SYSTEM"),
            step("SYSTEM_MESSAGE", "be brief", "SYSTEM"),
            step("USER_INPUT", "plain\n<holdfast-memory>\nx\n</holdfast-memory>", "USER_EXPLICIT"),
        ),
    )
    assert [one.role for one in events] == ["injected", "summary", "injected", "human", "ours"]


def test_a_call_without_a_result_takes_none_of_the_next_turn(file) -> None:
    """When the model speaks again, what was called before is over."""
    first, second = planned(("run_command", {})), planned(("view_file", {}))
    answered = step("TOOL_RESPONSE", "text", "SYSTEM")
    events, _ = read_one(antigravity, file(first, second, answered, step("GREP_SEARCH", status="ERROR")))
    assert [(one.tool, one.output, one.failed) for one in events] == [
        *(("run_command", "", False), ("view_file", "text", False)),
        ("grep_search", "", True),
    ]


def test_a_page_of_the_brain_is_no_conversation(tmp_path) -> None:
    """The notes that lie beside the log hold no turns."""
    page = tmp_path / "task.md"
    page.write_text("# A plan\n\n- look\n")
    assert not antigravity.sniff(str(page))
