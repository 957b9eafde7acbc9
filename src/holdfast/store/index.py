"""The index of the local store as it is read: what the Markdown files say, ready to be searched and listed.

It may be deleted at any time: it holds nothing that the files and the journal do not say. `database` is how the file is
opened, made and filled.
"""

from __future__ import annotations

import os
import sqlite3

from holdfast.base import files
from holdfast.base.clock import Deadline, tries
from holdfast.base.light_records import dataclass
from holdfast.errors import HoldfastError, StoreBusy, StoreFull, StoreUnavailable
from holdfast.records import Filter, Group, Memory, Problem, Scope
from holdfast.store.words import digest as digest_of_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCHEMA = "5"
# So long a command waits for another one that writes. SQLite waits by itself, but knows of no deadline: where there is
# one, it does not wait, and a Transaction does.
BUSY_SECONDS = 20.0
COLUMNS = (
    "m.id, m.path, m.scope, m.owner, m.key, m.type, m.trust, m.created, m.updated, m.source, m.agent, m.session, "
    "m.pinned, w.title, w.tags, w.body, m.anchors, m.branch, m.condition, m.enforce"
)
TAGS_APART = "\n"
_PAGE = 200


def at_places(marks: str, table: str) -> str:
    """Return the tables of a query from places (scope, owner, key), one a mark, to the rows of a table by its index.

    Compared by `IN (VALUES ...)`, every row of the table would be read. The name of the table ends in its alias.
    """
    name = table.rpartition(" ")[2]
    same = " AND ".join([f"{name}.{part} = at.column{n}" for n, part in enumerate(("scope", "owner", "key"), 1)])
    return f"(VALUES {marks}) at CROSS JOIN {table} ON {same}"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file changed. `unsure` marks one that was read within a clock tick of its last change."""

    ctime_ns: int
    size: int
    inode: int
    unsure: bool = False

    def agrees(self, status: os.stat_result) -> bool:
        """Whether the file is the one that was read, as far as the system tells."""
        return (self.ctime_ns, self.size, self.inode) == (status.st_ctime_ns, status.st_size, status.st_ino)


def stamp_of(status: os.stat_result, *, unsure: bool = False) -> Stamp:
    """Return the stamp of a file."""
    return Stamp(status.st_ctime_ns, status.st_size, status.st_ino, unsure)


class IndexReader:
    """The index as it is asked, by commands and by hooks; how it was opened is up to who did."""

    db: sqlite3.Connection
    path: str

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def begin(self) -> Transaction:
        """Return a write transaction for a `with` block: all of it happens, or none."""
        return Transaction(self.db, self.path)

    def was_corrected(self, scope: Scope, statement: str) -> bool:
        """Whether a memory of the scope said these words once and says something else now."""
        wanted = digest_of_words(statement)
        rows = self.db.execute(
            "SELECT w.body FROM earlier e JOIN memory m ON m.id = e.memory JOIN words w ON w.rowid = m.id"
            " WHERE e.digest = ? AND m.scope = ? AND m.owner = ?",
            (wanted, scope.kind, scope.owner),
        ).fetchall()
        return any(digest_of_words(body) != wanted for (body,) in rows)

    def inodes(self, folder: str) -> dict[str, int]:
        """Return the inode of every file of the folder, by path."""
        return dict(self.db.execute("SELECT path, inode FROM memory WHERE folder = ?", (folder,)))

    def some_stamps(self, folder: str, behind: int, most: int) -> list[tuple[int, str, int, int, int]]:
        """Return so many files of the folder, those behind a number: number, path, change time, size and inode."""
        asked = "SELECT id, path, ctime_ns, size, inode FROM memory WHERE folder = ? AND id > ? ORDER BY id LIMIT ?"
        return self.db.execute(asked, (folder, behind, most)).fetchall()

    def unsure(self, folder: str) -> list[str]:
        """Return the files of the folder that are not known for sure to say what the index has."""
        return [path for (path,) in self.db.execute("SELECT path FROM memory WHERE folder = ? AND unsure", (folder,))]

    def glanced(self, folder: str) -> tuple[int, int, list[str]]:
        """Return of a large folder when it had the names that are known, up to where it was looked at, its folders."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (f"glance {folder}",)).fetchone()
        listed, cursor, *inside = str(row[0]).split("/") if row else ("0", "0")
        return int(listed), int(cursor), inside

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of one file."""
        row = self.db.execute("SELECT ctime_ns, size, inode, unsure FROM memory WHERE path = ?", (path,)).fetchone()
        return Stamp(row[0], row[1], row[2], bool(row[3])) if row else None

    def digest(self, path: str) -> bytes:
        """Return the digest of the bytes that were read from the file."""
        row = self.db.execute("SELECT digest FROM memory WHERE path = ?", (path,)).fetchone()
        return bytes(row[0]) if row else b""

    def count(self, folder: str) -> int:
        """Return how many files of the folder the index has."""
        return int(self.db.execute("SELECT count(*) FROM memory WHERE folder = ?", (folder,)).fetchone()[0])

    def folders(self) -> dict[str, int]:
        """Return every known folder with the newest change seen in it."""
        return dict(self.db.execute("SELECT path, seen_ns FROM folder WHERE path <> ''"))

    def paths(self, scope: Scope, key: str) -> list[str]:
        """Return the files of that key; more than one where two claim it."""
        rows = self.db.execute(
            "SELECT path FROM memory WHERE scope = ? AND owner = ? AND key = ?", (scope.kind, scope.owner, key)
        )
        return [path for (path,) in rows]

    def problems(self) -> list[Problem]:
        """Return what was wrong in files when they were read."""
        rows = self.db.execute("SELECT kind, path, text, hint, line, severity FROM problem ORDER BY path, line")
        return [Problem(*row) for row in rows]

    def find(self, wanted: Filter, limit: int | None, skip: int = 0) -> Iterator[Memory]:
        """Return memories, newest first."""
        where, values = where_of(wanted)
        order = "ORDER BY m.updated DESC, m.path"
        rows = self.db.execute(
            f"SELECT m.id FROM memory m WHERE {where} {order} LIMIT ? OFFSET ?",
            (*values, -1 if limit is None else limit, skip),
        )
        ids = [row for (row,) in rows]

        def by_page() -> Iterator[Memory]:
            # In portions: an open cursor would keep this process from writing.
            for start in range(0, len(ids), _PAGE):
                page = ",".join(map(str, ids[start : start + _PAGE]))
                # The condition is checked again: meanwhile a memory may have gone, and another one have got its number.
                yield from self.memories_where(f"m.id IN ({page}) AND {where} {order}", values)

        return by_page()

    def memories_where(self, condition: str, values: Iterable[object]) -> list[Memory]:
        """Return the memories that meet a condition on `m`, as SQL."""
        return [memory for _, memory in self._numbered(condition, values)]

    def memories_by_number(self, numbers: Iterable[int], where: str, values: Iterable[object]) -> dict[int, Memory]:
        """Return the memories with these numbers that meet a condition on `m`."""
        found: dict[int, Memory] = {}
        asked = list(numbers)
        for start in range(0, len(asked), _PAGE):
            some = ",".join(map(str, asked[start : start + _PAGE]))
            found.update(self._numbered(f"m.id IN ({some}) AND {where}", values))
        return found

    def _numbered(self, condition: str, values: Iterable[object]) -> list[tuple[int, Memory]]:
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM memory m CROSS JOIN words w ON w.rowid = m.id WHERE {condition}", tuple(values)
        ).fetchall()
        replaces: dict[int, tuple[str, ...]] = {}
        for start in range(0, len(rows), _PAGE):
            numbers = ",".join([str(row[0]) for row in rows[start : start + _PAGE]])
            for number, key in self.db.execute(f"SELECT memory, key FROM supersedes WHERE memory IN ({numbers})"):
                replaces[number] = (*replaces.get(number, ()), str(key))
        return [(row[0], self.memory_of(row, replaces.get(row[0], ()))) for row in rows]

    def ends_of(self, memories: Iterable[Memory]) -> dict[tuple[Scope, str], tuple[int, str]]:
        """Return of each memory how often it was handed out, and the key of the newest one that replaces it."""
        places = [(one.scope, one.key) for one in memories]
        found = dict.fromkeys(places, (0, ""))
        for start in range(0, len(places), _PAGE):
            some = places[start : start + _PAGE]
            asked = [part for scope, key in some for part in (scope.kind, scope.owner, key)]
            marks = ",".join(["(?,?,?)"] * len(some))
            uses = f"SELECT u.scope, u.owner, u.key, u.count FROM {at_places(marks, 'uses u')}"
            for kind, owner, key, count in self.db.execute(uses, asked):
                found[Scope(kind, owner), key] = int(count), ""
            newer = (
                f"SELECT s.scope, s.owner, s.key, m.key FROM {at_places(marks, 'supersedes s')}"
                " JOIN memory m ON m.id = s.memory WHERE m.key <> s.key ORDER BY m.updated DESC, m.key"
            )
            for kind, owner, key, by in self.db.execute(newer, asked):
                count, before = found[Scope(kind, owner), key]
                found[Scope(kind, owner), key] = count, before or str(by)
        return found

    def files_at(self, paths: Iterable[str]) -> list[tuple[int, str, int, int, int]]:
        """Return what `some_stamps` returns of the files at these paths."""
        asked = list(paths)
        marks = ",".join("?" * len(asked))
        return self.db.execute(
            f"SELECT id, path, ctime_ns, size, inode FROM memory WHERE path IN ({marks})", asked
        ).fetchall()

    def rules(self, scope: Scope) -> list[tuple[Memory, Stamp, bytes]]:
        """Return the memories of a scope that have a condition and that none replaces, with stamp and digest."""
        found = self.memories_where("m.scope = ? AND m.owner = ? AND m.is_rule", (scope.kind, scope.owner))
        standing = [one for one in found if one.holds and not self.superseded_by(scope, one.key)]
        stamps = [(one, self.stamp(one.path)) for one in standing]
        return [(one, stamp, self.digest(one.path)) for one, stamp in stamps if stamp is not None]

    def newest_files(self, folder: str, most: int) -> list[tuple[str, int, int, int]]:
        """Return path, change time, size and inode of the newest files of a folder."""
        asked = "SELECT path, ctime_ns, size, inode FROM memory WHERE folder = ? ORDER BY id DESC LIMIT ?"
        return self.db.execute(asked, (folder, most)).fetchall()

    def memory_of(self, row: tuple[object, ...], supersedes: tuple[str, ...]) -> Memory:
        """Return the memory of a row of COLUMNS, with the keys that it supersedes."""
        path, scope, owner, key, kind, trust, created, updated, source, agent, session = map(str, row[1:12])
        tags = tuple([tag for tag in str(row[14]).split(TAGS_APART) if tag])
        anchors = tuple(str(row[16]).split(TAGS_APART)) if row[16] else ()
        # Every field, in its order: a record that has to look for defaults takes three times as long.
        return Memory(
            *(key, Scope(scope, owner), str(row[13]), str(row[15]), kind, tags, trust, created, updated, source, agent),
            *(session, supersedes, bool(row[12]), (), path, anchors, str(row[17]), str(row[18]), str(row[19])),
        )

    def groups(self) -> list[Group]:
        """Return every scope with its count, size and newest update."""
        rows = self.db.execute(
            "SELECT scope, owner, count(*), sum(size), max(updated) FROM memory GROUP BY scope, owner ORDER BY 1, 2"
        )
        return [Group(Scope(scope, owner), count, size, updated) for scope, owner, count, size, updated in rows]

    def counts(self, wanted: Filter) -> dict[str, dict[str, int]]:
        """Return how many memories there are of each scope, type, trust and tag, and `used` or not."""
        where, values = where_of(wanted)
        used = "CASE WHEN u.key IS NULL THEN 'never' ELSE 'used' END"
        uses = "LEFT JOIN uses u ON u.scope = m.scope AND u.owner = m.owner AND u.key = m.key"
        found: dict[str, dict[str, int]] = {}
        for name, column, join in (
            ("scope", "m.scope || CASE m.owner WHEN '' THEN '' ELSE ':' || m.owner END", ""),
            ("type", "m.type", ""),
            ("trust", "m.trust", ""),
            ("tag", "g.tag", "JOIN tag g ON g.memory = m.id"),
            ("used", used, uses),
        ):
            asked = f"SELECT {column}, count(*) FROM memory m {join} WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
            found[name] = dict(self.db.execute(asked, values).fetchall())
        return found

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
            " WHERE s.scope = ? AND s.owner = ? AND s.key = ? AND m.key <> s.key"
            " ORDER BY m.updated DESC, m.key LIMIT 1",
            (scope.kind, scope.owner, key),
        ).fetchone()
        return str(row[0]) if row else ""


def where_of(wanted: Filter) -> tuple[str, list[object]]:
    """Return the condition on `m` that keeps what may and should be seen, and its values."""
    clauses, values = ["1"], list[object]()
    if wanted.scopes is not None:
        pairs = ",".join(["(?,?)"] * len(wanted.scopes))
        clauses.append(f"(m.scope, m.owner) IN (VALUES {pairs})" if pairs else "0")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    wished = ("m.type", wanted.types), ("m.key", wanted.keys), ("lower(m.agent)", wanted.agents)
    for column, wishes in (*wished, ("m.trust", wanted.trusts)):
        if wishes:
            clauses.append(f"{column} IN ({','.join('?' * len(wishes))})")
            values += wishes if column != "lower(m.agent)" else [name.lower() for name in wishes]
    for tag in wanted.tags:
        clauses.append("EXISTS (SELECT 1 FROM tag t WHERE t.memory = m.id AND t.tag = ?)")
        values.append(tag.lower())
    if wanted.since:
        clauses.append("m.updated >= ?")
        values.append(wanted.since)
    if wanted.until:
        clauses.append("m.updated < ?")
        values.append(wanted.until)
    if wanted.anchored:
        clauses.append("(m.anchors <> '' OR m.branch <> '' OR m.condition NOT IN ('', 'none'))")
    if any(wanted.between):
        since, until = wanted.between[0], wanted.between[1] or "~"
        clauses.append("(m.updated >= ? AND m.updated < ? OR m.created >= ? AND m.created < ?)")
        values += [since, until, since, until]
    if wanted.used is not None:
        there = "EXISTS (SELECT 1 FROM uses u WHERE u.scope = m.scope AND u.owner = m.owner AND u.key = m.key)"
        clauses.append(there if wanted.used else f"NOT {there}")
    return " AND ".join(clauses), values


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
        for _ in tries(BUSY_SECONDS if Deadline.is_set() else 0.0):
            try:
                self.db.execute("BEGIN IMMEDIATE")
                return self.db
            except sqlite3.Error as problem:
                refused = problem
            if not is_busy(refused):
                break
        raise self._error(refused) from refused

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
            raise self._error(problem) from problem

    def _error(self, problem: sqlite3.Error) -> sqlite3.Error | StoreUnavailable:
        return problem if is_damage(problem) else unavailable(problem, self.path)


def mark_behind(home: str) -> None:
    """Note that the index lacks a memory that is written. Commands look at the files anyway, a hook looks at this."""
    try:
        files.write(behind_mark(home), b"", durable=False)
    except HoldfastError:
        # Where nothing can be written, the next command sees the file all the same.
        return


def behind_mark(home: str) -> str:
    """Return the file that stands where the index is behind."""
    return os.path.join(home, "state", "index-behind")


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether the error means a broken file, rather than one that cannot be reached or written now."""
    if type(problem) is sqlite3.DatabaseError:
        return True
    signs = ("malformed", "not a database", "no such", "vtable constructor", "corrupt", "no column")
    return any(sign in str(problem) for sign in signs)


def is_busy(problem: sqlite3.Error) -> bool:
    """Whether another process holds the file."""
    return "locked" in str(problem) or "busy" in str(problem)


def unavailable(problem: sqlite3.Error, path: str) -> StoreUnavailable:
    """Return the error that says what SQLite could not do."""
    if is_busy(problem):
        return StoreBusy(f"another process holds {path}", "Wait for it to end, then try again.")
    if "full" in str(problem):
        return StoreFull(f"no space left to write {path}", "Free some space, or set HOLDFAST_HOME to another disk.")
    return StoreUnavailable(f"cannot use {path}: {problem}", "Run `holdfast doctor`.")
