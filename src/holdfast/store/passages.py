"""Passages: the turns of sessions, daily logs and digests, in the same index as memories.

Identity. A passage is its session's name and its place in it. A session is put whole: what it held before goes.

Derived. Everything here is made of the archive and of logs, and may be deleted with `index.db`.

Numbers. The number of a session or passage is never given again, so one that was found is gone or still the same.

Searching. The table answers three questions, each by SQLite: which passages hold the words (`matches`), which whole
sessions do (`session_scores`), and what stands beside a passage (`around`). How the answers are weighed is the room
`recall`.
"""

from __future__ import annotations

import sqlite3

from holdfast.errors import NotFound
from holdfast.light import dataclass
from holdfast.records import Scope
from holdfast.store import tokens
from holdfast.store.database import TOKENIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.store.base import Filter

_TABLES = f"""
CREATE TABLE IF NOT EXISTS session(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL, owner TEXT NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
  at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passage(id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL,
  place INTEGER NOT NULL, name TEXT NOT NULL, speaker TEXT NOT NULL, at TEXT NOT NULL, vector BLOB);
CREATE UNIQUE INDEX IF NOT EXISTS passage_place ON passage(session, place);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(text, about, grams, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS session_words USING fts5(text, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS passage_vocabulary USING fts5vocab(passage_words, row);
"""
_MONTHS = (
    *("", "January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One turn. `name` is what the source calls it; `place` counts from nought within the session."""

    place: int
    text: str
    name: str = ""
    speaker: str = ""
    at: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The session that passages belong to: who may see it, which agent it was, and when it began."""

    name: str
    scope: Scope
    agent: str = ""
    kind: str = "session"
    title: str = ""
    at: str = ""


class Passages:
    """The passages of one index. A passage without a vector is found by words alone."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        for statement in _TABLES.split(";\n"):
            db.execute(statement)

    def put(self, source: Source, passages: Iterable[Passage], vectors: Iterable[bytes | None]) -> None:
        """Store the session whole, in place of what was there under its name. The caller holds a transaction."""
        self.drop(source.name)
        session = self.db.execute(
            "INSERT INTO session(name, scope, owner, agent, kind, title, at) VALUES (?,?,?,?,?,?,?)",
            (
                *(source.name, source.scope.kind, source.scope.owner),
                *(source.agent, source.kind, source.title, source.at),
            ),
        ).lastrowid
        texts = []
        for passage, vector in zip(passages, vectors, strict=True):
            self._put_one(session, passage, vector)
            texts.append(f"{passage.speaker} {passage.text}")
        whole = "\n".join([source.title, spoken_date(source.at), *texts])
        whole = "\n".join([whole, *tokens.grams(whole)])
        self.db.execute("INSERT INTO session_words(rowid, text) VALUES (?, ?)", (session, whole))

    def _put_one(self, session: int | None, passage: Passage, vector: bytes | None) -> None:
        about = f"{passage.speaker} {spoken_date(passage.at)}"
        row = self.db.execute(
            "INSERT INTO passage(session, place, name, speaker, at, vector) VALUES (?,?,?,?,?,?)",
            (session, passage.place, passage.name, passage.speaker, passage.at, vector),
        ).lastrowid
        self.db.execute(
            "INSERT INTO passage_words(rowid, text, about, grams) VALUES (?, ?, ?, ?)",
            (row, passage.text, about, " ".join(tokens.grams(f"{passage.text}\n{passage.speaker}"))),
        )

    def drop(self, name: str) -> None:
        """Take the session out, if it is there."""
        found = self.db.execute("SELECT id FROM session WHERE name = ?", (name,)).fetchone()
        if not found:
            return
        for (row,) in self.db.execute("SELECT id FROM passage WHERE session = ?", found).fetchall():
            self.db.execute("DELETE FROM passage_words WHERE rowid = ?", (row,))
        self.db.execute("DELETE FROM passage WHERE session = ?", found)
        self.db.execute("DELETE FROM session_words WHERE rowid = ?", found)
        self.db.execute("DELETE FROM session WHERE id = ?", found)

    def count(self) -> int:
        """Return how many passages there are."""
        return int(self.db.execute("SELECT count(*) FROM passage").fetchone()[0])

    def matches(self, expression: str, wanted: Filter, limit: int) -> list[tuple[int, int, int, float]]:
        """Return id, session, place and text score of the passages that match, best first."""
        where, values = seen_by(wanted)
        rows = self.db.execute(
            "SELECT p.id, p.session, p.place, -bm25(passage_words, 1.0, 0.6, 1.0) AS text FROM passage_words"
            " JOIN passage p ON p.id = passage_words.rowid JOIN session s ON s.id = p.session"
            f" WHERE passage_words MATCH ? AND {where} ORDER BY text DESC LIMIT ?",
            (expression, *values, limit),
        )
        return [(int(a), int(b), int(c), float(d)) for a, b, c, d in rows]

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""
        where, values = seen_by(wanted)
        rows = self.db.execute(
            "SELECT s.id, -bm25(session_words) AS text FROM session_words JOIN session s ON s.id = session_words.rowid"
            f" WHERE session_words MATCH ? AND {where.replace('p.at', 's.at')} ORDER BY text DESC LIMIT ?",
            (expression, *values, limit),
        )
        return {int(row): float(text) for row, text in rows}

    def around(self, session: int, first: int, last: int, wanted: Filter) -> list[tuple[int, int]]:
        """Return id and place of the passages of a session between two places, in order."""
        where, values = seen_by(wanted)
        rows = self.db.execute(
            "SELECT p.id, p.place FROM passage p JOIN session s ON s.id = p.session"
            f" WHERE p.session = ? AND p.place BETWEEN ? AND ? AND {where} ORDER BY p.place",
            (session, first, last, *values),
        )
        return [(int(row), int(place)) for row, place in rows]

    def vectors(self, ids: list[int]) -> dict[int, bytes]:
        """Return the vectors of these passages."""
        found: dict[int, bytes] = {}
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            marks = ",".join("?" * len(part))
            found.update(self.db.execute(f"SELECT id, vector FROM passage WHERE id IN ({marks})", part))
        return {row: vector for row, vector in found.items() if vector is not None}

    def all_vectors(self, wanted: Filter) -> Iterator[tuple[tuple[int, int, int], bytes]]:
        """Return id, session and place of every passage that has a vector, with the vector."""
        where, values = seen_by(wanted)
        rows = self.db.execute(
            "SELECT p.id, p.session, p.place, p.vector FROM passage p JOIN session s ON s.id = p.session"
            f" WHERE p.vector IS NOT NULL AND {where}",
            values,
        )
        return (((int(row), int(session), int(place)), vector) for row, session, place, vector in rows)

    def state(self) -> tuple[int, int]:
        """Return what changes whenever the table does, here or in another process."""
        given = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'session'").fetchone()
        return int(given[0]) if given else 0, int(self.db.execute("SELECT count(*) FROM session").fetchone()[0])

    def read(self, row: int) -> tuple[Passage, Source]:
        """Return a passage and its session; NotFound where it went meanwhile."""
        found = self.db.execute(
            "SELECT p.place, w.text, p.name, p.speaker, p.at, s.name, s.scope, s.owner, s.agent, s.kind, s.title, s.at"
            " FROM passage p JOIN passage_words w ON w.rowid = p.id JOIN session s ON s.id = p.session WHERE p.id = ?",
            (row,),
        ).fetchone()
        if found is None:
            raise NotFound(f"passage {row} is no longer there", "Search again.")
        place, text, name, speaker, at, session, scope, owner, agent, kind, title, began = found
        source = Source(session, Scope(scope, owner), agent, kind, title, began)
        return Passage(place, text, name, speaker, at, session), source


def seen_by(wanted: Filter) -> tuple[str, list[object]]:
    """Return the condition on `s` and `p` that keeps what may and should be seen, and its values."""
    clauses, values = ["1"], list[object]()
    if wanted.scopes is not None:
        clauses.append("(" + " OR ".join(["0", *["(s.scope = ? AND s.owner = ?)"] * len(wanted.scopes)]) + ")")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    if wanted.since:
        clauses.append("p.at >= ?")
        values.append(wanted.since)
    if wanted.until:
        clauses.append("p.at < ?")
        values.append(wanted.until)
    return " AND ".join(clauses), values


def spoken_date(at: str) -> str:
    """Return a date as people write it, so that the words of a question find it: `7 May 2023`."""
    try:
        year, month, day = at[:10].split("-")
        return f"{int(day)} {_MONTHS[int(month)]} {year}" if int(month) > 0 else ""
    except (ValueError, IndexError):
        return ""
