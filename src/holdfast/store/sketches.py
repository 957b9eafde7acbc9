"""Sketches: the signs of a vector, one bit a number, kept so that a million can be gone through in plain Python.

Identity. A sketch is that of a row (a memory or a passage), in the scope of the row, by one model.

Derived. A sketch is made of a stored vector and only points to rows that may be near: whoever asks compares the vectors
themselves, and checks that the row is still there and may be seen.

Layout. Sketches lie in chunks of one scope, one after the other. A chunk never changes: rows that come or go make
another one, with another number, and small chunks grow together. So a process may keep what it read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from holdfast.records import Scope

MAX_ROWS = 8_192
_ID = 8
# A number of a stored vector is a byte in two's complement: below 128 it is zero or more.
_SIGNS = b"1" * 128 + b"0" * 128


class Chunk:
    """Some rows of one scope: their numbers and their sketches, each of `width` bytes."""

    def __init__(self, ids: bytes, codes: bytes) -> None:
        self.ids = memoryview(ids).cast("q")
        self.codes = codes
        self.width = len(codes) // len(self.ids)
        self._columns: dict[int, bytes] = {}

    def column(self, byte: int) -> bytes:
        """Return one byte of the sketch of every row."""
        column = self._columns.get(byte)
        if column is None:
            column = self._columns[byte] = self.codes[byte :: self.width]
        return column

    def codes_at(self, places: Iterable[int]) -> bytes:
        """Return the sketches of these rows, one after the other."""
        width, codes = self.width, self.codes
        return b"".join([codes[place * width : place * width + width] for place in places])


class Sketches:
    """The sketches of one table, in `name`."""

    def __init__(self, db: sqlite3.Connection, name: str) -> None:
        self.db = db
        self.name = name

    def tables(self) -> tuple[str, ...]:
        """Return the statements that make the table."""
        return (
            # AUTOINCREMENT, so that the number of a chunk is never given again.
            f"CREATE TABLE IF NOT EXISTS {self.name}(chunk INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL,"
            " scope TEXT NOT NULL, owner TEXT NOT NULL, width INTEGER NOT NULL, rows INTEGER NOT NULL,"
            " first INTEGER NOT NULL, last INTEGER NOT NULL, ids BLOB NOT NULL, codes BLOB NOT NULL)",
            f"CREATE INDEX IF NOT EXISTS {self.name}_scope ON {self.name}(scope, owner, model, width, chunk, rows)",
        )

    def add(self, scope: Scope, rows: Sequence[tuple[int, bytes]], model: int = 0) -> None:
        """Add the sketches of vectors, each with the number of its row. The caller holds a transaction."""
        by_width: dict[int, list[tuple[int, bytes]]] = {}
        for row, vector in rows:
            by_width.setdefault(len(vector), []).append((row, vector))
        for same in by_width.values():
            for start in range(0, len(same), MAX_ROWS):
                self._add(scope, same[start : start + MAX_ROWS], model)

    def _add(self, scope: Scope, rows: list[tuple[int, bytes]], model: int) -> None:
        ids = b"".join([row.to_bytes(_ID, "little") for row, _ in rows])
        codes = b"".join([code_of(vector) for _, vector in rows])
        width = len(codes) // len(rows)
        while last := self._last_to_join(scope, model, width, len(ids) // _ID):
            number, earlier_ids, earlier_codes = last
            ids, codes = earlier_ids + ids, earlier_codes + codes
            self.db.execute(f"DELETE FROM {self.name} WHERE chunk = ?", (number,))
        self._write((model, scope.kind, scope.owner), ids, codes)

    def _last_to_join(self, scope: Scope, model: int, width: int, rows: int) -> tuple[int, bytes, bytes] | None:
        """Return the last chunk, if it is not much larger: so a row is copied a few times only, and chunks are few."""
        found = self.db.execute(
            f"SELECT chunk, rows FROM {self.name} WHERE scope = ? AND owner = ? AND model = ? AND width = ?"
            " ORDER BY chunk DESC LIMIT 1",
            (scope.kind, scope.owner, model, width),
        ).fetchone()
        if not found or found[1] > 2 * rows or found[1] + rows > MAX_ROWS:
            return None
        ids, codes = self.db.execute(f"SELECT ids, codes FROM {self.name} WHERE chunk = ?", found[:1]).fetchone()
        return int(found[0]), ids, codes

    def _write(self, place: tuple[int, str, str], ids: bytes, codes: bytes) -> None:
        numbers = memoryview(ids).cast("q")
        self.db.execute(
            f"INSERT INTO {self.name}(model, scope, owner, width, rows, first, last, ids, codes)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            (*place, len(codes) // len(numbers), len(numbers), min(numbers), max(numbers), ids, codes),
        )

    def remove(self, ids: Iterable[int]) -> None:
        """Take out the sketches of these rows, in whatever scope they lie. The caller holds a transaction."""
        gone = set(ids)
        if not gone:
            return
        within = (max(gone), min(gone))
        listed = self.db.execute(f"SELECT chunk, ids FROM {self.name} WHERE first <= ? AND last >= ?", within)
        for number in [number for number, numbers in listed.fetchall() if _has_any(numbers, gone)]:
            model, kind, owner, *rest = self.db.execute(
                f"SELECT model, scope, owner, ids, codes FROM {self.name} WHERE chunk = ?", (number,)
            ).fetchone()
            self.db.execute(f"DELETE FROM {self.name} WHERE chunk = ?", (number,))
            self._write_without(gone, Chunk(*rest), (model, kind, owner))

    def _write_without(self, gone: set[int], chunk: Chunk, place: tuple[int, str, str]) -> None:
        kept = [at for at, row in enumerate(chunk.ids) if row not in gone]
        if not kept:
            return
        ids = b"".join([chunk.ids[at].to_bytes(_ID, "little") for at in kept])
        self._write(place, ids, chunk.codes_at(kept))

    def clear(self) -> None:
        """Take out everything."""
        self.db.execute(f"DELETE FROM {self.name}")

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int, model: int = 0) -> list[tuple[int, int]]:
        """Return the number of each chunk of these scopes, of everything for None, and how many rows it has."""
        if scopes is None:
            found = self.db.execute(
                f"SELECT chunk, rows FROM {self.name} WHERE model = ? AND width = ?", (model, width)
            )
            return sorted(found)
        return [
            pair
            for scope in dict.fromkeys(scopes)
            for pair in self.db.execute(
                f"SELECT chunk, rows FROM {self.name} WHERE scope = ? AND owner = ? AND model = ? AND width = ?",
                (scope.kind, scope.owner, model, width),
            )
        ]

    def read(self, number: int) -> Chunk | None:
        """Return a chunk; None where it is there no more."""
        found = self.db.execute(f"SELECT ids, codes FROM {self.name} WHERE chunk = ?", (number,)).fetchone()
        return Chunk(*found) if found else None


def _has_any(ids: bytes, wanted: set[int]) -> bool:
    """Whether one of the rows may be among these; for a few rows much faster than to look at each number."""
    if len(wanted) > 20:
        return not wanted.isdisjoint(memoryview(ids).cast("q"))
    return any(row.to_bytes(_ID, "little") in ids for row in wanted)


def code_of(vector: bytes) -> bytes:
    """Return the signs of a stored vector, the first in the highest bit; zero counts as positive."""
    return int(vector.translate(_SIGNS), 2).to_bytes((len(vector) + 7) // 8, "big")
