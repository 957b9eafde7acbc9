"""Memories and passages of one team as PostgreSQL searches them: by scope first, then exactly.

An index of nearest neighbours under row-level security silently loses rows, and no index of words is used there, since
its operators are not leak-proof. So the words of memories stand in a table with a plain index (`migrations/0006`), and
of vectors every one of the scope is compared: what is found is all that there is. Passages are still looked at one by
one. docs/hub.md has what that costs.

Words are cut by `words.words_of` as everywhere, and stemmed by the database, so a query and a text agree. The
expression of an `Asked` is a tsquery of stems, one for each word, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.language.word_lists import lines
from holdfast.records import Candidate, Filter, Scope
from holdfast.store import words
from holdfast.store.postgres_filter import COLUMNS, memory_of, where_of
from holdfast.store.words import Asked

if TYPE_CHECKING:
    from holdfast.store.sketches import Chunk
    from holdfast.store.words import Match, Row

MAX_WORD = 200
# What a word in an earlier statement, the statement, key or tags, and title is worth.
WEIGHTS = "'{0.1,0.4,0.7,1.0}'"
_OR = " | "
_MAX_WORDS, _MIN_WORDS, _QUERY_WORDS, _QUERY_LENGTH = words.MAX_WORDS, words.MIN_WORDS, 200, 20_000
_COMMON = 0.15
# How many holders of each query word are fetched at once; whoever wants more asks for a single word.
_HOLDERS = 32
# These rows by their numbers, and then what else is asked of them: together, the planner takes too few rows for
# granted and reads all of a team.
AMONG = "(SELECT * FROM holdfast.{table} WHERE organisation = %s AND id = ANY(%s) OFFSET 0)"
_POSTED = "p.organisation = %s AND p.team = %s AND p.stem = ANY(%s::text[])"


def told_words(*texts: str) -> list[str]:
    """Return the words of these texts, and the grams of scripts without spaces, as they are indexed."""
    whole = "\n".join(texts)
    return [word[:MAX_WORD] for word in (*words.words_of(whole), *words.grams(whole))]


class SearchRows:
    """What both tables answer. A table names its rows as `alias`, and the table of its vectors."""

    table: str
    alias: str
    numbers: str
    meanings: str
    of_meaning: str

    def __init__(self, db: Any, place: tuple[int, int], models: dict[str, str]) -> None:
        self.db = db
        self.place = place
        # By table, the model that this process uses; it outlives the transaction.
        self._models = models
        # Within one transaction: vectors that came with other answers.
        self._vectors: dict[int, bytes] = {}

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition that keeps what may and should be seen, and its values."""
        raise NotImplementedError

    def rows(self, select: str, wanted: Filter, more: str = "", values: Sequence[object] = ()) -> list[Any]:
        """Return what a selection of the rows gives that the filter lets through; `more` follows the condition."""
        where, asked = self.seen_by(wanted)
        sql = f"SELECT {select} FROM holdfast.{self.table} {self.alias} WHERE {where} {more}"
        return list(self.db.execute(sql, [*asked, *values]).fetchall())

    def count(self) -> int:
        """Return how many rows there are."""
        return int(self.rows("count(*)", Filter(None))[0][0])

    def ask(self, query: str) -> Asked:
        """Return what the query asks of these rows: its telling words, the rarest first."""
        text = query[:_QUERY_LENGTH]
        plain, grams = words.query_words(text)
        empty = set(lines(f"{words.__file__.rpartition('/')[0]}/empty_words.txt"))
        asked = ([word for word in plain if word not in empty] + grams or plain)[:_QUERY_WORDS]
        asked = [word[:MAX_WORD] for word in asked]
        total, stems, counts = self._counted(asked)
        if not asked or not total:
            return Asked(text, (), "", 0.0, {}, (), total)
        known = sorted((counts[stem], place) for place, stem in enumerate(stems) if counts.get(stem))
        chosen = [
            place
            for at, (count, place) in enumerate(known[:_MAX_WORDS])
            if at < _MIN_WORDS or count * 2 <= max(1, total)
        ]
        damp = {asked[place]: _COMMON * total / count for count, place in known if count > _COMMON * max(total, 20)}
        expression = _OR.join(_quoted(stems[place]) for place in chosen)
        told = tuple(asked[place] for place in chosen), tuple(counts[stems[place]] for place in chosen)
        return Asked(text, told[0], expression, len(known) / len(asked), damp, told[1], total)

    def _counted(self, asked: list[str]) -> tuple[int, list[str], dict[str, int]]:
        """Return how many rows there are, the stems of these words, and in how many rows each stem stands."""
        total = self.count()
        stems = self._stems(asked) if asked and total else []
        return total, stems, self._document_counts(stems) if stems else {}

    def _stems(self, asked: list[str]) -> list[str]:
        sql = "SELECT holdfast.stem_of(word) FROM unnest(%s::text[]) WITH ORDINALITY AS told(word, at) ORDER BY at"
        return [stem for (stem,) in self.db.execute(sql, (asked,)).fetchall()]

    def _document_counts(self, stems: list[str]) -> dict[str, int]:
        """Return in how many rows each stem stands."""
        every = _OR.join(map(_quoted, dict.fromkeys(stems)))
        where, values = self.seen_by(Filter(None))
        sql = (
            f"SELECT stem, count(*) FROM holdfast.{self.table} {self.alias},"
            f" unnest(tsvector_to_array({self.alias}.words)) stem"
            f" WHERE {where} AND {self.alias}.words @@ %s::tsquery AND stem = ANY(%s) GROUP BY 1"
        )
        return {stem: int(count) for stem, count in self.db.execute(sql, [*values, every, stems]).fetchall()}

    def matches(self, expression: str, wanted: Filter, limit: int) -> list[Match]:
        """Return the rows that match the expression, each with its text score, best first."""
        if not expression:
            return []
        each = expression.split(_OR)
        return self._scored(each, [1.0] * len(each), wanted, limit)

    def best(self, asked: Asked, worth: Sequence[float], wanted: Filter, limit: int) -> list[Match]:
        """Return the rows that hold most of the query's words, best first; `worth` says what each word counts."""
        return self._scored(asked.expression.split(_OR), worth, wanted, limit) if asked.expression else []

    def _scored(self, stems: list[str], worth: Sequence[float], wanted: Filter, limit: int) -> list[Match]:
        where, values = self.seen_by(wanted)
        score = " + ".join([f"%s * ts_rank({WEIGHTS}, {self.alias}.words, %s::tsquery, 1)"] * len(stems))
        sql = (
            f"SELECT {self.numbers}, {score} AS score FROM holdfast.{self.table} {self.alias}"
            f" WHERE {where} AND {self.alias}.words @@ %s::tsquery"
            f" ORDER BY score DESC, {self.alias}.id DESC LIMIT %s"
        )
        pairs = [value for pair in zip(worth, stems, strict=True) for value in pair]
        found = self.db.execute(sql, [*pairs, *values, _OR.join(stems), limit]).fetchall()
        return [(int(row), int(session), int(at), float(text)) for row, session, at, text in found]

    def held(self, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
        """Return for each of these rows which words of the query it holds, one bit a word."""
        held = dict.fromkeys(ids, 0)
        if not asked.expression or not held:
            return held
        stems = asked.expression.split(_OR)
        bits = " | ".join([f"({self.alias}.words @@ %s::tsquery)::int << {at}" for at in range(len(stems))])
        sql = f"SELECT {self.alias}.id, {bits} FROM holdfast.{self.table} {self.alias} WHERE {self._among()}"
        held.update(self.db.execute(sql, [*stems, *self._these(ids)]).fetchall())
        return held

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""
        return {}

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return what stands directly beside these places of sessions, and the rows there, each once."""
        return []

    def known(self, ids: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Return of each of these rows who said it, how many words it has, and its vector; empty where unknown."""
        speaker = "''" if self.table == "memory" else f"{self.alias}.speaker"
        sql = (
            f"SELECT {self.alias}.id, {speaker}, {self.alias}.length, v.vector FROM holdfast.{self.table} {self.alias}"
            f" LEFT JOIN holdfast.{self.meanings} v ON {self._of_row} AND v.model = %s WHERE {self._among()}"
        )
        found = self.db.execute(sql, [self.model(), *self._these(ids)]).fetchall()
        return {row: (who, long, bytes(vector or b"")) for row, who, long, vector in found}

    def times(self, ids: Sequence[int]) -> dict[int, str]:
        """Return when these rows were said, where a later one may stand for an earlier one."""
        return {}

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return what these rows say."""
        said = f"{self.alias}.text" if self.table != "memory" else "m.title || chr(10) || m.body"
        sql = f"SELECT {self.alias}.id, {said} FROM holdfast.{self.table} {self.alias} WHERE {self._among()}"
        return dict(self.db.execute(sql, self._these(ids)).fetchall())

    def few(self, wanted: Filter, most: int) -> list[int] | None:
        """Return all that the filter lets through, or None where that is more than `most`."""
        found = [row for (row,) in self.rows(f"{self.alias}.id", wanted, "LIMIT %s", (most + 1,))]
        return found if len(found) <= most else None

    def seen(self, ids: Sequence[int], wanted: Filter) -> list[tuple[Row, bytes]]:
        """Return those of these rows that the filter lets through and that have a vector, with it."""
        where, values = self.seen_by(wanted)
        found = self.db.execute(
            f"SELECT {self.numbers}, v.vector FROM {AMONG.format(table=self.table)} {self.alias}"
            f" JOIN holdfast.{self.meanings} v ON {self._of_row} AND v.model = %s WHERE {where}",
            [self.place[0], list(ids), self.model(), *values],
        )
        return [((row, session, at), bytes(vector)) for row, session, at, vector in found.fetchall()]

    def nearest(
        self, vectors: Sequence[Sequence[float]], wanted: Filter, limit: int
    ) -> list[list[tuple[Row, float]]] | None:
        """Return for each vector the nearest rows that the filter lets through: every one is compared with it."""
        where, values = self.seen_by(wanted)
        rows = (
            f"SELECT {self.numbers}, v.vector, v.near FROM holdfast.{self.table} {self.alias}"
            f" JOIN holdfast.{self.meanings} v ON {self._of_row} AND v.model = %s WHERE {where}"
        )
        return self._nearest(vectors, rows, [self.model(), *values], limit)

    def _nearest(
        self, vectors: Sequence[Sequence[float]], rows: str, values: list[object], limit: int
    ) -> list[list[tuple[Row, float]]]:
        """Return for each vector the nearest of the rows that a statement gives: three numbers and both vectors."""
        # Rows that are compared more than once are looked for once.
        once = "MATERIALIZED" if len(vectors) > 1 else "NOT MATERIALIZED"
        told = self.db.execute(
            f"WITH own(id, session, place, vector, near) AS {once} ({rows}) SELECT asked.at, best.*"
            " FROM unnest(%s::text[]::halfvec[]) WITH ORDINALITY AS asked(vector, at) CROSS JOIN LATERAL"
            " (SELECT id, session, place, own.vector, near <=> asked.vector AS far FROM own ORDER BY far, id LIMIT %s)"
            " best ORDER BY 1, far, id",
            [*values, [f"[{','.join(map(str, vector))}]" for vector in vectors], limit],
        ).fetchall()
        found: list[list[tuple[Row, float]]] = [[] for _ in vectors]
        for at, row, session, place, vector, far in told:
            self._vectors[row] = bytes(vector)
            found[at - 1].append(((row, session, place), 1.0 - float(far)))
        return found

    def vectors(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors of these rows, where there are any; those that came with others are at hand."""
        rest = [row for row in ids if row not in self._vectors]
        if rest:
            found = self.db.execute(self._of_these, (self.place[0], rest, self.place[1], self.model())).fetchall()
            self._vectors |= {row: bytes(vector) for row, vector in found}
        return {row: self._vectors[row] for row in ids if row in self._vectors}

    @property
    def _of_these(self) -> str:
        return (
            f"SELECT v.{self.of_meaning}, v.vector FROM holdfast.{self.meanings} v"
            f" WHERE v.organisation = %s AND v.{self.of_meaning} = ANY(%s) AND v.team + 0 = %s AND v.model = %s"
        )

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return no chunk of sketches: the database compares vectors itself."""
        return []

    def chunk(self, number: int) -> Chunk | None:
        """Return None: there are no chunks."""
        return None

    def model(self) -> str:
        """Return the version of the model whose vectors are read and stored: at first, that of the newest vector."""
        if self.table not in self._models:
            sql = (
                f"SELECT model FROM holdfast.{self.meanings} WHERE organisation = %s AND team = %s"
                f" ORDER BY {self.of_meaning} DESC LIMIT 1"
            )
            found = self.db.execute(sql, self.place).fetchone()
            return str(found[0]) if found else ""
        return self._models[self.table]

    def use_model(self, version: str) -> None:
        """See and put the vectors of this model from now on.

        Those of another one stay until the row changes: a process of the last version may still be using them.
        """
        self._models[self.table] = version
        self._vectors = {}

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Return rows that have no vector yet, the newest first, as number and text."""
        said = (
            f"{self.alias}.text"
            if self.table != "memory"
            else ("m.title || chr(10) || array_to_string(m.tags, chr(10)) || chr(10) || m.body")
        )
        lacks = (
            f"AND NOT EXISTS (SELECT 1 FROM holdfast.{self.meanings} v WHERE {self._of_row} AND v.model = %s)"
            f" ORDER BY {self.alias}.id DESC LIMIT %s"
        )
        return self.rows(f"{self.alias}.id, {said}", Filter(None), lacks, (self.model(), limit))

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors that `without_vector` asked for, of rows that are still there.

        A row that changes meanwhile waits for the end of this transaction, and takes its vector away then.
        """
        organisation, team = self.place
        made = [(row, blob, f"[{','.join(map(str, memoryview(blob).cast('b')))}]") for row, blob in vectors]
        self.db.execute(
            f"INSERT INTO holdfast.{self.meanings} SELECT %s, %s, {self.alias}.id, %s, made.vector, made.near::halfvec"
            " FROM unnest(%s::bigint[], %s::bytea[], %s::text[]) AS made(id, vector, near)"
            f" JOIN holdfast.{self.table} {self.alias} ON {self.alias}.id = made.id"
            f" WHERE {self.alias}.organisation = %s AND {self.alias}.team = %s ON CONFLICT DO NOTHING",
            (organisation, team, self.model(), *map(list, zip(*made, strict=True)), organisation, team),
        )

    @property
    def _of_row(self) -> str:
        return f"v.organisation = {self.alias}.organisation AND v.{self.of_meaning} = {self.alias}.id"

    def _among(self) -> str:
        return f"{self.alias}.organisation = %s AND {self.alias}.team = %s AND {self.alias}.id = ANY(%s)"

    def _these(self, ids: Sequence[int]) -> tuple[int, int, list[int]]:
        return (*self.place, list(ids))


class MemoryRows(SearchRows):
    """The memories of one team."""

    table, alias, numbers = "memory", "m", "m.id, 0, 0"
    meanings, of_meaning = "meaning", "memory"

    def __init__(
        self, db: Any, place: tuple[int, int], models: dict[str, str], complete: dict[object, int] | None = None
    ) -> None:
        super().__init__(db, place, models)
        # By team and model, the last change of the team at which no memory lacked its vector.
        self._complete = {} if complete is None else complete
        # Within one transaction: the team's last change as a query saw it, the stem of each of its words, and who
        # holds them.
        self._change = -1
        self._asked: dict[str, str] = {}
        self._held: dict[str, list[int]] | None = None

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `m`, and its values."""
        return where_of(wanted, self.place)

    def count(self) -> int:
        """Return how many memories the team has, as its feed counts them."""
        sql = "SELECT memories FROM holdfast.feed WHERE organisation = %s AND team = %s"
        return int((self.db.execute(sql, self.place).fetchone() or (0,))[0])

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """As everywhere; a team that has not changed since none lacked its vector is not looked through again."""
        change, which = self._change, (*self.place, self.model())
        if change < 0:
            sql = "SELECT change FROM holdfast.feed WHERE organisation = %s AND team = %s"
            change = int((self.db.execute(sql, self.place).fetchone() or (-1,))[0])
        if self._complete.get(which) == change:
            return []
        found = super().without_vector(limit)
        if not found:
            self._complete[which] = change
        return found

    def _counted(self, asked: list[str]) -> tuple[int, list[str], dict[str, int]]:
        """As everywhere, in one statement."""
        rows = self.db.execute(
            "SELECT f.memories, f.change, told.stem, (SELECT count(*) FROM holdfast.posting p"
            " WHERE p.organisation = f.organisation AND p.team = f.team AND p.stem = told.stem)"
            " FROM holdfast.feed f LEFT JOIN"
            ' (SELECT at, holdfast.stem_of(word) COLLATE "C" FROM unnest(%s::text[]) WITH ORDINALITY AS one(word, at)'
            " OFFSET 0) AS told(at, stem) ON true WHERE f.organisation = %s AND f.team = %s ORDER BY told.at",
            (asked, *self.place),
        ).fetchall()
        total, self._change = rows[0][:2] if rows else (0, -1)
        stems = [str(stem) for *_, stem, _ in rows if stem is not None]
        self._asked, self._held = dict(zip(asked, stems, strict=False)), None
        return int(total), stems, {stem: int(count) for *_, stem, count in rows if count}

    def _scored(self, stems: list[str], worth: Sequence[float], wanted: Filter, limit: int) -> list[Match]:
        plain, (scoped, values) = [_plain(stem) for stem in stems], self._scoped("p", "memory", wanted)
        sql = (
            "SELECT p.memory, sum(p.rank * (%s::float8[])[array_position(%s::text[], p.stem)]) AS score"
            f" FROM holdfast.posting p WHERE {_POSTED}{scoped} GROUP BY 1 ORDER BY score DESC, p.memory DESC LIMIT %s"
        )
        found = self.db.execute(sql, [list(worth), plain, *self.place, plain, *values, limit]).fetchall()
        return [(int(row), 0, 0, float(text)) for row, text in found]

    def _scoped(self, alias: str, number: str, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition that keeps rows of words or vectors to a filter, and its values."""
        if wanted == Filter(wanted.scopes):
            if wanted.scopes is None:
                return "", []
            scopes = "SELECT holdfast.scope_of(k, o) FROM unnest(%s::text[], %s::text[]) AS told(k, o)"
            told: list[object] = [[one.kind for one in wanted.scopes], [one.owner for one in wanted.scopes]]
            return f" AND {alias}.scope = ANY (ARRAY({scopes}))", told
        where, values = self.seen_by(wanted)
        return f" AND {alias}.{number} IN (SELECT m.id FROM holdfast.memory m WHERE {where})", values

    def held(self, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
        """Return for each of these memories which words of the query it holds, one bit a word."""
        held = dict.fromkeys(ids, 0)
        if not asked.expression or not held:
            return held
        stems = [_plain(stem) for stem in asked.expression.split(_OR)]
        sql = (
            "SELECT p.memory, p.stem, NULL::bytea FROM holdfast.posting p"
            f" WHERE {_POSTED} AND p.memory = ANY(%s) UNION ALL SELECT told.memory, NULL, told.vector FROM"
            f" ({self._of_these}) told"
        )
        # Whoever asks this asks for their vectors, too.
        lacking = [row for row in ids if row not in self._vectors]
        values = (*self.place, stems, list(ids), self.place[0], lacking, self.place[1], self.model())
        for row, stem, vector in self.db.execute(sql, values).fetchall():
            if vector is not None:
                self._vectors[row] = bytes(vector)
            for at, one in enumerate(stems):
                held[row] |= (one == stem) << at
        return held

    def nearest(
        self, vectors: Sequence[Sequence[float]], wanted: Filter, limit: int
    ) -> list[list[tuple[Row, float]]] | None:
        """As everywhere; the rows of vectors know their scope themselves."""
        scoped, values = self._scoped("v", "memory", wanted)
        rows = (
            "SELECT v.memory, 0, 0, v.vector, v.near FROM holdfast.meaning v WHERE v.organisation = %s"
            f" AND v.team = %s AND v.model = %s{scoped}"
        )
        return self._nearest(vectors, rows, [*self.place, self.model(), *values], limit)

    def with_phrase(self, phrase: str, wanted: Filter, limit: int) -> list[int]:
        """Return the memories that have these words one after the other."""
        stems = self._stems([word[:MAX_WORD] for word in words.words_of(phrase)])
        if not stems:
            return []
        having = f"SELECT p.memory FROM holdfast.posting p WHERE {_POSTED} GROUP BY 1 HAVING count(*) = %s"
        more = f"AND m.id IN ({having}) AND m.words @@ %s::tsquery ORDER BY m.id DESC LIMIT {int(limit)}"
        every = list(dict.fromkeys(stems))
        values = (*self.place, every, len(every), " <-> ".join(map(_quoted, stems)))
        return [row for (row,) in self.rows("m.id", wanted, more, values)]

    def holders(self, word: str, most: int) -> list[int]:
        """Return the newest memories that hold the word; those for all words of the query are fetched at once."""
        if (stem := self._asked.get(word)) is not None and most <= _HOLDERS:
            return self._holders_of_asked().get(stem, [])[:most]
        sql = (
            "SELECT p.memory FROM holdfast.posting p WHERE p.organisation = %s AND p.team = %s"
            " AND p.stem = (SELECT holdfast.stem_of(%s)) ORDER BY p.memory DESC LIMIT %s"
        )
        return [row for (row,) in self.db.execute(sql, (*self.place, word, most)).fetchall()]

    def _holders_of_asked(self) -> dict[str, list[int]]:
        """Return the newest memories that hold each stem of the query, and keep their vectors at hand."""
        if self._held is None:
            held: dict[str, list[int]] = {}
            rows = self.db.execute(
                "SELECT told.stem, newest.memory, v.vector FROM unnest(%s::text[]) AS told(stem) CROSS JOIN LATERAL"
                " (SELECT p.memory FROM holdfast.posting p WHERE p.organisation = %s AND p.team = %s"
                " AND p.stem = told.stem ORDER BY p.memory DESC LIMIT %s) newest LEFT JOIN holdfast.meaning v"
                " ON v.organisation = %s AND v.memory = newest.memory AND v.model = %s ORDER BY 2 DESC",
                (list(set(self._asked.values())), *self.place, _HOLDERS, self.place[0], self.model()),
            ).fetchall()
            for stem, row, vector in rows:
                held.setdefault(stem, []).append(row)
                if vector is not None:
                    self._vectors[row] = bytes(vector)
            self._held = held
        return self._held

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """As everywhere; what is at hand is asked for again."""
        super().put_vectors(vectors)
        self._held, self._vectors = None, {}

    def candidates(self, marks: dict[int, tuple[float, float]], asked: Asked, wanted: Filter) -> list[Candidate]:
        """Return rows as candidates, in this order, each with its marks by text and by meaning, if still there."""
        stems = asked.expression.split(_OR) if asked.expression else []
        now = ", ".join(["m.words @@ %s::tsquery"] * 2 * len(stems))
        where, values = self.seen_by(wanted)
        newer = (
            "SELECT n.key FROM holdfast.memory n WHERE n.organisation = m.organisation AND n.team = m.team"
            " AND n.kind = m.kind AND n.owner = m.owner AND n.supersedes <> '{}' AND m.key = ANY(n.supersedes)"
            " AND n.key <> m.key ORDER BY n.updated DESC LIMIT 1"
        )
        sql = (
            f"SELECT m.id, u.count, ({newer}), ARRAY[{now}]::boolean[], {COLUMNS} FROM {AMONG.format(table='memory')} m"
            " LEFT JOIN holdfast.use u ON (u.organisation, u.team, u.kind, u.owner, u.key)"
            " = (m.organisation, m.team, m.kind, m.owner, m.key)"
            f" WHERE {where}"
        )
        asked_for: list[object] = [*(f"{stem}:ABC" for stem in stems), *stems]
        asked_for += [self.place[0], list(marks), *values]
        found = {row[0]: row for row in self.db.execute(sql, asked_for).fetchall()}
        listed = []
        for number, (text, meaning) in marks.items():
            if number in found:
                _, uses, by, holds, *fields = found[number]
                current = tuple(word for word, has in zip(asked.words, holds[: len(stems)], strict=True) if has)
                every = tuple(word for word, has in zip(asked.words, holds[len(stems) :], strict=True) if has)
                memory = memory_of(fields)
                told = current or every, bool(every) and not current, uses or 0, memory.ended_by(by or "")
                listed.append(Candidate(memory, text, *told, meaning))
        return listed


def _plain(quoted: str) -> str:
    """Return a stem as `_quoted` took it."""
    return quoted[1:-1].replace("''", "'").replace("\\\\", "\\")


def _quoted(stem: str) -> str:
    """Return a stem as a tsquery takes it, whatever signs are in it."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
