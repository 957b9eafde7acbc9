"""Whether a later message takes back an earlier statement; made up for the cases that real people's messages showed."""

from __future__ import annotations

import pytest

from holdfast.language.taken_back import Retraction


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("forget that nox thing", "From now on run nox before every commit"),
        ("forget what I said about British English", "Write docs in British English"),
        ("vergiss das mit den Kommentaren", "Kommentare im Code immer auf Englisch"),
        ("tox is dead, use nox", "Run tox before each release"),
        ("We dropped Redis.", "Use Redis for the session cache"),
        ("Kim left, ask Ines about billing", "Kim owns the billing tables"),
        ("the mail queue isn't called otter any more, we renamed it", "The mail queue is called otter"),
        ("we use just instead of rake now", "We use rake"),
        ("you may edit the seed folder from now on", "Never edit the seed folder"),
        ("staging moved to qa-5.example", "Staging is at qa-3.example"),
        ("no bootstrap after all, plain css", "We go with bootstrap"),
        ("celery is overkill, a thread will do", "Let's use celery for jobs"),
        ("the 90 columns thing was too strict", "At most 90 columns a line"),
        ("the proxy was retired last week", "Always use the corporate proxy for downloads"),
        ("der Testnutzer ist jetzt ida, otto gibts nicht mehr", "Der Testnutzer heißt otto"),
        ("we switched from black to ruff", "Use black for formatting"),
        ("releases moved to Wednesdays", "Releases happen on Tuesdays"),
        ("the build needs node 24 since today", "The build needs node 22"),
        ("line length is 120 now", "Line length is 100"),
        ("no more XML, JSON everywhere", "Responses are XML"),
    ],
)
def test_a_statement_is_taken_back(newer, older):
    """What is said to be forgotten, over or elsewhere is what the statement was about."""
    assert Retraction(newer).takes_back(older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("forget the tests for now, just make it compile", "Run the tests before pushing"),
        ("don't forget the changelog", "Every change needs a changelog entry"),
        ("never mind, tests pass now", "Run the tests before pushing"),
        ("the error is gone", "Always log the error"),
        ("the search is out of scope", "The search goes through the index"),
        ("there are no longer 100 rows in the table, only 60", "Lines have at most 100 columns"),
        ("replace the avatar of the demo account", "The demo account is demo@shop.example"),
        ("the proxy is dead again, restart it", "Always use the corporate proxy for downloads"),
        ("Kim moved the table to the second page", "Kim owns the billing tables"),
        ("why is tox dead?", "Run tox before each commit"),
        ("the left sidebar is broken", "Keep the sidebar on the left"),
        ("no more than 80 columns please", "Lines have 80 columns at most"),
        ("we dropped npm", "Never use npm"),
        ("From now on never use console.log, always use the logger from src/log.ts.", "Use the logger."),
        ("use port 9100 for the mock server instead of 9101", "The gateway listens on port 8100"),
        ("now run the tests with -n 1", "Run the tests with -n 4"),
        ("docker is not installed in ci, skip those there", "Tests need docker"),
        ("Switch the dialog to the new font", "The dialog has two buttons"),
        ("ignore the warnings of mypy today", "Mend every warning of mypy"),
        ("The ledger service moved to port 9090", "The billing service runs on port 8080"),
        ("the api folder uses pnpm now, not npm", "The web folder uses npm"),
        ("Logs of ledger are kept for thirty days instead of ninety", "Logs of billing are kept for ninety days"),
        ("Tests of ledger need podman instead of docker", "Tests of checkout need docker"),
    ],
)
def test_a_statement_stands(newer, older):
    """What is meant for the moment, asked, denied, about something else, or says the same again takes nothing back."""
    assert not Retraction(newer).takes_back(older, just_said=True)


def test_wait_no_is_about_what_was_just_said():
    """Such an opening takes back what was said a moment ago, and not what was said last week."""
    newer, older = "wait no, Tom reviews the parser now", "Dana reviews the parser"
    retraction = Retraction(newer)
    assert retraction.takes_back(older, just_said=True) and not retraction.takes_back(older)
