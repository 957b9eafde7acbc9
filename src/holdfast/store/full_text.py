"""Rows with a full-text table beside them, and what memories and passages answer in the same way.

Which of a query's words stand in which documents is asked only of documents that are candidates already, so that the
answer is small; a word that stands in very many documents is passed over, since it would cost more than it tells.
"""

from __future__ import annotations

from holdfast.store import words
from holdfast.store.words import COUNTED, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeVar

    from holdfast.records import Filter, Scope
    from holdfast.store.sketches import Chunk, Sketches
    from holdfast.store.words import Asked, Match, Row

    Item = TypeVar("Item")

MAX_DOCUMENTS = 20_000
# Words that together stand in more documents than this are left to SQLite, which narrows them down.
MAX_HOLDERS = 12_000
# How many documents the rarest words bring; commoner words only add to the score of these.
MAX_ALONE = 3_000
# Where an expression finds many rows, how many of the newest are weighed.
MAX_WEIGHED = 3_000
# Numbers in one statement; SQLite takes more, but not everywhere.
_AT_ONCE = 500


class FullTextTable:
    """The rows of one searchable table. Rows without a session answer nothing about sessions.

    A table says where its words are (`words`, `vocabulary`), how its rows are read (`rows`, with a letter as `alias`),
    what stands for one (`numbers`: id, session and place), and where their vectors are (`meanings`).
    """

    words: str
    vocabulary: str
    rows: str
    alias: str
    numbers: str
    # A condition that is always true and leads SQLite to a good index.
    every = "1"
    db: sqlite3.Connection
    _asked: Asked | None = None
    _holders: dict[str, int] | None = None

    @property
    def meanings(self) -> str:
        """The table of vectors, or a selection of it."""
        raise NotImplementedError

    @property
    def sketches(self) -> Sketches:
        """The sketches of the vectors."""
        raise NotImplementedError

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition that keeps what may and should be seen, and its values."""
        raise NotImplementedError

    def ask(self, query: str) -> Asked:
        """Return what the query asks of these rows."""
        return words.ask(self.db, self.vocabulary, documents(self.db, self.words), query, self.words)

    def matches(self, expression: str, wanted: Filter, limit: int, weighed: int = MAX_WEIGHED) -> list[Match]:
        """Return id, session, place and text score of the rows that match, best first.

        Where the expression is narrowed, the newest so many are weighed.
        """
        where, values = self.seen_by(wanted)
        return words.matches(
            expression,
            limit,
            lambda one, narrowed: self.scored(one, where, values, limit, weighed if narrowed else 0),
        )

    def scored(self, expression: str, where: str, values: list[object], limit: int, weighed: int) -> list[Match]:
        """As `matches`, with the condition of the filter; of the newest that match so many are weighed, or all."""
        raise NotImplementedError

    def best(self, asked: Asked, worth: Sequence[float], wanted: Filter, limit: int) -> list[Match]:
        """Return id, session, place and text score of the rows that hold most of the query's words, best first."""
        holders = self._holders_of(asked)
        if holders is not None:
            return self.best_holders(holders, asked, worth, wanted, limit)
        return self.matches(asked.expression, wanted, limit) if asked.expression else []

    def best_holders(
        self, holders: dict[str, int], asked: Asked, worth: Sequence[float], wanted: Filter, limit: int
    ) -> list[Match]:
        """As `best`, of these holders."""
        raise NotImplementedError

    def held(self, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
        """Return for each of these rows which words of the query it holds, one bit a word."""
        holders = self._holders_of(asked)
        if holders is not None:
            return {row: holders.get(str(row), 0) for row in ids}
        return held_words(self.db, self.words, asked, ids)

    def _holders_of(self, asked: Asked) -> dict[str, int] | None:
        """Return what `all_holders` does, and keep it for the next question about the same query."""
        if self._asked is not asked:
            self._asked, self._holders = asked, all_holders(self.db, self.words, asked)
        return self._holders

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""
        return {}

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return what comes directly before and after these places of sessions, and the rows there, each once."""
        return []

    def times(self, ids: Sequence[int]) -> dict[int, str]:
        """Return when these rows were said, where a later one may stand for an earlier one."""
        return {}

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return what these rows say, as `times`."""
        return {}

    def few(self, wanted: Filter, most: int) -> list[int] | None:
        """Return all that the filter lets through, or None where that is more than `most`."""
        where, values = self.seen_by(wanted)
        sql = f"SELECT {self.alias}.id FROM {self.rows} WHERE {self.every} AND {where} LIMIT ?"
        rows = self.db.execute(sql, [*values, most + 1]).fetchall()
        return [row for (row,) in rows] if len(rows) <= most else None

    def seen(self, ids: Sequence[int], wanted: Filter) -> list[tuple[Row, bytes]]:
        """Return those of these rows that the filter lets through and that have a vector, with it."""
        where, values = self.seen_by(wanted)
        found: list[tuple[Row, bytes]] = []
        for part, marks in in_parts(ids):
            rows = self.db.execute(
                f"SELECT {self.numbers}, v.vector FROM {self.rows} JOIN {self.meanings} v ON v.id = {self.alias}.id"
                f" WHERE {self.alias}.id IN ({marks}) AND {where}",
                [*part, *values],
            )
            found += [((row, session, place), vector) for row, session, place, vector in rows]
        return found

    def nearest(
        self, vectors: Sequence[Sequence[float]], wanted: Filter, limit: int
    ) -> list[list[tuple[Row, float]]] | None:
        """Return None: SQLite compares no vectors."""
        return None

    def vectors(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors of these rows, where they have one by the present model."""
        found: dict[int, bytes] = {}
        for part, marks in in_parts(ids):
            found.update(self.db.execute(f"SELECT v.id, v.vector FROM {self.meanings} v WHERE v.id IN ({marks})", part))
        return found

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return the number of each chunk of sketches of these scopes, or of all, and how many rows it has."""
        return self.sketches.chunks(scopes, width)

    def chunk(self, number: int) -> Chunk | None:
        """Return a chunk, which never changes; None where it is there no more."""
        return self.sketches.read(number)


def in_parts(items: Sequence[Item], mark: str = "?") -> Iterator[tuple[Sequence[Item], str]]:
    """Yield the items in parts that one statement takes, each with as many marks."""
    for start in range(0, len(items), _AT_ONCE):
        part = items[start : start + _AT_ONCE]
        yield part, ",".join([mark] * len(part))


def held_words(db: sqlite3.Connection, table: str, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
    """Return for each document the words of the query that it holds, as a number with one bit a word."""
    held = dict.fromkeys(ids, 0)
    rows = ",".join(map(str, ids))
    for place, (word, count) in enumerate(zip(asked.words, asked.counts, strict=True)):
        if count <= MAX_DOCUMENTS:
            # With the plus, SQLite walks the word's documents once instead of asking for each number again.
            sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND +rowid IN ({rows})"
            for (row,) in db.execute(sql, (quoted(word),)):
                held[row] |= 1 << place
    return held


def all_holders(db: sqlite3.Connection, table: str, asked: Asked) -> dict[str, int] | None:
    """Return the documents that hold one of the query's rarer words, by number as text, with a bit for each word held.

    None where that would cost too much, and in a small collection, where SQLite weighs every document itself.
    """
    if asked.total <= COUNTED or sum(asked.counts) > MAX_HOLDERS:
        return None
    masks: dict[str, int] = {}
    for place, (word, count) in enumerate(zip(asked.words, asked.counts, strict=True)):
        # One long text is read many times faster than as many rows.
        sql = f"SELECT group_concat(rowid) FROM {table} WHERE {table} MATCH ?"
        (numbers,) = db.execute(sql, (quoted(word),)).fetchone()
        listed = numbers.split(",") if numbers else []
        bit = 1 << place
        if len(masks) + count <= MAX_ALONE or place == 0:
            masks.update([(number, masks.get(number, 0) | bit) for number in listed])
        else:
            for number in filter(masks.__contains__, listed):
                masks[number] |= bit
    return masks


def heaviest(masks: dict[str, int], worth: Sequence[float], most: int) -> list[str]:
    """Return about so many documents with the most words by weight, and among equals the newest."""
    counts: dict[int, int] = {}
    for mask in masks.values():
        counts[mask] = counts.get(mask, 0) + 1
    kept: dict[int, list[str]] = {}
    room, last = most, 0
    for last in sorted(counts, key=lambda mask: -worth_of(mask, worth)):
        kept[last] = []
        room -= counts[last]
        if room <= 0:
            break
    for number, mask in masks.items():
        if mask in kept:
            kept[mask].append(number)
    if room < 0:
        kept[last] = sorted(kept[last], key=int)[-room:]
    return [number for numbers in kept.values() for number in numbers]


def worth_of(mask: int, worth: Sequence[float]) -> float:
    """Return what the words of a mask are worth together."""
    return sum([each for place, each in enumerate(worth) if mask >> place & 1])


def documents(db: sqlite3.Connection, table: str) -> int:
    """Return how many documents the table has, as FTS5 itself keeps it; to count them would take a walk."""
    found = db.execute(f"SELECT block FROM {table}_data WHERE id = 1").fetchone()
    return word_count(found[0]) if found and found[0] else 0


def word_count(packed: bytes, columns: int = 1) -> int:
    """Return how many words the first columns have, by a row of FTS5's sizes.

    A number has seven bits a byte; the highest bit says that more follow.
    """
    if columns == 1 and packed[0] < 128:
        return packed[0]
    total = number = 0
    for byte in packed:
        number = number << 7 | byte & 127
        if byte < 128:
            total += number
            number = 0
            columns -= 1
            if not columns:
                break
    return total
