"""Sessions in the index: what each was and how it ended, which files it changed, what it cost, day by day.

Identity. A session is its name, `agent/id`. It is put whole: what the table had under its name goes.

Derived. Everything here is said by the archive and made again by `holdfast reindex`. The passages of a session lie in
`sessions/index.py`; `SessionRow.talk` says whether those of its raw events are among them.

Looking. A list never reads the archive: ten thousand sessions are listed, summed and filtered by SQLite alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.base.files import working_folder
from holdfast.base.structs import dataclass
from holdfast.records import Cost, Spend

_TOKENS = ("input", "output", "cache_read", "cache_write", "reasoning")
# Between the entries of a list in one column; no entry of a digest has it, since each stands on one line.
_APART = "\n"
BY = {"project": "r.project", "agent": "r.agent", "day": "s.day", "model": "s.model"}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session as it is listed. `commits` are their subjects, `pull_requests` their addresses.

    `files` counts those changed, also beyond what the digest names. `passages` can be searched, `cut` more could not be
    taken in; `talk` says that they are what was said, not only what the digest has.
    """

    name: str
    agent: str
    id: str
    title: str = ""
    project: str = ""
    folder: str = ""
    branches: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    outcome: str = "unknown"
    confidence: float = 0.0
    parent: str = ""
    is_subagent: bool = False
    models: tuple[str, ...] = ()
    events: int = 0
    asks: int = 0
    calls: int = 0
    failed_calls: int = 0
    files: int = 0
    commits: tuple[str, ...] = ()
    pull_requests: tuple[str, ...] = ()
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    dollars: float = 0.0
    dollars_from: str = ""
    talk: bool = False
    passages: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file that a session changed: how the digest names it, its whole path, how often, when, and at which event."""

    path: str
    whole: str
    changes: int
    at: str = ""
    place: int = 0
    project: str = ""
    session: str = ""
    agent: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sessions are asked for; `projects=None` means all, and an empty text asks for nothing in particular.

    A session counts from `since` on when it ended then or later, and until `until` when it began before. `names` are
    those asked for by name; `file` is a path or the end of one.
    """

    projects: tuple[str, ...] | None = None
    agents: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    outcomes: tuple[str, ...] = ()
    branch: str = ""
    file: str = ""
    subagents: bool = True
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spent:
    """What one model cost in one group; the dollars are those that agents told, `untold` the tokens without that."""

    group: str
    model: str
    cost: Cost
    untold: Cost
    sessions: tuple[int, ...] = ()


_TYPES = {"str": "TEXT", "tuple[str, ...]": "TEXT", "int": "INTEGER", "bool": "INTEGER", "float": "REAL"}
_COLUMNS = {name: str(kind) for name, kind in SessionRow.__annotations__.items()}
_TABLES = f"""
CREATE TABLE IF NOT EXISTS session_row(number INTEGER PRIMARY KEY,
  {", ".join(f"{name} {_TYPES[kind]} NOT NULL" for name, kind in _COLUMNS.items())}, UNIQUE(name));
CREATE INDEX IF NOT EXISTS session_row_ended ON session_row(ended);
CREATE TABLE IF NOT EXISTS session_file(session INTEGER NOT NULL, project TEXT NOT NULL, path TEXT NOT NULL,
  whole TEXT NOT NULL, changes INTEGER NOT NULL, at TEXT NOT NULL, place INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS session_file_session ON session_file(session);
CREATE INDEX IF NOT EXISTS session_file_at ON session_file(at);
CREATE TABLE IF NOT EXISTS session_spend(session INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL,
  {", ".join(f"{name} INTEGER NOT NULL" for name in _TOKENS)}, dollars REAL NOT NULL);
CREATE INDEX IF NOT EXISTS session_spend_session ON session_spend(session)
"""


class SessionTable:
    """The sessions of one index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'session_spend_session'").fetchone():
            for statement in _TABLES.split(";\n"):
                db.execute(statement)

    def put(self, row: SessionRow, files: Iterable[FileRow], spends: Iterable[Spend]) -> None:
        """Store the session whole, in place of what was there. The caller holds a transaction."""
        self.drop(row.name)
        values = [getattr(row, name) for name in _COLUMNS]
        values = [_APART.join(value) if isinstance(value, tuple) else value for value in values]
        number = self.db.execute(
            f"INSERT INTO session_row({','.join(_COLUMNS)}) VALUES ({','.join('?' * len(_COLUMNS))})", values
        ).lastrowid
        self.db.executemany(
            "INSERT INTO session_file VALUES (?,?,?,?,?,?,?)",
            [(number, one.project, one.path, one.whole, one.changes, one.at, one.place) for one in files],
        )
        self.db.executemany(
            "INSERT INTO session_spend VALUES (?,?,?,?,?,?,?,?,?)",
            [
                (number, one.day, one.model, *(getattr(one.cost, name) for name in _TOKENS), one.cost.dollars)
                for one in spends
            ],
        )

    def drop(self, name: str) -> None:
        """Take the session out, if it is there."""
        found = self.db.execute("SELECT number FROM session_row WHERE name = ?", (name,)).fetchone()
        if found:
            for table, column in (("session_file", "session"), ("session_spend", "session"), ("session_row", "number")):
                self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", found)

    def find(self, wanted: Wanted, limit: int = -1) -> list[SessionRow]:
        """Return the sessions that are asked for, the last to end first."""
        where, values = where_of(wanted)
        rows = self.db.execute(
            f"SELECT {','.join(f'r.{name}' for name in _COLUMNS)} FROM session_row r WHERE {where}"
            " ORDER BY r.ended DESC, r.name LIMIT ?",
            (*values, limit),
        )
        return [_row(found) for found in rows]

    def ids(self) -> list[str]:
        """Return the id of every session, in order."""
        return [id for (id,) in self.db.execute("SELECT id FROM session_row ORDER BY id")]

    def totals(self, by: str) -> list[tuple[str, int, str]]:
        """Return of each `project` or `agent` how many sessions it has, sub-agents aside, and when the last ended."""
        return self.db.execute(
            f"SELECT {by}, count(*), max(ended) FROM session_row WHERE NOT is_subagent GROUP BY 1 ORDER BY 3 DESC"
        ).fetchall()

    def talks(self) -> dict[str, bool]:
        """Return the name of every session, and whether what was said in it can be searched."""
        return {name: bool(talk) for name, talk in self.db.execute("SELECT name, talk FROM session_row")}

    def spent(self, wanted: Wanted, by: str) -> list[Spent]:
        """Return what was spent in each group of `BY`, and there by each model."""
        where, values = where_of(wanted, by_day=True)
        sums = ",".join(f"sum(s.{name})" for name in _TOKENS)
        untold = ",".join(f"sum(iif(s.dollars > 0, 0, s.{name}))" for name in _TOKENS)
        rows = self.db.execute(
            f"SELECT {BY[by]}, s.model, {sums}, sum(s.dollars), {untold}, group_concat(DISTINCT r.number)"
            f" FROM session_spend s JOIN session_row r ON r.number = s.session WHERE {where} GROUP BY 1, 2",
            values,
        )
        return [
            Spent(row[0], row[1], Cost(*row[2:8]), Cost(*row[8:13]), tuple(map(int, row[13].split(","))))
            for row in rows
        ]

    def files(self, wanted: Wanted, limit: int = -1) -> list[FileRow]:
        """Return the changes of files that are asked for, the latest first; the project is that of the file."""
        where, values = where_of(wanted, of="f")
        rows = self.db.execute(
            "SELECT f.path, f.whole, f.changes, f.at, f.place, f.project, r.name, r.agent, r.title FROM session_file f"
            f" JOIN session_row r ON r.number = f.session WHERE {where} ORDER BY f.at DESC, r.name, f.whole LIMIT ?",
            (*values, limit),
        )
        return [FileRow(*row) for row in rows]

    def is_complete(self) -> bool:
        """Whether the table was filled from the archive since the index was made."""
        return bool(self.db.execute("SELECT 1 FROM meta WHERE name = 'sessions'").fetchone())

    def finished(self) -> None:
        """Note that the table holds what the archive has."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES ('sessions', '1')")


def _row(found: Sequence[object]) -> SessionRow:
    fields = dict(zip(_COLUMNS, found, strict=True))
    for name, kind in _COLUMNS.items():
        if kind == "bool":
            fields[name] = bool(fields[name])
        elif kind.startswith("tuple"):
            fields[name] = tuple(str(fields[name]).split(_APART)) if fields[name] else ()
    return SessionRow(**fields)  # type: ignore[arg-type]


class SessionSql(NamedTuple):
    """How a database says what the condition on sessions needs beyond plain SQL; `{}` is the rest of a clause."""

    # That a session was on a branch, and how the branch is given.
    on_branch: str
    branch: str
    # That a session changed a file of which the rest holds.
    changed: str


_SQLITE = SessionSql(
    "instr(char(10) || r.branches || char(10), ?)",
    "\n{}\n",
    "r.number IN (SELECT f.session FROM session_file f WHERE {})",
)


def where_of(
    wanted: Wanted, sql: SessionSql = _SQLITE, *, of: str = "r", by_day: bool = False
) -> tuple[str, list[object]]:
    """Return the condition on the session `r`, its changed file `f` or its spend `s`, and its values, each a `?`."""
    clauses, values = ["1 = 1"], list[object]()
    for column, wishes in (
        (f"{of}.project", wanted.projects),
        ("lower(r.agent)", tuple(name.lower() for name in wanted.agents) or None),
        ("r.outcome", wanted.outcomes or None),
        ("r.name", wanted.names or None),
    ):
        if wishes is not None:
            clauses.append(f"{column} IN ({','.join('?' * len(wishes))})" if wishes else "1 = 0")
            values += wishes
    first, last = ("s.day", "s.day") if by_day else ("f.at", "f.at") if of == "f" else ("r.ended", "r.started")
    for sign, column, moment in ((">=", first, wanted.since), ("<", last, wanted.until)):
        if moment:
            clauses.append(f"{column} {sign} ?")
            values.append(moment[:10] if by_day else moment)
    if wanted.branch:
        clauses.append(sql.on_branch)
        values.append(sql.branch.format(wanted.branch))
    if not wanted.subagents:
        clauses.append("NOT r.is_subagent")
    if wanted.file:
        clause, more = _file_clause(wanted.file)
        clauses.append(clause if of == "f" else sql.changed.format(clause))
        values += more
    return " AND ".join(clauses), values


def _file_clause(path: str) -> tuple[str, list[object]]:
    """Return the condition on a changed file: the path itself, what lies below it, or a path that ends so."""
    whole = os.path.normpath(os.path.join(working_folder(), path))
    end = "/" + os.path.normpath(path).lstrip("/")
    below = whole.rstrip("/") + "/"
    ends = "substr(f.whole, length(f.whole) - ? + 1) = ?"
    clause = f"(f.whole = ? OR substr(f.whole, 1, ?) = ? OR f.path = ? OR {ends})"
    return clause, [whole, len(below), below, path, len(end), end]
