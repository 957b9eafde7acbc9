"""What messages and plans ask for: criteria, what must not happen, titles, topics and verdicts."""

from __future__ import annotations

import json

import pytest

from holdfast.language import tools
from holdfast.learning.work import plan_items
from holdfast.learning.work import text as work_text

LIST = """Please implement the importer:
- reads CSV and JSON
- must not load whole files
1. has a progress bar
- [ ] docs

```
- this is code and must not be taken
```
Should we also do XML? It should work offline. Don't worry about Windows."""


def test_a_list_is_the_criteria():
    """Items of a list and sentences that demand something are criteria; questions, code and asides are not."""
    told = plan_items.asked(LIST)
    assert told.criteria == ("reads CSV and JSON", "has a progress bar", "docs", "It should work offline")
    assert told.anti_criteria == ("must not load whole files",)
    assert told.ideal == "implement the importer"


def test_names_in_a_list_are_no_criteria():
    """Items that only say where something is, or what it is called, demand nothing."""
    told = plan_items.asked(
        "Fix the build of this:\n- **Branch:** main\n- Folder: /srv/My Shop\n- Speed: twice as fast"
    )
    assert told.criteria == ("Speed: twice as fast",)


@pytest.mark.parametrize(
    ("text", "wanted", "barred"),
    [
        ("Add a cache and make sure that it expires", ["Add a cache", "make sure that it expires"], []),
        ("Refactor the parser without changing its API", ["Refactor the parser"], ["without changing its API"]),
        ("Baue einen Export ein, ohne die API zu ändern", ["Baue einen Export ein"], ["ohne die API zu ändern"]),
        ("Stelle sicher, dass alle Tests laufen", ["Stelle sicher, dass alle Tests laufen"], []),
        ("Fix the login. Do not touch the session code.", ["Fix the login"], ["Do not touch the session code"]),
        ("Rewrite the page. The button must be green.", ["Rewrite the page", "The button must be green"], []),
        ("Fix the flaky test. I don't know why it fails.", ["Fix the flaky test"], []),
        ("Fix the login, it must be a bug", ["Fix the login"], []),
    ],
)
def test_sentences(text, wanted, barred):
    """What is asked as a whole is the first criterion; parts that demand or forbid something stand beside it."""
    told = plan_items.asked(text)
    assert [list(told.criteria), list(told.anti_criteria)] == [wanted, barred]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("TodoWrite", {"todos": [{"content": "One", "status": "completed"}, {"content": "Two", "status": "pending"}]}),
        ("update_plan", {"plan": [{"step": "One", "status": "completed"}, {"step": "Two", "status": "in_progress"}]}),
        ("write_todos", {"todos": [{"description": "One", "status": "completed"}, {"description": "Two"}]}),
        ("ExitPlanMode", {"plan": "# Plan\n- [x] One\n* [ ] Two\ntext"}),
        ("mcp__server__todo_write", {"todos": [{"content": "One", "done": True}, {"content": "Two", "done": False}]}),
    ],
)
def test_plans(tool, given):
    """The plans of every agent are read, with what is ticked."""
    plan = tools.plan_of(tool, json.dumps(given))
    assert [(entry.text, entry.ticked) for entry in plan] == [("One", True), ("Two", False)]


def test_a_plan_that_was_cut():
    """Of a plan whose arguments were cut off, what stands before the cut is read."""
    whole = json.dumps({"todos": [{"content": f"Entry {n}", "status": "pending"} for n in range(9)]})
    assert [entry.text for entry in tools.plan_of("TodoWrite", whole[:150])] == ["Entry 0", "Entry 1", "Entry 2"]


@pytest.mark.parametrize("given", ["", "{", "null", "7", '{"todos": 3}', '{"todos": [null, 7, {}]}', "[" * 5_000])
def test_what_is_no_plan_is_none(given):
    """Whatever a tool is given, reading its plan never fails."""
    assert tools.plan_of("TodoWrite", given) == () and tools.plan_of("Read", given) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Please, could you add a dark mode toggle?", "Add a dark mode toggle"),
        ("Hi! Can you refactor the upload module so that it streams to S3 now?", "Refactor the upload module"),
        ("```\nTraceback\n```\nFix this crash in the parser", "Fix this crash in the parser"),
        ("# Task\n\nMove it", "Task"),
        ("Kannst du bitte den Export reparieren?", "Den Export reparieren"),
    ],
)
def test_titles(text, title):
    """A title is the first words that say it, without greeting and politeness."""
    assert work_text.title_of(text).startswith(title) and len(work_text.title_of(text)) <= work_text.MAX_TITLE


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        *[(text, "done") for text in ("done", "Done, thanks!", "ok ship it", "fertig", "Das war's", "LGTM, merge it")],
        *[
            (text, "good")
            for text in ("works now, thanks", "Looks good to me", "funktioniert jetzt", "passt so, danke")
        ],
        *[(text, "good") for text in ("the discount works now", "great, the login is fixed", "der Export geht jetzt")],
        *[(text, "") for text in ("the first part works now", "the cart works now and the login is next")],
        *[(text, "bad") for text in ("it still fails", "das geht immer noch nicht", "it doesn't work when I reload")],
        *[(text, "") for text in ("are you done?", "done with the first part, now do the second", "thanks", "great")],
        *[(text, "") for text in ("the work is done by the worker", "ship it to the test server and tell me", "")],
    ],
)
def test_verdicts(text, verdict):
    """Only a message that says no more than that it is done, or works, says so."""
    assert work_text.verdict(text) == verdict


@pytest.mark.parametrize("text", ["also add tests", "now do the docs", "Und noch ein Test dafür", "make it faster"])
def test_what_points_back(text):
    """Messages that begin so, or point with a word, go on."""
    assert work_text.points_back(text)


@pytest.mark.parametrize("text", ["Write a migration for clients", "Schreibe eine neue Seite für Kunden"])
def test_what_does_not_point_back(text):
    """A message that stands for itself does not."""
    assert not work_text.points_back(text)


def test_a_plain_order_is_a_criterion() -> None:
    """What a sentence orders to be there counts as much as what "must" be."""
    told = plan_items.asked("The cart rounds wrongly. Write a migration to cents. Add a test for it.")
    assert told.criteria[-2:] == ("Write a migration to cents", "Add a test for it")
    assert plan_items.asked("Fix the cart rounding. Thanks for the quick help.").criteria == ("Fix the cart rounding",)
