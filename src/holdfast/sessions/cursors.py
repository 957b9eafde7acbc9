"""Cursors: what each transcript looked like when it was last read, so that a sweep passes over what did not change.

**Identity**: the path of the transcript. A folder counts as one with all its files, a database with its log.
**Atomic**: a batch of cursors is one transaction. A cursor is put only after the sessions it names are durable, so one
that is lost in a crash costs a second reading and nothing else.
**May be lost**: everything. `state/transcripts.db` is disposable, and a sweep without it comes to the same archive.
**Checked**: a transcript whose inode, size and times are those of its cursor is not opened. One that differs is told
grown from rewritten by a hash of the bytes before the place up to which it was read.

`look` returns what a sweep has to read: every transcript of every agent, less those that did not change.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from holdfast import agents
from holdfast.agents.base import Place
from holdfast.base import files
from holdfast.records import Problem
from holdfast.store.index import Transaction, is_damage, unavailable

FILE, FOLDER, DATABASE = "file", "folder", "database"
UNCHANGED, NEW, GROWN, REWRITTEN = "unchanged", "new", "grown", "rewritten"
TAIL = 4_096
# Transcripts with these endings are no databases, so nobody looks for a log beside them.
_PLAIN = (".jsonl", ".json", ".txt", ".zst", ".md")
# A file that was written this shortly before it was looked at may change again within one tick of its clock.
_TICK_NS = 50_000_000
_FLUSH_SECONDS, _FLUSH_ROWS = 0.2, 200
_MAX_PARTS = 10_000
_PASSED_OVER = "a link, a pipe or a folder is in the place of a transcript, and is not read"
_INSTEAD = "Put the files themselves there; a link may lead to what is not yours to keep."
_TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE transcript(path BLOB PRIMARY KEY, inode INTEGER, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER,
  place INTEGER, tail BLOB, agent TEXT, sessions TEXT, rules TEXT) WITHOUT ROWID;
CREATE TABLE beginning(agent TEXT, event TEXT, name TEXT, PRIMARY KEY(agent, event)) WITHOUT ROWID;
"""
_VERSION = 1
Row = tuple[int, int, int, int, int, bytes, str, str, str]


@dataclass(frozen=True, slots=True)
class TranscriptStamp:
    """What the system says of a transcript without opening it; `parts` is a hash over the files of a folder."""

    kind: str
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    parts: bytes = b""


@dataclass(frozen=True, slots=True)
class TranscriptCursor:
    """A transcript as it was read: up to `place`, by which agent, into which sessions, by which rules.

    `sessions` has for each name a mark that changes with what is told of the session, or nothing.
    """

    stamp: TranscriptStamp
    place: int
    tail: bytes
    agent: str
    sessions: dict[str, str]
    rules: str


def stamp_of(path: str) -> TranscriptStamp:
    """Return the stamp of a transcript; OSError for what is neither a plain file nor a folder."""
    found = os.stat(path)
    if stat.S_ISREG(found.st_mode):
        log = None
        if not path.endswith(_PLAIN):
            with suppress(OSError):
                log = os.stat(path + "-wal")
        # An empty log says nothing, and reading a database may leave one behind.
        if log is None or not log.st_size:
            return TranscriptStamp(FILE, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, b"")
        return _joined(DATABASE, found.st_ino, [("", found), ("-wal", log)])
    if stat.S_ISDIR(found.st_mode):
        return _joined(FOLDER, found.st_ino, _parts(path))
    raise OSError(f"{path} is neither a plain file nor a folder")


def _parts(folder: str) -> list[tuple[str, os.stat_result]]:
    found: list[tuple[str, os.stat_result]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(found) < _MAX_PARTS and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found, key=lambda part: part[0])


def _joined(kind: str, inode: int, parts: list[tuple[str, os.stat_result]]) -> TranscriptStamp:
    digest = hashlib.blake2b(digest_size=16)
    for name, one in parts:
        digest.update(f"{name}\0{one.st_ino} {one.st_size} {one.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return TranscriptStamp(
        kind,
        inode,
        sum(one.st_size for _, one in parts),
        max((one.st_mtime_ns for _, one in parts), default=0),
        max((one.st_ctime_ns for _, one in parts), default=0),
        digest.digest(),
    )


def tail_of(path: str, stamp: TranscriptStamp, place: int) -> bytes:
    """Return the hash by which a later look tells whether what was read still stands there; OSError if it cannot."""
    if stamp.kind != FILE:
        return stamp.parts
    descriptor = files.open_plain(path, follow=True)
    try:
        start = max(0, place - TAIL)
        return hashlib.blake2b(os.pread(descriptor, place - start, start), digest_size=16).digest()
    finally:
        os.close(descriptor)


class Cursors:
    """The cursors of one home, all in memory. With `keep` false nothing is ever written, nor made.

    `made_by` is the version that looks: what none of its agents takes is asked about again by another one.
    """

    def __init__(self, home: str, made_by: str, *, keep: bool = True) -> None:
        self.path = os.path.join(home, "state", "transcripts.db")
        self._made_by = made_by
        self._keep = keep
        self._db: sqlite3.Connection | None = None
        self._rows: dict[str, Row] = {}
        self._put: dict[str, Row] = {}
        self._beginnings: dict[tuple[str, str], str] | None = None
        self._begun: dict[tuple[str, str], str] = {}
        self._flushed = time.monotonic()
        # Whether nothing is known of earlier sweeps, and by which rules every digest of the archive was made at least.
        self.fresh = True
        self.digested_by = ""
        if not os.path.exists(self.path):
            return
        try:
            self._db = _connected(self.path, write=self._keep)
            self._load(self._db)
        except sqlite3.Error as problem:
            if self._db is not None:
                self._db.close()
                self._db = None
            if self._keep and not is_damage(problem):
                raise unavailable(problem, self.path) from problem
            # A broken file is no loss, and a look that may not write cannot put it right.
            self._rows.clear()
            if self._keep:
                for ending in ("", "-journal", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.unlink(self.path + ending)

    def stands(self, path: str, rules: str) -> bool:
        """Whether a plain file is surely unchanged: the quick way for the many that are; OSError where it is gone."""
        row = self._rows.get(path)
        if row is None or row[8] != rules or not path.endswith(_PLAIN):
            return False
        now = os.stat(path)
        return row[:4] == (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)

    def state(self, path: str, stamp: TranscriptStamp, rules: str) -> str:
        """Return how the transcript differs from its cursor: unchanged, new, grown or rewritten."""
        row = self._rows.get(path)
        # What no agent took is asked about again when there may be more of them.
        if row is None or (not row[6] and row[8] != self._made_by):
            return NEW
        rules = rules if row[6] else self._made_by
        same_rules = row[8] == rules
        if same_rules and row[:4] == (stamp.inode, stamp.size, stamp.mtime_ns, stamp.ctime_ns):
            return UNCHANGED
        if stamp.kind != FILE:
            return UNCHANGED if same_rules and stamp.parts == row[5] else GROWN
        still = stamp.size >= row[4] and tail_of(path, stamp, row[4]) == row[5]
        if same_rules and still and row[1:3] == (stamp.size, stamp.mtime_ns):
            self._note(path, (stamp.inode, *row[1:3], stamp.ctime_ns, *row[4:]))
            return UNCHANGED
        return GROWN if still else REWRITTEN

    def sessions(self, path: str, rules: str) -> dict[str, str]:
        """Return the sessions that were read from this transcript by these rules, each with its mark."""
        row = self._rows.get(path)
        found: dict[str, str] = json.loads(row[7]) if row and row[8] == rules else {}
        return found

    def put(self, path: str, cursor: TranscriptCursor) -> None:
        """Keep the cursor of a transcript whose sessions are durable; it is written with the next batch."""
        stamp = cursor.stamp
        unsure = time.time_ns() - stamp.mtime_ns < _TICK_NS
        times = (stamp.mtime_ns, 0 if unsure else stamp.ctime_ns)
        rules = cursor.rules if cursor.agent else self._made_by
        sessions = json.dumps(cursor.sessions)
        self._note(path, (stamp.inode, stamp.size, *times, cursor.place, cursor.tail, cursor.agent, sessions, rules))

    def forget(self, name: str) -> bool:
        """Forget that the transcripts of a session were read; return whether one of them is still there."""
        told = [path for path, row in self._rows.items() if name in row[7] and name in json.loads(row[7])]
        for path in told:
            # No transcript has such a stamp, so the next look finds another one.
            self._note(path, (-1, -1, -1, -1, *self._rows[path][4:]))
        return any(os.path.exists(path) for path in told)

    def drop_gone(self, seen: set[str]) -> None:
        """Drop the cursors of transcripts that are no longer there, of those that a look at all did not see."""
        gone = [path for path in self._rows if path not in seen and not os.path.lexists(path)]
        if gone and self._keep:
            with Transaction(self._writable(), self.path) as db:
                db.executemany("DELETE FROM transcript WHERE path = ?", [(os.fsencode(path),) for path in gone])
        for path in gone:
            del self._rows[path]
            self._put.pop(path, None)

    def original(self, agent: str, beginning: str) -> str:
        """Return the session of that agent which begins with this event, or nothing."""
        return self._known_beginnings().get((agent, beginning), "") if beginning else ""

    def begin(self, agent: str, beginning: str, name: str) -> None:
        """Keep with which event a session begins; the first that says so has it."""
        known = self._known_beginnings()
        if beginning and (agent, beginning) not in known:
            known[agent, beginning] = self._begun[agent, beginning] = name

    def all_digested(self, rules: str) -> None:
        """Keep that every digest of the archive was made by these rules."""
        if self._keep and self.digested_by != rules:
            with Transaction(self._writable(), self.path) as db:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('digested_by', ?)", (rules,))
            self.digested_by = rules

    def close(self) -> None:
        """Write what is left and close the file."""
        try:
            self.flush()
        finally:
            if self._db is not None:
                self._db.close()
                self._db = None

    def flush(self) -> None:
        """Write what was put since the last time."""
        self._flushed = time.monotonic()
        if not self._keep or not (self._put or self._begun):
            return
        rows = [(os.fsencode(path), *row) for path, row in self._put.items()]
        begun = [(*key, name) for key, name in self._begun.items()]
        with Transaction(self._writable(), self.path) as db:
            db.executemany(f"INSERT OR REPLACE INTO transcript VALUES ({', '.join('?' * 10)})", rows)
            db.executemany("INSERT OR IGNORE INTO beginning VALUES (?, ?, ?)", begun)
        self._put.clear()
        self._begun.clear()

    def _note(self, path: str, row: Row) -> None:
        self._rows[path] = self._put[path] = row
        if len(self._put) >= _FLUSH_ROWS or time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()

    def _known_beginnings(self) -> dict[tuple[str, str], str]:
        if self._beginnings is None:
            rows = self._db.execute("SELECT agent, event, name FROM beginning").fetchall() if self._db else []
            self._beginnings = {(agent, event): name for agent, event, name in rows}
        return self._beginnings

    def _load(self, db: sqlite3.Connection) -> None:
        if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            raise sqlite3.DatabaseError("made by another version")
        digested_by = db.execute("SELECT value FROM meta WHERE name = 'digested_by'").fetchone()
        self.digested_by = digested_by[0] if digested_by else ""
        self._rows = {os.fsdecode(row[0]): row[1:] for row in db.execute("SELECT * FROM transcript")}
        self.fresh = False

    def _writable(self) -> sqlite3.Connection:
        if self._db is None:
            files.make_folder(os.path.dirname(self.path))
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                os.close(os.open(self.path, flags, files.FILE_MODE))
            except OSError as problem:
                raise files.unavailable(problem, self.path) from problem
            self._db = _connected(self.path, write=True)
            with Transaction(self._db, self.path) as db:
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={_VERSION}")
        return self._db


def _connected(path: str, *, write: bool) -> sqlite3.Connection:
    # No write-ahead log: a look that may not write would leave its side files behind.
    address = f"file:{quote(os.path.abspath(path))}" + ("" if write else "?mode=ro")
    return sqlite3.connect(address, uri=True, timeout=10.0, isolation_level=None)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript that changed: where it is, which agent names it, its stamp, and how it differs from before."""

    path: str
    agent: str
    stamp: TranscriptStamp
    state: str


@dataclass(frozen=True, slots=True)
class Where:
    """Where to look: among the transcripts of these agents (none: of all), or among these paths in place of them.

    What did not change after `since_ns` is left out.
    """

    agents: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since_ns: int = 0


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look around found: `changed` the oldest first, and what could not be looked at."""

    discovered: int
    unchanged: int
    changed: tuple[Transcript, ...]
    problems: tuple[Problem, ...]


def look(cursors: Cursors, environment: Mapping[str, str], rules: str, where: Where) -> Looked:
    """Find what changed since the cursors were put, by these rules."""
    problems: list[Problem] = []
    discovered = unchanged = 0
    changed: list[Transcript] = []
    seen: set[str] = set()
    given = [("", os.path.abspath(path)) for path in where.paths]
    passed_over: list[str] = []
    for agent, path in given or _found(where.agents, environment, problems, passed_over):
        if path in seen:
            continue
        seen.add(path)
        try:
            if not where.since_ns and cursors.stands(path, rules):
                discovered, unchanged = discovered + 1, unchanged + 1
                continue
            stamp = stamp_of(path)
            if stamp.mtime_ns < where.since_ns:
                continue
            discovered += 1
            state = cursors.state(path, stamp, rules)
        except OSError as problem:
            problems.append(unreadable(path, problem))
            continue
        unchanged += state == UNCHANGED
        if state != UNCHANGED:
            changed.append(Transcript(path, agent, stamp, state))
    if where == Where() and not problems:
        cursors.drop_gone(seen)
    problems += [Problem("passed over", path, _PASSED_OVER, _INSTEAD) for path in passed_over]
    changed.sort(key=lambda one: (one.stamp.mtime_ns, one.path))
    return Looked(discovered, unchanged, tuple(changed), tuple(problems))


def _found(
    names: tuple[str, ...], environment: Mapping[str, str], problems: list[Problem], passed_over: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield agent and path of each transcript; an agent that cannot be asked takes only its own away."""
    person = os.path.abspath(environment.get("HOME") or os.path.expanduser("~"))
    place = Place(person, person, "user", environment, passed_over=passed_over)
    for name in names or agents.names():
        try:
            for path in agents.get(name).find_sessions(place):
                yield name, path
        except Exception as problem:
            why = f"the transcripts of {name} cannot be found: {type(problem).__name__}: {problem}"
            problems.append(Problem("agent", name, why, "The other agents were swept.", severity="error"))


def unreadable(path: str, problem: OSError) -> Problem:
    """Return what to tell of a transcript that cannot be read."""
    why = problem.strerror or str(problem)
    return Problem("unreadable", path, f"it cannot be read: {why}", "Check its owner and mode.", severity="error")
