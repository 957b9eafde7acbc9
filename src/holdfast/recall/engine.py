"""The engine: a query and a table in, scored rows out. The table is that of memories or that of passages.

Candidates come by words, by standing beside such a passage, and by meaning. Each gets four marks between 0 and 1: its
own words, the words beside it, the words of its whole session, and its meaning. Nothing depends on which collection it
is.
"""

from __future__ import annotations

from holdfast.light import dataclass
from holdfast.recall import weights
from holdfast.recall.embed import near
from holdfast.recall.scan import Scan

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


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one candidate, each between 0 and 1."""

    words: float = 0.0
    around: float = 0.0
    session: float = 0.0
    meaning: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate with its marks and its score."""

    id: int
    session: int
    place: int
    score: float
    marks: Marks


class Engine:
    """Search over one table; without a model, by words alone."""

    def __init__(self, table: Passages | MemoryTable, model: Model | None, scan: Scan | None = None) -> None:
        self.table = table
        self.model = model
        self.scan = scan or Scan(table)

    def find(self, asked: Asked, wanted: Filter, limit: int) -> list[Scored]:
        """Return the best passages, best first."""
        by_words = self.table.matches(asked.expression, wanted, BY_WORDS) if asked.expression else []
        found = {row: (session, place) for row, session, place, _ in by_words}
        words = _scaled({row: text for row, _, _, text in by_words})
        around = self._around(found, words, wanted)
        sessions = self.table.session_scores(asked.expression, wanted, SESSIONS) if asked.expression else {}
        sessions = _scaled(sessions)
        meaning = self._meaning(asked, wanted, found)
        scored = []
        for row, (session, place) in found.items():
            own = words.get(row, 0.0), around.get(row, 0.0), sessions.get(session, 0.0), meaning.get(row, 0.0)
            scored.append(Scored(row, session, place, _score(*own), Marks(*own)))
        scored.sort(key=lambda one: (-one.score, one.session, one.place))
        return scored[:limit]

    def _around(self, found: dict[int, tuple[int, int]], words: dict[int, float], wanted: Filter) -> dict[int, float]:
        """Return for each candidate the words beside it, and take those beside a candidate in as candidates."""
        marks = {place: words.get(row, 0.0) for row, place in found.items()}
        for session, place in list(found.values()):
            for row, beside in self.table.around(session, place - 1, place + 1, wanted):
                found.setdefault(row, (session, beside))
        return {row: _beside(marks, session, place) for row, (session, place) in found.items()}

    def _meaning(self, asked: Asked, wanted: Filter, found: dict[int, tuple[int, int]]) -> dict[int, float]:
        """Return how near each candidate is, and take in what is near enough without sharing a word."""
        if self.model is None:
            return {}
        vector = self.model.encode(asked.text, query=True, damp=asked.damp)
        by_meaning = {row: (session, place) for row, session, place in self.scan.nearest(vector, wanted, BY_MEANING)}
        stored = self.table.vectors([*found, *(row for row in by_meaning if row not in found)])
        cosines = {row: max(0.0, near(vector, blob)) for row, blob in stored.items()}
        for row, where in by_meaning.items():
            if cosines.get(row, 0.0) >= weights.NEAR_ENOUGH:
                found.setdefault(row, where)
        most = max([*cosines.values(), weights.NEAR])
        return {row: cosine / most for row, cosine in cosines.items()}


def _score(words: float, around: float, session: float, meaning: float) -> float:
    return words * weights.WORDS + around * weights.AROUND + session * weights.SESSION + meaning * weights.MEANING


def _beside(marks: dict[tuple[int, int], float], session: int, place: int) -> float:
    return (marks.get((session, place - 1), 0.0) + marks.get((session, place + 1), 0.0)) / 2


def _scaled(scores: dict[int, float]) -> dict[int, float]:
    most = max(scores.values(), default=0.0)
    return {row: score / most for row, score in scores.items()} if most > 0 else {}
