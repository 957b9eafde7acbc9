"""Which of a query's words stand in which documents, and how long those are, asked of a full-text table.

Only documents that are candidates already are asked about, so that the answer is small; a word that stands in very
many documents is passed over, since it would cost more than it tells.
"""

from __future__ import annotations

from holdfast.store.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from holdfast.store.words import Asked

MOST_DOCUMENTS = 20_000
_AT_ONCE = 500


def held_words(db: sqlite3.Connection, table: str, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
    """Return for each document the words of the query that it holds, as a number with one bit a word."""
    held = dict.fromkeys(ids, 0)
    rows = ",".join(map(str, ids))
    for place, (word, count) in enumerate(zip(asked.words, asked.counts, strict=True)):
        if count <= MOST_DOCUMENTS:
            # With the plus, SQLite walks the word's documents once instead of asking for each number anew.
            sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND +rowid IN ({rows})"
            for (row,) in db.execute(sql, (quoted(word),)):
                held[row] |= 1 << place
    return held


def lengths(db: sqlite3.Connection, table: str, ids: Sequence[int], columns: int = 1) -> dict[int, int]:
    """Return how many words the first columns of these documents have."""
    found: dict[int, int] = {}
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]
        sql = f"SELECT id, sz FROM {table}_docsize WHERE id IN ({','.join('?' * len(part))})"
        found.update({row: sum(_numbers(sizes)[:columns]) for row, sizes in db.execute(sql, part)})
    return found


def _numbers(packed: bytes) -> list[int]:
    """Return the numbers of a row of FTS5's sizes: seven bits a byte, the highest says that more follow."""
    numbers, number = [], 0
    for byte in packed:
        number = number << 7 | byte & 127
        if byte < 128:
            numbers.append(number)
            number = 0
    return numbers
