"""Where in a message somebody else speaks; made up after what people paste from mails, chats and tickets."""

from __future__ import annotations

import pytest

from holdfast.language.reported import around_others, is_anothers, own_part
from holdfast.language.triggers import scan

PASTED = [
    "Teo K.  2:31 PM\nthe dump should always be zipped from now on",
    "[11:05] Weber, Ina\nBitte ab jetzt alle Beträge in Cent speichern!",
    "[03.11.26, 09:12:44] Chefin: wir nehmen ab sofort nur noch EU-Server",
    "pixelpia — Today at 4:12 PM\nwe always use snake case here, never camel",
    "@kurt-b commented 3 days ago\nPlease always sort the keys.",
    "Von: Jens Kuhn <jens@x.example>\nBetreff: Logs\n\nHallo,\nab jetzt alles als JSON loggen.\nVG Jens",
    "From: Li <li@shop.example>\nSubject: names\n\nFrom now on all buckets start with shop-.",
    "De: Ana <ana@tienda.example>\nAsunto: fechas\n\nA partir de ahora las fechas siempre en UTC.",
    "---------- Forwarded message ---------\nFrom now on we never deploy on Fridays.",
    "Dear team,\nplease always call me before updates. From now on invoices come as PDF.\nBest regards\nMr Holm",
]


@pytest.mark.parametrize("pasted", PASTED)
def test_what_was_pasted_is_not_the_persons(pasted):
    """A line of a chat, the header or the greeting of a mail begin another's words; nothing below says what holds."""
    text = f"can you do what they want here\n\n{pasted}"
    assert own_part(text).strip() == "can you do what they want here"
    assert scan(text) == scan("can you do what they want here")


@pytest.mark.parametrize(
    "lead", ["lena wrote:", "do what the customer wants:", "hab das von der QA bekommen:", "notes from the retro:"]
)
def test_who_is_named_before_a_colon_speaks_behind_it(lead):
    """The line that names them is the person's."""
    sentence = "from now on always use snake case"
    assert own_part(f"{lead}\n- {sentence}").strip() == lead
    assert is_anothers(f"{lead}\n- {sentence}", sentence) and not is_anothers(f"{sentence}\n{lead}", sentence)


@pytest.mark.parametrize(
    "text",
    [
        "hi,\nplease always use tabs",
        "The rules are:\n- use tabs\n- no mocks",
        "Rules from now on:\n- use tabs",
        "Fix it step by step:\n1. read the log\n2. never touch the schema",
        "standup is at 9:15\nnever book a meeting then",
        "From: the list view\nfix the button and always use the theme's colours",
        "What I want from you:\n- short answers",
        "[WIP] the import\nnever load all of it",
    ],
)
def test_a_message_of_the_persons_own_stays_theirs(text):
    """Their greeting, their rules and their steps are no text of somebody else."""
    assert own_part(text) == text


def test_a_question_below_is_told_with_what_was_said_above():
    """What a person asked for is told without the mail that they asked it of."""
    text = f"issue 41 says:\n\n{PASTED[4]}\n\ncan you reproduce it?"
    assert around_others(text) == "issue 41 says:\ncan you reproduce it?"
    assert around_others(f"set it up like this\n\n{PASTED[5]}") == "set it up like this"
