"""What decides a criterion and closes a work item: words, tests, commits, plans; also from the transcript alone."""

from __future__ import annotations

import json
import os

import pytest

from holdfast.learning.work import criteria, session_log
from holdfast.learning.work import model as work
from learning.work.hooks.asks import ASK, isc_of
from support.places import SHOP


def test_an_agent_that_tells_no_failures_gives_no_evidence(shop, told, found):
    """Where a command that failed looks like any other, a run of tests satisfies nothing until the digest is there."""
    told("userPromptSubmit", agent="kiro", prompt=ASK)
    told(
        "postToolUse", agent="kiro", moment="tool", tool_name="fs_write", tool_input={"path": str(shop / "settings.py")}
    )
    told("postToolUse", agent="kiro", moment="tool", tool_name="execute_bash", tool_input={"command": "pytest -q"})
    told("stop", agent="kiro")
    assert {each.status for each in isc_of(found()[0]).criteria} == {"PENDING"}


@pytest.mark.parametrize("word", ["done", "That's it, thanks!", "ship it", "fertig", "Das war's, danke"])
def test_the_person_closes_it(says, edits, told, found, word):
    """When the person says that it is done, the item is completed and its criteria are satisfied by their word."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    says(word)
    told("Stop")
    (one,) = found()
    assert one.status == "COMPLETED" and one.completed_at
    assert {each.status for each in isc_of(one).criteria} == {"SATISFIED"}
    assert "the person said" in isc_of(one).criteria[0].source_events[-1]
    assert work.names_in(one, "verification")


@pytest.mark.parametrize(
    "text", ["done?", "are you done?", "when you're done, run the linter", "not done yet", "done? I doubt it"]
)
def test_words_that_only_sound_like_done(says, edits, told, found, text):
    """A question about being done, or a condition, closes nothing."""
    says(ASK)
    edits("settings.py")
    says(text)
    told("Stop")
    assert found()[0].is_open


def test_it_works_satisfies_and_it_does_not_takes_it_back(says, edits, told, found):
    """The person's word that it works satisfies the criteria; that it does not makes them pending again."""
    says(ASK)
    edits("settings.py")
    says("works now, thanks")
    told("Stop")
    assert {each.status for each in isc_of(found()[0]).criteria} == {"SATISFIED"} and found()[0].is_open
    says("it still fails when I reload the page")
    told("Stop")
    assert {each.status for each in isc_of(found()[0]).criteria} == {"PENDING"}


def test_a_thing_that_works_satisfies_what_is_about_it(says, edits, told, found):
    """Where the person names what works, only the criteria about that are satisfied."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    one = found()[0]
    for text in ("The discount is shown", "Old links keep their names"):
        criteria.write(one.path, criteria.added(isc_of(one), text, "test"))
    says("the discount works now")
    told("Stop")
    status = {each.text: each.status for each in isc_of(one).criteria}
    assert (status["The discount is shown"], status["Old links keep their names"]) == ("SATISFIED", "PENDING")


def test_what_still_fails_is_open_again(says, edits, told, found):
    """An item that was closed too early is open again when the person says that it does not work."""
    says(ASK)
    edits("settings.py")
    says("done")
    told("Stop")
    says("hm, it still fails when I reload the page")
    told("Stop")
    (one,) = found()
    assert one.is_open and one.completed_at == ""


def test_green_tests_after_a_change_are_evidence(says, edits, runs, told, found):
    """Tests that passed after the last change satisfy the criterion about tests; those before it do not."""
    says(ASK)
    edits("settings.py")
    runs("cd shop && python -m pytest -q")
    edits("settings.py")
    told("Stop")
    assert isc_of(found()[0]).criteria[1].status == "PENDING"
    runs("FOO=1 pytest tests -q")
    told("Stop")
    told_by = isc_of(found()[0]).criteria[1]
    assert told_by.status == "SATISFIED" and "pytest" in told_by.source_events[-1]
    assert isc_of(found()[0]).criteria[0].status != "SATISFIED"


def test_a_plan_ticks_only_partly_until_a_commit(says, edits, runs, told, found):
    """The entries of a plan are criteria; what the agent ticks itself is PARTIAL, a commit makes it SATISFIED."""
    says(ASK)
    edits("settings.py")
    todos = [{"content": "Store the choice", "status": "completed"}, {"content": "Write docs", "status": "pending"}]
    told("PostToolUse", tool_name="TodoWrite", tool_input={"todos": todos})
    told("Stop")
    status = {each.text: each.status for each in isc_of(found()[0]).criteria}
    assert status["Store the choice"] == "PARTIAL" and status["Write docs"] == "PENDING"
    runs('git add -A && git commit -m "Store what was chosen"')
    told("Stop")
    status = {each.text: each.status for each in isc_of(found()[0]).criteria}
    assert status["Store the choice"] == "SATISFIED" and status["Write docs"] == "PENDING"


def test_what_must_not_happen_is_seen(says, edits, told, found):
    """A file that the person wanted left alone was changed: the anti-criterion has failed."""
    says(ASK)
    edits("src/billing.py")
    told("Stop")
    assert isc_of(found()[0]).anti_criteria[0].status == "FAILED"


def test_the_output_of_a_sub_agent_is_kept(says, edits, told, found):
    """What a sub-agent said goes into agents/ of the item, once."""
    says(ASK)
    edits("settings.py")
    for _ in range(2):
        told(
            "SubagentStop",
            agent_id="a1",
            last_assistant_message="The toggle should be a checkbox.",
            stop_hook_active=True,
        )
    told("Stop")
    (one,) = found()
    names = work.names_in(one, "agents")
    assert len(names) == 1 and names[0].endswith(".md")
    with open(os.path.join(one.path, "agents", names[0]), encoding="utf-8") as file:
        assert "The toggle should be a checkbox." in file.read()


def test_what_only_the_transcript_tells(says, told, found, transcript, shop):
    """Where no hook tells of tools, the pause reads them from the transcript: files, plans, commands that went well."""
    says(ASK, transcript_path=transcript.path)
    transcript("Read", {"file_path": str(shop / "settings.py")})
    transcript("Edit", {"file_path": str(shop / "never.py")}, failed=True)
    told("Stop", transcript_path=transcript.path)
    assert found() == []
    transcript("Edit", {"file_path": str(shop / "settings.py")})
    transcript("TodoWrite", {"todos": [{"content": "Store the choice", "status": "completed"}]})
    transcript("Bash", {"command": "pytest -q"})
    told("Stop", transcript_path=transcript.path)
    (one,) = found()
    assert one.lineage.files_changed == ("settings.py",) and one.lineage.calls == 3
    status = {each.text: each.status for each in isc_of(one).criteria}
    assert status["make sure tests pass"] == "SATISFIED" and status["Store the choice"] == "SATISFIED"
    told("Stop", transcript_path=transcript.path)
    assert found()[0].lineage.calls == 3


def test_a_long_session_stays_quick(says, told, found, transcript, shop, home):
    """What is in the items leaves the session's file, and nothing of it is counted twice or forgotten."""
    says(ASK, transcript_path=transcript.path)
    for turn in range(4):
        for number in range(120):
            transcript("Edit", {"file_path": str(shop / f"f{turn}-{number % 40}.py")})
        told("Stop", transcript_path=transcript.path)
    path = session_log.path_of(str(home), "claude-code", "s1", SHOP)
    assert os.path.getsize(path) < 20_000
    (one,) = found()
    assert one.lineage.calls == 480 and len(one.lineage.files_changed) == 160
    says("done", transcript_path=transcript.path)
    told("Stop", transcript_path=transcript.path)
    assert not found()[0].is_open


def test_talk_with_a_transcript_leaves_nothing(says, told, found, transcript):
    """Two asks about one thing, answered in words, open nothing where the transcript would tell of an act."""
    for text in (ASK, "Also add a test for the toggle of the settings page"):
        says(text, transcript_path=transcript.path)
        transcript("Bash", {"command": "git log -3"})
        told("Stop", transcript_path=transcript.path)
    assert found() == []


def test_what_a_transcript_had_before_is_not_done_now(says, told, found, transcript, shop):
    """A session that Holdfast meets in its middle begins there."""
    transcript("Edit", {"file_path": str(shop / "old.py")})
    says(ASK, transcript_path=transcript.path)
    told("Stop", transcript_path=transcript.path)
    assert found() == []


def test_a_sub_agent_before_the_first_change(says, told, found, transcript, shop):
    """What a sub-agent said before anything was changed is in the item that is opened afterwards."""
    says(ASK, transcript_path=transcript.path)
    told("SubagentStop", agent_id="a1", last_assistant_message="The toggle should be a checkbox.")
    transcript("Edit", {"file_path": str(shop / "settings.py")})
    told("Stop", transcript_path=transcript.path)
    assert len(work.names_in(found()[0], "agents")) == 1


def test_isc_stays_small(says, edits, told, found):
    """However much is asked and planned, ISC.json has less than 10 KB, and is JSON."""
    says(ASK)
    for number in range(60):
        edits(f"f{number}.py")
        todos = [{"content": f"Task {number} {each} " + "ünïcödé " * 30, "status": "pending"} for each in range(20)]
        told("PostToolUse", tool_name="TodoWrite", tool_input=json.dumps({"todos": todos}, ensure_ascii=False))
        told("Stop")
    path = os.path.join(found()[0].path, "ISC.json")
    assert os.path.getsize(path) < 10_000
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["criteria"]
    assert found()[0].effort == "deep"


def test_a_broken_isc_is_left_as_it_is(says, edits, told, found):
    """A file that somebody broke is not written over, and the item goes on without it."""
    says(ASK)
    edits("settings.py")
    path = os.path.join(found()[0].path, "ISC.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{ mine")
    edits("theme.css")
    says("done")
    told("Stop")
    with open(path, encoding="utf-8") as file:
        assert file.read() == "{ mine"
    assert not found()[0].is_open and "theme.css" in found()[0].lineage.files_changed
