"""Text search over the index: the rare words of the query, weighed by BM25.

A long prompt is cut to its rarest words first: at 100,000 documents that is many times cheaper, and loses nothing,
since a word that stands everywhere tells nothing. The words are stemmed by SQLite itself, in a scratch table with the
same tokenizer, so that what is counted is what is searched.
"""

from __future__ import annotations

import sqlite3

from holdfast.store import tokens
from holdfast.store.base import Candidate, Filter
from holdfast.store.database import TOKENIZE
from holdfast.store.index import COLUMNS, Index, where_of

MOST_WORDS = 8
QUERY_WORDS = 200
# title, key, tags, body, earlier statements, grams
_WEIGHTS = "3.0, 2.0, 2.0, 1.0, 0.3, 1.0"
_OPEN, _CLOSE = "\x02", "\x03"


def search(index: Index, query: str, wanted: Filter, limit: int) -> list[Candidate]:
    """Return the candidates that hold at least one of the query's words, best first."""
    words, grams = tokens.query_words(query[:20_000])
    rare = _rarest(index.db, (words + grams)[:QUERY_WORDS])
    if not rare:
        return []
    where, values = where_of(wanted)
    rows = index.db.execute(
        f"SELECT {COLUMNS}, -bm25(words, {_WEIGHTS}) AS text FROM words w JOIN memory m ON m.id = w.rowid"
        f" WHERE words MATCH ? AND {where} ORDER BY text DESC, m.updated DESC, m.path LIMIT ?",
        (" OR ".join(_quoted(word) for word in rare), *values, limit),
    ).fetchall()
    return [_candidate(index, row, rare) for row in rows]


def _candidate(index: Index, row: tuple[object, ...], words: list[str]) -> Candidate:
    memory = index.memory_of(row)
    now, before = _matched(index.db, row[0], words)
    return Candidate(
        memory=memory,
        text=float(str(row[-1])),
        words=now or before,
        earlier=not now and bool(before),
        uses=index.uses(memory.scope, memory.key)[0],
        superseded_by=index.superseded_by(memory.scope, memory.key),
    )


def _matched(db: sqlite3.Connection, row: object, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words as they stand in the current statement, and those that stand only in earlier ones."""
    marked = db.execute(
        "SELECT highlight(words, 0, ?1, ?2), highlight(words, 1, ?1, ?2), highlight(words, 2, ?1, ?2),"
        " highlight(words, 3, ?1, ?2), highlight(words, 5, ?1, ?2), highlight(words, 4, ?1, ?2)"
        " FROM words WHERE words MATCH ?3 AND rowid = ?4",
        (_OPEN, _CLOSE, " OR ".join(_quoted(word) for word in words), row),
    ).fetchone()
    if marked is None:
        return (), ()
    return _between_marks("\n".join(map(str, marked[:5]))), _between_marks(str(marked[5]))


def _between_marks(text: str) -> tuple[str, ...]:
    found = [piece.split(_CLOSE, 1)[0].lower() for piece in text.split(_OPEN)[1:]]
    return tuple(dict.fromkeys(found))


def _rarest(db: sqlite3.Connection, words: list[str]) -> list[str]:
    """Return at most MOST_WORDS words that stand in the index, the rarest first."""
    if not words:
        return []
    found = _document_counts(db, words)
    known = sorted((count, place) for place, count in found.items() if count)
    chosen = known[:MOST_WORDS]
    total = max(1, int(db.execute("SELECT count(*) FROM memory").fetchone()[0]))
    telling = [item for item in chosen if item[0] * 2 <= total] or chosen
    return [words[place] for _, place in (chosen if len(known) <= 3 else telling)]


def _document_counts(db: sqlite3.Connection, words: list[str]) -> dict[int, int]:
    """Return for each word (by its place) in how many documents its rarest part stands."""
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='{TOKENIZE}')")
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_stems USING fts5vocab(temp, asked, instance)")
    db.execute("BEGIN")
    try:
        db.executemany("INSERT INTO asked(rowid, word) VALUES (?, ?)", list(enumerate(words)))
        stems = db.execute("SELECT doc, term FROM asked_stems").fetchall()
    finally:
        db.execute("ROLLBACK")
    counts: dict[int, int] = {}
    for place, stem in stems:
        row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (stem,)).fetchone()
        count = int(row[0]) if row else 0
        counts[place] = min(count, counts.get(place, count))
    return counts


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
