"""Reports of sub-agents out of the archive: with the type that only the call says which set them to work."""

from __future__ import annotations

import json

import pytest

from holdfast.app.harvest import harvest
from holdfast.learning.research import model
from holdfast.records import SessionEvent
from support.archived import said, session, store

REPORT = "Now I have everything. Here is the report:\n\n## Where the colours stand\n\n" + "In theme.py, line 10. " * 30


@pytest.fixture
def reports(workspace, shop):
    """Archive a session that set an explorer to work, with the explorer's own one, and return what was kept."""

    def run(output: str) -> list[model.Report]:
        given = json.dumps({"subagent_type": "Explore", "prompt": "Find the colours"})
        call = SessionEvent(0, "tool", tool="Task", input=given, output=output, answered=True)
        with workspace() as opened:
            child = session("main.agent-a1b2c3", shop, parent="main", is_subagent=True)
            store(opened, child, said("task", "Find the colours"), said("assistant", REPORT), index=False)
            store(opened, session("main", shop, day="2026-05-05"), said("human", "Paint it"), call, index=False)
            assert not harvest(opened, everything=True).problems
            return model.all_reports(opened.home)

    return run


@pytest.mark.parametrize("output", [REPORT, "Started in the background.\nagentId: a1b2c3"])
def test_a_report_has_the_type_of_its_sub_agent(reports, output):
    """Whether the call has the answer or only the id of the sub-agent, its own report is kept once, with its type."""
    [one] = reports(output)
    assert (one.kind, one.session, one.parent) == ("Explore", "main.agent-a1b2c3", "main")


def test_a_report_is_named_by_what_it_is_about(reports):
    """A line that only leads to the report is no summary of it."""
    assert reports(REPORT)[0].summary == "Where the colours stand"


def test_what_is_said_before_a_call_is_no_report(workspace, shop):
    """A sub-agent that was cut off while it worked handed nothing over."""
    call = SessionEvent(0, "tool", tool="Grep", input='{"pattern": "TODO"}', output="a.py:1: TODO", answered=True)
    with workspace() as opened:
        child = session("main.agent-a1b2c3", shop, parent="main", is_subagent=True)
        store(opened, child, said("task", "Find the to-dos"), said("assistant", REPORT), call, index=False)
        assert not harvest(opened, everything=True).problems
        assert model.all_reports(opened.home) == []
