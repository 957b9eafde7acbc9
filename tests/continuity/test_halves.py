"""The half of a sentence that was done, beside one that asks, lacks something or does not work."""

from __future__ import annotations

import pytest

from holdfast.continuity import hook, open_sessions
from holdfast.continuity.halves import done_half

AT = "2026-11-03T09:00:00Z"


def told(answer: str) -> dict[str, str]:
    """Return what an answer to work on a file says, by kinds."""
    rows = (("ask", "build both", AT), ("focus", "build both", AT), ("file", "src/api.py", AT))
    one = open_sessions.Opened("a", "s", "p", AT, AT, "", closed=False, rows=rows, path="", changed=0.0)
    return dict(hook._told_by_answer(answer, one, []))


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("The endpoint is added (src/api.py), but its test fails with a 500.", "The endpoint is added (src/api.py)."),
        ("Der Filter wurde eingebaut, liefert aber alte Treffer.", "Der Filter wurde eingebaut."),
        ("Added the retry; the timeout does not work.", "Added the retry (src/api.py)."),
        ("Die Liste wird jetzt sortiert, für die Karte fehlt mir ein Schlüssel.", "Die Liste wird jetzt sortiert."),
        (
            "Both forms are translated now (a.py); the mail I could not find, where is it?",
            "Both forms are translated now (a.py).",
        ),
        ("La búsqueda funciona, pero falla con acentos.", "La búsqueda funciona (src/api.py)."),
    ],
)
def test_half_a_sentence_is_done_and_the_answer_ends_with_all_of_it(answer, done):
    """What does not work, is missing or asked is not told as done, and nothing of it is lost."""
    found = told(answer)
    assert (found["answer"], found[open_sessions.END]) == (done, answer)


@pytest.mark.parametrize(
    "sentence",
    [
        "Updated the parser, which fixes the crash.",
        "Fixed the stream, the reader never closed it.",
        "Login works now, the test never fails any more.",
        "The six blocks are wrapped now, they only render with the flag.",
        "Moved the helpers to b.py, so the import never breaks.",
        "The job runs at night, not at noon.",
    ],
)
def test_a_reason_a_mended_fault_and_a_detail_limit_nothing(sentence):
    """Only what takes back some of the work parts a sentence."""
    assert done_half(sentence) == sentence


@pytest.mark.parametrize(
    "answer",
    [
        "Both would do:\n\n1. Redis: the client is installed now\n2. Memcached: support was added\n\nI'd go for 1.",
        "Zwei Wege:\n\nA) pdfkit: wurde schon eingebaut\nB) typst: Vorlagen sind fertig\n\nWelchen möchtest du?",
    ],
)
def test_an_option_that_the_agent_offers_was_not_done(answer):
    """What somebody has yet to choose is told neither as done nor as found."""
    found = told(answer)
    assert "answer" not in found
    assert "found" not in found
