"""The engine: a query and a table in, scored rows out. The table is that of memories or that of passages.

Candidates come by words, by standing beside such a passage, and by meaning. Each gets a mark for everything that may
speak for it (`Marks`); how much a mark counts was learned (`weights.py`) and depends on how long the candidates are:
between short turns of a chat words and neighbours tell more, between long messages meaning does. Nothing depends on
which collection it is.

Who asks for a standing rule gets its newest statement first: a passage that holds every telling word that an older one
holds takes the older one's place.
"""

from __future__ import annotations

from functools import lru_cache
from math import log
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from holdfast.language.word_lists import spoken
from holdfast.recall import weights
from holdfast.recall.embed import cosines, plain, words
from holdfast.recall.scan import Scan
from holdfast.store.full_text import worth_of
from holdfast.store.words import COUNTED

if TYPE_CHECKING:
    from holdfast.recall.embed import Model
    from holdfast.records import Filter
    from holdfast.store.base import SearchTable
    from holdfast.store.words import Asked

    Marked = tuple[float, ...]
    Placed = tuple[float, int, int, int]
    Known = tuple[str, int, bytes]

# How many candidates come by words, of how many of those the neighbours come too, and how many come by meaning: in a
# small collection, and in a large one, where time is short.
SMALL, LARGE = (100, 100, 50), (60, 40, 40)
SESSIONS = 50
# How many of the best are looked at for a newer statement of the same rule.
VERSIONS = 40


class Marks(NamedTuple):
    """What speaks for one candidate, each between 0 and 1, but for `length`: from -1 to 1.

    `words` is BM25, `share` how much of the query's telling words it holds, `around` the words beside it, `session` the
    words of its session (in a large collection, of the candidates there), `session_meaning` the nearest of its session,
    `length` how long it is beside the other candidates, `speaker` whether the query names who said it.
    """

    words: float = 0.0
    share: float = 0.0
    around: float = 0.0
    session: float = 0.0
    meaning: float = 0.0
    session_meaning: float = 0.0
    length: float = 0.0
    speaker: float = 0.0


class Scored(NamedTuple):
    """One candidate with its marks and its score. `instead_of` is the older passage whose place it took."""

    id: int
    session: int
    place: int
    score: float
    marks: Marks
    instead_of: int = 0


class Engine:
    """Search over one table; without a model, by words alone."""

    def __init__(self, table: SearchTable, model: Model | None, scan: Scan | None = None) -> None:
        self.table = table
        self.model = model
        self.scan = scan or Scan(table)

    def find(self, asked: Asked, wanted: Filter, limit: int) -> list[Scored]:
        """Return the best rows, best first."""
        found, marks, lengthy = self._marks(asked, wanted, limit)
        how_much = weights.at(lengthy, self.model is not None)
        order = sorted([(-score(marked, how_much), *found[row], row) for row, marked in marks.items()])
        order, instead_of = self._newest_first(asked, order[: max(limit, VERSIONS)], marks)
        # Records are made only for what is handed out.
        return [
            Scored(row, session, place, -less, Marks(*marks[row]), instead_of.get(row, 0))
            for less, session, place, row in order[:limit]
        ]

    def marked(self, asked: Asked, wanted: Filter) -> tuple[dict[int, tuple[int, int]], dict[int, Marks], float]:
        """Return place and marks of every candidate, and how long the candidates are (`weights.at`)."""
        found, marks, lengthy = self._marks(asked, wanted, 0)
        return found, {row: Marks(*marked) for row, marked in marks.items()}, lengthy

    def _marks(
        self, asked: Asked, wanted: Filter, limit: int
    ) -> tuple[dict[int, tuple[int, int]], dict[int, Marked], float]:
        """As `marked`, with the marks of a candidate in a tuple, in the order of `Marks`."""
        by_words_most, beside, by_meaning = SMALL if asked.total <= COUNTED else LARGE
        worth = [log(1 + asked.total / (1 + count)) for count in asked.counts]
        by_words = self.table.best(asked, worth, wanted, max(by_words_most, limit))
        found = {row: (session, place) for row, session, place, _ in by_words}
        by_text = _scaled({row: text for row, _, _, text in by_words})
        around = self._around(found, by_text, wanted, beside)
        vector = self.model.encode(asked.text, query=True, damp=asked.damp) if self.model is not None else []
        near = self._nearest(vector, wanted, found, by_meaning)
        known = self.table.known(list(found))
        # What has no vector yet is as near as its words say, so that it does not sink while vectors are made.
        by_words_yet = {row: by_text.get(row, 0.0) for row in found} if vector else {}
        meaning = by_words_yet | _meaning(vector, near, known)
        shares = _shares(self.table.held(asked, list(found)), worth)
        lengths, lengthy = _lengths({row: known[row][1] if row in known else 0 for row in found})
        speakers = _named_speakers(asked, {row: speaker for row, (speaker, _, _) in known.items() if speaker})
        nearest: dict[int, float] = {}
        for row, (session, _) in found.items():
            whole, near_it = session or -row, meaning.get(row, 0.0)
            if near_it >= nearest.get(whole, 0.0):
                nearest[whole] = near_it
        sessions = self._session_words(asked, wanted, found, by_text)
        marks: dict[int, Marked] = {}
        for row, (session, _) in found.items():
            own = by_text.get(row, 0.0)
            # A passage without a session counts as a session of its own.
            of_session, whole = (sessions.get(session, 0.0), session) if session else (own, -row)
            of_words = own, shares[row], around.get(row, 0.0), of_session
            marks[row] = (*of_words, meaning.get(row, 0.0), nearest[whole], lengths[row], float(row in speakers))
        return found, marks, lengthy

    def _session_words(
        self, asked: Asked, wanted: Filter, found: dict[int, tuple[int, int]], by_text: dict[int, float]
    ) -> dict[int, float]:
        """Return how much of the words each session has; in a large collection, how much its candidates have."""
        if asked.total <= COUNTED:
            return _scaled(self.table.session_scores(asked.expression, wanted, SESSIONS) if asked.expression else {})
        sums: dict[int, float] = {}
        for row, text in by_text.items():
            session = found[row][0]
            sums[session] = sums.get(session, 0.0) + text
        return _scaled(sums)

    def _around(
        self, found: dict[int, tuple[int, int]], by_text: dict[int, float], wanted: Filter, most: int
    ) -> dict[int, float]:
        """Return for each candidate the words beside it, and take those beside the best in as candidates."""
        marks = {place: by_text.get(row, 0.0) for row, place in found.items() if place[0]}
        if not marks:
            return {}
        for row, session, beside in self.table.around_many(list(marks)[:most], wanted):
            found.setdefault(row, (session, beside))
        return {
            row: (marks.get((session, place - 1), 0.0) + marks.get((session, place + 1), 0.0)) / 2
            for row, (session, place) in found.items()
        }

    def _nearest(
        self, vector: list[float], wanted: Filter, found: dict[int, tuple[int, int]], most: int
    ) -> dict[int, float]:
        """Return the cosines of the nearest, and take in what is near enough without sharing a word."""
        if not vector:
            return {}
        near: dict[int, float] = {}
        for (row, session, place), cosine in self.scan.compared(vector, wanted, most):
            near[row] = cosine
            if cosine >= weights.NEAR_ENOUGH:
                found.setdefault(row, (session, place))
        return near

    def _newest_first(
        self, asked: Asked, order: list[Placed], marks: dict[int, Marked]
    ) -> tuple[list[Placed], dict[int, int]]:
        """Put a newer statement of the same rule before the older ones, where the query asks what holds now.

        Also returned is which older one each of those stands in for.
        """
        if asks_past(asked.text):
            return order, {}
        for_rule = asks(asked.text)
        top = [(row, marks[row][1], -less) for less, _, _, row in order[:VERSIONS]]
        least = (weights.VERSION if for_rule else weights.VERSION_UNASKED) * max(
            [share for _, share, _ in top] or [0.0]
        )
        enough = weights.VERSION_SCORE * top[0][2] if top else 0.0
        rows = [row for row, share, scored in top if share >= least > 0.0 and scored >= enough]
        times = self.table.times(rows) if len(rows) > 1 else {}
        if times and not for_rule:
            rows = [row for row, text in self.table.texts(rows).items() if states(text)]
        if not times or len(rows) < 2:
            return order, {}
        held = self.table.held(asked, rows)
        return _with_newer_lifted(order, sorted(rows, key=lambda row: times[row]), times, held)


def score(marked: Marked, how_much: tuple[float, ...]) -> float:
    """Return the sum of the marks, each as much as it counts."""
    return float(sum(map(mul, marked, how_much)))


def _shares(held: dict[int, int], worth: list[float]) -> dict[int, float]:
    """Return how much of the query's telling words each candidate holds; a rare word counts more."""
    whole = sum(worth) or 1.0
    known = {mask: worth_of(mask, worth) / whole for mask in set(held.values())}
    return {row: known[mask] for row, mask in held.items()}


def _meaning(vector: list[float], near: dict[int, float], known: dict[int, Known]) -> dict[int, float]:
    """Return how near each candidate is; `near` has the cosines that were reckoned already."""
    if not vector:
        return {}
    rest = {row: blob for row, (_, _, blob) in known.items() if row not in near and len(blob) == len(vector)}
    near = near | dict(zip(rest, cosines(vector, list(rest.values())), strict=True))
    most = max([*near.values(), weights.NEAR])
    return {row: cosine / most if cosine > 0.0 else 0.0 for row, cosine in near.items()}


def _named_speakers(asked: Asked, speakers: dict[int, str]) -> set[int]:
    """Return the candidates whose speaker the query names, by any of the speaker's names."""
    named = set(map(plain, words(asked.text)))
    of_query = {name for name in set(speakers.values()) if not named.isdisjoint(map(plain, words(name)))}
    return {row for row, name in speakers.items() if name in of_query} if of_query else set()


def _lengths(counted: dict[int, int]) -> tuple[dict[int, float], float]:
    """Return how long each candidate is beside the mean, and the mean as `weights.at` takes it."""
    if not counted:
        return {}, 0.0
    long = {row: log(1 + count) for row, count in counted.items()}
    mean = sum(long.values()) / len(long)
    return {row: max(-1.0, min(1.0, (each - mean) / 2)) for row, each in long.items()}, (mean - 3.5) / 1.5


def _with_newer_lifted(
    order: list[Placed], oldest_first: list[int], times: dict[int, str], held: dict[int, int]
) -> tuple[list[Placed], dict[int, int]]:
    """Give a row the place of an older one before it, where it holds every word that the older one holds."""
    by_row = {one[3]: one for one in order}
    instead_of: dict[int, int] = {}
    for at, newer in enumerate(oldest_first):
        for older in oldest_first[:at]:
            one, other = by_row[newer], by_row[older]
            if times[older] < times[newer] and not held[older] & ~held[newer] and one[0] >= other[0]:
                by_row[newer] = (other[0] * (1 + 1e-6) - 1e-9, *one[1:])
                instead_of[newer] = instead_of.get(older) or older
    return sorted(by_row.values()), instead_of


def _scaled(scores: dict[int, float]) -> dict[int, float]:
    most = max(scores.values(), default=0.0)
    return {row: score / most for row, score in scores.items()} if most > 0 else {}


_FOLDER = __file__.rpartition("/")[0] + "/standing_words"


def asks(text: str) -> bool:
    """Whether the text asks what holds now: it names a rule, and does not speak of the past."""
    words = set(_apart(text).split())
    return not words.isdisjoint(_words("ask")) and not asks_past(text)


def asks_past(text: str) -> bool:
    """Whether the text asks for what was."""
    return not set(_apart(text).split()).isdisjoint(_words("past"))


def states(text: str) -> bool:
    """Whether the text lays down a rule, or takes one up."""
    apart = f" {_apart(text)} "
    return any(f" {phrase} " in apart for phrase in _words("state"))


def _apart(text: str) -> str:
    """Return the words of the text, in lower case, with one space between them."""
    low = text.lower().replace("\u2019", "'")
    return " ".join("".join([letter if letter.isalnum() or letter == "'" else " " for letter in low]).split())


@lru_cache(maxsize=8)
def _words(kind: str) -> frozenset[str]:
    """Return the words and phrases of a kind in every language."""
    return frozenset(spoken(_FOLDER, kind))
