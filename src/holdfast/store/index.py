"""The index of the local store: one SQLite file that may be deleted at any time.

It holds nothing that the Markdown files and the journal do not say. Every write is one `BEGIN IMMEDIATE` transaction
with a busy timeout, in WAL mode, so that readers never wait. A file that is missing, damaged or of another schema is
set aside and made anew; `fresh` tells the store to fill it.
"""

from __future__ import annotations

import os
import sqlite3

from holdfast.errors import StoreUnavailable
from holdfast.light import dataclass
from holdfast.records import Memory, Scope
from holdfast.store import tokens
from holdfast.store.base import Filter, Group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCHEMA = "1"
TOKENIZE = "porter unicode61 remove_diacritics 2"
_TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE folder(path TEXT PRIMARY KEY, seen_ns INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 1)
  WITHOUT ROWID;
CREATE TABLE memory(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL,
  key TEXT NOT NULL, type TEXT NOT NULL, trust TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  source TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, pinned INTEGER NOT NULL, earlier INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL, unsure INTEGER NOT NULL);
CREATE INDEX memory_place ON memory(scope, owner, key);
CREATE INDEX memory_folder ON memory(folder);
CREATE INDEX memory_updated ON memory(updated);
CREATE TABLE tag(memory INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(memory, tag)) WITHOUT ROWID;
CREATE TABLE supersedes(memory INTEGER NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL);
CREATE INDEX supersedes_key ON supersedes(scope, owner, key);
CREATE INDEX supersedes_memory ON supersedes(memory);
CREATE TABLE uses(scope TEXT, owner TEXT, key TEXT, count INTEGER NOT NULL, last TEXT NOT NULL,
  PRIMARY KEY(scope, owner, key)) WITHOUT ROWID;
CREATE TABLE problem(path TEXT NOT NULL, kind TEXT, text TEXT, hint TEXT, line INTEGER, severity TEXT);
CREATE INDEX problem_path ON problem(path);
CREATE VIRTUAL TABLE words USING fts5(title, name, tags, body, earlier, grams, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
"""
COLUMNS = (
    "m.id, m.path, m.scope, m.owner, m.key, m.type, m.trust, m.created, m.updated, m.source, m.agent, m.session, "
    "m.pinned, w.title, w.tags, w.body"
)
_TAGS_APART = "\n"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file changed. `unsure` marks one that was read within a clock tick of its last change."""

    ctime_ns: int
    size: int
    inode: int
    unsure: bool = False


def stamp_of(status: os.stat_result, *, unsure: bool = False) -> Stamp:
    """Return the stamp of a file."""
    return Stamp(status.st_ctime_ns, status.st_size, status.st_ino, unsure)


class Index:
    """The open index. `path` may be `:memory:`, for a home that cannot be written."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.why_fresh = ""
        self.inode = 0
        self.db = self._open()

    @property
    def fresh(self) -> bool:
        """Whether the index was made anew and must be filled."""
        return bool(self.why_fresh)

    def was_replaced(self) -> bool:
        """Whether the file at the path is no longer the one that is open here."""
        if self.path == ":memory:":
            return False
        try:
            return os.stat(self.path).st_ino != self.inode
        except OSError:
            return True

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def _open(self) -> sqlite3.Connection:
        existed = self.path != ":memory:" and os.path.exists(self.path)
        if not existed:
            self._discard_side_files()
        db = self._connect()
        try:
            self.why_fresh = self._prepare(db, existed)
        except sqlite3.DatabaseError as problem:
            db.close()
            if isinstance(problem, sqlite3.OperationalError) and not _is_damage(problem):
                raise StoreUnavailable(f"cannot use {self.path}: {problem}", "Run `holdfast doctor`.") from problem
            self._set_aside()
            db = self._connect()
            self._prepare(db, False)
            self.why_fresh = "it was damaged"
        if self.path != ":memory:":
            os.chmod(self.path, 0o600)
            self.inode = os.stat(self.path).st_ino
        return db

    def _connect(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self.path, timeout=20.0, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as problem:
            raise StoreUnavailable(f"cannot open {self.path}: {problem}", "Run `holdfast doctor`.") from problem
        db.execute("PRAGMA synchronous=NORMAL")
        return db

    def _prepare(self, db: sqlite3.Connection, existed: bool) -> str:
        """Make the tables where they are missing; return why the index has to be filled, if it has to."""
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("BEGIN IMMEDIATE")
        try:
            why = self._why_unusable(db, existed)
            if why:
                _drop_all(db)
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute("INSERT INTO meta VALUES ('schema', ?)", (SCHEMA,))
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        return why

    def _why_unusable(self, db: sqlite3.Connection, existed: bool) -> str:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return "it was empty" if existed else "it was missing"
        found = dict(db.execute("SELECT name, value FROM meta"))
        if found.get("schema") != SCHEMA:
            return "it was made by another version"
        return "" if "complete" in found else "it was not finished"

    def _set_aside(self) -> None:
        for ending in ("", "-wal", "-shm"):
            if os.path.exists(self.path + ending):
                os.replace(self.path + ending, f"{self.path}.damaged{ending}")

    def _discard_side_files(self) -> None:
        for ending in ("-wal", "-shm"):
            if os.path.exists(self.path + ending):
                os.unlink(self.path + ending)

    def begin(self) -> Transaction:
        """Return a write transaction for a `with` block: all of it happens, or none."""
        return Transaction(self.db)

    def finished(self) -> None:
        """Note that the index holds every file."""
        with self.begin():
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('complete', '1')")
        self.why_fresh = ""

    def put(self, memory: Memory, stamp: Stamp) -> None:
        """Add the memory of one file, in place of what the index had for that path."""
        folder = os.path.dirname(memory.path)
        self.drop([memory.path])
        row = self.db.execute(
            "INSERT INTO memory(path, folder, scope, owner, key, type, trust, created, updated, source, agent, session,"
            " pinned, earlier, ctime_ns, size, inode, unsure) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                *(memory.path, folder, memory.scope.kind, memory.scope.owner, memory.key, memory.type, memory.trust),
                *(memory.created, memory.updated, memory.source, memory.agent, memory.session, memory.pinned),
                *(len(memory.history), stamp.ctime_ns, stamp.size, stamp.inode, stamp.unsure),
            ),
        ).lastrowid
        self._put_words(row, memory)
        self.db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", [(row, tag.lower()) for tag in memory.tags])
        place = (memory.scope.kind, memory.scope.owner)
        self.db.executemany("INSERT INTO supersedes VALUES (?,?,?,?)", [(row, *place, k) for k in memory.supersedes])
        self._mark_stale([folder])

    def _put_words(self, row: int | None, memory: Memory) -> None:
        earlier = "\n".join(statement.text for statement in memory.history)
        tags = _TAGS_APART.join(memory.tags)
        everything = "\n".join((memory.title, tags, memory.body, earlier))
        grams = " ".join(tokens.grams(everything))
        self.db.execute(
            "INSERT INTO words(rowid, title, name, tags, body, earlier, grams) VALUES (?,?,?,?,?,?,?)",
            (row, memory.title, memory.key, tags, memory.body, earlier, grams),
        )

    def drop(self, paths: Iterable[str]) -> None:
        """Take out what the index has for these paths."""
        for path in paths:
            found = self.db.execute("SELECT id, folder FROM memory WHERE path = ?", (path,)).fetchone()
            if not found:
                continue
            self.db.execute("DELETE FROM memory WHERE id = ?", found[:1])
            self.db.execute("DELETE FROM words WHERE rowid = ?", found[:1])
            self.db.execute("DELETE FROM tag WHERE memory = ?", found[:1])
            self.db.execute("DELETE FROM supersedes WHERE memory = ?", found[:1])
            self.db.execute("DELETE FROM problem WHERE path = ?", (path,))
            self.db.execute("UPDATE folder SET stale = 1 WHERE path = ?", found[1:])

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """Return the stamp of every file of the folder, by path."""
        rows = self.db.execute(
            "SELECT path, ctime_ns, size, inode, unsure FROM memory WHERE folder = ?", (folder,)
        ).fetchall()
        return {path: Stamp(ctime, size, inode, bool(unsure)) for path, ctime, size, inode, unsure in rows}

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of one file."""
        row = self.db.execute("SELECT ctime_ns, size, inode, unsure FROM memory WHERE path = ?", (path,)).fetchone()
        return Stamp(row[0], row[1], row[2], bool(row[3])) if row else None

    def count(self, folder: str) -> int:
        """Return how many files of the folder the index has."""
        return int(self.db.execute("SELECT count(*) FROM memory WHERE folder = ?", (folder,)).fetchone()[0])

    def folders(self) -> dict[str, int]:
        """Return every known folder with the newest change seen in it."""
        return dict(self.db.execute("SELECT path, seen_ns FROM folder WHERE path <> ''"))

    def see(self, folder: str, seen_ns: int) -> None:
        """Note the newest change seen in the folder."""
        self.db.execute(
            "INSERT INTO folder(path, seen_ns) VALUES (?1, ?2) ON CONFLICT(path) DO UPDATE SET seen_ns = ?2",
            (folder, seen_ns),
        )

    def mark_stale(self, folders: list[str]) -> None:
        """Note that the `index.md` of these folders has to be written."""
        with self.begin():
            self._mark_stale(folders)

    def _mark_stale(self, folders: Iterable[str]) -> None:
        self.db.executemany(
            "INSERT INTO folder(path) VALUES (?) ON CONFLICT DO UPDATE SET stale = 1 WHERE stale = 0",
            [(folder,) for folder in folders],
        )

    def lose(self, folder: str) -> None:
        """Take out a folder that is gone, with all that it held."""
        self.drop([path for (path,) in self.db.execute("SELECT path FROM memory WHERE folder = ?", (folder,))])
        self.db.execute("DELETE FROM folder WHERE path = ?", (folder,))
        self._mark_stale(["", os.path.dirname(folder)])

    def get(self, scope: Scope, key: str) -> list[Memory]:
        """Return the memories of that key, newest first; more than one where two files claim it."""
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM memory m JOIN words w ON w.rowid = m.id"
            " WHERE m.scope = ? AND m.owner = ? AND m.key = ? ORDER BY m.updated DESC, m.path",
            (scope.kind, scope.owner, key),
        )
        return [self.memory_of(row) for row in rows]

    def find(self, wanted: Filter, limit: int | None) -> Iterator[Memory]:
        """Return memories, newest first."""
        where, values = where_of(wanted)
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM memory m JOIN words w ON w.rowid = m.id WHERE {where}"
            " ORDER BY m.updated DESC, m.path LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return (self.memory_of(row) for row in rows)

    def listing(self, folders: tuple[str, ...], limit: int) -> list[Memory]:
        """Return the newest memories that lie directly in these folders."""
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM memory m JOIN words w ON w.rowid = m.id"
            f" WHERE m.folder IN ({','.join('?' * len(folders))}) ORDER BY m.updated DESC, m.path LIMIT ?",
            (*folders, limit),
        )
        return [self.memory_of(row) for row in rows]

    def subfolders(self, folder: str) -> list[tuple[str, int]]:
        """Return the names of the sub-folders with the number of memories in and below each."""
        start = len(folder) + 1
        counts: dict[str, int] = {}
        rows = self.db.execute(
            "SELECT folder, count(*) FROM memory WHERE folder > ? AND folder < ? GROUP BY folder",
            (f"{folder}/", f"{folder}0"),
        )
        for path, count in rows:
            name = path[start:].split("/", 1)[0]
            counts[name] = counts.get(name, 0) + count
        return sorted(counts.items())

    def memory_of(self, row: tuple[object, ...]) -> Memory:
        path, scope, owner, key, kind, trust, created, updated, source, agent, session = map(str, row[1:12])
        found = self.db.execute("SELECT key FROM supersedes WHERE memory = ?", (row[0],))
        return Memory(
            *(key, Scope(scope, owner), str(row[13]), str(row[15]), kind),
            tags=tuple(tag for tag in str(row[14]).split(_TAGS_APART) if tag),
            trust=trust,
            created=created,
            updated=updated,
            source=source,
            agent=agent,
            session=session,
            supersedes=tuple(str(key) for (key,) in found),
            pinned=bool(row[12]),
            path=path,
        )

    def groups(self) -> list[Group]:
        """Return every scope with its count, size and newest update."""
        rows = self.db.execute(
            "SELECT scope, owner, count(*), sum(size), max(updated) FROM memory GROUP BY scope, owner ORDER BY 1, 2"
        )
        return [Group(Scope(scope, owner), count, size, updated) for scope, owner, count, size, updated in rows]

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys of these scopes that begin so, in order."""
        found: set[str] = set()
        for scope in scopes:
            rows = self.db.execute(
                "SELECT key FROM memory WHERE scope = ? AND owner = ? AND key >= ? AND key < ?",
                (scope.kind, scope.owner, start, start + "\U0010ffff"),
            )
            found.update(key for (key,) in rows)
        return sorted(found)

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""
        row = self.db.execute(
            "SELECT count, last FROM uses WHERE scope = ? AND owner = ? AND key = ?", (scope.kind, scope.owner, key)
        ).fetchone()
        return (int(row[0]), str(row[1])) if row else (0, "")

    def superseded_by(self, scope: Scope, key: str) -> str:
        """Return the key of the newest memory of the same scope that replaces this one."""
        row = self.db.execute(
            "SELECT m.key FROM supersedes s JOIN memory m ON m.id = s.memory"
            " WHERE s.scope = ? AND s.owner = ? AND s.key = ? AND m.key <> s.key ORDER BY m.updated DESC LIMIT 1",
            (scope.kind, scope.owner, key),
        ).fetchone()
        return str(row[0]) if row else ""


class Transaction:
    """A write transaction, taken at once so that it never fails half-way for want of the lock."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> sqlite3.Connection:
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        self.db.execute("ROLLBACK" if kind else "COMMIT")


def where_of(wanted: Filter) -> tuple[str, list[object]]:
    """Return the condition on `m` that keeps what may and should be seen, and its values."""
    clauses, values = ["1"], list[object]()
    if wanted.scopes is not None:
        clauses.append("(" + " OR ".join(["0", *["(m.scope = ? AND m.owner = ?)"] * len(wanted.scopes)]) + ")")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    if wanted.types:
        clauses.append(f"m.type IN ({','.join('?' * len(wanted.types))})")
        values += wanted.types
    for tag in wanted.tags:
        clauses.append("EXISTS (SELECT 1 FROM tag t WHERE t.memory = m.id AND t.tag = ?)")
        values.append(tag.lower())
    if wanted.since:
        clauses.append("m.updated >= ?")
        values.append(wanted.since)
    if wanted.until:
        clauses.append("m.updated < ?")
        values.append(wanted.until)
    return " AND ".join(clauses), values


def _drop_all(db: sqlite3.Connection) -> None:
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'").fetchall():
        db.execute(f"DROP TABLE IF EXISTS {name}")
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        db.execute(f"DROP TABLE IF EXISTS {name}")


def _is_damage(problem: sqlite3.OperationalError) -> bool:
    """Whether an operational error means a broken file, rather than one that cannot be reached now."""
    text = str(problem)
    return any(sign in text for sign in ("malformed", "not a database", "no such", "vtable constructor", "corrupt"))
