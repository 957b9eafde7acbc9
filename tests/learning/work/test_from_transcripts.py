"""Work items of sessions that no hook told of: made by the harvest out of what the transcript says."""

from __future__ import annotations

import contextlib
import json
import os

import pytest

from holdfast.app.harvest import harvest
from holdfast.base import files
from holdfast.base.light_records import replace
from holdfast.learning.lessons.model import room
from holdfast.learning.work import criteria
from holdfast.learning.work import model as work
from holdfast.records import SessionEvent
from support.archived import edited, said, session, store
from support.places import SHOP


def at(minute: int) -> str:
    """Return a time on the day of the session."""
    return f"2026-05-04T10:{minute:02}:00Z"


def asked(text: str, minute: int = 0, role: str = "human") -> SessionEvent:
    """Return what was asked."""
    return replace(said(role, text), at=at(minute))


def ran(command: str, output: str, minute: int, tool: str = "Bash") -> SessionEvent:
    """Return a command that was run, or another call with what it was given."""
    given = command if command.startswith("{") else json.dumps({"command": command})
    return SessionEvent(0, "tool", at=at(minute), tool=tool, input=given, output=output, answered=True)


@pytest.fixture
def items(workspace, shop, home):
    """Archive a session of these events, harvest it, and return the work items of the shop."""

    def run(*events: SessionEvent, id: str = "s1") -> list[work.Work]:
        with workspace() as opened:
            store(opened, session(id, shop), *events, index=False)
            found = harvest(opened, everything=True)
            assert not found.problems
        return work.items(str(home), SHOP)

    return run


@pytest.fixture
def change(shop):
    """Return a change of a file of the shop."""
    return lambda path, minute: replace(edited(shop / path, shop), at=at(minute))


def test_a_session_without_hooks_gives_an_item(items, change):
    """What was asked, changed, run and committed makes the item that hooks would have made, and closes it."""
    commit = "[main 1a2b3c4] Add a dark mode to the theme\n 1 file changed"
    events = [
        asked("Please add a dark mode to the theme. Add a test for it.", 1),
        change("theme.py", 2),
        ran("pytest -q", "12 passed in 0.3s", 3),
        ran("git commit -m 'Add a dark mode to the theme and a test for it'", commit, 4),
    ]
    [one] = items(*events)
    assert (one.title, one.source, one.created_at) == ("Add a dark mode to the theme", work.ARCHIVE, at(1))
    assert one.lineage.files_changed == ("theme.py",) and one.sessions == ("some-agent/s1",)
    isc = criteria.read(one.path)
    assert [each.text for each in isc.criteria] == ["add a dark mode to the theme", "Add a test for it"]
    assert isc.criteria[0].status == "SATISFIED"
    assert items(*events) == [one]


@pytest.mark.parametrize(
    "first",
    [
        "Why does the theme flicker at the start?",
        "thanks, that is great",
        "You are Dori, an agent that works off a playbook. " + "Read every box and tick it when it is done. " * 60,
        "12 tests fail with these numbers",
    ],
)
def test_what_asks_for_no_work_gives_none(items, first):
    """Questions, thanks and what a program says to its agent open nothing, also if commands are run."""
    assert items(asked(first, 1), ran("make build", "ok", 2)) == []


def test_a_paste_is_no_title_and_no_criterion(items, change):
    """Of a message that begins with what a terminal showed only what the person says below it counts."""
    pasted = "➜ shop git:(main) git push origin main\n- To silence this, run `hooks uninstall`\nerror: refused\n\n"
    [one] = items(asked(pasted + "please remove the hook from the settings", 1), change("settings.json", 2))
    assert one.title == "Remove the hook from the settings"
    assert [each.text for each in criteria.read(one.path).every] == ["remove the hook from the settings"]


def test_a_plan_that_was_agreed_to_is_named_by_its_heading(items, change):
    """The plan is in the agent's words, so its lists are no criteria."""
    plan = "# Plan: Show the total of the cart\n\n## Steps\n- Read cart.py\n- Change the sum\n"
    [one] = items(asked(plan, 1, role="task"), change("cart.py", 2))
    assert one.title == "Plan: Show the total of the cart"
    assert len(criteria.read(one.path).criteria) == 1


def test_talk_about_the_work_is_no_criterion(items, change):
    """Further on only what orders or forbids counts, not what the person asks or remarks."""
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        asked("not sure if the theme is a good word for it, what do you think of the shop theme", 3),
        asked("Now add a switch for the theme", 4),
        change("theme.py", 5),
    )
    told = [each.text for each in criteria.read(one.path).every]
    assert told == ["Add a dark mode to the theme of the shop", "add a switch for the theme"]


def test_what_a_sub_agent_said_is_kept(items, change):
    """The answer of a sub-agent goes into `agents/`, with its type among those that were set to work."""
    task = '{"subagent_type": "explore", "prompt": "Find the colours"}'
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        ran(task, "The colours stand in theme.py, lines 10 to 40.", 3, tool="Task"),
    )
    assert one.lineage.agents_spawned == ("explore",) and len(work.names_in(one, "agents")) == 1


def test_a_transcript_that_grows_goes_on_with_its_item(items, change):
    """What comes later in the session is added to the item, and what was there is not done again."""
    first = [asked("Add a dark mode to the theme of the shop", 1), change("theme.py", 2)]
    [one] = items(*first)
    [after] = items(*first, asked("Now add a switch to the theme", 5), change("switch.py", 6))
    assert after.id == one.id and after.lineage.files_changed == ("theme.py", "switch.py")
    assert [each.text for each in criteria.read(after.path).every][1:] == ["add a switch to the theme"]


def test_what_the_agent_reports_is_the_outcome(items, change, cli, shop, monkeypatch):
    """The agent's last answer is kept as its word and listed; what a person reports takes its place and stays."""
    monkeypatch.chdir(shop)
    events = [
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        asked("The dark mode is in and follows the system.", 3, role="assistant"),
    ]
    [one] = items(*events)
    assert one.outcome == "the agent says: The dark mode is in and follows the system."
    cli("work", "close", one.id, "--outcome", "Dark mode shipped, without a switch")
    assert "outcome: Dark mode shipped, without a switch" in cli("work", "--all").out
    assert items(*events)[0].outcome == "Dark mode shipped, without a switch"


def test_an_item_that_completes_names_what_was_learned(items, change, cli, home, shop, monkeypatch):
    """The lessons that its session taught are told with the item, by reference: a rejected one is told no more."""
    monkeypatch.chdir(shop)
    failed = replace(ran("npm test", "Error: Cannot find module 'vitest'", 3), failed=True)
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        failed,
        ran("npm install", "added 12 packages", 4),
        ran("npm test", "Tests: 12 passed, 12 total", 5),
        ran("git commit -m 'Add a dark mode to the theme of the shop'", "[main 1a2b3c4] Add a dark mode", 6),
    )
    assert one.status == work.COMPLETED and len(one.learned) == 1
    assert "run `npm install`" in cli("work", "show", one.id).out
    lessons = room(str(home))
    lessons.change(lessons.get(one.learned[0]), status="rejected")
    assert "npm install" not in cli("work", "show", one.id).out


@pytest.mark.parametrize(
    "first",
    [
        "Fix it. I no longer use the old theme of the shop",
        "Can you review the theme of the shop and tell me what is stale",
        "On 4, can you check what we do in the other shop and apply the same",
        "I do want this command to behave like:\nshop status\n  open",
        "Some shops might not have a theme at all so the state is set to disabled. Add a check for it.",
        "1. The theme is read twice. When it is missing the raw body is shown\n2. callers should pass it through",
        "Address your findings, then look at the improvements again",
    ],
)
def test_what_is_not_plainly_one_piece_of_work_gives_none(items, change, first):
    """In doubt there is no item: a fragment, a review to read, a remark before the demand, what only points back."""
    assert items(asked(first, 1), change("theme.py", 2)) == []


def test_a_title_is_a_whole_clause(items, change):
    """The first sentence is the title as it stands, however long, and never a part of it."""
    told = (
        "Clicking on the status of the plugin in the status bar should open the view of the plugin and not its status"
    )
    [one] = items(asked(told, 1), change("view.py", 2))
    assert one.title == told


def test_evidence_speaks_for_the_ask_that_it_follows(items, change):
    """What was tested and committed after the next ask says nothing about the one before."""
    found = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        asked("Rename the price column of the invoice table to amount", 3),
        change("invoice.py", 4),
        ran("pytest -q", "12 passed in 0.3s", 5),
        ran("git commit -m 'Rename the price column'", "[main 1a2b3c4] Rename the price column", 6),
        asked("The column is called amount now.", 7, role="assistant"),
    )
    by_title = {one.title: one for one in found}
    theme, column = by_title["Add a dark mode to the theme of the shop"], by_title[found[-1].title]
    assert (theme.status, theme.outcome) == (work.ACTIVE, "")
    assert column.status == work.COMPLETED and "amount now" in column.outcome


@pytest.mark.parametrize("killed_at", range(1, 9))
def test_a_harvest_that_was_killed_leaves_no_item_open(items, change, home, monkeypatch, killed_at):
    """Whichever file of an item is not written any more: the next harvest comes to the same item, completed."""
    asked_for = asked("Rename the price column of the invoice table to amount", 3)
    commit = ran("git commit -m 'Rename the price column'", "[main 1a2b3c4] Rename the price column", 6)
    events = asked_for, change("invoice.py", 4), ran("pytest -q", "12 passed in 0.3s", 5), commit
    left = [killed_at]

    def killed(path, data, write=files.write, **how):
        left[0] -= "/work/" in os.fspath(path)
        if left[0] == 0:
            raise KeyboardInterrupt
        return write(path, data, **how)

    with monkeypatch.context() as patched:
        patched.setattr(files, "write", killed)
        with contextlib.suppress(KeyboardInterrupt):
            items(*events)
    [one] = items(*events)
    assert (one.status, one.lineage.files_changed) == (work.COMPLETED, ("invoice.py",))
    assert criteria.read(one.path).criteria[0].status == criteria.SATISFIED
    assert len(os.listdir(os.path.join(one.path, "verification"))) == 1


def test_each_session_has_items_of_its_own(items, change):
    """Two asks of two sessions are two items, though they speak of the same files."""
    items(asked("Add a dark mode to the theme of the shop", 1), change("theme.py", 2))
    assert len(items(asked("Remove the light theme from the shop settings", 9), change("theme.py", 10), id="s2")) == 2


@pytest.mark.parametrize(("pushed", "status"), [("HEAD:cleanup", "PENDING"), ("main", "SATISFIED")])
def test_a_push_to_main_is_met_by_no_other_branch(items, change, pushed, status):
    """What is asked to be pushed to a named branch must have been pushed there."""
    [one] = items(
        asked("Remove the accidental root artifacts and push directly to main", 1),
        change("root.txt", 2),
        ran("git commit -am 'Remove accidental artifacts'", "[main 1a2b3c4] Remove accidental artifacts", 3),
        ran(f"git push origin {pushed}", "To github.com:shop/shop.git\n   1a2b3c4..5d6e7f8  x -> x", 4),
    )
    assert criteria.read(one.path).criteria[0].status == status


def test_an_entry_of_a_plan_that_is_ticked_by_its_number_is_ticked(items, change):
    """A task that is made by one call and completed by another is met with the ask."""
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        ran('{"subject": "Write the theme", "description": "Write the dark theme"}', "Task #1", 2, tool="TaskCreate"),
        ran('{"subject": "Tell the team", "description": "Tell the whole team"}', "Task #2", 2, tool="TaskCreate"),
        change("theme.py", 3),
        ran('{"taskId": "1", "status": "completed"}', "ok", 4, tool="TaskUpdate"),
        ran("pytest -q", "12 passed in 0.3s", 5),
    )
    assert [each.status for each in criteria.read(one.path).criteria] == ["SATISFIED", "SATISFIED", "PENDING"]


def test_words_that_the_work_is_bad_take_the_evidence_away(items, change):
    """Tests that passed mean nothing where the person says next that it does not work."""
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        ran("pytest -q", "12 passed in 0.3s", 3),
        asked("the switch in the corner is still broken", 4),
    )
    assert criteria.read(one.path).criteria[0].status == "PENDING"


def test_what_was_asked_afterwards_is_no_outcome_of_the_work(items, change):
    """How the agent ended the work is its outcome, and not how it ended a commit or a question about it."""
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        change("theme.py", 2),
        asked("The dark mode is in and follows the system.", 3, role="assistant"),
        asked("commit", 4),
        ran("git commit -m 'Add a dark mode'", "[main 1a2b3c4] Add a dark mode", 5),
        asked("Committed as 1a2b3c4. Other changed files remain unstaged.", 6, role="assistant"),
        asked("which colours are there?", 7),
        asked("There are two colours: black and white.", 8, role="assistant"),
    )
    assert one.outcome == "the agent says: The dark mode is in and follows the system."


def test_a_file_that_a_script_changed_is_named(items, shop):
    """What `sed -i` changed counts like what a tool for editing changed."""
    [one] = items(
        asked("Add a dark mode to the theme of the shop", 1),
        ran("sed -i 's/light/dark/' theme.py", "", 2),
        ran("npm test", "Tests: 12 passed, 12 total", 3),
    )
    assert one.lineage.files_changed == ("theme.py",)
