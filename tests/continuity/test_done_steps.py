"""Whether a step was done, by what was said since."""

from __future__ import annotations

import pytest

from holdfast.continuity.done_steps import tells_step


@pytest.mark.parametrize(
    ("step", "said", "done"),
    [
        ("Write the test", "I wrote the test for the login form and updated the docs.", True),
        ("Update the docs", "I wrote the test for the login form and updated the docs.", True),
        ("Check the container size", "The container-size check is done.", True),
        ("Write the test", "I updated the docs.", False),
        ("Deploy the refund service to staging", "I fixed the refund service.", False),
        (
            "Als Nächstes schreibe ich die Tests für den Warenkorb.",
            "Die Tests für den Warenkorb sind geschrieben.",
            True,
        ),
        ("Die Tabelle orders anlegen", "Ich habe die Tabelle orders angelegt.", True),
        ("Den Import in src/csv.py zu testen", "Der Import in src/csv.py ist getestet.", True),
        ("die Rechnungen umzubenennen", "Rechnungen umbenannt", True),
        ("Die Route /refund implementieren", "Route /refund implementiert", True),
        ("Den Cache einschalten", "Der Cache ist ausgeschaltet.", False),
        ("Die Tests schreiben", "Die Liste ist fertig.", False),
    ],
)
def test_a_step_is_done_when_its_words_are_told(step, said, done):
    """A step is known in a statement by nearly all of its words, whatever their tense."""
    assert tells_step(step, [said]) == done
