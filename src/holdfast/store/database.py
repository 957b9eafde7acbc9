"""The index as it is written: how its file is opened, rebuilt where it cannot be used, and filled.

Every write is one `BEGIN IMMEDIATE` transaction with a busy timeout, in WAL mode, so that readers never wait. A file
that is missing, damaged or of another schema is made again, by one process at a time; `fresh` says that it has to be
filled. An error that means damage goes up as SQLite raised it, so that the tree can heal it; any other trouble of a
write becomes a StoreUnavailable.
"""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

from holdfast.base import files
from holdfast.base.clock import Deadline
from holdfast.errors import StoreUnavailable
from holdfast.store.index import BUSY_SECONDS, SCHEMA, TAGS_APART, IndexReader, Transaction, is_damage, unavailable
from holdfast.store.memory_table import MemoryTable
from holdfast.store.words import TOKENIZE, grams
from holdfast.store.words import digest as words_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.records import Memory, Problem
    from holdfast.store.index import Stamp
    from holdfast.store.passages import Passages
    from holdfast.store.session_table import SessionTable

MEMORY = ":memory:"
DAMAGED = "it was damaged"
UNFINISHED = "it was not finished"
_TALK = "('passage_words', 'session_words')"
_TRIES, _PAUSE = 20, 0.05
_TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE folder(path TEXT PRIMARY KEY, seen_ns INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 1)
  WITHOUT ROWID;
CREATE TABLE memory(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL,
  key TEXT NOT NULL, type TEXT NOT NULL, trust TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  source TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, pinned INTEGER NOT NULL, earlier INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL, unsure INTEGER NOT NULL,
  digest BLOB NOT NULL, anchors TEXT NOT NULL, branch TEXT NOT NULL,
  condition TEXT NOT NULL, enforce TEXT NOT NULL, is_rule INTEGER NOT NULL);
CREATE INDEX memory_rule ON memory(scope, owner) WHERE is_rule;
CREATE INDEX memory_place ON memory(scope, owner, key);
CREATE INDEX memory_folder ON memory(folder);
CREATE INDEX memory_updated ON memory(updated);
CREATE INDEX memory_first ON memory(scope, owner, pinned, updated);
CREATE INDEX memory_kind ON memory(scope, owner, type, trust, pinned, updated);
CREATE TABLE tag(memory INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(memory, tag)) WITHOUT ROWID;
CREATE TABLE supersedes(memory INTEGER NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL);
CREATE INDEX supersedes_key ON supersedes(scope, owner, key);
CREATE INDEX supersedes_memory ON supersedes(memory);
CREATE TABLE earlier(memory INTEGER NOT NULL, digest TEXT NOT NULL);
CREATE INDEX earlier_digest ON earlier(digest);
CREATE INDEX earlier_memory ON earlier(memory);
CREATE TABLE uses(scope TEXT, owner TEXT, key TEXT, count INTEGER NOT NULL, last TEXT NOT NULL,
  PRIMARY KEY(scope, owner, key)) WITHOUT ROWID;
CREATE TABLE problem(path TEXT NOT NULL, kind TEXT, text TEXT, hint TEXT, line INTEGER, severity TEXT);
CREATE INDEX problem_path ON problem(path);
CREATE VIRTUAL TABLE words USING fts5(title, name, tags, body, earlier, grams, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
INSERT INTO words(words, rank) VALUES ('usermerge', 2);
"""
# A store joins pieces of the full-text index up to so many pages.
_JOINED_PAGES = 16


class Index(IndexReader):
    """The open file with its tables, to be read and written. `path` may be MEMORY, for a home that cannot be written.

    `damaged` is the inode of a file that turned out to be broken: if it still stands there, it is set aside.
    """

    def __init__(self, path: str, damaged: int = 0) -> None:
        self.path = path
        self.why_fresh = ""
        self.inode = 0
        self.db = self._open(damaged)

    @property
    def memories(self) -> MemoryTable:
        """The memories as they are searched."""
        return MemoryTable(self)

    @property
    def passages(self) -> Passages:
        """The passages of sessions; like their rows, loaded only when somebody asks for them."""
        from holdfast.store.passages import Passages

        return Passages(self.db)

    @property
    def sessions(self) -> SessionTable:
        """The rows of sessions."""
        from holdfast.store.session_table import SessionTable

        return SessionTable(self.db)

    @property
    def fresh(self) -> bool:
        """Whether the index was rebuilt and must be filled."""
        return bool(self.why_fresh)

    @property
    def in_memory(self) -> bool:
        """Whether the index is in memory only, and lost when this process ends."""
        return self.path == MEMORY

    def was_replaced(self) -> bool:
        """Whether the file at the path is no longer the one that is open here."""
        return not self.in_memory and _inode(self.path) != self.inode

    def _open(self, damaged: int) -> sqlite3.Connection:
        if self.in_memory:
            return self._make("it was missing")
        db = None if damaged else self._open_as_it_is()[0]
        if db is None:
            # One process at a time makes the file or puts it right; another that waits here finds it done.
            folder = os.path.join(os.path.dirname(self.path), "state", "locks")
            files.make_folder(folder)
            with files.Lock(os.path.join(folder, "index-open.lock"), seconds=60):
                db = self._open_or_make(damaged)
        self.inode = _inode(self.path)
        return db

    def _open_or_make(self, damaged: int) -> sqlite3.Connection:
        if damaged and _inode(self.path) == damaged:
            db, why = None, DAMAGED
        else:
            db, why = self._open_as_it_is()
        if db is not None:
            return db
        # The old file goes with its side files; a damaged one is kept under another name.
        for ending in ("", "-wal", "-shm"):
            if not os.path.lexists(self.path + ending):
                continue
            if why == DAMAGED:
                os.replace(self.path + ending, f"{self.path}.damaged{ending}")
            else:
                os.unlink(self.path + ending)
        os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE))
        return self._make(why)

    def _open_as_it_is(self) -> tuple[sqlite3.Connection | None, str]:
        """Open the file if it can be used, without waiting for other processes; else say why it cannot."""
        if not os.path.exists(self.path):
            return None, "it was missing"
        db = self._connect()
        try:
            _set_up(db)
            why = _why_unusable(db)
        except sqlite3.Error as problem:
            db.close()
            if is_damage(problem):
                return None, DAMAGED
            raise unavailable(problem, self.path) from problem
        if why not in ("", UNFINISHED):
            db.close()
            return None, why
        self.why_fresh = why
        return db, why

    def _make(self, why: str) -> sqlite3.Connection:
        db = self._connect()
        try:
            db.execute("PRAGMA journal_mode=WAL")
            _set_up(db)
            with Transaction(db, self.path):
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute("INSERT INTO meta VALUES ('schema', ?)", (SCHEMA,))
        except sqlite3.Error as problem:
            db.close()
            raise unavailable(problem, self.path) from problem
        except StoreUnavailable:
            db.close()
            raise
        self.why_fresh = why
        return db

    def copy_from(self, address: str) -> None:
        """Take over what another index holds; an error of SQLite says that it cannot be used."""
        source = sqlite3.connect(address, uri=True)
        try:
            # A copy would wait for ever for whoever holds the file; a query waits for a while, and then fails.
            source.execute("SELECT 1 FROM meta").fetchone()
            source.backup(self.db)
        finally:
            source.close()
        self.why_fresh = _why_unusable(self.db)
        if self.why_fresh not in ("", UNFINISHED):
            raise sqlite3.DatabaseError(self.why_fresh)

    def _connect(self) -> sqlite3.Connection:
        try:
            seconds = 0.0 if Deadline.is_set() else BUSY_SECONDS
            return sqlite3.connect(self.path, timeout=seconds, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as problem:
            raise unavailable(problem, self.path) from problem

    def finished(self) -> None:
        """Note that the index holds every file."""
        with self.begin():
            self.db.execute("INSERT INTO words(words) VALUES ('optimize')")
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('complete', '1')")
        self.why_fresh = ""

    def put(self, memory: Memory, stamp: Stamp, digest: bytes, problems: Iterable[Problem] = ()) -> None:
        """Add the memory of one file, in place of what the index had for that path."""
        # A process that only reads need not load its patterns.
        from holdfast.language.derived import is_rule

        folder = os.path.dirname(memory.path)
        row = self.db.execute(
            "INSERT INTO memory(id, path, folder, scope, owner, key, type, trust, created, updated, source, agent,"
            " session, pinned, earlier, ctime_ns, size, inode, unsure, digest, anchors, branch, condition,"
            " enforce, is_rule) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._take_out(memory.path),
                *(memory.path, folder, memory.scope.kind, memory.scope.owner, memory.key, memory.type, memory.trust),
                *(memory.created, memory.updated, memory.source, memory.agent, memory.session, memory.pinned),
                *(len(memory.history), stamp.ctime_ns, stamp.size, stamp.inode, stamp.unsure, digest),
                *(TAGS_APART.join(memory.anchors), memory.branch, memory.when, memory.enforce, is_rule(memory)),
            ),
        ).lastrowid
        self._put_words(row, memory)
        self._put_lists(row, memory)
        self.put_problems(problems)
        self.mark_stale([folder])

    def join_words(self) -> None:
        """Join some of the pieces that stores leave in the full-text index: a search asks every piece."""
        self.db.execute("INSERT INTO words(words, rank) VALUES ('merge', ?)", (_JOINED_PAGES,))

    def put_problems(self, problems: Iterable[Problem]) -> None:
        """Add what is wrong in a file."""
        for each in problems:
            problem = (each.path, each.kind, each.text, each.hint, each.line, each.severity)
            self.db.execute("INSERT INTO problem VALUES (?,?,?,?,?,?)", problem)

    def _put_words(self, row: int | None, memory: Memory) -> None:
        earlier = "\n".join(statement.text for statement in memory.history)
        tags = TAGS_APART.join(memory.tags)
        everything = "\n".join((memory.title, tags, memory.body, earlier))
        pairs = " ".join(grams(everything))
        self.db.execute(
            "INSERT INTO words(rowid, title, name, tags, body, earlier, grams) VALUES (?,?,?,?,?,?,?)",
            (row, memory.title, memory.key, tags, memory.body, earlier, pairs),
        )

    def _put_lists(self, row: int | None, memory: Memory) -> None:
        for tag in memory.tags:
            self.db.execute("INSERT OR IGNORE INTO tag VALUES (?, ?)", (row, tag.lower()))
        for key in memory.supersedes:
            place = (row, memory.scope.kind, memory.scope.owner, key)
            self.db.execute("INSERT INTO supersedes VALUES (?,?,?,?)", place)
        for statement in memory.history:
            self.db.execute("INSERT INTO earlier VALUES (?, ?)", (row, words_digest(statement.text)))

    def drop(self, paths: Iterable[str]) -> None:
        """Take out what the index has for these paths."""
        for path in paths:
            if self._take_out(path) is not None:
                self.db.execute("UPDATE folder SET stale = 1 WHERE path = ?", (os.path.dirname(path),))

    def _take_out(self, path: str) -> int | None:
        """Take out one path and return its number, which its next version keeps."""
        self.db.execute("DELETE FROM problem WHERE path = ?", (path,))
        found = self.db.execute("SELECT id FROM memory WHERE path = ?", (path,)).fetchone()
        if not found:
            return None
        self.db.execute("DELETE FROM memory WHERE id = ?", found)
        self.db.execute("DELETE FROM words WHERE rowid = ?", found)
        for table in ("tag", "supersedes", "earlier"):
            self.db.execute(f"DELETE FROM {table} WHERE memory = ?", found)
        return int(found[0])

    def erase_traces(self, *, passages: bool = False, anew: bool = False) -> None:
        """Merge the full-text index, so that no word of what was removed is left in it, and empty the log.

        With `anew` every page is written again, so that not even a free one is as it was.
        """
        wanted = "('words', 'passage_words', 'session_words')" if anew else _TALK if passages else "('words')"
        tables = self.db.execute(f"SELECT name FROM sqlite_master WHERE name IN {wanted}").fetchall()
        with self.begin():
            for (table,) in tables:
                self.db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        if anew:
            self.db.execute("VACUUM")
        # A reader that is not done yet keeps the log for a moment; SQLite would wait long for it each time.
        (usual,) = self.db.execute("PRAGMA busy_timeout").fetchone()
        self.db.execute("PRAGMA busy_timeout = 0")
        try:
            for _ in range(_TRIES):
                if not self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return
                time.sleep(_PAUSE)
        finally:
            self.db.execute(f"PRAGMA busy_timeout = {usual}")

    def settle(self, paths: Iterable[str]) -> None:
        """Note that the files certainly say what the index has."""
        self.db.executemany("UPDATE memory SET unsure = 0 WHERE path = ?", [(path,) for path in paths])

    def see(self, folder: str, seen_ns: int) -> None:
        """Note the newest change seen in the folder."""
        self.db.execute(
            "INSERT INTO folder(path, seen_ns) VALUES (?1, ?2) ON CONFLICT(path) DO UPDATE SET seen_ns = ?2",
            (folder, seen_ns),
        )

    def note_glance(self, folder: str, listed: int, cursor: int, inside: Iterable[str]) -> None:
        """Note what `glanced` returns."""
        told = "/".join((str(listed), str(cursor), *inside))
        # Only large folders need it, and an index of an earlier version has none.
        self.db.execute("CREATE INDEX IF NOT EXISTS memory_unsure ON memory(folder) WHERE unsure")
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"glance {folder}", told))

    def mark_stale(self, folders: Iterable[str]) -> None:
        """Note that the `index.md` of these folders has to be written."""
        self.db.executemany(
            "INSERT INTO folder(path) VALUES (?) ON CONFLICT DO UPDATE SET stale = 1 WHERE stale = 0",
            [(folder,) for folder in folders],
        )

    def lose(self, folder: str) -> None:
        """Take out a folder that is gone, with all that it held."""
        self.drop([path for (path,) in self.db.execute("SELECT path FROM memory WHERE folder = ?", (folder,))])
        self.db.execute("DELETE FROM folder WHERE path = ?", (folder,))
        self.db.execute("DELETE FROM meta WHERE name = ?", (f"glance {folder}",))
        self.mark_stale(["", os.path.dirname(folder)])


def _set_up(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous=NORMAL")
    # What is removed is overwritten, not only marked as free.
    db.execute("PRAGMA secure_delete=ON")
    db.execute("PRAGMA temp_store=MEMORY")


def _why_unusable(db: sqlite3.Connection) -> str:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return "it was empty"
    found = dict(db.execute("SELECT name, value FROM meta"))
    if found.get("schema") != SCHEMA:
        return "it was made by another version"
    return "" if "complete" in found else UNFINISHED


def _inode(path: str) -> int:
    """Return the inode of the file, or 0 where there is no file."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
