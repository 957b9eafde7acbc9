"""Memories as they are searched: the words of their statements, earlier ones too, and their vectors.

Vectors are derived like everything in the index. They are made when a memory is first looked at, belong to one version
of the model, and go with the row that they describe; without them a memory is found by its words.
"""

from __future__ import annotations

from holdfast.records import Candidate, Filter, Scope
from holdfast.store import words
from holdfast.store.full_text import FullTextTable, heaviest, in_parts, word_count
from holdfast.store.index import IndexReader, where_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.store.sketches import Sketches
    from holdfast.store.words import Asked, Match

    # The words of a query that a memory's current statement has, and those that only earlier ones have.
    Matched = tuple[tuple[str, ...], tuple[str, ...]]

# title, key, tags, body, earlier statements, grams
_WEIGHTS = "3.0, 2.0, 2.0, 1.0, 0.3, 1.0"
_OPEN, _CLOSE = "\x02", "\x03"
# How many times the wanted number are looked at, of those with the most words.
_LOOKED_AT = 4
# Looking up one row costs as much as walking this many documents.
_WALKED = 1_000
_TABLES = (
    "CREATE TABLE IF NOT EXISTS meaning(id INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS unmade(id INTEGER PRIMARY KEY)",
    # Rows whose sketch has to go: a trigger cannot take it out of its chunk.
    "CREATE TABLE IF NOT EXISTS unsketched(id INTEGER PRIMARY KEY)",
    "INSERT OR IGNORE INTO unmade SELECT id FROM memory",
    "CREATE TRIGGER IF NOT EXISTS meaning_wanted AFTER INSERT ON memory BEGIN"
    " INSERT OR IGNORE INTO unmade VALUES (new.id); END",
    "CREATE TRIGGER IF NOT EXISTS meaning_goes AFTER DELETE ON memory BEGIN"
    " INSERT OR IGNORE INTO unsketched SELECT id FROM meaning WHERE id = old.id;"
    " DELETE FROM meaning WHERE id = old.id; DELETE FROM unmade WHERE id = old.id; END",
)


class MemoryTable(FullTextTable):
    """The memories of one index."""

    words = "words"
    vocabulary = "vocabulary"
    rows = "memory m"
    alias = "m"
    numbers = "m.id, 0, 0"

    @property
    def meanings(self) -> str:
        """The table of vectors; those of another model are not kept."""
        return "meaning"

    def __init__(self, index: IndexReader) -> None:
        self.index = index
        self.db = index.db
        self._sketches: Sketches | None = None
        self._read: dict[int, bytes] = {}
        self._version = ""
        if not self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meaning_goes'").fetchone():
            with index.begin():
                for statement in (*self.sketches.tables(), *_TABLES):
                    self.db.execute(statement)

    @property
    def sketches(self) -> Sketches:
        """The sketches of the vectors."""
        if self._sketches is None:
            # In a large home a prompt hook asks for none.
            from holdfast.store.sketches import Sketches

            self._sketches = Sketches(self.db, "memory_sketch")
        return self._sketches

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `m` that keeps what may and should be seen, and its values."""
        return where_of(wanted)

    def count(self) -> int:
        """Return how many memories there are."""
        return int(self.db.execute("SELECT count(*) FROM memory").fetchone()[0])

    def scored(self, expression: str, where: str, values: list[object], limit: int, weighed: int) -> list[Match]:
        """Return id, zero, zero and text score of the memories that match, best first."""
        newest = f"ORDER BY words.rowid DESC LIMIT {weighed}" if weighed else ""
        rows = self.db.execute(
            "SELECT id, 0, 0, text FROM"
            f" (SELECT m.id AS id, -bm25(words, {_WEIGHTS}) AS text, m.updated AS updated, m.path AS path"
            f" FROM words JOIN memory m ON m.id = words.rowid WHERE words MATCH ? AND {where} {newest})"
            " ORDER BY text DESC, updated DESC, path LIMIT ?",
            (expression, *values, limit),
        )
        return rows.fetchall()

    def with_phrase(self, phrase: str, wanted: Filter, limit: int) -> list[int]:
        """Return the memories that have these words one after the other."""
        return [row for row, _, _, _ in self.matches(words.quoted(phrase), wanted, limit)]

    def holders(self, word: str, most: int) -> list[int]:
        """Return the newest memories that hold the word."""
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [row for (row,) in self.db.execute(sql, (words.quoted(word), most))]

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return what these memories say."""
        found: dict[int, str] = {}
        for part, marks in in_parts(ids):
            sql = f"SELECT rowid, title || char(10) || body FROM words WHERE rowid IN ({marks})"
            found.update(self.db.execute(sql, part))
        return found

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return the candidates that hold at least one of the query's words, best first."""
        asked = self.ask(query)
        if not asked.expression:
            return []
        found = self.matches(asked.expression, wanted, limit)
        return self.candidates({row: (text, 0.0) for row, _, _, text in found}, asked, wanted)

    def best_holders(
        self, holders: dict[str, int], asked: Asked, worth: Sequence[float], wanted: Filter, limit: int
    ) -> list[Match]:
        """As `matches`, of those that hold most of the words."""
        where, values = where_of(wanted)
        every = " OR ".join(map(words.quoted, asked.words))
        looked_at = _LOOKED_AT * limit
        while True:
            numbers = heaviest(holders, worth, looked_at)
            # With the plus, SQLite walks the words' documents once instead of asking for each number again.
            among = f"+words.rowid IN ({','.join(numbers)}) AND {where}"
            found = self.scored(every, among, values, limit, 0)
            if len(found) >= min(limit, words.ENOUGH_FOUND) or len(numbers) >= len(holders):
                return found
            looked_at *= 8

    def known(self, ids: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Return the number of words and the vector of each of these memories."""
        found: dict[int, tuple[str, int, bytes]] = {}
        for part, marks in in_parts(ids):
            rows = self.db.execute(
                "SELECT d.id, d.sz, v.vector FROM words_docsize d LEFT JOIN meaning v ON v.id = d.id"
                f" WHERE d.id IN ({marks})",
                part,
            )
            found.update({row: ("", word_count(sizes, columns=4), vector or b"") for row, sizes, vector in rows})
        return found

    def model(self) -> str:
        """Return the version of the model that made the vectors."""
        row = self.db.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
        return str(row[0]) if row else ""

    def use_model(self, version: str) -> None:
        """Drop the vectors of other models, which are never compared with those of this one."""
        self._version = version
        if self.model() == version:
            return
        with self.index.begin():
            if self.model() == version:
                return
            self.db.execute("DELETE FROM meaning")
            self.sketches.clear()
            self.db.execute("INSERT OR IGNORE INTO unmade SELECT id FROM memory")
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (version,))

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Return memories that have no vector yet, the last to come first, as id and text."""
        # CROSS JOIN keeps the order of the tables: the few without a vector first, not all that there are.
        rows = self.db.execute(
            "SELECT m.id, w.title || char(10) || w.tags || char(10) || w.body, m.digest FROM unmade u"
            " CROSS JOIN memory m ON m.id = u.id CROSS JOIN words w ON w.rowid = m.id ORDER BY u.id DESC LIMIT ?",
            (limit,),
        ).fetchall()
        self._read = {int(row): digest for row, _, digest in rows}
        return [(int(row), str(text)) for row, text, _ in rows]

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors of memories that are still there, and still say what `without_vector` read.

        Nothing is kept where another process went over to another model meanwhile.
        """
        made = [(row, vector, self._read.get(row)) for row, vector in vectors]
        with self.index.begin():
            if self._version not in ("", self.model()):
                return
            gone = [row for (row,) in self.db.execute("SELECT id FROM unsketched")]
            known = self.vectors([row for row, _, _ in made])
            self.sketches.remove([*gone, *known])
            self.db.execute("DELETE FROM unsketched")
            self.db.executemany(
                "INSERT OR REPLACE INTO meaning"
                " SELECT id, ?2 FROM memory WHERE id = ?1 AND digest = ifnull(?3, digest)",
                made,
            )
            self._sketch([row for row, _, _ in made])
            self.db.executemany(
                "DELETE FROM unmade WHERE id = ?1 AND EXISTS (SELECT 1 FROM meaning WHERE id = ?1)",
                [(row,) for row in self._read],
            )

    def _sketch(self, rows: list[int]) -> None:
        scopes: dict[Scope, list[tuple[int, bytes]]] = {}
        for row, vector in self.vectors(rows).items():
            place = self.db.execute("SELECT scope, owner FROM memory WHERE id = ?", (row,)).fetchone()
            scopes.setdefault(Scope(*place), []).append((row, vector))
        for scope, same in scopes.items():
            self.sketches.add(scope, same)

    def candidates(
        self,
        marks: dict[int, tuple[float, float]],
        asked: Asked,
        wanted: Filter,
    ) -> list[Candidate]:
        """Return rows as candidates, in this order, each with its marks by text and by meaning.

        What went, or became another, meanwhile is left out.
        """
        where, values = where_of(wanted)
        matched = self.matched(list(marks), asked)
        found = self.index.memories_by_number(marks, where, values)
        ends = self.index.ends_of(found.values())
        candidates: list[Candidate] = []
        for row, (text, meaning) in marks.items():
            if row not in found:
                continue
            memory, (now, before) = found[row], matched.get(row, ((), ()))
            uses, newer = ends[memory.scope, memory.key]
            told = text, now or before, not now and bool(before), uses, memory.ended_by(newer), meaning
            candidates.append(Candidate(memory, *told))
        return candidates

    def matched(self, rows: list[int], asked: Asked) -> dict[int, Matched]:
        """Return for each row the words in its current statement, and those only in earlier ones."""
        if not asked.expression:
            return {}
        # With the plus, SQLite walks the words' documents once instead of asking for each number again.
        walk = len(rows) > 1 and sum(asked.counts) <= len(rows) * _WALKED
        found: dict[int, Matched] = {}
        for part, _ in in_parts(rows):
            marked = self.db.execute(
                "SELECT rowid, highlight(words, 4, ?1, ?2), highlight(words, 0, ?1, ?2), highlight(words, 1, ?1, ?2),"
                " highlight(words, 2, ?1, ?2), highlight(words, 3, ?1, ?2), highlight(words, 5, ?1, ?2) FROM words"
                f" WHERE words MATCH ?3 AND {'+' if walk else ''}rowid IN ({','.join(map(str, part))})",
                (_OPEN, _CLOSE, " OR ".join(map(words.quoted, asked.words))),
            )
            for row, earlier, *now in marked:
                found[row] = _between_marks("\n".join(map(str, now))), _between_marks(str(earlier))
        return found


def _between_marks(text: str) -> tuple[str, ...]:
    found = [piece.split(_CLOSE, 1)[0].lower() for piece in text.split(_OPEN)[1:]]
    return tuple(dict.fromkeys(found))
