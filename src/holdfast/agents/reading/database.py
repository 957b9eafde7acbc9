"""The databases of agents, read while the agent writes: read-only, in short statements, and never changed.

What another process has just written stands in the write-ahead log, so the database is opened beside it and not as
immutable. Where that is refused (locked for long, or a folder in which nothing may be written), database and log are
copied to a private folder and read there.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from holdfast.agents.reading.lines import head
from holdfast.base.files import names_in

MAGIC = b"SQLite format 3\0"
SECONDS = 2.0
# Larger rows are not read.
MAX_ROW = 64 * 2**20


class AgentDatabase:
    """A database of an agent's. It is closed when nobody holds it any more, and a copy of it goes then, too."""

    def __init__(self, path: str) -> None:
        self.broken = 0
        try:
            self._connection = _connected(path)
        except sqlite3.Error:
            copy = _copied(path)
            weakref.finalize(self, shutil.rmtree, copy, ignore_errors=True)
            self._connection = _connected(os.path.join(copy, "copy.db"))
        weakref.finalize(self, self._connection.close)

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """Return the rows of one statement, by column; none where the database gives none, which `broken` counts."""
        try:
            return [dict(row) for row in self._connection.execute(statement, values)]
        except (sqlite3.Error, OverflowError):
            self.broken += 1
            return []

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table with all of these columns."""
        found = {row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", table)}
        return bool(found) and found.issuperset(columns)


def opened(path: str) -> AgentDatabase | None:
    """Return the database at a path, or None where there is none that can be read."""
    if not is_database(path):
        return None
    try:
        return AgentDatabase(path)
    except (sqlite3.Error, OSError):
        return None


def is_database(path: str) -> bool:
    """Whether the file is an SQLite database, by its first bytes."""
    return head(path, len(MAGIC)) == MAGIC


def databases_in(folder: str, start: str, *endings: str) -> Iterator[str]:
    """Yield the databases in a folder whose names begin and end so."""
    for name in names_in(folder, hidden=True):
        full = os.path.join(folder, name)
        if name.startswith(start) and name.endswith(endings) and is_database(full):
            yield full


def _connected(path: str) -> sqlite3.Connection:
    address = f"file:{quote(os.path.abspath(path))}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=SECONDS, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW)
        connection.execute("PRAGMA query_only=1")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _copied(path: str) -> str:
    folder = tempfile.mkdtemp(prefix="holdfast-")
    try:
        for ending in ("", "-wal"):
            if os.path.isfile(path + ending):
                shutil.copyfile(path + ending, os.path.join(folder, "copy.db" + ending))
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder
