"""The index as a hook reads it: without a sweep of the files, without waiting, and never made again.

A hook has no time to look at every file. It takes what the index says and then looks at the few files that it is about
to hand over: one that is gone is not given, one that was edited by hand is read again.
"""

from __future__ import annotations

import os
import sqlite3
import stat

from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.files import file_digest
from holdfast.errors import HoldfastError, NotFound, StoreUnavailable
from holdfast.records import Candidate, Memory, Scope
from holdfast.store.full_text import in_parts
from holdfast.store.index import SCHEMA, IndexReader, Stamp, at_places
from holdfast.store.memory_table import MemoryTable
from holdfast.store.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_BUSY_SECONDS = 0.05
_STEPS = 2_000
_MAX_READ = 1_048_576
_REMAKE = "Run `holdfast reindex`."
# Of each kind as many as could find room at a session's start: the person's rules, decisions, lessons, and the newest.
_FIRST = "ORDER BY pinned DESC, updated DESC LIMIT"
_USUALLY, _AT_MOST = 40, 200
# And what has the words of what is being worked on, a short one before a long one that has as many: of each word the
# newest that have it, and of all these the nearest.
_HAVING, _LOOKED_AT, _NEAREST = 200, 1_000, 60
_LONGEST, _BESIDE, _HALF = 300, 20, 0.2
# So many memories of a scope are counted.
MANY = 1_000
_TOLD = (
    *(f"AND type = '{kind}' AND trust = 'user' {_FIRST} 50" for kind in ("user", "feedback", "decision", "lesson")),
    *(f"AND type = '{kind}' AND trust = 'agent' {_FIRST} 20" for kind in ("decision", "lesson")),
    f"AND type = 'lesson' AND trust = 'derived' {_FIRST} 30",
)


class ReadOnlyIndex(IndexReader):
    """The index of a home, opened to be read; `late` says when a query has taken too long and must stop."""

    def __init__(self, home: str, late: Callable[[], bool]) -> None:
        self.home = home
        self.root = os.path.join(home, "memory")
        self.path = os.path.join(home, "index.db")
        self._late = late
        # The warnings about what is about to be given, read together with it.
        self._stamps: dict[str, Stamp] = {}
        self.db = self._opened("mode=ro")
        # All queries see one snapshot of the index, so that SQLite need not look for a newer one each time.
        self.db.execute("BEGIN")

    def __enter__(self) -> ReadOnlyIndex:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def table(self) -> MemoryTable:
        """Return the searchable memories. An index that was never searched is prepared for it first."""
        try:
            return MemoryTable(self)
        except (sqlite3.OperationalError, StoreUnavailable):
            return self.writable_table()

    def writable_table(self) -> MemoryTable:
        """Return the same, opened to be written."""
        self.close()
        self.db = self._opened("mode=rw")
        table = MemoryTable(self)
        # What a session's start asks for, where an older version made the index: without them SQLite would look at all
        # memories of a scope.
        self.db.execute("CREATE INDEX IF NOT EXISTS memory_first ON memory(scope, owner, pinned, updated)")
        self.db.execute("CREATE INDEX IF NOT EXISTS memory_kind ON memory(scope, owner, type, trust, pinned, updated)")
        return table

    def _opened(self, mode: str) -> sqlite3.Connection:
        if not os.path.exists(self.path):
            raise NotFound("there is no index", _REMAKE)
        address = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        try:
            return self._connected(f"file:{address}?{mode}")
        except sqlite3.OperationalError as problem:
            # Where nothing can be written SQLite cannot share the file, but nobody else writes there either.
            log = f"{self.path}-wal"
            has_log = os.path.exists(log) and os.path.getsize(log) > 0
            is_closed = "unable to open" in str(problem) and not os.access(self.home, os.W_OK)
            if has_log or not (is_closed or "disk" in str(problem)):
                raise
            return self._connected(f"file:{address}?immutable=1")

    def _connected(self, address: str) -> sqlite3.Connection:
        db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA temp_store=MEMORY")
            found = dict(db.execute("SELECT name, value FROM meta"))
        except sqlite3.Error:
            db.close()
            raise
        # An index that is being filled lacks what is there, and would make it look forgotten.
        if found.get("schema") != SCHEMA or "complete" not in found:
            db.close()
            raise NotFound("the index is from another version or not finished", _REMAKE)
        db.set_progress_handler(lambda: int(self._late()), _STEPS)
        return db

    def read_to_the_end(self) -> None:
        """Interrupt no more questions: from here on only a few rows are asked for."""
        self.db.set_progress_handler(None, 0)

    def size(self) -> int:
        """Return about how many memories there are, without counting them."""
        return int(self.db.execute("SELECT ifnull(max(id), 0) FROM memory").fetchone()[0])

    def worth_telling(
        self, scopes: Iterable[Scope], room: int = 0, nearest: Mapping[Scope, Mapping[int, float]] | None = None
    ) -> list[Candidate]:
        """Return what of these scopes a session may be told: the newest of each kind, the pinned before all others.

        More of them where these do not fill so many characters; and the `nearest` of each scope.
        """
        near = nearest or {}
        return [one for scope in scopes for one in self._worth_telling(scope, room, near.get(scope, {}))]

    def _worth_telling(self, scope: Scope, room: int, nearest: Mapping[int, float]) -> list[Candidate]:
        found: dict[int, Candidate] = {}
        ids: set[int] = set()
        most, asked = _USUALLY, (*_TOLD, f"{_FIRST} {_USUALLY}")
        while True:
            kinds = [f"SELECT * FROM (SELECT id FROM memory WHERE scope = ?1 AND owner = ?2 {one})" for one in asked]
            ids.update([row for (row,) in self.db.execute(" UNION ".join(kinds), (scope.kind, scope.owner))])
            # What was read already is not read again.
            found |= self._candidates(sorted({*ids, *nearest}.difference(found)), nearest)
            is_short = len(ids) >= most < _AT_MOST and sum([len(one.memory.body) for one in found.values()]) < room
            if not is_short:
                return [found[row] for row in sorted(found)]
            before, most = most, min(2 * most, _AT_MOST)
            asked = (f"{_FIRST} {most - before} OFFSET {before}",)

    def nearest(self, scopes: Iterable[Scope], words: Iterable[str]) -> dict[Scope, dict[int, float]]:
        """Return of each scope what has most of these words for its length, each with how near it is, from 0 to 1."""
        places = [f"{scope.kind} {scope.owner}" for scope in scopes]
        near = self._having(words)
        best = sorted(near, key=lambda row: -near[row])[:_LOOKED_AT]
        # The table behind the words: to ask for a row of those themselves takes several times as long.
        rows = self.db.execute(
            "SELECT m.id, m.scope, m.owner, length(w.c3) FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value"
            " CROSS JOIN words_content w ON w.id = m.id"
            f" WHERE m.scope || ' ' || m.owner IN ({','.join('?' * len(places))})",
            (f"[{','.join(best)}]", *places),
        ).fetchall()
        told: dict[tuple[str, str], dict[int, float]] = {}
        for row, kind, owner, length in rows:
            told.setdefault((kind, owner), {})[row] = near[str(row)] / (min(length, _LONGEST) + _BESIDE) ** 0.5
        return {Scope(*place): _best(some) for place, some in told.items()}

    def _having(self, words: Iterable[str]) -> dict[str, float]:
        """Return how much each memory has of these words, by its number; of a rare one more."""
        found: dict[str, float] = {}
        newest = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
        for word in words:
            # As one text: row by row they take twice as long.
            (rows,) = self.db.execute(f"SELECT group_concat(rowid) FROM ({newest})", (quoted(word), _HAVING)).fetchone()
            numbers = str(rows).split(",") if rows else []
            # About what the logarithm of its rarity is.
            rare = (1 + len(numbers)) ** -0.25
            for number in numbers:
                found[number] = found.get(number, 0.0) + rare
        return found

    def number_in(self, scopes: Iterable[Scope]) -> int:
        """Return how many memories these scopes have, and MANY of a scope that has more: nobody waits for the rest."""
        asked = f"SELECT count(*) FROM (SELECT 1 FROM memory WHERE scope = ? AND owner = ? LIMIT {MANY})"
        return sum([self.db.execute(asked, (scope.kind, scope.owner)).fetchone()[0] for scope in scopes])

    def _candidates(self, ids: Sequence[int], near: Mapping[int, float]) -> dict[int, Candidate]:
        """Return these memories, which are of one scope, each with its use, what replaces it and how near it is."""
        among = f"m.id IN ({','.join(map(str, ids))})"
        same = "u.scope = m.scope AND u.owner = m.owner AND u.key = m.key"
        uses = dict(self.db.execute(f"SELECT m.key, u.count FROM memory m JOIN uses u ON {same} WHERE {among}"))
        # Of several replacements for one memory, the newest comes last and counts.
        replaced = dict(
            self.db.execute(
                "SELECT s.key, n.key FROM memory m JOIN supersedes s ON s.scope = m.scope AND s.owner = m.owner"
                f" AND s.key = m.key JOIN memory n ON n.id = s.memory WHERE {among} AND n.key <> s.key"
                " ORDER BY n.updated"
            )
        )
        stamps = self.db.execute(f"SELECT path, ctime_ns, size, inode, unsure FROM memory m WHERE {among}")
        self._stamps.update({path: Stamp(at, size, inode, bool(unsure)) for path, at, size, inode, unsure in stamps})
        return {
            row: Candidate(
                one, 0.0, (), False, uses.get(one.key, 0), one.ended_by(replaced.get(one.key, "")), near.get(row, 0.0)
            )
            for row, one in self.memories_by_number(ids, "TRUE", ()).items()
        }

    def known(self, places: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str, str], Memory]:
        """Return those of the memories (scope, owner, key) that exist, as the index has them."""
        found: dict[tuple[str, str, str], Memory] = {}
        for some, marks in in_parts(list(places), "(?,?,?)"):
            asked = [part for place in some for part in place]
            for one in self.memories_where(f"m.id IN (SELECT n.id FROM {at_places(marks, 'memory n')})", asked):
                found[one.scope.kind, one.scope.owner, one.key] = one
        return found

    def replaced(self, places: Iterable[tuple[str, str, str]]) -> frozenset[tuple[str, str, str]]:
        """Return those of the places (scope, owner, key) whose memory was replaced by another."""
        found: list[tuple[str, str, str]] = []
        for some, marks in in_parts(list(places), "(?,?,?)"):
            found += self.db.execute(
                f"SELECT s.scope, s.owner, s.key FROM {at_places(marks, 'supersedes s')}"
                " JOIN memory n ON n.id = s.memory WHERE n.key <> s.key",
                [part for place in some for part in place],
            ).fetchall()
        return frozenset(found)

    def has_file(self, scope: Scope, key: str) -> bool:
        """Whether a file stands where a memory of that key would, although the index may not know it yet."""
        # Asked only for what the index lost since it was shown.
        from holdfast.store import layout

        return os.path.lexists(f"{self.root}/{layout.usual_path(scope, key)}")

    def as_it_is(self, memory: Memory) -> Memory | None:
        """Return the memory as its file says it now; None where the file is gone or is another memory's."""
        full = os.path.join(self.root, memory.path)
        try:
            status = os.lstat(full)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        stamp = self._stamps.get(memory.path) or self.stamp(memory.path)
        is_known = stamp is not None and stamp.agrees(status)
        if stamp is not None and stamp.unsure:
            # The store wrote it within a tick of the clock, so its times do not tell whether somebody wrote it again.
            is_known &= file_digest(files.read(full, _MAX_READ + 1)) == self.digest(memory.path)
        return memory if is_known else _read_again(full, memory, status.st_mtime)


def _best(told: Mapping[int, float]) -> dict[int, float]:
    return {row: told[row] / (told[row] + _HALF) for row in sorted(told, key=lambda row: -told[row])[:_NEAREST]}


def is_empty(home: str) -> bool:
    """Whether the home has no memory at all, and so needs no index."""
    waiting = [os.path.join(home, "memory")]
    while waiting:
        folder = waiting.pop()
        holds = folder.endswith("/memories")
        try:
            # One by one: the first memory says enough, and there may be very many.
            with os.scandir(folder) as entries:
                for entry in entries:
                    if holds and entry.name.endswith(".md"):
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return True


def _read_again(full: str, memory: Memory, changed: float) -> Memory | None:
    # The reader of memory files is heavy, and an edit by hand between two commands is rare.
    from holdfast.store import memory_file

    try:
        text, _ = memory_file.decode(files.read(full, _MAX_READ), memory.path)
    except HoldfastError:
        return None
    at = iso(changed)
    found, _ = memory_file.read(text, memory_file.FilePlace(memory.path, memory.scope, memory.key, at))
    return found if found.body.strip() else None
