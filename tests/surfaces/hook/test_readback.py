"""What was learned reaches a real session's start, lightly, and a prompt after a failure."""

from __future__ import annotations

import time

import pytest

from holdfast.app.finish import finish
from holdfast.language.ratings import Rating
from holdfast.learning.lessons import lesson
from holdfast.learning.ratings import model as signals
from holdfast.learning.work import criteria
from holdfast.learning.work import items as work_items
from holdfast.learning.work import model as work
from holdfast.learning.work.model import Work
from holdfast.workspace import Workspace

from .test_light import HEAVY

SHOP = "example.com--acme--shop"


@pytest.fixture
def learned(hook):
    """The shop has a standing lesson with marks, a rating and work that the person opened."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with Workspace(str(hook.home), folder=str(hook.folder)) as workspace:
        lesson.learn(workspace, "Ask before a rebase", because="it lost a commit")
        lesson.rate(workspace, "L1", "helpful")
        finish(workspace)
    signals.add(str(hook.home), Rating(at, 7, "explicit", "a", "s-0", SHOP, "", 1.0, "7", "r1"))
    isc = criteria.added(criteria.Criteria(), "it works", "")
    work.make(str(hook.home), Work("", "Build the cart", SHOP, source=work.MANUAL, created_at=at, updated_at=at), isc)


def test_a_start_tells_it_and_stays_light(hook, learned):
    """Lessons and work are told without a heavy module, also when the table of lessons has to be made."""
    for text in ("made", "read"):
        modules, printed = hook.loaded_by("SessionStart", source="startup", prompt_id=text)
        assert HEAVY.intersection(modules) == set()
        assert all(words in printed for words in ("Ask before a rebase", "Build the cart"))
    assert hook.log() == []


def test_the_fix_of_last_time_comes_with_the_failure(hook, remember):
    """A failure, its fix, the same failure in another session: what worked is said at once, and not at the prompt."""
    remember("Deploys need the VPN. Ask Kim for access.")
    tests = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    error = "ModuleNotFoundError: No module named 'yaml'"
    hook("PostToolUseFailure", "s1", **tests, error=error)
    hook("PostToolUse", "s1", tool_name="Bash", tool_input={"command": "pip install pyyaml"}, tool_response={})
    hook("PostToolUse", "s1", **tests, tool_response={"stdout": "5 passed"})
    assert "pip install pyyaml" in hook("PostToolUseFailure", "s2", **tests, error=error).text
    assert "pip install pyyaml" not in hook.prompt("what is wrong with the tests?", "s2").text
    assert hook.log() == []


def test_a_lesson_for_a_profile_reaches_that_profile_alone(hook):
    """A session of the profile is told of it at its start; another session of the same project is not."""
    with Workspace(str(hook.home), folder=str(hook.folder), profile="reviewer") as workspace:
        lesson.learn(workspace, "Ask before a rebase")
        lesson.learn(workspace, "Read the tests before the code", scope="agent")
    for session, profile, reaches in (("s1", "", False), ("s2", "author", False), ("s3", "reviewer", True)):
        text = hook.start(session, environment={"HOLDFAST_PROFILE": profile}).text
        assert "Ask before a rebase" in text and ("Read the tests before the code" in text) is reaches


def test_work_that_goes_on_brings_its_memories(hook, remember, workspace):
    """A prompt that only says to go on brings what is known about the open work item, once."""
    with workspace() as opened:
        work_items.add(opened, "Move the invoices to the new printer queue", criteria=("PDF invoices keep their logo",))
    hook.start()
    remember("The printer queue drops invoices above 2 MB.")
    remember("Bananas are yellow.")
    told = hook.prompt("let's continue where we left off").text
    assert "drops invoices above 2 MB" in told and "Bananas" not in told
    assert "drops invoices" not in hook.prompt("go on").text
    assert hook.log() == []
