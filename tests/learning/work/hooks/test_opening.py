"""Work items as hooks keep them: what opens one, what goes into it, and what never makes one."""

from __future__ import annotations

import os

import pytest

from holdfast.learning.work import model as work
from learning.work.hooks.asks import ASK, OTHER, isc_of


def test_an_ask_that_is_acted_on_opens_one(says, edits, found, home):
    """The folder is there when the agent changed a file: META.yaml, the criteria, and what was asked."""
    says(ASK)
    assert not (home / "work").exists()
    edits("settings.py")
    (one,) = found()
    assert one.title == "Add a dark mode toggle to the settings page"
    assert one.id.endswith("_add-a-dark-mode-toggle-to-the-settings-page")
    assert one.sessions == ("claude-code/s1",) and one.status == "ACTIVE" and one.source == "AUTO"
    isc = isc_of(one)
    assert [each.text for each in isc.criteria][1:] == ["make sure tests pass"]
    assert [each.text for each in isc.anti_criteria] == ["don't touch billing.py"]
    assert [name[:3] for name in work.names_in(one, "items")] == ["001"]
    assert sorted(os.listdir(one.path)) == ["ISC.json", "META.yaml", "items"]


def test_what_is_written_is_private(says, edits, found):
    """Folders are 0700 and files 0600."""
    says(ASK)
    edits("settings.py")
    (one,) = found()
    assert os.stat(one.path).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(one.path, "META.yaml")).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "talk",
    [
        ("hi", "thanks a lot", "ok", "8/10", "2 - you deleted my migration again"),
        ("/clear", "/model opus", "continue", "weiter", "yes, go ahead please"),
        ("how does the session cache work in this project?", "and why is it a tuple and not a list?"),
        ("fix it", "done", "that's it, thanks", "fertig", "Danke, das war sehr hilfreich."),
        (ASK, OTHER, "Explain to me in some detail how the payment module talks to the bank, please."),
        ("Guten Morgen! Wie läuft es heute bei dir?", "Danke dir, das hilft mir wirklich sehr weiter."),
    ],
)
def test_talk_leaves_no_work_item(says, told, found, talk, runs, home):
    """A session in which the agent only answers and looks leaves nothing, whatever the person says."""
    for text in talk:
        says(text)
        told("PostToolUse", tool_name="Read", tool_input={"file_path": "/x/README.md"})
        runs("git status && ls -la | head -3")
        told("Stop", last_assistant_message="It is so because of that.")
    told("SessionEnd", reason="exit")
    assert found() == [] and not (home / "work").exists()


def test_a_question_that_only_runs_commands_opens_none(says, runs, edits, told, found):
    """A question becomes work when a file is changed for it, not when a command answers it."""
    says("how many tests do we have in the payment module?")
    runs("pytest --collect-only -q")
    told("Stop")
    assert found() == []
    edits("payment.py")
    told("Stop")
    assert len(found()) == 1


def test_words_that_may_ask_for_work_do_so_with_a_change(says, edits, runs, found):
    """What does not read like a task is one when a file is changed for it, and none when only a command is run."""
    says("We still need the migration that renames the customers table")
    runs("pytest -q")
    assert found() == []
    says("yes")
    edits("migrations/0007.py")
    assert found()[0].title.startswith("We still need") or "migration" in found()[0].title


def test_lineage(says, edits, runs, told, found):
    """Tools, files and agents that were used for it are in META.yaml, after the pause at the latest."""
    says(ASK)
    edits("settings.py")
    edits("theme.css")
    told("PostToolUse", tool_name="Task", tool_input={"subagent_type": "reviewer", "prompt": "look"})
    told("PostToolUse", tool_name="Read", tool_input={"file_path": "/x/README.md"})
    told("Stop")
    lineage = found()[0].lineage
    assert lineage.files_changed == ("settings.py", "theme.css")
    assert lineage.tools_used == ("Edit", "Task", "Read") and lineage.calls == 4
    assert lineage.agents_spawned == ("reviewer",)


def test_also_goes_on_and_a_new_topic_opens_the_next(says, edits, told, found):
    """What points back adds to the current item; what has nothing in common with it opens another one."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    says("also add a test for the toggle in the settings page")
    edits("test_settings.py")
    told("Stop")
    says(OTHER)
    edits("migrations/0007_rename.py")
    told("Stop")
    one, two = sorted(found(), key=lambda each: each.id)
    assert len(work.names_in(one, "items")) == 2 and "test_settings.py" in one.lineage.files_changed
    assert two.title.startswith("Write a migration") and two.lineage.files_changed == ("migrations/0007_rename.py",)


def test_a_file_of_the_item_is_no_new_topic(says, edits, found):
    """An ask that names a file which was changed for the current item goes on with it."""
    says(ASK)
    edits("settings.py")
    says("Please take the colours out of settings.py and put them elsewhere")
    edits("colours.py")
    assert len(found()) == 1


def test_the_same_file_is_no_new_topic(says, edits, told, found):
    """An ask in other words, for which a file of the current item is changed, goes on with it."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    says(OTHER)
    edits("settings.py")
    told("Stop")
    (one,) = found()
    assert len(work.names_in(one, "items")) == 2


def test_commands_alone_begin_no_other_item(says, edits, runs, told, found):
    """In the middle of one, an ask for which only commands are run counts for it."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    says(OTHER)
    runs("make deploy")
    told("Stop")
    (one,) = found()
    assert one.lineage.calls == 2


def test_a_question_in_the_middle_opens_none(says, edits, told, found):
    """Who asks about something else in the middle of a piece of work, and gets it changed, has begun no other one."""
    says(ASK)
    edits("settings.py")
    told("Stop")
    says("why is the invoice number of the customers table a string?")
    edits("invoice.py")
    told("Stop")
    (one,) = found()
    assert "invoice.py" in one.lineage.files_changed


def test_what_was_asked_before_it_began_is_all_there(says, edits, found):
    """Several messages about one thing before the agent acts are one item with all of them."""
    says(ASK)
    says("Also add a test for the toggle of the settings page")
    edits("settings.py")
    assert len(work.names_in(found()[0], "items")) == 2


def test_a_failed_change_is_none(told, found):
    """Where an agent tells of failures by the same event, a change that failed opens nothing."""
    told("userPromptSubmit", agent="kiro", prompt=ASK)
    given = {"tool_name": "fs_write", "tool_input": {"path": "/x/a.py"}}
    told("postToolUse", agent="kiro", moment="tool", error="no such file", **given)
    told("stop", agent="kiro")
    assert found() == []
    told("postToolUse", agent="kiro", moment="tool", **given)
    assert len(found()) == 1


def test_after_done_a_new_ask_is_a_new_item(says, edits, told, found):
    """A closed item stays closed; what comes next has its own."""
    says(ASK)
    edits("settings.py")
    says("done")
    told("Stop")
    edits("late.py")
    told("Stop")
    assert found()[0].status == "COMPLETED" and "late.py" in found()[0].lineage.files_changed
    says("Now add a dark mode toggle to the login page, too")
    edits("login.py")
    told("Stop")
    assert [one.status for one in found()] == ["ACTIVE", "COMPLETED"]


def test_a_secret_is_nowhere(says, edits, told, found, home):
    """A token in an ask, a command or a plan is in no file of the work item, nor in the session's file."""
    token = "ghp_" + "a1B2" * 9
    says(f"Add a dark mode toggle to the settings page with the key {token}")
    edits("settings.py")
    told("PostToolUse", tool_name="TodoWrite", tool_input={"todos": [{"content": f"use {token}", "status": "pending"}]})
    told("Stop")
    for folder in ("work", "state"):
        for path in (home / folder).rglob("*"):
            assert token not in (path.read_text(errors="replace") if path.is_file() else path.name)
    assert len(found()) == 1


def test_an_agent_whose_hooks_tell_of_no_tools(told, found):
    """Where no tools are told, a second ask that goes on with the first opens the item; one alone does not."""
    told("chat.message", agent="opencode", prompt=ASK, sessionID="s1")
    told("session.idle", agent="opencode", sessionID="s1")
    assert found() == []
    told("chat.message", agent="opencode", prompt="Also add a test for the toggle in the settings", sessionID="s1")
    told("session.idle", agent="opencode", sessionID="s1")
    assert len(found()) == 1


def test_meta_is_hand_editable(says, edits, told, found):
    """What a person adds to META.yaml survives, and what they change holds."""
    says(ASK)
    edits("settings.py")
    (one,) = found()
    path = os.path.join(one.path, "META.yaml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write("# mine\n" + text.replace("title: ", "customer: Kim # vip\ntitle: The "))
    edits("theme.css")
    told("Stop")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("# mine\n") and "customer: Kim # vip\n" in text and "theme.css" in text
    assert found()[0].title.startswith("The Add a dark")


def test_a_pasted_megabyte_is_bounded(says, edits, told, found, home):
    """A prompt with a whole file in it costs little on the disk, and its beginning is kept."""
    says(ASK + "\n" + "word " * 300_000)
    edits("settings.py")
    told("Stop")
    assert found()[0].title.startswith("Add a dark mode")
    assert sum(path.stat().st_size for path in (home / "work").rglob("*") if path.is_file()) < 20_000


def test_it_can_be_switched_off(says, edits, found, monkeypatch):
    """With learning.enabled off nothing is written."""
    monkeypatch.setenv("HOLDFAST_LEARNING_ENABLED", "false")
    says(ASK)
    edits("settings.py")
    assert found() == []
