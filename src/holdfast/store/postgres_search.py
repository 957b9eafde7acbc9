"""Memories and passages of one team as PostgreSQL searches them: by scope first, then exactly.

An index of nearest neighbours under row-level security silently loses rows, and no index of words is used there, since
its operators are not leak-proof. So the rows of the scope are found by a plain index, and every one of them is looked
at: what is found is all that there is. docs/hub.md has what that costs.

Words are cut by `words.words_of` as everywhere, and stemmed by the database, so a query and a text agree. The
expression of an `Asked` is a tsquery of stems, one for each word, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.errors import NotFound
from holdfast.language.word_lists import lines
from holdfast.records import Candidate, Filter, Memory, Scope
from holdfast.store import layout, words
from holdfast.store.passages import Passage, PassageSource, spoken_date
from holdfast.store.words import Asked

if TYPE_CHECKING:
    from holdfast.store.passages import Told
    from holdfast.store.sketches import Chunk
    from holdfast.store.words import Match, Row

COLUMNS = (
    "m.key, m.kind, m.owner, m.title, m.body, m.type, m.tags, m.trust, m.created, m.updated, m.source, m.agent,"
    " m.session, m.supersedes, m.pinned, m.anchors, m.branch, m.condition, m.enforce"
)
MAX_WORD = 200
# What a word in an earlier statement, the statement, key or tags, and title is worth.
_WEIGHTS = "'{0.1,0.4,0.7,1.0}'"
_OR = " | "
_MAX_WORDS, _MIN_WORDS, _QUERY_WORDS, _QUERY_LENGTH = words.MAX_WORDS, words.MIN_WORDS, 200, 20_000
_COMMON = 0.15


def told_words(*texts: str) -> list[str]:
    """Return the words of these texts, and what stands for words in scripts without spaces, as they are indexed."""
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
        total = self.count()
        if not asked or not total:
            return Asked(text, (), "", 0.0, {}, (), total)
        stems = self._stems(asked)
        counts = self._document_counts(stems)
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
        score = " + ".join([f"%s * ts_rank({_WEIGHTS}, {self.alias}.words, %s::tsquery, 1)"] * len(stems))
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
            f"SELECT {self.numbers}, v.vector FROM holdfast.{self.table} {self.alias}"
            f" JOIN holdfast.{self.meanings} v ON {self._of_row} AND v.model = %s"
            f" WHERE {self.alias}.id = ANY(%s) AND {where}",
            [self.model(), list(ids), *values],
        )
        return [((row, session, at), bytes(vector)) for row, session, at, vector in found.fetchall()]

    def nearest(self, vector: Sequence[float], wanted: Filter, limit: int) -> list[tuple[Row, float]] | None:
        """Return the nearest rows that the filter lets through, each with its cosine: every vector is compared."""
        where, values = self.seen_by(wanted)
        asked = f"[{','.join(map(str, vector))}]"
        found = self.db.execute(
            f"SELECT {self.numbers}, v.near <=> %s::halfvec AS far FROM holdfast.{self.table} {self.alias}"
            f" JOIN holdfast.{self.meanings} v ON {self._of_row} AND v.model = %s"
            f" WHERE {where} ORDER BY far, {self.alias}.id LIMIT %s",
            [asked, self.model(), *values, limit],
        )
        return [((row, session, at), 1.0 - float(far)) for row, session, at, far in found.fetchall()]

    def vectors(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors of these rows, where there are any."""
        sql = (
            f"SELECT v.{self.of_meaning}, v.vector FROM holdfast.{self.meanings} v"
            f" WHERE v.organisation = %s AND v.{self.of_meaning} = ANY(%s) AND v.team = %s AND v.model = %s"
        )
        organisation, team = self.place
        found = self.db.execute(sql, (organisation, list(ids), team, self.model())).fetchall()
        return {row: bytes(vector) for row, vector in found}

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return no chunk of sketches: the database compares vectors itself."""
        return []

    def chunk(self, number: int) -> Chunk | None:
        """Return None: there are no chunks."""
        return None

    def model(self) -> str:
        """Return the version of the model whose vectors are seen and put: at first, that of the newest there is."""
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

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `m`, and its values."""
        return where_of(wanted, self.place)

    def count(self) -> int:
        """Return how many memories the team has, as its feed counts them."""
        sql = "SELECT memories FROM holdfast.feed WHERE organisation = %s AND team = %s"
        return int((self.db.execute(sql, self.place).fetchone() or (0,))[0])

    def with_phrase(self, phrase: str, wanted: Filter, limit: int) -> list[int]:
        """Return the memories that have these words one after the other."""
        stems = self._stems([word[:MAX_WORD] for word in words.words_of(phrase)])
        if not stems:
            return []
        more = f"AND m.words @@ %s::tsquery ORDER BY m.id DESC LIMIT {int(limit)}"
        return [row for (row,) in self.rows("m.id", wanted, more, (" <-> ".join(map(_quoted, stems)),))]

    def holders(self, word: str, most: int) -> list[int]:
        """Return the newest memories that hold the word."""
        more = "AND m.words @@ %s::tsquery ORDER BY m.id DESC LIMIT %s"
        stem = _quoted(self._stems([word])[0])
        return [row for (row,) in self.rows("m.id", Filter(None), more, (stem, most))]

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
            f"SELECT m.id, u.count, ({newer}), ARRAY[{now}]::boolean[], {COLUMNS} FROM holdfast.memory m"
            " LEFT JOIN holdfast.use u ON (u.organisation, u.team, u.kind, u.owner, u.key)"
            " = (m.organisation, m.team, m.kind, m.owner, m.key)"
            f" WHERE m.id = ANY(%s) AND {where}"
        )
        asked_for = [f"{stem}:ABC" for stem in stems] + stems
        found = {row[0]: row for row in self.db.execute(sql, [*asked_for, list(marks), *values]).fetchall()}
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


class PassageRows(SearchRows):
    """The passages of one team."""

    table, alias, numbers = "passage", "p", "p.id, p.source, p.place"
    meanings, of_meaning = "passage_meaning", "passage"

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `p`, and its values."""
        clauses, values = _in_scopes("p", wanted, self.place)
        if wanted.agents:
            clauses.append("p.source IN (SELECT s.id FROM holdfast.passage_source s WHERE lower(s.agent) = ANY(%s))")
            values.append([name.lower() for name in wanted.agents])
        for since, until in ((wanted.since, wanted.until), wanted.between):
            for sign, moment in ((">=", since), ("<", until)):
                if moment:
                    clauses.append(f"p.at {sign} %s")
                    values.append(moment)
        return " AND ".join(clauses), values

    def put(self, source: PassageSource, passages: Mapping[Scope, Sequence[Told]]) -> None:
        """Put the passages of a session by who may see them; each waits for its vector."""
        self.drop(source.name)
        row = self.db.execute(
            "INSERT INTO holdfast.passage_source (organisation, team, name, agent, sort, title, at)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id",
            (*self.place, source.name, source.agent, source.kind, source.title, source.at),
        ).fetchone()
        rows = []
        for scope, told in passages.items():
            for at, text, name, speaker, when in told:
                said = told_words(text)
                about = told_words(speaker, spoken_date(when))
                rows.append((*self.place, row[0], at, *_pair(scope), when, name, speaker, text, len(said), said, about))
        with self.db.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO holdfast.passage (organisation, team, source, place, kind, owner, at, name, speaker, text,"
                " length, words) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,"
                " holdfast.words_of(%s::text[], 'C') || holdfast.words_of(%s::text[], 'D'))",
                rows,
            )

    def drop(self, name: str) -> None:
        """Take a session out, if it is there."""
        sql = "DELETE FROM holdfast.passage_source WHERE organisation = %s AND team = %s AND name = %s"
        self.db.execute(sql, (*self.place, name))

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions: what their passages score together."""
        where, values = self.seen_by(wanted)
        found = self.db.execute(
            f"SELECT p.source, sum(ts_rank({_WEIGHTS}, p.words, %s::tsquery, 1)) AS score FROM holdfast.passage p"
            f" WHERE {where} AND p.words @@ %s::tsquery GROUP BY 1 ORDER BY score DESC LIMIT %s",
            [expression, *values, expression, limit],
        )
        return {int(row): float(score) for row, score in found.fetchall()}

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return what stands directly beside these places of sessions, and the rows there, each once."""
        beside = list({(session, place + step) for session, place in places for step in (-1, 0, 1)})
        sources, at = [one for one, _ in beside], [one for _, one in beside]
        more = "AND (p.source, p.place) IN (SELECT * FROM unnest(%s::bigint[], %s::int[])) ORDER BY 1"
        return [(row, session, place) for row, session, place in self.rows(self.numbers, wanted, more, (sources, at))]

    def times(self, ids: Sequence[int]) -> dict[int, str]:
        """Return when these passages were said."""
        found = self.db.execute(f"SELECT p.id, p.at FROM holdfast.passage p WHERE {self._among()}", self._these(ids))
        return dict(found.fetchall())

    def newest(self, wanted: Filter, limit: int) -> list[int]:
        """Return the newest passages that the filter lets through."""
        return [row for (row,) in self.rows("p.id", wanted, "ORDER BY p.at DESC, p.id DESC LIMIT %s", (limit,))]

    def read(self, row: int) -> tuple[Passage, PassageSource]:
        """Return a passage and its session; NotFound where it went meanwhile."""
        found = self.db.execute(
            "SELECT p.place, p.text, p.name, p.speaker, p.at, s.name, p.kind, p.owner, s.agent, s.sort, s.title, s.at"
            " FROM holdfast.passage p JOIN holdfast.passage_source s"
            f" ON s.organisation = p.organisation AND s.id = p.source WHERE {self._among()}",
            self._these([row]),
        ).fetchone()
        if found is None:
            raise NotFound(f"passage {row} is no longer there", "Search again.")
        place, text, name, speaker, at, session, kind, owner, agent, sort, title, began = found
        source = PassageSource(session, Scope(kind, owner), agent, sort, title, began)
        return Passage(place, text, name, speaker, at, session), source

    def waiting(self) -> int:
        """Return how many passages wait for a vector."""
        lacks = f"AND NOT EXISTS (SELECT 1 FROM holdfast.{self.meanings} v WHERE {self._of_row} AND v.model = %s)"
        return int(self.rows("count(*)", Filter(None), lacks, (self.model(),))[0][0])


def where_of(wanted: Filter, place: tuple[int, int]) -> tuple[str, list[object]]:
    """Return the condition on the memory `m` that keeps what may and should be seen, and its values."""
    clauses, values = _in_scopes("m", wanted, place)
    low = [name.lower() for name in wanted.agents]
    wished = ("m.type", wanted.types), ("m.key", wanted.keys), ("lower(m.agent)", low), ("m.trust", wanted.trusts)
    for column, wishes in wished:
        if wishes:
            clauses.append(f"{column} = ANY(%s)")
            values.append(list(wishes))
    if wanted.tags:
        clauses.append("m.low_tags @> %s::text[]")
        values.append([tag.lower() for tag in wanted.tags])
    for sign, moment in ((">=", wanted.since), ("<", wanted.until)):
        if moment:
            clauses.append(f"m.updated {sign} %s")
            values.append(moment)
    if wanted.anchored:
        clauses.append("(m.anchors <> '{}' OR m.branch <> '')")
    if any(wanted.between):
        since, until = wanted.between[0], wanted.between[1] or "~"
        clauses.append("(m.updated >= %s AND m.updated < %s OR m.created >= %s AND m.created < %s)")
        values += [since, until, since, until]
    if wanted.used is not None:
        clauses.append(
            f"{'' if wanted.used else 'NOT '}EXISTS (SELECT 1 FROM holdfast.use u WHERE"
            " (u.organisation, u.team, u.kind, u.owner, u.key) = (m.organisation, m.team, m.kind, m.owner, m.key))"
        )
    return " AND ".join(clauses), values


def _in_scopes(alias: str, wanted: Filter, place: tuple[int, int]) -> tuple[list[str], list[object]]:
    clauses, values = [f"{alias}.organisation = %s", f"{alias}.team = %s"], list[object](place)
    if wanted.scopes is not None and len(wanted.scopes) == 1:
        clauses.append(f"{alias}.kind = %s AND {alias}.owner = %s")
        values += _pair(wanted.scopes[0])
    elif wanted.scopes is not None:
        clauses.append(f"({alias}.kind, {alias}.owner) IN (SELECT * FROM unnest(%s::text[], %s::text[]))")
        values += [[one.kind for one in wanted.scopes], [one.owner for one in wanted.scopes]]
    return clauses, values


def memory_of(fields: Sequence[Any]) -> Memory:
    """Return the memory of a row of COLUMNS."""
    key, kind, owner, title, body, sort, tags, trust, created, updated, source, agent, session, *rest = fields
    supersedes, pinned, anchors, branch, condition, enforce = rest
    scope = Scope(kind, owner)
    return Memory(
        *(key, scope, title, body, sort, tuple(tags), trust, created, updated, source, agent, session),
        *(tuple(supersedes), pinned, (), layout.usual_path(scope, key), tuple(anchors), branch, condition, enforce),
    )


def _pair(scope: Scope) -> tuple[str, str]:
    return scope.kind, scope.owner


def _quoted(stem: str) -> str:
    """Return a stem as a tsquery takes it, whatever signs are in it."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
