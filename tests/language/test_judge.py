"""What the judge says of a message behind the session, by the weights that ship."""

from __future__ import annotations

import re

import pytest

from holdfast.errors import StoreUnavailable
from holdfast.language.byte_pairs import BytePairs
from holdfast.language.judge import Judgement, is_english, judge, stated
from holdfast.language.weights import MAGIC, Weights
from holdfast.language.word_pieces import SPECIAL, UNKNOWN, Piece, WordPieces


@pytest.mark.parametrize(
    ("text", "before", "kind", "statement"),
    [
        ("go for option 1", "1. Redis\n2. SQLite\nWhich one?", "decision", "go for option 1"),
        (
            "Can you fix the login page? Also we always write commit messages in German.",
            "",
            "preference",
            "we always write commit messages in German.",
        ),
        (
            "we decided to keep everything in Postgres, no Redis. now fix the login bug in auth.py",
            "",
            "architecture",
            "we decided to keep everything in Postgres",
        ),
    ],
)
def test_what_is_stated_is_told_with_the_part_that_states_it(text, before, kind, statement) -> None:
    """A decision, a preference and a choice of technology are told as facts, without the task around them."""
    judged = judge(text, before)
    assert kind in judged.kinds
    assert statement in judged.statement and "login page" not in judged.statement
    assert "auth.py" not in judged.statement


@pytest.mark.parametrize("text", ["fix the failing test", "ok", "continue", "why does the build fail?", "", "???"])
def test_a_task_a_question_and_an_acknowledgement_say_nothing(text) -> None:
    """Most messages are of this sort, and nothing is kept of them."""
    assert judge(text) == Judgement()


def test_what_is_not_said_in_english_is_at_most_a_candidate() -> None:
    """The judge has hardly seen other languages, so it does not tell facts in them."""
    assert is_english("use pnpm not npm") and is_english("ok")
    for text in (
        "no, usa la segunda opción para el proyecto",
        "以后不要用 npm，用 pnpm",
        "nein, nimm nicht das andere",
    ):
        assert not is_english(text)
        assert judge(text).kinds == ()


def test_a_message_is_judged_alike_whenever_it_is_judged() -> None:
    """Judging again, as a second sweep does, gives the same."""
    text = "From now on never use console.log, use the logger"
    first = judge(text)
    judge.cache_clear()
    assert judge(text) == first


def test_the_statement_is_the_run_of_clauses_that_speaks_most_for_itself() -> None:
    """Clauses beside the statement stay out, and one that is weak between two strong ones stays in."""
    text = "run it, use tabs and not spaces, thanks"
    pieces = [Piece(9, text.index(word), text.index(word) + len(word)) for word in text.replace(",", "").split()]
    marks = [-9.0, -9.0, 9.0, 9.0, -3.0, 9.0, 9.0, -9.0]
    assert stated(text, pieces, marks) == "use tabs and not spaces"


@pytest.mark.parametrize(
    ("text", "kept", "statement"),
    [
        ("adjust the guide and the rules to never litter", "the rules to never litter", None),
        ("run it, and use tabs", "use tabs", "use tabs"),
        ("guide them by showing both and asking which to take", "guide them by showing both", None),
        ("use tabs and fix the header", "use tabs", "use tabs"),
        ("the default is Gemma (look it up)", "the default is Gemma", "the default is Gemma"),
    ],
)
def test_a_statement_neither_begins_nor_ends_in_the_middle(text, kept, statement) -> None:
    """Where the run of clauses goes on from a clause without a comma, that belongs to it; no sign is left open."""
    pieces = [Piece(9, found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    marks = [9.0 if text.index(kept) <= one.start < text.index(kept) + len(kept) else -12.0 for one in pieces]
    assert stated(text, pieces, marks) == (statement or text)


def test_pieces_know_their_place_in_the_text() -> None:
    """Letters are small and without accents, signs stand alone, and a word that is not known is one piece."""
    pieces = WordPieces([*SPECIAL, "use", "caf", "##e", "!", "不"])
    text = "Use Café! 不 xyz"
    found = pieces.of(text)
    assert [text[one.start : one.end] for one in found] == ["Use", "Caf", "é", "!", "不", "xyz"]
    assert [one.number for one in found] == [4, 5, 6, 7, 8, UNKNOWN]


def test_byte_pairs_know_their_place_in_the_text_whatever_its_letters_are() -> None:
    """Pairs are put together in the order of the vocabulary; a letter of several bytes stands where its bytes do."""
    pairs = BytePairs([(ord("n"), ord("p")), (256, ord("m")), (ord(" "), 257)])
    text = "p npm é7"
    found = pairs.of(text)
    assert [text[one.start : one.end] for one in found] == ["p", " npm", " ", "é", "é", "7"]
    assert [one.number for one in found][:2] == [ord("p"), 258]
    signs = "npm 1\n\n 2 a_b \n"
    assert "".join(signs[one.start : one.end] for one in pairs.of(signs)) == signs


@pytest.mark.parametrize("data", [b"", b"something else", MAGIC + b"{}\nnot packed"])
def test_weights_that_are_not_whole_are_named(tmp_path, data) -> None:
    """Whoever has a broken installation is told what to do."""
    path = tmp_path / "judge.bin"
    path.write_bytes(data)
    with pytest.raises(StoreUnavailable, match="not whole"):
        Weights(str(path))
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        Weights(str(tmp_path / "nothing"))
