"""The index of the local store: what the Markdown files say, ready to be searched and listed.

It may be deleted at any time: it holds nothing that the files and the journal do not say.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass
from holdfast.records import Filter, Group, Memory, Problem, Scope
from holdfast.store.database import Database
from holdfast.store.words import digest as digest_of_words
from holdfast.store.words import grams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COLUMNS = (
    "m.id, m.path, m.scope, m.owner, m.key, m.type, m.trust, m.created, m.updated, m.source, m.agent, m.session, "
    "m.pinned, w.title, w.tags, w.body"
)
_TAGS_APART = "\n"
_PAGE = 200


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


class Index(Database):
    """The open index: memories in, memories out."""

    def finished(self) -> None:
        """Note that the index holds every file."""
        with self.begin():
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('complete', '1')")
        self.why_fresh = ""

    def put(self, memory: Memory, stamp: Stamp, digest: bytes, problems: Iterable[Problem] = ()) -> None:
        """Add the memory of one file, in place of what the index had for that path."""
        folder = os.path.dirname(memory.path)
        row = self.db.execute(
            "INSERT INTO memory(id, path, folder, scope, owner, key, type, trust, created, updated, source, agent,"
            " session, pinned, earlier, ctime_ns, size, inode, unsure, digest)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._take_out(memory.path),
                *(memory.path, folder, memory.scope.kind, memory.scope.owner, memory.key, memory.type, memory.trust),
                *(memory.created, memory.updated, memory.source, memory.agent, memory.session, memory.pinned),
                *(len(memory.history), stamp.ctime_ns, stamp.size, stamp.inode, stamp.unsure, digest),
            ),
        ).lastrowid
        self._put_words(row, memory)
        self._put_lists(row, memory)
        self.put_problems(problems)
        self.mark_stale([folder])

    def put_problems(self, problems: Iterable[Problem]) -> None:
        """Add what is wrong in a file."""
        for each in problems:
            problem = (each.path, each.kind, each.text, each.hint, each.line, each.severity)
            self.db.execute("INSERT INTO problem VALUES (?,?,?,?,?,?)", problem)

    def _put_words(self, row: int | None, memory: Memory) -> None:
        earlier = "\n".join(statement.text for statement in memory.history)
        tags = _TAGS_APART.join(memory.tags)
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
            self.db.execute("INSERT INTO earlier VALUES (?, ?)", (row, digest_of_words(statement.text)))

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

    def erase_traces(self, *, passages: bool = False) -> None:
        """Merge the full-text index, so that no word of what was removed is left in it, and empty the log."""
        wanted = "('passage_words', 'session_words')" if passages else "('words')"
        tables = self.db.execute(f"SELECT name FROM sqlite_master WHERE name IN {wanted}").fetchall()
        with self.begin():
            for (table,) in tables:
                self.db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def was_corrected(self, scope: Scope, statement: str) -> bool:
        """Whether a memory of the scope said these words once and says something else now."""
        wanted = digest_of_words(statement)
        rows = self.db.execute(
            "SELECT w.body FROM earlier e JOIN memory m ON m.id = e.memory JOIN words w ON w.rowid = m.id"
            " WHERE e.digest = ? AND m.scope = ? AND m.owner = ?",
            (wanted, scope.kind, scope.owner),
        ).fetchall()
        return any(digest_of_words(body) != wanted for (body,) in rows)

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

    def settle(self, paths: Iterable[str]) -> None:
        """Note that the files are known for sure to say what the index has."""
        self.db.executemany("UPDATE memory SET unsure = 0 WHERE path = ?", [(path,) for path in paths])

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

    def see(self, folder: str, seen_ns: int) -> None:
        """Note the newest change seen in the folder."""
        self.db.execute(
            "INSERT INTO folder(path, seen_ns) VALUES (?1, ?2) ON CONFLICT(path) DO UPDATE SET seen_ns = ?2",
            (folder, seen_ns),
        )

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
        self.mark_stale(["", os.path.dirname(folder)])

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

    def find(self, wanted: Filter, limit: int | None) -> Iterator[Memory]:
        """Return memories, newest first."""
        where, values = where_of(wanted)
        order = "ORDER BY m.updated DESC, m.path"
        rows = self.db.execute(
            f"SELECT m.id FROM memory m WHERE {where} {order} LIMIT ?", (*values, -1 if limit is None else limit)
        )
        ids = [row for (row,) in rows]

        def by_page() -> Iterator[Memory]:
            # Some at a time: an open cursor would keep this process from writing meanwhile.
            for start in range(0, len(ids), _PAGE):
                page = ",".join(map(str, ids[start : start + _PAGE]))
                # The condition again: meanwhile a memory may have gone, and another one got its number.
                yield from self.memories(f"m.id IN ({page}) AND {where} {order}", values)

        return by_page()

    def memories(self, condition: str, values: Iterable[object]) -> list[Memory]:
        """Return the memories that meet a condition on `m`, as SQL."""
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM memory m JOIN words w ON w.rowid = m.id WHERE {condition}", tuple(values)
        ).fetchall()
        return [self.memory_of(row) for row in rows]

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


def where_of(wanted: Filter) -> tuple[str, list[object]]:
    """Return the condition on `m` that keeps what may and should be seen, and its values."""
    clauses, values = ["1"], list[object]()
    if wanted.scopes is not None:
        pairs = ",".join(["(?,?)"] * len(wanted.scopes))
        clauses.append(f"(m.scope, m.owner) IN (VALUES {pairs})" if pairs else "0")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    for column, wishes in (("m.type", wanted.types), ("m.key", wanted.keys), ("lower(m.agent)", wanted.agents)):
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
    if any(wanted.between):
        since, until = wanted.between[0], wanted.between[1] or "~"
        clauses.append("(m.updated >= ? AND m.updated < ? OR m.created >= ? AND m.created < ?)")
        values += [since, until, since, until]
    return " AND ".join(clauses), values
