"""Which words of a query stand in which documents, and how long those are."""

from __future__ import annotations

import sqlite3

import pytest

from holdfast.store.database import TOKENIZE
from holdfast.store.held import MOST_DOCUMENTS, held_words, lengths
from holdfast.store.words import Asked

TEXTS = ["Deploys need the VPN.", "The VPN is slow, and the deploy was slow.", "Lunch.", "word " * 300]


@pytest.fixture
def db():
    """Return a table with a few documents."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, about, tokenize='{TOKENIZE}')")
    db.executemany("INSERT INTO words VALUES (?, ?)", [(text, "by somebody") for text in TEXTS])
    yield db
    db.close()


def asked(*words: str, counts: tuple[int, ...] = ()) -> Asked:
    """Return a query for these words."""
    return Asked(" ".join(words), words, "", 1.0, {}, counts or (1,) * len(words), 4)


def test_each_word_is_a_bit(db):
    """A document has the bit of every word that it holds, by its stem, and only documents that were asked about."""
    assert held_words(db, "words", asked("deploy", "vpn", "slow"), [1, 2, 3]) == {1: 0b011, 2: 0b111, 3: 0}
    assert held_words(db, "words", asked("vpn"), [2]) == {2: 1}


def test_signs_in_a_word_are_no_syntax(db):
    """A word with quotes or operators is a word."""
    assert held_words(db, "words", asked('vpn"', "NEAR(", "*"), [1]) == {1: 1}


def test_a_word_that_stands_everywhere_is_passed_over(db):
    """A word in very many documents would cost more than it tells."""
    many = asked("vpn", "slow", counts=(MOST_DOCUMENTS + 1, 1))
    assert held_words(db, "words", many, [1, 2]) == {1: 0, 2: 0b10}


def test_lengths_in_words(db):
    """The first columns are counted, also above what one byte can say."""
    assert lengths(db, "words", [1, 3, 4]) == {1: 4, 3: 1, 4: 300}
    assert lengths(db, "words", [3], columns=2) == {3: 3}
    assert lengths(db, "words", []) == {}
