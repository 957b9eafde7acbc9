"""What a query asks for: its telling words, as an expression that SQLite's full-text search takes.

Words that name nothing are left out (`empty_words.txt`), and a long prompt is cut to its rarest words: at 100,000
documents that is many times cheaper, and loses nothing, since a word that stands everywhere tells nothing. The words
are stemmed by SQLite itself, so that what is counted is what is searched.

A query must cost about the same in a large collection. There the count of a word is estimated from its newest
documents, and `held` tells which documents hold which words. Where the words stand in too many documents for that, the
expression is narrowed: only those are weighed that have one of the rarest words or two of the others; all words count
in them. `matches` looks further where a filter leaves too little of that.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass
from holdfast.store import tokens
from holdfast.store.database import TOKENIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    # Id, session, place and text score of what was found.
    Match = tuple[int, int, int, float]

MAX_WORDS = 12
MIN_WORDS = 3
# Up to so many documents in all, words are counted and every document is weighed that has one.
COUNTED = 5_000
# Above, a count is estimated from the newest so many; all chosen words together stand in about so many documents at
# most; and those are weighed that have a rare word, or two of the next few.
_SAMPLE = 200
MAX_DOCUMENTS = 10_000
MAX_BY_RARE = 600
MAX_BY_PAIRS = 400
_PAIRED = 4
# Two words of a query stand in one document more often than chance would have it.
_TOGETHER = 3
# What a filter leaves of that may be too little.
ENOUGH_FOUND = 20
_NARROWED = ") AND ("
_EMPTY: set[str] = set()
_QUERY_WORDS = 200
_QUERY_LENGTH = 20_000
# Words that stand in more than this share of all documents count less for meaning too.
_COMMON = 0.15


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is searched: `expression` is empty where no word of it is known; `damp` weakens common words.

    `counts` says of each of the words in how many of the `total` documents it stands, about.
    """

    text: str
    words: tuple[str, ...]
    expression: str
    known: float
    damp: dict[str, float]
    counts: tuple[int, ...] = ()
    total: int = 0


def ask(db: sqlite3.Connection, vocabulary: str, total: int, query: str, table: str = "") -> Asked:
    """Return what the query asks of `total` documents, which the vocabulary table counts.

    `table` is the full-text table itself; with it, a large collection is asked in bounded time.
    """
    text = query[:_QUERY_LENGTH]
    words, grams = tokens.query_words(text)
    asked = ([word for word in words if word not in _empty_words()] + grams or words)[:_QUERY_WORDS]
    large = bool(table) and total > COUNTED
    counts = _estimates(db, table, asked) if large else _document_counts(db, vocabulary, asked)
    chosen = _telling(counts, total)
    known = sum(1 for count in counts.values() if count) / len(asked) if asked else 0.0
    damp = {
        asked[place]: _COMMON * total / count for place, count in counts.items() if count > _COMMON * max(total, 20)
    }
    expression = _expression([(quoted(asked[place]), counts[place]) for place in chosen], total)
    told = tuple(asked[place] for place in chosen), tuple(counts[place] for place in chosen)
    return Asked(text, told[0], expression, known, damp, told[1], total)


def _expression(words: list[tuple[str, int]], total: int) -> str:
    """Return the words, rarest first, as alternatives; narrowed where they stand in too many documents together."""
    every = " OR ".join([word for word, _ in words])
    if total <= COUNTED or sum([count for _, count in words]) <= MAX_BY_RARE:
        return every
    rare: list[str] = []
    documents = 0
    for word, count in words:
        documents += count
        if documents > MAX_BY_RARE:
            break
        rare.append(word)
    pairs = _pairs(words[len(rare) :][:_PAIRED], total)
    return f"({' OR '.join(rare + pairs)}{_NARROWED}{every})"


def _pairs(common: list[tuple[str, int]], total: int) -> list[str]:
    """Return what finds documents with two of these words, for as many pairs as there is room for documents."""
    pairs: list[str] = []
    room: float = MAX_BY_PAIRS
    for place, (word, count) in enumerate(common):
        partners: list[str] = []
        for other, its_count in common[place + 1 :]:
            room -= _TOGETHER * count * its_count / total
            if room > 0 or not (pairs or partners):
                partners.append(other)
        if partners:
            pairs.append(f"({word} AND ({' OR '.join(partners)}))")
    return pairs or [f"({common[0][0]} AND {common[0][0]})"]


def is_narrowed(expression: str) -> bool:
    """Whether the expression leaves out documents that have a word of the query."""
    return _NARROWED in expression


def matches(expression: str, limit: int, scored: Callable[[str, bool], list[Match]]) -> list[Match]:
    """Return what `scored` finds, told whether to bound it; where a narrowed expression finds few, of all its words."""
    narrowed = is_narrowed(expression)
    found = scored(expression, narrowed)
    if narrowed and len(found) < min(limit, ENOUGH_FOUND):
        found = scored(expression.rpartition(_NARROWED)[2].removesuffix(")"), True)
    return found


def _empty_words() -> set[str]:
    # Not by functools, which a hook would have to import.
    if not _EMPTY:
        with open(os.path.join(os.path.dirname(__file__), "empty_words.txt"), encoding="utf-8") as file:
            _EMPTY.update([line.strip() for line in file if not line.startswith("#")])
    return _EMPTY


def quoted(word: str) -> str:
    """Return the word as a full-text string, whatever signs are in it."""
    return '"' + word.replace('"', '""') + '"'


def _telling(counts: dict[int, int], total: int) -> list[int]:
    """Return the places of the words that stand in the index and tell something, the rarest first.

    At least three, where there are as many; more of them while they do not stand in too many documents together, and
    in less than half of all.
    """
    known = sorted((count, place) for place, count in counts.items() if count)
    chosen: list[int] = []
    documents = 0
    for count, place in known[:MAX_WORDS]:
        documents += count
        if len(chosen) >= MIN_WORDS and (documents > MAX_DOCUMENTS or count * 2 > max(1, total)):
            break
        chosen.append(place)
    return chosen


def _estimates(db: sqlite3.Connection, table: str, words: list[str]) -> dict[int, int]:
    """Return for each word (by its place) in about how many documents it stands, by how far back its newest reach."""
    newest = (db.execute(f"SELECT rowid FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone() or (0,))[0]
    counts: dict[int, int] = {}
    for place, word in enumerate(words):
        found, oldest = db.execute(
            f"SELECT count(*), min(rowid) FROM (SELECT rowid FROM {table} WHERE {table} MATCH ?"
            " ORDER BY rowid DESC LIMIT ?)",
            (quoted(word), _SAMPLE),
        ).fetchone()
        counts[place] = found if found < _SAMPLE else max(found, found * newest // (newest - oldest + 1))
    return counts


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
