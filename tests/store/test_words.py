"""What a query asks for, as an expression for SQLite's full-text search."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.store import words as tokens
from holdfast.store.words import MAX_WORDS, TOKENIZE, Asked, ask
from support.sampling import count


class ReadOnlyIndex:
    """Documents in a real full-text table, with the vocabulary that counts them."""

    def __init__(self, texts: list[str]) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.execute(f"CREATE VIRTUAL TABLE shelf USING fts5(text, grams, tokenize='{TOKENIZE}')")
        self.db.execute("CREATE VIRTUAL TABLE shelf_words USING fts5vocab(shelf, row)")
        rows = [(text, " ".join(tokens.grams(text))) for text in texts]
        self.db.executemany("INSERT INTO shelf(text, grams) VALUES (?, ?)", rows)
        self.total = len(texts)

    def ask(self, query: str) -> Asked:
        """Return what the query asks of these documents."""
        return ask(self.db, "shelf_words", self.total, query)

    def match(self, asked: Asked) -> list[str]:
        """Return the documents that the expression finds."""
        rows = self.db.execute("SELECT text FROM shelf WHERE shelf MATCH ? ORDER BY rank", (asked.expression,))
        return [text for (text,) in rows]


@pytest.fixture
def index():
    """Make shelves of documents, and close them in the end."""
    made: list[ReadOnlyIndex] = []

    def make(*texts: str) -> ReadOnlyIndex:
        made.append(ReadOnlyIndex([*texts]))
        return made[-1]

    yield make
    for one in made:
        one.db.close()


def test_empty_words_are_left_out(index):
    """A word that names nothing is not searched where another word is left."""
    assert index("What is the VPN?", "The other one is what it is.").ask("what is the vpn").words == ("vpn",)


def test_empty_words_are_searched_where_nothing_else_is_left(index):
    """A query of empty words alone is searched by them."""
    asked = index("What is the VPN?", "Nothing.").ask("what is the")
    assert set(asked.words) == {"what", "is", "the"}


def test_words_that_no_document_has_are_not_searched(index):
    """An unknown word is left out, and `known` is the share of words that are known."""
    asked = index("Deploys need the VPN.").ask("vpn qzxv")
    assert asked.words == ("vpn",)
    assert asked.known == 0.5
    assert index("Deploys need the VPN.").ask("qzxv").expression == ""


def test_the_rarest_words_come_first_and_not_too_many(index):
    """Of many words, at most MAX_WORDS are searched: those that stand in the fewest documents, rarest first."""
    names = [f"word{number}" for number in range(20)]
    one = index(*(" ".join(names[number:]) for number in range(20)), *["filler"] * 40)
    assert one.ask(" ".join(names)).words == tuple(names[:MAX_WORDS])
    assert one.ask(" ".join(reversed(names))).words == tuple(names[:MAX_WORDS])


def test_words_that_are_everywhere_are_left_out_of_a_long_query(index):
    """In a query of more than three known words, one that most documents have is not searched."""
    one = index(*(f"common apple{number} pear{number} plum{number}" for number in range(10)))
    assert "common" not in one.ask("common apple1 pear1 plum1").words
    assert "common" in one.ask("common apple1").words


def test_common_words_are_damped(index):
    """A word of more than a sixth of all documents counts less for meaning, the more common the less; others fully."""
    one = index(*(f"everywhere {'often' if number % 2 else 'x'} n{number}" for number in range(40)))
    damp = one.ask("everywhere often n7").damp
    assert 0 < damp["everywhere"] < damp["often"] < 1
    assert "n7" not in damp


def test_nothing_is_damped_in_a_small_collection(index):
    """Where there are only a few documents, a word that two of them have is not common."""
    assert index("vpn one", "vpn two", "three").ask("vpn").damp == {}


def test_words_are_counted_by_their_stems(index):
    """Another form of a word is known, since the index holds stems."""
    asked = index("Deploying services.", "Other.").ask("deployed service")
    assert asked.known == 1.0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("部署需要虚拟专用网络", "专用网络"),
        ("デプロイにはVPNが必要です", "必要"),
        ("배포하려면 가상사설망이 필요합니다", "사설망"),
        ("Ship it 🚀 on Fridays", "🚀"),
        ("Déploiement à Zürich", "zurich"),
    ],
)
def test_any_script_is_asked_for(index, text, query):
    """A part of a text without spaces, an emoji and a word without its accents are known and found."""
    one = index(text, "Unrelated filler.")
    asked = one.ask(query)
    assert asked.known > 0
    assert one.match(asked) == [text]


def test_it_may_be_asked_within_a_transaction(index):
    """Asking neither needs a transaction of its own nor ends, nor changes, the caller's."""
    one = index("Deploys need the VPN.")
    one.db.execute("BEGIN")
    one.db.execute("INSERT INTO shelf(text) VALUES ('mine')")
    assert one.ask("vpn").words == ("vpn",)
    assert one.db.in_transaction
    one.db.execute("COMMIT")
    assert one.match(one.ask("mine")) == ["mine"]
    assert one.db.execute("SELECT count(*) FROM temp.asked").fetchone() == (0,)


@pytest.fixture(scope="module")
def library():
    """A shelf in several scripts, which is only read."""
    texts = [
        "Deploys need the VPN: a_b, c++ and AND OR NOT NEAR.",
        "部署需要虚拟专用网络",
        "🚀 é ё ا",
        "0 1 2 a b c A _",
    ]
    made = ReadOnlyIndex(texts)
    yield made
    made.db.close()


@settings(max_examples=count(300, 40))
@given(query=st.text() | st.text("\"*^:(){}+-' ANDORTNEabc_é部署🚀\0\ud800", max_size=40))
def test_any_text_gives_an_expression_that_is_accepted(library, query):
    """Whatever is asked, SQLite takes the expression; there is one where a word of the query is known."""
    asked = library.ask(query)
    assert 0.0 <= asked.known <= 1.0
    assert len(asked.words) <= MAX_WORDS
    assert bool(asked.expression) == bool(asked.words) == (asked.known > 0)
    if asked.expression:
        library.match(asked)


def test_a_very_long_query_is_asked(library):
    """A prompt of any length is cut, not refused."""
    assert library.ask("vpn " + "filler words and more " * 50_000).words == ("vpn",)
    assert library.ask("x" * 1_000_000).expression == ""
