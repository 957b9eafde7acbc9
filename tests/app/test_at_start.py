"""A start chooses by what the project is doing now: what was asked in it lately, and how things stand."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.app.preview import preview
from holdfast.memory.remember import remember

AMOUNTS = "Amounts in invoices are whole cents, never floats."


@pytest.fixture
def heard(home, shop):
    """Send a moment of Claude Code and return what reaches the model."""

    def send(event: str, session: str, where: str = str(shop), **told: str) -> str:
        agent = agents.get("claude-code")
        data = {"session_id": session, "cwd": where, "prompt_id": os.urandom(4).hex(), **told}
        out = hook(str(home), agent, agent.read_hook_input(event, data, {}), {**os.environ, "CLAUDECODE": "1"})
        return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""

    return send


@pytest.fixture
def full_home(workspace):
    """A project with one old memory about invoices, and more newer ones about gates than a start has room for."""
    with workspace() as opened:
        remember(opened, AMOUNTS, scope="project")
        for number in range(80):
            remember(opened, f"The gate called G{number} of hall {number + 100} opens at dawn.", scope="project")


@pytest.mark.usefixtures("full_home")
def test_what_is_near_to_what_was_asked_lately_goes_before_what_is_newer(heard):
    """Of more than there is room for a start tells what has the words of the sessions before, however old it is."""
    assert AMOUNTS not in heard("SessionStart", "s0", source="startup")
    heard("UserPromptSubmit", "s1", prompt="the invoices page is slow, find out why")
    heard("UserPromptSubmit", "s1", prompt="now write a test for it")
    assert AMOUNTS in heard("SessionStart", "s2", source="startup")


@pytest.mark.usefixtures("full_home")
def test_what_was_asked_in_another_project_chooses_nothing(heard, tmp_path):
    """A start looks at the asks of its own project alone."""
    (tmp_path / "elsewhere" / ".git").mkdir(parents=True)
    heard("UserPromptSubmit", "s1", str(tmp_path / "elsewhere"), prompt="the invoices page is slow, find out why")
    assert AMOUNTS not in heard("SessionStart", "s2", source="startup")


@pytest.mark.usefixtures("full_home")
def test_a_preview_tells_why_something_old_is_told(heard, workspace):
    """Its line says that it is near to what is being done."""
    heard("UserPromptSubmit", "s1", prompt="the invoices page is slow, find out why")
    with workspace() as opened:
        lines = preview(opened).block.lines
    assert "near to what is being done" in next(one.why for one in lines if one.text == AMOUNTS)
