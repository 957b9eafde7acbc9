"""Work over sessions and agents: who goes on with an item, who leaves it alone, and who closes it."""

from __future__ import annotations

import os
import shutil
import time

from holdfast.continuity import open_sessions
from holdfast.learning.work import model as work
from holdfast.learning.work import session_log
from learning.work.hooks.asks import ASK
from support.places import SHOP


def age(home, session: str, seconds: int, agent: str = "claude-code") -> None:
    """Make a session's file so old."""
    path = session_log.path_of(str(home), agent, session, SHOP)
    os.utime(path, (time.time() - seconds,) * 2)


def test_the_end_of_a_session_closes_nothing_by_itself(says, edits, told, found):
    """At the end the item is still open, so that what can be learned is taken first."""
    says(ASK)
    edits("settings.py")
    says("works now")
    told("SessionEnd", reason="exit")
    assert found()[0].is_open


def test_the_next_start_closes_what_is_met(says, edits, told, found, home):
    """A later start finishes a session that ended, or whose agent was killed: met criteria close its item."""
    says(ASK)
    edits("settings.py")
    says("works now")
    told("SessionStart", "s2", source="startup")
    assert found()[0].is_open
    age(home, "s1", 3_600)
    told("SessionStart", "s2", source="startup")
    assert found()[0].status == "COMPLETED"


def test_a_session_that_just_ended_is_left_to_the_harvest(says, edits, told, found, home):
    """A start within minutes of an end closes nothing yet: what can be learned is taken first."""
    says(ASK)
    edits("settings.py")
    says("works now")
    told("SessionEnd", reason="exit")
    told("SessionStart", "s2", source="startup")
    assert found()[0].is_open
    age(home, "s1", 700)
    told("SessionStart", "s2", source="startup")
    assert not found()[0].is_open


def test_what_is_not_met_stays_open(says, edits, told, found, home):
    """Without evidence an item of a session that is over stays ACTIVE."""
    says(ASK)
    edits("settings.py")
    told("SessionEnd", reason="exit")
    age(home, "s1", 3_600)
    told("SessionStart", "s2", source="startup")
    assert found()[0].is_open


def test_the_next_session_goes_on_with_it(says, edits, told, found, home):
    """Work spans sessions and agents: an ask that fits goes on with the open item, which names both sessions."""
    says(ASK)
    edits("settings.py")
    told("SessionEnd", reason="exit")
    says("Implement the rest of the dark mode toggle on the settings page", "s2", agent="qwen")
    edits("settings.py", "s2", agent="qwen")
    (one,) = found()
    assert one.sessions == ("claude-code/s1", "qwen/s2") and len(work.names_in(one, "items")) == 2


def test_continue_goes_on_with_the_last_one(says, edits, told, found):
    """A bare continue in a new session goes on with the item that was worked on last."""
    says(ASK)
    edits("settings.py")
    told("SessionEnd", reason="exit")
    says("continue", "s2")
    edits("more.py", "s2")
    told("Stop", "s2")
    (one,) = found()
    assert one.sessions[-1] == "claude-code/s2" and "more.py" in one.lineage.files_changed


def test_a_killed_session_holds_nothing(says, edits, told, found, home):
    """When the pages closed a session, because its agent runs no more, the next one may go on at once."""
    says(ASK)
    edits("settings.py")
    closed = [(open_sessions.CLOSED, "")]
    open_sessions.note(str(home), "claude-code", "s1", SHOP, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), closed)
    says("continue", "s2")
    edits("more.py", "s2")
    told("Stop", "s2")
    assert [one.sessions[-1] for one in found()] == ["claude-code/s2"]


def test_an_item_of_a_living_session_is_left_alone(says, edits, told, found):
    """Two agents at once, with the same ask: each has its own item, and neither touches the other's."""
    says(ASK)
    edits("settings.py")
    says(ASK, "s2", agent="qwen")
    edits("settings.py", "s2", agent="qwen")
    says("done", "s2", agent="qwen")
    told("Stop", "s2", agent="qwen")
    by_session = {one.sessions: one for one in found()}
    assert by_session["claude-code/s1",].is_open and not by_session["qwen/s2",].is_open


def test_another_project_sees_nothing_of_it(says, edits, told, found, repository):
    """The same ask in another project opens an item there."""
    says(ASK)
    edits("settings.py")
    told("SessionEnd", reason="exit")
    elsewhere = repository("depot")
    says(ASK, "s2", folder=elsewhere)
    told("PostToolUse", "s2", folder=elsewhere, tool_name="Write", tool_input={"file_path": str(elsewhere / "a.py")})
    assert len(found()) == 1 and len(found("example.com--acme--depot")) == 1


def test_state_may_be_deleted(says, edits, told, found, home):
    """Without the session's file the item is found again by its session, and nothing of it is lost."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    before = found()
    shutil.rmtree(home / "state" / "work")
    assert found() == before
    edits("theme.css")
    says("done")
    told("Stop")
    (one,) = found()
    assert not one.is_open and one.lineage.files_changed == ("settings.py", "theme.css")


def test_what_a_killed_agent_left_is_taken_in_by_the_next_start(says, told, edits, found, home, shop):
    """Rows that nobody brought into the items before the agent died are not lost."""
    says(ASK)
    edits("settings.py")
    edits("late.py")
    assert found()[0].lineage.files_changed == ("settings.py",)
    age(home, "s1", 3_600)
    told("SessionStart", "s2", source="startup")
    assert found()[0].lineage.files_changed == ("settings.py", "late.py")
