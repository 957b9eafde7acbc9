"""Rows of sessions of one team in PostgreSQL, with the files that each changed and what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from holdfast.records import Cost, Spend, asdict
from holdfast.store.session_table import BY, FileRow, SessionRow, SessionSql, Spent, Wanted, where_of

_TOKENS = ("input", "output", "cache_read", "cache_write", "reasoning")
_SPENT = (*_TOKENS, "dollars")
_OF_SESSION = "r.organisation = {0}.organisation AND r.team = {0}.team AND r.name = {0}.session"


_SQL = SessionSql(
    "? = ANY(r.branches)",
    "{}",
    f"EXISTS (SELECT 1 FROM holdfast.session_file f WHERE {_OF_SESSION.format('f')} AND {{}})",
)


class SessionRecords:
    """The sessions of one team."""

    def __init__(self, db: Any, place: tuple[int, int]) -> None:
        self.db = db
        self.place = place

    def put(self, row: SessionRow, files: Iterable[FileRow], spends: Iterable[Spend]) -> None:
        """Put the session whole, in place of what was there."""
        self.drop(row.name)
        self.db.execute(
            "INSERT INTO holdfast.session VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                *(*self.place, row.name, row.agent, row.id, row.project, list(row.branches), row.started, row.ended),
                *(row.outcome, row.is_subagent, row.talk, json.dumps(asdict(row))),
            ),
        )
        with self.db.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO holdfast.session_file VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [
                    (*self.place, row.name, one.project, one.path, one.whole, one.changes, one.at, one.place)
                    for one in files
                ],
            )
            cursor.executemany(
                "INSERT INTO holdfast.session_spend VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [
                    (*self.place, row.name, one.day, one.model, *(getattr(one.cost, name) for name in _SPENT))
                    for one in spends
                ],
            )

    def drop(self, name: str) -> None:
        """Take the session out, if it is there."""
        sql = "DELETE FROM holdfast.session WHERE organisation = %s AND team = %s AND name = %s"
        self.db.execute(sql, (*self.place, name))

    def find(self, wanted: Wanted, limit: int = -1) -> list[SessionRow]:
        """Return the sessions that are asked for, the last to end first."""
        where, values = self._where(wanted)
        sql = f"SELECT r.row FROM holdfast.session r WHERE {where} ORDER BY r.ended DESC, r.name LIMIT %s"
        rows = self.db.execute(sql, (*values, _most(limit))).fetchall()
        return [SessionRow(**{name: _tuple(value) for name, value in row.items()}) for (row,) in rows]

    def ids(self) -> list[str]:
        """Return the id of every session, in order."""
        sql = "SELECT id FROM holdfast.session WHERE organisation = %s AND team = %s ORDER BY id"
        return [id for (id,) in self.db.execute(sql, self.place).fetchall()]

    def totals(self, by: str) -> list[tuple[str, int, str]]:
        """Return of each `project` or `agent` how many sessions it has, sub-agents aside, and when the last ended."""
        found = self.db.execute(
            f"SELECT r.{'project' if by == 'project' else 'agent'}, count(*), max(r.ended) FROM holdfast.session r"
            " WHERE r.organisation = %s AND r.team = %s AND NOT r.is_subagent GROUP BY 1 ORDER BY 3 DESC",
            self.place,
        )
        return list(found.fetchall())

    def talks(self) -> dict[str, bool]:
        """Return the name of every session, and whether what was said in it can be searched."""
        sql = "SELECT name, talk FROM holdfast.session WHERE organisation = %s AND team = %s"
        return dict(self.db.execute(sql, self.place).fetchall())

    def files(self, wanted: Wanted, limit: int = -1) -> list[FileRow]:
        """Return the changes of files that are asked for, the latest first; the project is that of the file."""
        where, values = self._where(wanted, of="f")
        rows = self.db.execute(
            "SELECT f.path, f.whole, f.changes, f.at, f.place, f.project, r.name, r.agent, r.row->>'title'"
            f" FROM holdfast.session_file f JOIN holdfast.session r ON {_OF_SESSION.format('f')}"
            f" WHERE {where} ORDER BY f.at DESC, r.name, f.whole LIMIT %s",
            (*values, _most(limit)),
        )
        return [FileRow(*row) for row in rows.fetchall()]

    def spent(self, wanted: Wanted, by: str) -> list[Spent]:
        """Return what was spent in each group, and there by each model."""
        where, values = self._where(wanted, by_day=True)
        sums = ", ".join(f"sum(s.{name})::bigint" for name in _TOKENS)
        untold = ", ".join(f"coalesce(sum(s.{name}) FILTER (WHERE s.dollars <= 0), 0)::bigint" for name in _TOKENS)
        # Sessions are told apart by a number, as everywhere; here it is made of their names.
        rows = self.db.execute(
            f"SELECT {BY[by]}, s.model, {sums}, sum(s.dollars), {untold},"
            " array_agg(DISTINCT hashtextextended(r.name, 0))"
            f" FROM holdfast.session_spend s JOIN holdfast.session r ON {_OF_SESSION.format('s')}"
            f" WHERE {where} GROUP BY 1, 2",
            values,
        )
        return [
            Spent(row[0], row[1], Cost(*row[2:8]), Cost(*row[8:13]), tuple(map(int, row[13])))
            for row in rows.fetchall()
        ]

    def is_complete(self) -> bool:
        """Whether the table was filled from the archive since it was made."""
        sql = "SELECT 1 FROM holdfast.filled WHERE organisation = %s AND team = %s"
        return self.db.execute(sql, self.place).fetchone() is not None

    def finished(self) -> None:
        """Note that the table holds what the archive has."""
        self.db.execute("INSERT INTO holdfast.filled VALUES (%s, %s) ON CONFLICT DO NOTHING", self.place)

    def _where(self, wanted: Wanted, *, of: str = "r", by_day: bool = False) -> tuple[str, list[object]]:
        """Return the condition on sessions of the team, and its values."""
        clause, values = where_of(wanted, _SQL, of=of, by_day=by_day)
        return f"r.organisation = %s AND r.team = %s AND {clause.replace('?', '%s')}", [*self.place, *values]


def _most(limit: int) -> int | None:
    return None if limit < 0 else limit


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
