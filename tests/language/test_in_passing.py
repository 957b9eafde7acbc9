"""What is said in passing in a plain form, and what only looks like it."""

from __future__ import annotations

import pytest

from holdfast.continuity.messages import lasting
from holdfast.language.triggers import scan

FACTS = [
    ("grafana listens on 3100. bump the chart", "grafana listens on 3100."),
    ("the nightly job is backup-eu2, skip it when red", "the nightly job is backup-eu2, skip it when red"),
    (
        "der Testserver heißt jetzt orion3 statt orion. passe die config an",
        "der Testserver heißt jetzt orion3 statt orion.",
    ),
    ("la base de pruebas es pg-test-2. arregla el script", "la base de pruebas es pg-test-2."),
    ("upload limit is 40 MB, add it to the form", "upload limit is 40 MB, add it to the form"),
    ("Jola owns the invoices, i do the rest", "Jola owns the invoices, i do the rest"),
    ("Timo macht das Backend, ich die Datenbank", "Timo macht das Backend, ich die Datenbank"),
]
RULES = [
    ("vendor/ is off limits. rename load to read", "vendor/ is off limits."),
    ("in e2e/ no sleeps, wait for events. add one for the cart", "in e2e/ no sleeps, wait for events."),
    ("ich will keine Magic Numbers sehen. räum die Datei auf", "ich will keine Magic Numbers sehen."),
    ("we always rebase. make it one commit", "we always rebase."),
    ("docstrings in english only btw", "docstrings in english only btw"),
    (
        "lesson for the future: take a dump before the migration",
        "lesson for the future: take a dump before the migration",
    ),
    ("next time don't make five commits", "next time don't make five commits"),
    ("siempre escribe los comentarios en español", "siempre escribe los comentarios en español"),
    ("run the specs w/ bin/rspec, not rake. mend the red one", "run the specs w/ bin/rspec, not rake."),
    ("commit messages bitte englisch", "commit messages bitte englisch"),
]


@pytest.mark.parametrize(("text", "said"), FACTS)
def test_what_something_is_called_or_set_to_is_a_value(text, said) -> None:
    """A sentence that names a thing and says right behind what it is tells so by its form, beside any task."""
    assert [one.text for one in scan(text) if one.kind == "value" and one.is_plain] == [said]


@pytest.mark.parametrize(("text", "said"), RULES)
def test_what_is_laid_down_in_passing_is_a_preference(text, said) -> None:
    """A rule is one although the rest of the message gives a task, and it may be told to later sessions."""
    (found,) = [one for one in scan(text) if one.kind == "preference" and one.is_plain]
    assert found.text == said and found.sure and lasting(found.kind, found.text)


@pytest.mark.parametrize(
    "text",
    [
        "is the staging db pg-stg-3?",
        "if the port is 9100 use tls",
        "the output is test_sync.",
        "it is 9100 now",
        "the error says the host is db-1.intern",
        "the right name is load_all, but you wrote load",
        "the path is src/app/main.py",
        "the number of rows is 9100",
        "the parser is user-friendly",
        "your branch is feat/login, rename it",
        "i think the queue is jobs-2",
        "the failing line is 77",
        "the issue is https://tracker.example/204",
        "is generated/ off limits?",
        "Vue owns me today!",
        "run the tests",
        "run it with docker, it is not here",
        "next time i open it the page is blank",
        "in main.py there is no import",
    ],
)
def test_a_report_a_question_a_condition_and_a_task_lay_nothing_down(text) -> None:
    """What points, asks, reports or doubts has another form."""
    assert not [one for one in scan(text) if one.is_plain]


def test_what_stands_below_a_bullet_is_mostly_pasted() -> None:
    """The items of a list are left to what announces them."""
    assert not [one for one in scan("plan:\n- the queue is jobs-2\n- vendor/ is off limits") if one.is_plain]
