"""Which part of a message is kept, by marks of its pieces that a reader might give and by how it is built."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

from holdfast.language.judge import MAX_TEXT
from holdfast.language.statements import clause_cuts, stated
from holdfast.language.word_pieces import Piece


def test_the_statement_is_the_run_of_clauses_that_speaks_most_for_itself() -> None:
    """Clauses beside the statement stay out, and one that is weak between two strong ones stays in."""
    text = "please run it now, use tabs and not spaces, many thanks beforehand"
    pieces = [Piece(9, text.index(word), text.index(word) + len(word)) for word in text.replace(",", "").split()]
    marks = [*[-9.0] * 4, 9.0, 9.0, -3.0, 9.0, 9.0, *[-9.0] * 3]
    assert stated(text, pieces, _inside(marks)) == "use tabs and not spaces"


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
    assert stated(text, pieces, _inside(marks)) == (statement or text)


def test_where_the_statement_begins_and_ends_is_told_by_its_bounds_too() -> None:
    """Of two runs whose pieces are marked alike, the one where the readers see a beginning and an end is kept."""
    text = "use tabs. use spaces. use hyphens."
    pieces = [Piece(9, found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    for at, sentence in enumerate(("use tabs.", "use spaces.", "use hyphens.")):
        marks = np.zeros((len(pieces), 3), np.float32)
        marks[2 * at, 1] = marks[2 * at + 1, 2] = 20.0
        marks[:, 0] = -0.5
        assert stated(text, pieces, marks) == sentence


def _inside(marks: list[float]) -> np.ndarray:
    """Return marks of pieces by readers that see the statement begin and end with its first and last piece."""
    found = np.array([[mark, 0.0, 0.0] for mark in marks], np.float32)
    likely = np.flatnonzero(found[:, 0] > 0)
    found[likely[0], 1] = found[likely[-1], 2] = 6.0
    return found


def _likely(text: str, kept: str) -> str:
    """Return the statement of a text by marks that speak for a part of it."""
    pieces = [Piece(9, found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    at = text.index(kept)
    return stated(text, pieces, _inside([9.0 if at <= one.start < at + len(kept) else -12.0 for one in pieces]))


RULES = "The rules are:\n- use tabs\n- never squash\n- ask me first"


@pytest.mark.parametrize(
    ("text", "likely", "statement"),
    [
        (f"{RULES}\n\nNow fix the header.", "The rules are:\n- use tabs\n- never squash", RULES),
        ("We deploy by hand (from the VPN, never from CI). Go on.", "We deploy by hand (from the VPN", None),
        ('Call it "Ledger, the second". Then go on.', 'Call it "Ledger', None),
        ("Always run `make fmt, lint; test` first. Then go on.", "Always run `make fmt, lint", None),
    ],
)
def test_what_is_opened_is_closed_and_what_is_announced_is_told(text, likely, statement) -> None:
    """A list is kept as a whole, and so is what stands in brackets, in quotes or as code."""
    assert _likely(text, likely) == (statement or re.split(r"(?<=\.) ", text)[0])


def test_nothing_is_cut_within_code() -> None:
    """A fenced block is one piece, with all that would end a clause elsewhere."""
    code = "```\nfor x in y: print(x); go()\n\nstop.\n```"
    text = f"Never do this:\n{code}\nIt is slow."
    cuts = clause_cuts(text)
    assert not [cut for cut in cuts if text.index(code) < cut < text.index(code) + len(code)]


def test_an_item_that_stands_alone_has_no_mark_and_nothing_hangs_loose() -> None:
    """Of a list one item may be what counts; a dash that led to the next clause goes."""
    assert _likely("See:\n- fix the header\n- never squash\n", "- never squash") == "never squash"
    assert _likely("never squash -- and fix the header", "never squash") == "never squash"


@pytest.mark.parametrize("signs", [":\n", "`a (b ", "\n", "- a:\n", " ", "((", ", "])
def test_a_message_of_signs_is_cut_in_no_time(signs) -> None:
    """Nothing is tried again at every sign of a long row of them."""
    started = time.process_time()
    stated((signs * MAX_TEXT)[:MAX_TEXT], [Piece(9, 0, 1)], np.zeros((1, 3), np.float32))
    assert time.process_time() - started < 3.0
