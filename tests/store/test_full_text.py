"""Which words of a query stand in which documents, and how long those are."""

from __future__ import annotations

import sqlite3

import pytest

from holdfast.store.full_text import (
    MAX_DOCUMENTS,
    MAX_HOLDERS,
    all_holders,
    documents,
    heaviest,
    held_words,
    in_parts,
    word_count,
)
from holdfast.store.words import COUNTED, TOKENIZE, Asked

TEXTS = ["Deploys need the VPN.", "The VPN is slow, and the deploy was slow.", "Lunch.", "word " * 300]


@pytest.fixture
def db():
    """Return a table with a few documents."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, about, tokenize='{TOKENIZE}')")
    db.executemany("INSERT INTO words VALUES (?, ?)", [(text, "by somebody") for text in TEXTS])
    yield db
    db.close()


def asked(*words: str, counts: tuple[int, ...] = (), total: int = 4) -> Asked:
    """Return a query for these words."""
    return Asked(" ".join(words), words, "", 1.0, {}, counts or (1,) * len(words), total)


def test_each_word_is_a_bit(db):
    """A document has the bit of every word that it holds, by its stem, and only documents that were asked about."""
    assert held_words(db, "words", asked("deploy", "vpn", "slow"), [1, 2, 3]) == {1: 0b011, 2: 0b111, 3: 0}
    assert held_words(db, "words", asked("vpn"), [2]) == {2: 1}


def test_signs_in_a_word_are_no_syntax(db):
    """A word with quotes or operators is a word."""
    assert held_words(db, "words", asked('vpn"', "NEAR(", "*"), [1]) == {1: 1}


def test_a_word_that_stands_everywhere_is_passed_over(db):
    """A word in very many documents would cost more than it tells."""
    many = asked("vpn", "slow", counts=(MAX_DOCUMENTS + 1, 1))
    assert held_words(db, "words", many, [1, 2]) == {1: 0, 2: 0b10}


def test_lengths_in_words(db):
    """The first columns are counted, also above what one byte can say."""
    sizes = dict(db.execute("SELECT id, sz FROM words_docsize"))
    assert [word_count(sizes[row]) for row in (1, 3, 4)] == [4, 1, 300]
    assert word_count(sizes[3], columns=2) == 3


def test_every_holder_of_a_large_collection_is_told_at_once(db):
    """Each document with one of the words comes with the bits of all that it holds, the same as asked one by one."""
    query = asked("deploy", "vpn", "slow", total=COUNTED + 1)
    assert all_holders(db, "words", query) == {"1": 0b011, "2": 0b111}
    assert all_holders(db, "words", asked("nowhere", total=COUNTED + 1)) == {}


def test_a_common_word_only_counts_in_what_the_rarer_ones_hold(db):
    """A word that would bring too many documents brings none, but its bit is set where a rarer word stands."""
    query = asked("slow", "vpn", counts=(1, MAX_HOLDERS - 1), total=COUNTED + 1)
    assert all_holders(db, "words", query) == {"2": 0b11}


def test_holders_are_not_told_where_sqlite_weighs_better(db):
    """In a small collection, and where the words stand in too many documents together, there is no answer."""
    assert all_holders(db, "words", asked("vpn", total=COUNTED)) is None
    assert all_holders(db, "words", asked("vpn", counts=(MAX_HOLDERS + 1,), total=COUNTED + 1)) is None


def test_the_heaviest_hold_the_words_of_most_worth_and_are_the_newest():
    """Two rare words go before one, a rare one before a common one, and of equals the last numbers are taken."""
    masks = {"9": 0b100, "10": 0b100, "8": 0b100, "3": 0b001, "4": 0b011}
    worth = [3.0, 2.0, 1.0]
    assert heaviest(masks, worth, 2) == ["4", "3"]
    assert heaviest(masks, worth, 4) == ["4", "3", "9", "10"]
    assert sorted(heaviest(masks, worth, 9)) == sorted(masks)
    assert heaviest({}, worth, 9) == []


def test_documents_are_counted_by_the_table_itself(db):
    """The number follows what comes and goes, also above what one byte can say."""
    assert documents(db, "words") == 4
    db.executemany("INSERT INTO words VALUES (?, '')", [("more",)] * 300)
    db.execute("DELETE FROM words WHERE rowid = 1")
    assert documents(db, "words") == 303


def test_numbers_are_asked_for_in_parts():
    """However many there are, no statement has more than SQLite takes everywhere, and each is asked for once."""
    parts = list(in_parts(range(1_201), "(?,?)"))
    assert [len(part) for part, _ in parts] == [500, 500, 201]
    assert [number for part, _ in parts for number in part] == list(range(1_201))
    assert parts[2][1].count("?") == 402 and list(in_parts([])) == []
