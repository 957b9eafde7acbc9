"""What a query asks for: its telling words, as an expression that SQLite's full-text search takes.

Words that name nothing are left out (`empty_words.txt`), and a long prompt is cut to its rarest words: at 100,000
documents that is many times cheaper, and loses nothing, since a word that stands everywhere tells nothing. The words
are stemmed by SQLite itself, in a scratch table with the same tokenizer, so that what is counted is what is searched.
"""

from __future__ import annotations

import os
import sqlite3
from functools import lru_cache

from holdfast.light import dataclass
from holdfast.store import tokens
from holdfast.store.database import TOKENIZE

MOST_WORDS = 12
LEAST_WORDS = 3
MOST_DOCUMENTS = 5_000
_QUERY_WORDS = 200
_QUERY_LENGTH = 20_000
# Words that stand in more than this share of all documents count less for meaning too.
_COMMON = 0.15


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is searched: `expression` is empty where no word of it is known; `damp` weakens common words."""

    text: str
    words: tuple[str, ...]
    expression: str
    known: float
    damp: dict[str, float]


def ask(db: sqlite3.Connection, vocabulary: str, total: int, query: str) -> Asked:
    """Return what the query asks of the documents that the vocabulary table counts, `total` in number."""
    text = query[:_QUERY_LENGTH]
    words, grams = tokens.query_words(text)
    asked = ([word for word in words if word not in _empty_words()] + grams or words)[:_QUERY_WORDS]
    counts = _document_counts(db, vocabulary, asked)
    chosen = _telling(asked, counts, total)
    known = sum(1 for count in counts.values() if count) / len(asked) if asked else 0.0
    damp = {
        asked[place]: _COMMON * total / count for place, count in counts.items() if count > _COMMON * max(total, 20)
    }
    return Asked(text, tuple(chosen), " OR ".join(quoted(word) for word in chosen), known, damp)


@lru_cache(maxsize=1)
def _empty_words() -> frozenset[str]:
    with open(os.path.join(os.path.dirname(__file__), "empty_words.txt"), encoding="utf-8") as file:
        return frozenset(line.strip() for line in file if not line.startswith("#"))


def quoted(word: str) -> str:
    """Return the word as a full-text string, whatever signs are in it."""
    return '"' + word.replace('"', '""') + '"'


def _telling(words: list[str], counts: dict[int, int], total: int) -> list[str]:
    """Return the words that stand in the index and tell something, the rarest first.

    At least three, where there are as many; more of them while they do not stand in too many documents together, and
    in less than half of all. So a query costs about the same whatever the size of the collection.
    """
    known = sorted((count, place) for place, count in counts.items() if count)
    chosen: list[str] = []
    documents = 0
    for count, place in known[:MOST_WORDS]:
        documents += count
        if len(chosen) >= LEAST_WORDS and (documents > MOST_DOCUMENTS or count * 2 > max(1, total)):
            break
        chosen.append(words[place])
    return chosen


def _document_counts(db: sqlite3.Connection, vocabulary: str, words: list[str]) -> dict[int, int]:
    """Return for each word (by its place) in how many documents its rarest part stands."""
    counts: dict[int, int] = {}
    for place, stem in _stems(db, words):
        row = db.execute(f"SELECT doc FROM {vocabulary} WHERE term = ?", (stem,)).fetchone()
        count = int(row[0]) if row else 0
        counts[place] = min(count, counts.get(place, count))
    return counts


def _stems(db: sqlite3.Connection, words: list[str]) -> list[tuple[int, str]]:
    """Return the stems of the words, each with the place of its word."""
    if not words:
        return []
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='{TOKENIZE}')")
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_stems USING fts5vocab(temp, asked, instance)")
    # A savepoint, so that it does not matter whether the caller is within a transaction.
    db.execute("SAVEPOINT asked_words")
    try:
        db.executemany("INSERT INTO asked(rowid, word) VALUES (?, ?)", list(enumerate(words)))
        return [(int(place), str(stem)) for place, stem in db.execute("SELECT doc, term FROM asked_stems")]
    finally:
        db.execute("ROLLBACK TO asked_words")
        db.execute("RELEASE asked_words")
