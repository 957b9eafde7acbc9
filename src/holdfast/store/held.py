"""Which of a query's words stand in which documents, and how long those are, asked of a full-text table.

Only documents that are candidates already are asked about, so that the answer is small; a word that stands in very
many documents is passed over, since it would cost more than it tells.
"""

from __future__ import annotations

from holdfast.store.words import COUNTED, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    from holdfast.store.words import Asked

    Item = TypeVar("Item")

MAX_DOCUMENTS = 20_000
# Words that stand in more documents together are left to SQLite, which narrows them down.
MAX_HOLDERS = 12_000
# The rarest words bring so many documents; a more common one only counts in those.
MAX_ALONE = 3_000
# Numbers in one statement; SQLite takes more, but not everywhere.
_AT_ONCE = 500


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
            # With the plus, SQLite walks the word's documents once instead of asking for each number anew.
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
    """Return about so many documents that hold most of the words by worth, and of equals the newest."""
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


def lengths(db: sqlite3.Connection, table: str, ids: Sequence[int], columns: int = 1) -> dict[int, int]:
    """Return how many words the first columns of these documents have."""
    found: dict[int, int] = {}
    for part, marks in in_parts(ids):
        sql = f"SELECT id, sz FROM {table}_docsize WHERE id IN ({marks})"
        found.update({row: word_count(sizes, columns) for row, sizes in db.execute(sql, part)})
    return found


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
