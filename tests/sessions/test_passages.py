"""What of a session can be searched."""

from __future__ import annotations

import pytest

from holdfast.records import SessionEvent
from holdfast.sessions import index as passages
from holdfast.sessions.index import LONGEST, Talk, cut, of_digest
from sessions.making import answer, digested, edited, human, ran


def test_a_text_is_cut_at_the_end_of_a_paragraph() -> None:
    """A long text comes in pieces that end where a paragraph does, and nothing of it is lost."""
    paragraph = "word " * 100
    text = "\n\n".join([paragraph.strip()] * 6)
    pieces = list(cut(text))
    assert len(pieces) == 3 and all(len(piece) <= LONGEST for piece in pieces)
    assert "\n\n".join(pieces) == text


@pytest.mark.parametrize("text", ["x" * 5_000, "é" * 3_001, "a. " * 2_000, "one\n" * 900, " ", "", "short"])
def test_whatever_the_text_its_letters_come_out(text) -> None:
    """Texts without paragraphs, lines or even spaces are cut too, and every letter stays."""
    pieces = list(cut(text))
    assert all(0 < len(piece) <= LONGEST for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_only_who_speaks_is_taken() -> None:
    """Person, agent, task and summary are taken, each with place, time and folder; the rest is not."""
    talk = Talk()
    for place, role in enumerate(("human", "injected", "assistant", "tool", "ours", "command", "task", "summary")):
        talk.take(SessionEvent(place, role, f" {role} ", "2026-05-04", folder="/f"))
    assert [(piece[1], piece[2]) for piece in talk.pieces] == [
        *(("human", 0), ("assistant", 2), ("task", 6), ("summary", 7))
    ]
    assert talk.pieces[0] == ("human", "human", 0, "2026-05-04", "/f")


def test_what_one_session_brings_is_bounded(monkeypatch) -> None:
    """Beyond the bounds pieces are counted and not kept, by their number and by their length."""
    monkeypatch.setattr(passages, "MAX_PIECES", 3)
    talk = Talk()
    for place in range(5):
        talk.take(SessionEvent(place, "human", "x"))
    assert (len(talk.pieces), talk.cut) == (3, 2)
    monkeypatch.setattr(passages, "MAX_CHARACTERS", 1_500)
    talk = Talk()
    talk.take(SessionEvent(0, "human", "x" * 3_000))
    assert (len(talk.pieces), talk.cut) == (1, 2)


def test_a_digest_says_what_was_done() -> None:
    """Title, files, commands and errors of the digest can be searched, within the bound of a piece."""
    made = digested(
        *(
            human("Fix the upload"),
            edited("/home/ann/shop/src/upload.py"),
            ran("npm run deploy", "Error: no key", True),
        ),
        answer(),
    )
    text = "\n".join(piece[0] for piece in of_digest(made, talked=True))
    assert "Fix the upload" in text and "src/upload.py" in text and "npm run deploy" in text and "no key" in text
    assert {piece[1] for piece in of_digest(made, talked=True)} == {"digest"}


def test_what_people_said_is_told_by_the_digest_only_when_it_is_gone() -> None:
    """Asks and decisions stand in the digest's passages only where the person's own words are not there."""
    made = digested(human("Look at it"), answer(), human("From now on we always use tabs, not spaces."), answer())
    assert "asked:" not in "\n".join(piece[0] for piece in of_digest(made, talked=True))
    gone = "\n".join(piece[0] for piece in of_digest(made, talked=False))
    assert "asked: Look at it" in gone and "tabs" in gone


def test_many_facts_are_shared_out() -> None:
    """A digest with many files comes in several pieces, none too long, and none of the files is lost."""
    made = digested(human("Go"), *(edited(f"/home/ann/shop/{'long-' * 20}{n}.py") for n in range(30)))
    pieces = of_digest(made, talked=True)
    assert len(pieces) > 1 and all(len(piece[0]) <= LONGEST for piece in pieces)
    assert sum(piece[0].count(".py") for piece in pieces) == len(made.files)
