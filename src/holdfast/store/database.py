"""The file of the index: how it is opened, made anew where it cannot be used, and written.

Every write is one `BEGIN IMMEDIATE` transaction with a busy timeout, in WAL mode, so that readers never wait. A file
that is missing, damaged or of another schema is made anew, by one process at a time; `fresh` says that it has to be
filled. An error that means damage goes up as SQLite raised it, so that the tree can heal it; any other trouble of a
write becomes a StoreUnavailable.
"""

from __future__ import annotations

import os
import sqlite3

from holdfast.base import files
from holdfast.errors import StoreFull, StoreUnavailable

SCHEMA = "3"
MEMORY = ":memory:"
DAMAGED = "it was damaged"
UNFINISHED = "it was not finished"
TOKENIZE = "porter unicode61 remove_diacritics 2"
_TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE folder(path TEXT PRIMARY KEY, seen_ns INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 1)
  WITHOUT ROWID;
CREATE TABLE memory(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL,
  key TEXT NOT NULL, type TEXT NOT NULL, trust TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  source TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, pinned INTEGER NOT NULL, earlier INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL, unsure INTEGER NOT NULL,
  digest BLOB NOT NULL);
CREATE INDEX memory_place ON memory(scope, owner, key);
CREATE INDEX memory_folder ON memory(folder);
CREATE INDEX memory_updated ON memory(updated);
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
"""


class Database:
    """The open file. `path` may be MEMORY, for a home that cannot be written.

    `damaged` is the inode of a file that turned out to be broken: if it still stands there, it is set aside.
    """

    def __init__(self, path: str, damaged: int = 0) -> None:
        self.path = path
        self.why_fresh = ""
        self.inode = 0
        self.db = self._open(damaged)

    @property
    def fresh(self) -> bool:
        """Whether the index was made anew and must be filled."""
        return bool(self.why_fresh)

    @property
    def in_memory(self) -> bool:
        """Whether the index is no file, and goes with this process."""
        return self.path == MEMORY

    def was_replaced(self) -> bool:
        """Whether the file at the path is no longer the one that is open here."""
        return not self.in_memory and _inode(self.path) != self.inode

    def close(self) -> None:
        """Close the file."""
        self.db.close()

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
        self._clear_the_way(keep=why == DAMAGED)
        os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE))
        return self._make(why)

    def _open_as_it_is(self) -> tuple[sqlite3.Connection | None, str]:
        """Open the file if it can be used, waiting for nobody; else say why it cannot."""
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
            source.backup(self.db)
        finally:
            source.close()
        self.why_fresh = _why_unusable(self.db)
        if self.why_fresh not in ("", UNFINISHED):
            raise sqlite3.DatabaseError(self.why_fresh)

    def _connect(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(self.path, timeout=20.0, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as problem:
            raise unavailable(problem, self.path) from problem

    def _clear_the_way(self, *, keep: bool) -> None:
        """Take the old file away with its side files; a damaged one is kept under another name."""
        for ending in ("", "-wal", "-shm"):
            if not os.path.lexists(self.path + ending):
                continue
            if keep:
                os.replace(self.path + ending, f"{self.path}.damaged{ending}")
            else:
                os.unlink(self.path + ending)

    def begin(self) -> Transaction:
        """Return a write transaction for a `with` block: all of it happens, or none."""
        return Transaction(self.db, self.path)


class Transaction:
    """A write transaction, taken at once so that it never fails half-way for want of the lock.

    Within another one it is a part of that, which alone ends it.
    """

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        self.db = db
        self.path = path
        self.is_part = db.in_transaction

    def __enter__(self) -> sqlite3.Connection:
        if self.is_part:
            return self.db
        try:
            self.db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as problem:
            self._raise(problem)
        return self.db

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if self.is_part:
            return
        if problem is None:
            try:
                self.db.execute("COMMIT")
                return
            except sqlite3.Error as refused:
                problem = refused
        # SQLite has rolled back by itself after some errors, such as a full disk.
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        if isinstance(problem, sqlite3.Error):
            self._raise(problem)

    def _raise(self, problem: sqlite3.Error) -> None:
        if is_damage(problem):
            raise problem
        raise unavailable(problem, self.path) from problem


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether the error means a broken file, rather than one that cannot be reached or written now."""
    if type(problem) is sqlite3.DatabaseError:
        return True
    signs = ("malformed", "not a database", "no such", "vtable constructor", "corrupt", "no column")
    return any(sign in str(problem) for sign in signs)


def unavailable(problem: sqlite3.Error, path: str) -> StoreUnavailable:
    """Return the error that says what SQLite could not do."""
    if "full" in str(problem):
        return StoreFull(f"no space left to write {path}", "Free some space, or set HOLDFAST_HOME to another disk.")
    return StoreUnavailable(f"cannot use {path}: {problem}", "Run `holdfast doctor`.")


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
    """Return the number of the file itself, or 0 where none is."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
