"""Passages of one team as PostgreSQL searches them: those of the scope by a plain index, then each is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from holdfast.records import Filter, Scope
from holdfast.store.passages import Passage, PassageSource, of_row, spoken_date
from holdfast.store.postgres_filter import in_scopes, pair
from holdfast.store.postgres_search import WEIGHTS, SearchRows, told_words

if TYPE_CHECKING:
    from holdfast.store.passages import Told
    from holdfast.store.words import Row


class PassageRows(SearchRows):
    """The passages of one team."""

    table, alias, numbers = "passage", "p", "p.id, p.source, p.place"
    meanings, of_meaning = "passage_meaning", "passage"

    def seen_by(self, wanted: Filter) -> tuple[str, list[object]]:
        """Return the condition on `p`, and its values."""
        clauses, values = in_scopes("p", wanted, self.place)
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
                rows.append((*self.place, row[0], at, *pair(scope), when, name, speaker, text, len(said), said, about))
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
            f"SELECT p.source, sum(ts_rank({WEIGHTS}, p.words, %s::tsquery, 1)) AS score FROM holdfast.passage p"
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
        return of_row(row, found)

    def waiting(self) -> int:
        """Return how many passages wait for a vector."""
        lacks = f"AND NOT EXISTS (SELECT 1 FROM holdfast.{self.meanings} v WHERE {self._of_row} AND v.model = %s)"
        return int(self.rows("count(*)", Filter(None), lacks, (self.model(),))[0][0])
