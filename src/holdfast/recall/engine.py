"""The engine: a query and a table in, scored rows out. The table is that of memories or that of passages.

Candidates come by words, by standing beside such a passage, and by meaning. Each gets a mark for everything that may
speak for it (`Marks`); how much a mark counts was learned (`weights.py`) and depends on how long the candidates are:
between short turns of a chat words and neighbours tell more, between long messages meaning does. Nothing depends on
which collection it is.

Who asks for a standing rule gets its newest statement first: a passage that holds every telling word that an older one
holds takes the older one's place.
"""

from __future__ import annotations

from math import log

from holdfast.light import dataclass
from holdfast.recall import standing, weights
from holdfast.recall.embed import plain, words
from holdfast.recall.scan import Scan
from holdfast.recall.signature import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.recall.embed import Model
    from holdfast.store.base import Filter
    from holdfast.store.memory_table import MemoryTable
    from holdfast.store.passages import Passages
    from holdfast.store.words import Asked

BY_WORDS = 100
BY_MEANING = 50
SESSIONS = 50
# How many of the best are looked at for a newer statement of the same rule.
VERSIONS = 40


@dataclass(frozen=True, slots=True)
class Marks:
    """What speaks for one candidate, each between 0 and 1, but for `length`: from -1 to 1.

    `words` is BM25, `share` how much of the query's telling words it holds, `around` the words beside it, `session` and
    `session_meaning` the best of its session, `length` how long it is beside the other candidates, `speaker` whether
    the query names who said it.
    """

    words: float = 0.0
    share: float = 0.0
    around: float = 0.0
    session: float = 0.0
    meaning: float = 0.0
    session_meaning: float = 0.0
    length: float = 0.0
    speaker: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate with its marks and its score. `instead_of` is the older passage whose place it took."""

    id: int
    session: int
    place: int
    score: float
    marks: Marks
    instead_of: int = 0


class Engine:
    """Search over one table; without a model, by words alone."""

    def __init__(self, table: Passages | MemoryTable, model: Model | None, scan: Scan | None = None) -> None:
        self.table = table
        self.model = model
        self.scan = scan or Scan(table)

    def find(self, asked: Asked, wanted: Filter, limit: int) -> list[Scored]:
        """Return the best rows, best first."""
        places, marks, lengthy = self.marked(asked, wanted)
        how_much = weights.at(lengthy, self.model is not None)
        scored = [Scored(row, *places[row], score(found, how_much), found) for row, found in marks.items()]
        scored.sort(key=lambda one: (-one.score, one.session, one.place))
        return self._newest_first(asked, scored)[:limit]

    def marked(self, asked: Asked, wanted: Filter) -> tuple[dict[int, tuple[int, int]], dict[int, Marks], float]:
        """Return place and marks of every candidate, and how long the candidates are (`weights.at`)."""
        by_words = self.table.matches(asked.expression, wanted, BY_WORDS) if asked.expression else []
        found = {row: (session, place) for row, session, place, _ in by_words}
        by_text = _scaled({row: text for row, _, _, text in by_words})
        around = self._around(found, by_text, wanted)
        sessions = self.table.session_scores(asked.expression, wanted, SESSIONS) if asked.expression else {}
        sessions = _scaled(sessions)
        meaning = self._meaning(asked, wanted, found)
        shares = self._shares(asked, list(found))
        lengths, lengthy = self._lengths(list(found))
        speakers = self._speakers(asked, list(found))
        nearest: dict[int, float] = {}
        for row, (session, _) in found.items():
            nearest[session or -row] = max(nearest.get(session or -row, 0.0), meaning.get(row, 0.0))
        marks = {}
        for row, (session, _) in found.items():
            own = by_text.get(row, 0.0)
            # What belongs to no session is a session of its own.
            of_session = sessions.get(session, 0.0) if session else own
            around_it = around.get(row, 0.0)
            near, nearest_there = meaning.get(row, 0.0), nearest[session or -row]
            last = lengths[row], float(row in speakers)
            marks[row] = Marks(own, shares[row], around_it, of_session, near, nearest_there, *last)
        return found, marks, lengthy

    def _around(self, found: dict[int, tuple[int, int]], by_text: dict[int, float], wanted: Filter) -> dict[int, float]:
        """Return for each candidate the words beside it, and take those beside a candidate in as candidates."""
        marks = {place: by_text.get(row, 0.0) for row, place in found.items() if place[0]}
        if not marks:
            return {}
        for row, session, beside in self.table.around_many(list(marks), wanted):
            found.setdefault(row, (session, beside))
        return {row: _beside(marks, session, place) for row, (session, place) in found.items()}

    def _meaning(self, asked: Asked, wanted: Filter, found: dict[int, tuple[int, int]]) -> dict[int, float]:
        """Return how near each candidate is, and take in what is near enough without sharing a word."""
        if self.model is None:
            return {}
        vector = self.model.encode(asked.text, query=True, damp=asked.damp)
        by_meaning = {row: (session, place) for row, session, place in self.scan.nearest(vector, wanted, BY_MEANING)}
        stored = self.table.vectors([*found, *(row for row in by_meaning if row not in found)])
        near = dict(zip(stored, cosines(vector, list(stored.values())), strict=True))
        for row, where in by_meaning.items():
            if near.get(row, 0.0) >= weights.NEAR_ENOUGH:
                found.setdefault(row, where)
        most = max([*near.values(), weights.NEAR])
        return {row: max(0.0, cosine) / most for row, cosine in near.items()}

    def _shares(self, asked: Asked, rows: list[int]) -> dict[int, float]:
        """Return how much of the query's telling words each candidate holds; a rare word counts more."""
        told = [log(1 + asked.total / (1 + count)) for count in asked.counts]
        held = self.table.held(asked, rows) if told else dict.fromkeys(rows, 0)
        whole = sum(told) or 1.0
        known = {
            mask: sum([told[place] for place in range(len(told)) if mask >> place & 1]) / whole
            for mask in held.values()
        }
        return {row: known[mask] for row, mask in held.items()}

    def _speakers(self, asked: Asked, rows: list[int]) -> set[int]:
        """Return the candidates whose speaker the query names, by any of the speaker's names."""
        named = set(map(plain, words(asked.text)))
        speakers = self.table.speakers(rows)
        of_query = {name for name in set(speakers.values()) if not named.isdisjoint(map(plain, words(name)))}
        return {row for row, name in speakers.items() if name in of_query}

    def _lengths(self, rows: list[int]) -> tuple[dict[int, float], float]:
        """Return how long each candidate is beside the mean, and the mean as `weights.at` takes it."""
        if not rows:
            return {}, 0.0
        counted = self.table.lengths(rows)
        long = {row: log(1 + counted.get(row, 0)) for row in rows}
        mean = sum(long.values()) / len(long)
        return {row: max(-1.0, min(1.0, (each - mean) / 2)) for row, each in long.items()}, (mean - 3.5) / 1.5

    def _newest_first(self, asked: Asked, scored: list[Scored]) -> list[Scored]:
        """Put a newer statement of the same rule before the older ones, where the query asks what holds now."""
        if standing.asks_past(asked.text):
            return scored
        for_rule = standing.asks(asked.text)
        least = weights.VERSION if for_rule else weights.VERSION_UNASKED
        best = max([one.marks.share for one in scored[:VERSIONS]], default=0.0)
        top = [one for one in scored[:VERSIONS] if one.marks.share >= least * best > 0.0]
        rows = [one.id for one in top if one.score >= weights.VERSION_SCORE * scored[0].score]
        times = self.table.times(rows) if len(rows) > 1 else {}
        if times and not for_rule:
            rows = [row for row, text in self.table.texts(rows).items() if standing.states(text)]
        if not times or len(rows) < 2:
            return scored
        held = self.table.held(asked, rows)
        return _with_newer_lifted(scored, sorted(rows, key=lambda row: times[row]), times, held)


def score(marks: Marks, how_much: tuple[float, ...]) -> float:
    """Return the sum of the marks, each as much as it counts."""
    of_passage = (marks.words, marks.share, marks.around, marks.session)
    each = (*of_passage, marks.meaning, marks.session_meaning, marks.length, marks.speaker)
    return sum([mark * much for mark, much in zip(each, how_much, strict=True)])


def _with_newer_lifted(
    scored: list[Scored], oldest_first: list[int], times: dict[int, str], held: dict[int, int]
) -> list[Scored]:
    """Give a row the place of an older one before it, where it holds every word that the older one holds."""
    by_row = {one.id: one for one in scored}
    for at, newer in enumerate(oldest_first):
        for older in oldest_first[:at]:
            one, other = by_row[newer], by_row[older]
            if times[older] < times[newer] and not held[older] & ~held[newer] and one.score <= other.score:
                above = other.score * (1 + 1e-6) + 1e-9
                by_row[newer] = Scored(newer, one.session, one.place, above, one.marks, other.instead_of or older)
    return sorted(by_row.values(), key=lambda one: (-one.score, one.session, one.place))


def _beside(marks: dict[tuple[int, int], float], session: int, place: int) -> float:
    return (marks.get((session, place - 1), 0.0) + marks.get((session, place + 1), 0.0)) / 2


def _scaled(scores: dict[int, float]) -> dict[int, float]:
    most = max(scores.values(), default=0.0)
    return {row: score / most for row, score in scores.items()} if most > 0 else {}
