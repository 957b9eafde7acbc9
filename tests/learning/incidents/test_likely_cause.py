"""Which call a complaint is about."""

from __future__ import annotations

import json

import pytest

from holdfast.learning.incidents.likely_cause import cause_of, is_destructive, shown
from holdfast.records import SessionEvent
from sessions.making import answer, edited, human, numbered, ran

SAID = "you deleted my migration"


def call_of(complaint: str, *events: SessionEvent) -> str:
    """Return the call that is named, or nothing."""
    cause = cause_of(complaint, numbered(*events))
    return cause.call if cause else ""


def test_what_removed_something_counts_more_than_what_only_names_it() -> None:
    """Of two calls about the thing, the one that removed it is the cause."""
    remove = ran("git rm migrations/7.py")
    assert call_of(SAID, remove, edited("/home/ann/shop/migrations/8.py"), answer()) == "git rm migrations/7.py"


def test_what_failed_counts_more() -> None:
    """A failed call about the thing comes before one that went well."""
    failed = ran("pytest tests/test_login.py", "1 failed", failed=True)
    assert call_of("the login is broken", failed, ran("touch login.py")) == "pytest tests/test_login.py"


def test_what_is_far_back_or_only_read_is_no_cause() -> None:
    """Calls before the last messages of the person, and reads, do not count."""
    old = [ran("rm migrations/7.py"), human("ok"), human("go on"), human("and now?"), human("well")]
    assert call_of(SAID, *old) == ""
    assert call_of(SAID, SessionEvent(0, "tool", tool="Read", input=json.dumps({"file_path": "migrations/7.py"}))) == ""


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("rm -rf build", True),
        ("cd x && rm y", True),
        ("git reset --hard HEAD~1", True),
        ("psql -c 'DROP TABLE users'", True),
        ("git push --force", True),
        ("npm run format", False),
        ("echo alarm now", False),
        ("git status", False),
    ],
)
def test_a_call_that_throws_something_away_is_known(command, wanted) -> None:
    """By the words of its command, wherever in the line they stand."""
    assert is_destructive(ran(command)) is wanted


def test_a_call_is_one_short_line() -> None:
    """A command of many lines is cut to one; another tool is told by its name and files."""
    assert len(shown(ran("echo x\n" * 100))) <= 160 and "\n" not in shown(ran("a\nb"))
    assert shown(edited("/home/ann/shop/till.py")) == "Edit /home/ann/shop/till.py"
