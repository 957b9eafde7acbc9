"""Passages: the turns of sessions, daily logs and digests, in the same index as memories.

Identity. A passage is its session's name and its place in it. A session is put whole: what it held before goes.

Derived. Everything here is made of the archive and of logs, and may be deleted with `index.db`.

Numbers. The number of a session or passage is never given again, so one that was found is gone or still the same.

Searching. The table answers three questions, each by SQLite: which passages hold the words (`matches`), which whole
sessions do (`session_scores`), and what stands beside a passage (`around_many`). How the answers are weighed is up to
`recall`.

Meaning. A vector belongs to one version of the model, that of `use_model`, and is never seen by another. When the model
changes, every passage waits for a new vector, the newest first, and is found by its words meanwhile.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import NotFound
from holdfast.records import Scope
from holdfast.store import words
from holdfast.store.full_text import FullTextTable, heaviest, in_parts, word_count, worth_of
from holdfast.store.index import Transaction
from holdfast.store.sketches import Sketches
from holdfast.store.words import TOKENIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from holdfast.records import Filter
    from holdfast.store.words import Asked, Match, Row

    # A passage without its session: place, text, name, speaker, time.
    Told = tuple[int, str, str, str, str]

# `realm` numbers the scopes, so that a passage says in one number who may see it. A session whose words are not in
# `session_words` yet waits in `session_unworded`.
_TABLES = f"""
CREATE TABLE IF NOT EXISTS realm(id INTEGER PRIMARY KEY, scope TEXT NOT NULL, owner TEXT NOT NULL,
  passages INTEGER NOT NULL DEFAULT 0, UNIQUE(scope, owner));
CREATE TABLE IF NOT EXISTS session(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  realm INTEGER NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passage(id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL,
  place INTEGER NOT NULL, realm INTEGER NOT NULL, at TEXT NOT NULL, name TEXT NOT NULL, speaker TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS passage_place ON passage(session, place);
CREATE INDEX IF NOT EXISTS passage_time ON passage(realm, at);
CREATE TABLE IF NOT EXISTS passage_meaning(id INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS session_unworded(id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS passage_unmade(id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS passage_model(number INTEGER PRIMARY KEY, version TEXT NOT NULL,
  unmade_below INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(text, about, grams, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS session_words USING fts5(text, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS passage_vocabulary USING fts5vocab(passage_words, row);
INSERT OR IGNORE INTO passage_model VALUES (0, '', 0);
"""
# A condition that is always true.
ALL = "1"
_MONTHS = (
    *("", "January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_SCORE = "-bm25(passage_words, 1.0, 0.6, 1.0)"
_OTHER_LETTER = re.compile("[^\x00-\x7f\u2010-\u2027\xa0\xab\xb7\xbb]")
# How many times the wanted number are looked at, of those with the most words.
_LOOKED_AT, _LOOKED_AT_FILTERED = 2, 6


class Passage(NamedTuple):
    """One turn. `name` is what the source calls it; `place` counts from zero within the session."""

    place: int
    text: str
    name: str = ""
    speaker: str = ""
    at: str = ""
    session: str = ""


class PassageSource(NamedTuple):
    """The session that passages belong to: who may see it, which agent it was, and when it began."""

    name: str
    scope: Scope
    agent: str = ""
    kind: str = "session"
    title: str = ""
    at: str = ""


class Passages(FullTextTable):
    """The passages of one index. A passage without a vector is found by words alone."""

    words = "passage_words"
    vocabulary = "passage_vocabulary"
    rows = "passage p"
    alias = "p"
    numbers = "p.id, p.session, p.place"
    every = "p.realm IN (SELECT id FROM realm)"

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self._sketches = Sketches(db, "passage_sketch")
        self._read: list[int] = []
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'passage_sketch_scope'").fetchone():
            for statement in (*_TABLES.split(";\n"), *self._sketches.tables()):
                db.execute(statement)
        self._model = self._newest_model()

    @property
    def meanings(self) -> str:
        """The vectors by the present model."""
        return f"(SELECT id, vector FROM passage_meaning WHERE model = {self._model})"

    @property
    def sketches(self) -> Sketches:
        """The sketches of the vectors."""
        return self._sketches

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `p` that keeps what may and should be seen, and its values."""
        return seen_by(wanted)

    def put(self, source: PassageSource, by_scope: Mapping[Scope, Sequence[Told]]) -> None:
        """Store the session whole, by who may see what, replacing an earlier version.

        Each passage waits for its vector; the words of the whole session are told when they are asked for. The caller
        holds a transaction.
        """
        session = self._put_session(source)
        for scope, told in by_scope.items():
            self._put_told(session, scope, told)

    def _put_session(self, source: PassageSource) -> int | None:
        self.drop(source.name)
        session = self.db.execute(
            "INSERT INTO session(name, realm, agent, kind, title, at) VALUES (?,?,?,?,?,?)",
            (source.name, self._realm(source.scope), source.agent, source.kind, source.title, source.at),
        ).lastrowid
        self.db.execute("INSERT INTO session_unworded VALUES (?)", (session,))
        return session

    def _realm(self, scope: Scope) -> int:
        place = (scope.kind, scope.owner)
        if found := self.db.execute("SELECT id FROM realm WHERE scope = ? AND owner = ?", place).fetchone():
            return int(found[0])
        return self.db.execute("INSERT INTO realm(scope, owner) VALUES (?, ?)", place).lastrowid or 0

    def _put_told(self, session: int | None, scope: Scope, told: Sequence[Told]) -> None:
        """Put passages of one scope, many in one statement."""
        given = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'passage'").fetchone()
        first = int(given[0]) + 1 if given else 1
        realm = self._realm(scope)
        self.db.executemany(
            "INSERT INTO passage(id, session, place, realm, at, name, speaker) VALUES (?,?,?,?,?,?,?)",
            [
                (row, session, place, realm, at, name, speaker)
                for row, (place, _, name, speaker, at) in enumerate(told, first)
            ],
        )
        days = {day: f" {spoken_date(day)}" for day in {at[:10] for *_, at in told}}
        self.db.executemany(
            "INSERT INTO passage_words(rowid, text, about, grams) VALUES (?, ?, ?, ?)",
            [
                (row, text, speaker + days[at[:10]], _grams(text, speaker))
                for row, (_, text, _, speaker, at) in enumerate(told, first)
            ],
        )
        self.db.execute("UPDATE realm SET passages = passages + ? WHERE id = ?", (len(told), realm))
        waiting = [(row,) for row in range(first, first + len(told))]
        self.db.executemany("INSERT INTO passage_unmade VALUES (?)", waiting)

    def drop(self, name: str) -> None:
        """Take the session out, if it is there."""
        found = self.db.execute("SELECT id FROM session WHERE name = ?", (name,)).fetchone()
        if not found:
            return
        rows = self.db.execute("SELECT id FROM passage WHERE session = ?", found).fetchall()
        realms = self.db.execute("SELECT count(*), realm FROM passage WHERE session = ? GROUP BY realm", found)
        self.db.executemany("UPDATE realm SET passages = passages - ? WHERE id = ?", realms.fetchall())
        for table, number in (("passage_words", "rowid"), ("passage_meaning", "id"), ("passage_unmade", "id")):
            self.db.executemany(f"DELETE FROM {table} WHERE {number} = ?", rows)
        self.sketches.remove([row for (row,) in rows])
        self.db.execute("DELETE FROM passage WHERE session = ?", found)
        for table, number in (("session_words", "rowid"), ("session_unworded", "id"), ("session", "id")):
            self.db.execute(f"DELETE FROM {table} WHERE {number} = ?", found)

    def count(self) -> int:
        """Return how many passages there are."""
        return int(self.db.execute("SELECT ifnull(sum(passages), 0) FROM realm").fetchone()[0])

    def scored(self, expression: str, where: str, values: list[object], limit: int, weighed: int) -> list[Match]:
        """Return id, session, place and text score of the passages that match, best first."""
        # Where nothing is filtered out, only the best few are looked up.
        filtered = f" JOIN passage p ON p.id = passage_words.rowid WHERE {where} AND" if where != ALL else " WHERE"
        newest = f"ORDER BY passage_words.rowid DESC LIMIT {weighed}" if weighed else ""
        rows = self.db.execute(
            "SELECT p.id, p.session, p.place, best.text FROM (SELECT number, text FROM"
            f" (SELECT passage_words.rowid AS number, {_SCORE} AS text FROM passage_words{filtered}"
            f" passage_words MATCH ? {newest}) ORDER BY text DESC LIMIT ?) best"
            " CROSS JOIN passage p ON p.id = best.number ORDER BY best.text DESC",
            (*values, expression, limit),
        )
        return rows.fetchall()

    def best_holders(
        self, holders: dict[str, int], asked: Asked, worth: Sequence[float], wanted: Filter, limit: int
    ) -> list[Match]:
        """As `matches`, of these holders: each word counts once, by its worth, and less in a longer passage."""
        where, values = seen_by(wanted)
        looked_at = (_LOOKED_AT if where == ALL else _LOOKED_AT_FILTERED) * limit
        while True:
            numbers = heaviest(holders, worth, looked_at)
            rows = self.db.execute(
                "SELECT p.id, p.session, p.place, d.sz FROM passage p JOIN passage_words_docsize d ON d.id = p.id"
                f" WHERE p.id IN ({','.join(numbers)}) AND {where}",
                values,
            ).fetchall()
            if len(rows) >= min(limit, words.ENOUGH_FOUND) or len(numbers) >= len(holders):
                return _weighed(rows, holders, worth)[:limit]
            looked_at *= 8

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""
        self._tell_sessions()
        where, values = seen_by(wanted, "s")
        rows = self.db.execute(
            "SELECT s.id, -bm25(session_words) AS text FROM session_words JOIN session s ON s.id = session_words.rowid"
            f" WHERE session_words MATCH ? AND {where} ORDER BY text DESC LIMIT ?",
            (expression, *values, limit),
        )
        return {int(row): float(text) for row, text in rows}

    def _tell_sessions(self) -> None:
        """Put the words of whole sessions that wait; only a small collection is asked for them, so few do."""
        waiting = self.db.execute(
            "SELECT s.id, s.title, s.at FROM session_unworded u JOIN session s ON s.id = u.id"
        ).fetchall()
        if not waiting:
            return
        self.db.execute("SAVEPOINT tell_sessions")
        try:
            for session, title, at in waiting:
                said = self.db.execute(
                    "SELECT p.speaker || ' ' || w.text FROM passage p JOIN passage_words w ON w.rowid = p.id"
                    " WHERE p.session = ? ORDER BY p.place",
                    (session,),
                )
                whole = "\n".join([title, spoken_date(at), *(text for (text,) in said)])
                whole = "\n".join([whole, *words.grams(whole)])
                self.db.execute("INSERT INTO session_words(rowid, text) VALUES (?, ?)", (session, whole))
                self.db.execute("DELETE FROM session_unworded WHERE id = ?", (session,))
        except sqlite3.OperationalError:
            # Another process is writing; they go on waiting.
            self.db.execute("ROLLBACK TO tell_sessions")
        finally:
            self.db.execute("RELEASE tell_sessions")

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return id, session and place of what stands directly beside these passages, and of themselves, each once."""
        where, values = seen_by(wanted)
        beside = list({(session, place + step) for session, place in places for step in (-1, 0, 1)})
        found: list[Row] = []
        for part, marks in in_parts(beside, "(?,?)"):
            rows = self.db.execute(
                f"WITH beside(session, place) AS (VALUES {marks})"
                " SELECT p.id, p.session, p.place FROM beside b CROSS JOIN passage p"
                f" ON p.session = b.session AND p.place = b.place WHERE {where}",
                [*(number for pair in part for number in pair), *values],
            )
            found += rows.fetchall()
        return sorted(found)

    def known(self, ids: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Return of each of these passages who said it, how many words it has, and its vector; empty where unknown."""
        found: dict[int, tuple[str, int, bytes]] = {}
        for part, marks in in_parts(ids):
            rows = self.db.execute(
                "SELECT p.id, p.speaker, d.sz, v.vector FROM passage p JOIN passage_words_docsize d ON d.id = p.id"
                " LEFT JOIN passage_meaning v ON v.id = p.id AND v.model = ?"
                f" WHERE p.id IN ({marks})",
                [self._model, *part],
            )
            found.update({row: (speaker, word_count(sizes), vector or b"") for row, speaker, sizes, vector in rows})
        return found

    def times(self, ids: Sequence[int]) -> dict[int, str]:
        """Return when these passages were said."""
        return dict(self.db.execute(f"SELECT id, at FROM passage WHERE id IN ({','.join('?' * len(ids))})", ids))

    def newest(self, wanted: Filter, limit: int) -> list[int]:
        """Return the newest passages that the filter lets through."""
        where, values = seen_by(wanted)
        rows = self.db.execute(f"SELECT p.id FROM passage p WHERE {where} ORDER BY p.at DESC LIMIT ?", (*values, limit))
        return [row for (row,) in rows]

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return what these passages say."""
        numbers = ",".join("?" * len(ids))
        return dict(self.db.execute(f"SELECT rowid, text FROM passage_words WHERE rowid IN ({numbers})", ids))

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return the chunks of sketches by the present model."""
        return self.sketches.chunks(scopes, width, self._model)

    def _newest_model(self) -> int:
        return int(self.db.execute("SELECT max(number) FROM passage_model").fetchone()[0])

    def model(self) -> str:
        """Return the version of the model whose vectors are seen and put."""
        row = self.db.execute("SELECT version FROM passage_model WHERE number = ?", (self._model,)).fetchone()
        return str(row[0])

    def use_model(self, version: str) -> None:
        """See and put the vectors of this model from now on; where it is another one, every passage waits for its own.

        The caller holds a transaction, or none.
        """
        self._model = self._newest_model()
        if self.model() == version:
            return
        if not self.model() and not self.db.execute("SELECT 1 FROM passage_meaning LIMIT 1").fetchone():
            self.db.execute("UPDATE passage_model SET version = ? WHERE number = ?", (version, self._model))
            return
        self.db.execute("SAVEPOINT another_model")
        self._model += 1
        self.db.execute(
            "INSERT INTO passage_model SELECT ?, ?, ifnull(max(id), 0) + 1 FROM passage", (self._model, version)
        )
        self.db.execute("DELETE FROM passage_unmade")
        self.sketches.clear()
        self.db.execute("RELEASE another_model")

    def waiting(self) -> int:
        """Return how many passages wait for a vector."""
        sql = (
            "SELECT (SELECT count(*) FROM passage_unmade) + (SELECT count(*) FROM passage WHERE id <"
            " (SELECT unmade_below FROM passage_model WHERE number = ?))"
        )
        return int(self.db.execute(sql, (self._model,)).fetchone()[0])

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Return passages that wait for a vector, the newest first, as id and text."""
        waiting = self.db.execute("SELECT id FROM passage_unmade ORDER BY id DESC LIMIT ?", (limit,)).fetchall()
        older = self.db.execute(
            "SELECT id FROM passage WHERE id < (SELECT unmade_below FROM passage_model WHERE number = ?)"
            " ORDER BY id DESC LIMIT ?",
            (self._model, limit - len(waiting)),
        ).fetchall()
        self._read = [row for (row,) in (*waiting, *older)]
        texts = []
        for row in self._read:
            found = self.db.execute("SELECT text FROM passage_words WHERE rowid = ?", (row,)).fetchone()
            texts.append((row, str(found[0]) if found else ""))
        return texts

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors that `without_vector` asked for, where the passage is still there."""
        made = dict(vectors)
        scopes: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
        with Transaction(self.db, "index.db"):
            for row, vector in made.items():
                found = self.db.execute(
                    "SELECT r.scope, r.owner FROM passage p JOIN realm r ON r.id = p.realm WHERE p.id = ? AND NOT"
                    " EXISTS (SELECT 1 FROM passage_meaning v WHERE v.id = p.id AND v.model = ?)",
                    (row, self._model),
                ).fetchone()
                if found:
                    scopes.setdefault(found, []).append((row, vector))
            for (kind, owner), rows in scopes.items():
                kept = [(row, self._model, blob) for row, blob in rows]
                self.db.executemany("INSERT OR REPLACE INTO passage_meaning VALUES (?, ?, ?)", kept)
                self.sketches.add(Scope(kind, owner), rows, self._model)
            self.db.executemany("DELETE FROM passage_unmade WHERE id = ?", [(row,) for row in made])
            # They were read from the newest down, so every one above the first gap is done.
            down_to = next((row + 1 for row in self._read if row not in made), min(self._read, default=1 << 62))
            self.db.execute(
                "UPDATE passage_model SET unmade_below = min(unmade_below, ?) WHERE number = ?", (down_to, self._model)
            )

    def read(self, row: int) -> tuple[Passage, PassageSource]:
        """Return a passage and its session; NotFound where it went meanwhile."""
        found = self.db.execute(
            "SELECT p.place, w.text, p.name, p.speaker, p.at, s.name, r.scope, r.owner, s.agent, s.kind, s.title, s.at"
            " FROM passage p JOIN passage_words w ON w.rowid = p.id JOIN session s ON s.id = p.session"
            " JOIN realm r ON r.id = p.realm WHERE p.id = ?",
            (row,),
        ).fetchone()
        return of_row(row, found)


def of_row(number: int, row: tuple[Any, ...] | None) -> tuple[Passage, PassageSource]:
    """Return the passage and its session of a row that was read; NotFound where there is none any more."""
    if row is None:
        raise NotFound(f"passage {number} is no longer there", "Search again.")
    place, text, name, speaker, at, session, scope, owner, agent, kind, title, began = row
    source = PassageSource(session, Scope(scope, owner), agent, kind, title, began)
    return Passage(place, text, name, speaker, at, session), source


def seen_by(wanted: Filter, of: str = "p") -> tuple[str, list[object]]:
    """Return the condition that keeps what may and should be seen, of passages `p` or sessions `s`, and its values."""
    clauses, values = [ALL], list[object]()
    if wanted.scopes is not None:
        pairs = " OR ".join(["0", *["(scope = ? AND owner = ?)"] * len(wanted.scopes)])
        clauses.append(f"{of}.realm IN (SELECT id FROM realm WHERE {pairs})")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    if wanted.agents:
        agents = f"SELECT id FROM session WHERE lower(agent) IN ({','.join('?' * len(wanted.agents))})"
        clauses.append(f"{of}.session IN ({agents})" if of == "p" else f"s.id IN ({agents})")
        values += [name.lower() for name in wanted.agents]
    for since, until in ((wanted.since, wanted.until), wanted.between):
        if since:
            clauses.append(f"{of}.at >= ?")
            values.append(since)
        if until:
            clauses.append(f"{of}.at < ?")
            values.append(until)
    return " AND ".join(clauses), values


def spoken_date(at: str) -> str:
    """Return a date as people write it, so that the words of a question find it: `7 May 2023`."""
    try:
        year, month, day = at[:10].split("-")
        return f"{int(day)} {_MONTHS[int(month)]} {year}" if int(month) > 0 else ""
    except (ValueError, IndexError):
        return ""


def _grams(text: str, speaker: str) -> str:
    whole = text if speaker.isascii() else f"{text}\n{speaker}"
    # Most texts have no other letters than ASCII, but dashes, quotes and dots, which are no words.
    if whole.isascii() or not _OTHER_LETTER.search(whole):
        return ""
    return " ".join(words.grams(whole))


def _weighed(rows: list[tuple[int, int, int, bytes]], holders: dict[str, int], worth: Sequence[float]) -> list[Match]:
    """Return the rows with BM25 as the text score, best first, as if no word stood twice in a passage."""
    long = [word_count(sizes) for *_, sizes in rows]
    mean = sum(long) / len(long) if long else 1.0
    told = {mask: worth_of(mask, worth) for mask in {holders[str(row)] for row, *_ in rows}}
    found = [
        (row, session, place, told[holders[str(row)]] * 2.2 / (1.3 + 0.9 * length / mean))
        for (row, session, place, _), length in zip(rows, long, strict=True)
    ]
    return sorted(found, key=lambda one: -one[3])
