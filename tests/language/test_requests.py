"""What a person asks to keep in so many words, and what only sounds like it."""

from __future__ import annotations

import pytest

from holdfast.language.requests import plain_kind, requests
from holdfast.language.sentences import sentences

ASKED = [
    ("Remember: never push to main", "never push to main"),
    ("Please keep in mind that the sandbox has no mail.", "the sandbox has no mail."),
    ("ok, and remember we are not using docker anymore", "we are not using docker anymore"),
    ("run the plan, and remember that staging lives in europe-west3", "staging lives in europe-west3"),
    ("can you remember that we use pnpm?", "we use pnpm"),
    ("Remember this lesson: run make fmt before a commit", "run make fmt before a commit"),
    ("please remember my name is Ann", "my name is Ann"),
    ("remember to always run the linter before you commit", "always run the linter before you commit"),
    ("don't forget that deploys need the VPN", "deploys need the VPN"),
    ("Add to your memory that I'm on Windows", "I'm on Windows"),
    ("Please add to CLAUDE.md: never use npm, always pnpm", "never use npm, always pnpm"),
    (
        "create a cursor rule to ensure that `bun` is always used instead of node",
        "ensure that `bun` is always used instead of node",
    ),
    ("Update the copilot instructions so agents know to enable venv every time", "enable venv every time"),
    ("make a rule that every fix starts with a failing test", "every fix starts with a failing test"),
    ("Bitte merk dir: Deploys nur mit VPN", "Deploys nur mit VPN"),
    ("pamiętaj, że dane są zawsze w folderze data", "że dane są zawsze w folderze data"),
]
NOT_ASKED = [
    "remember to close the file afterwards",
    "don't forget to run the tests",
    "don't forget the tests",
    "make sure that the tests pass",
    "note that the test fails on Windows",
    "analyse this one: https://example.com/issue/7",
    "do you remember the name of the branch?",
    "I don't remember that we agreed on this",
    "the app should remember the last tab",
    "the login form should save and remember the selected language",
    "add a remember me checkbox",
    "remember when we had two servers?",
    "based on your memory, which file was it",
    "add a rule to the firewall that blocks port 80",
    "update the eslint rules so that it always passes",
    "forget that I said we use redis",
    "please write a commit message for my changes to the copilot instructions",
]


def statements(text: str) -> list[str]:
    """Return the statements that a message asks to keep."""
    return [one.statement for one in requests(sentences(text)) if one.statement]


@pytest.mark.parametrize(("text", "statement"), ASKED)
def test_an_explicit_request_keeps_its_statement(text: str, statement: str) -> None:
    """Who asks in so many words to keep something is heard, and the statement is kept without what asks for it."""
    assert statements(text) == [statement]


@pytest.mark.parametrize("text", NOT_ASKED)
def test_tasks_questions_and_features_are_no_request(text: str) -> None:
    """A step of the task, a question, a feature of the program and a rule for another program are not kept."""
    assert statements(text) == []


def test_what_is_announced_stands_in_the_lines_behind() -> None:
    """A request that ends with a colon is itself its statement: whoever keeps it takes the lines that follow."""
    (one,) = requests(sentences("Please remember:\n- my editor is vim"))
    assert one.statement == one.sentence == "Please remember:"


def test_a_request_without_a_statement_names_none() -> None:
    """Who asks to update a file of rules without saying how gives nothing to keep."""
    assert [one.statement for one in requests(sentences("could you update @CLAUDE.md ?"))] == [""]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("From now on never use console.log", "preference"),
        ("never push without asking me", "preference"),
        ("use pnpm not npm", "preference"),
        ("Actually, use httpx not requests", "preference"),
        ("The rules are: no default exports", "preference"),
        ("let's use python instead of bash", "decision"),
        ("go for option 1", "decision"),
        ("use port 8443", "value"),
        ("never mind, I found it", ""),
        ("should we always use tabs?", ""),
        ("option 1 does not work", ""),
        ("1. Use value instead of defaultValue", ""),
        ("it is running on port 8080", ""),
    ],
)
def test_a_plain_form_tells_what_is_stated(text: str, kind: str) -> None:
    """A rule, a choice and a value in their plainest form are known by it alone; what only has their words is not."""
    (sentence,) = sentences(text)
    assert plain_kind(sentence) == kind
