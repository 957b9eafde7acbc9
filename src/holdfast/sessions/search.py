"""Search in what was said in sessions and in their digests: by words and by meaning, seen only by those who may."""

from __future__ import annotations

from collections import Counter
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from holdfast.base.clock import now
from holdfast.errors import NotFound
from holdfast.language import spoken_time
from holdfast.language.spoken_time import Span
from holdfast.recall import weights
from holdfast.recall.embed import Model
from holdfast.recall.engine import Engine, Marks
from holdfast.recall.fusion import TIME_LEANS, TIME_NARROWS
from holdfast.recall.meaning import model_of
from holdfast.recall.vectors import make_vectors
from holdfast.records import Filter, Part, Scope, replace
from holdfast.store.passages import Passage
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from holdfast.store.base import PassageSearch, Tables

# More are looked at than are wanted: what says the same is one hit.
_LOOKED_AT = 3
_MIN_LOOKED_AT = 20
_MAX_OF_A_SESSION = 2
_SHOWN = 320
_BEFORE = 80
_ENOUGH_OF_EVENT = 0.66
# How much the title of its session counts for a passage; chosen on 20 questions about sessions of real people.
_OF_TITLE = 0.3
_NAMES = tuple(Marks.__annotations__)
_WHY = {
    "words": "its words (BM25)",
    "share": "the share of the telling words that it holds",
    "around": "the words beside it",
    "session": "the words of its session",
    "meaning": "how near it is to what was asked",
    "session_meaning": "the nearest in its session",
    "length": "how long it is beside the others",
    "speaker": "whether its speaker was named",
    "title": "how near the title of its session is to what was asked",
}


class SessionHit(NamedTuple):
    """A passage that was found. `event` is its place in the raw events, -1 for what only the digest says.

    `text` is all of it, `shown` the part around the words that were asked for.
    """

    session: str
    agent: str
    title: str
    project: str
    event: int
    speaker: str
    at: str
    text: str
    shown: str
    score: float
    parts: tuple[Part, ...] = ()


class FoundPassages(NamedTuple):
    """The answer to a search; `project` is the one that was searched, empty for all of them."""

    hits: tuple[SessionHit, ...]
    project: str


def search(
    workspace: Workspace,
    query: str,
    *,
    agents: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    limit: int = 10,
    everywhere: bool = False,
    explain: bool = False,
) -> FoundPassages:
    """Return the best passages of this project's sessions, or of all. A time that the query speaks of ranks."""
    if not workspace.enabled or not query.strip():
        return FoundPassages((), "")
    # A recall that also looks into sessions need not wait for what reads the archive.
    from holdfast.sessions import index as session_index
    from holdfast.sessions.archive import Archive
    from holdfast.sessions.browse import projects_here, span

    projects = projects_here(workspace, everywhere=everywhere)
    scopes = None if projects is None else tuple(Scope("project", owner) for owner in projects)
    wanted = Filter(scopes, (), (), *span(since, until), agents=agents)
    session_index.complete(workspace, Archive(workspace.home))
    hits = within(workspace, query, wanted, _LOOKED_AT * limit, explain=explain)
    # Where everything is searched, the documents of projects are among it.
    hits = hits if scopes is not None else [hit for hit in hits if "/" in hit.session and hit.agent]
    return FoundPassages(tuple(_spread(hits)[:limit]), projects[0] if projects else "")


def _spread(hits: list[SessionHit]) -> list[SessionHit]:
    """Return the hits in their order, but what a session has beyond a few of them behind all others.

    Who looks for a session sees by the first of its passages that it is not the one.
    """
    seen: Counter[str] = Counter()
    first: list[SessionHit] = []
    rest: list[SessionHit] = []
    for hit in hits:
        seen[hit.session] += 1
        (first if seen[hit.session] <= _MAX_OF_A_SESSION else rest).append(hit)
    return first + rest


def within(workspace: Workspace, query: str, wanted: Filter, limit: int, *, explain: bool = False) -> list[SessionHit]:
    """Return the best passages that the filter lets through."""
    model = model_of(workspace)
    # A home that cannot be written is searched as it is.
    if model is not None and not workspace.store.is_temporary:
        workspace.store.ask(lambda tables: make_vectors(tables.passages, model))
    searching = _Searching(query, wanted, max(_MIN_LOOKED_AT, _LOOKED_AT * limit), model, explain)
    return workspace.store.ask(searching.hits)[:limit]


class _Searching:
    """One search: what is asked of whom, and how the answers are weighed."""

    def __init__(self, query: str, wanted: Filter, most: int, model: Model | None, explain: bool) -> None:
        self.query = query
        self.wanted = wanted
        self.most = most
        self.model = model
        self.explain = explain
        self.span = spoken_time.spoken(query, now())

    def hits(self, tables: Tables) -> list[SessionHit]:
        """Return the hits, best first; passages that say the same are one."""
        table = tables.passages
        if self.span is not None and self.span.event:
            self.span = self._dated(table, self.span)
        text = self.query if self.span is None else self.span.rest
        words = table.ask(text).words
        scored = self._scored(table, text)
        made = [_hit(table, row, parts if self.explain else (), mark, words) for row, parts, mark in scored]
        best: dict[str, SessionHit] = {}
        for hit in self._by_title([hit for hit in made if hit is not None], text):
            best.setdefault(hit.text, hit)
        return list(best.values())

    def _by_title(self, found: list[SessionHit], text: str) -> list[SessionHit]:
        """Return the hits with what the title of their session says: a long one has words for whatever is asked."""
        if self.model is None or not text.strip() or (self.span is not None and self.span.bare):
            return found
        asked = self.model.encode(text, query=True)
        near = {title: sum(map(mul, asked, self.model.encode(title))) for title in {hit.title for hit in found}}
        weighed = []
        for hit in found:
            nearness = max(0.0, near[hit.title])
            parts = (*hit.parts, Part("title", nearness, _OF_TITLE, _WHY["title"])) if self.explain else ()
            weighed.append(hit._replace(score=round(hit.score + _OF_TITLE * nearness, 6), parts=parts))
        return sorted(weighed, key=lambda hit: -hit.score)

    def _scored(self, table: PassageSearch, text: str) -> list[tuple[int, tuple[Part, ...], float]]:
        if self.span is not None and self.span.bare:
            inside = table.newest(self._within(self.span), self.most)
            if inside:
                return [(row, (), 1.0) for row in inside]
        if not text.strip():
            return [(row, (), 0.0) for row in table.newest(self.wanted, self.most)]
        found = self._found(table, text, self.wanted)
        if self.span is None:
            return found
        if self.span.kind == spoken_time.NARROWS:
            known = {row for row, _, _ in found}
            found += [one for one in self._found(table, text, self._within(self.span)) if one[0] not in known]
        return _with_time(table, found, self.span)

    def _within(self, span: Span) -> Filter:
        return replace(self.wanted, between=(span.since, span.until))

    def _found(self, table: PassageSearch, text: str, wanted: Filter) -> list[tuple[int, tuple[Part, ...], float]]:
        asked = table.ask(text)
        engine = Engine(table, self.model)
        scored = engine.find(asked, wanted, self.most)
        if not self.explain:
            return [(one.id, (), one.score) for one in scored]
        how_much = weights.at(engine.marked(asked, wanted)[2], self.model is not None)
        how = list(zip(_NAMES, how_much, strict=True))
        return [
            (one.id, tuple(Part(name, getattr(one.marks, name), weight, _WHY[name]) for name, weight in how), one.score)
            for one in scored
        ]

    def _dated(self, table: PassageSearch, span: Span) -> Span | None:
        """Return the span with the time of its event: when that was said which has enough of its words."""
        asked = table.ask(span.event)
        for one in Engine(table, self.model).find(asked, Filter(self.wanted.scopes), _MIN_LOOKED_AT):
            if one.marks.share >= _ENOUGH_OF_EVENT:
                at = table.times([one.id])[one.id]
                return span.dated(at, at[:10])
        return None


def _with_time(
    table: PassageSearch, found: list[tuple[int, tuple[Part, ...], float]], span: Span
) -> list[tuple[int, tuple[Part, ...], float]]:
    """Return the passages with the spoken time as a part of their score, best first; the other parts share the rest."""
    share = TIME_NARROWS if span.kind == spoken_time.NARROWS else TIME_LEANS
    best = max([score for _, _, score in found], default=0.0) or 1.0
    times = table.times([row for row, _, _ in found])
    order = sorted(set(times.values()))
    weighed = []
    for row, parts, score in found:
        at = times.get(row, "")
        if span.kind == spoken_time.FIRST:
            inside, why = 1.0 - order.index(at) / max(1, len(order) - 1), f"{span.words}: said {at[:10]}"
        else:
            inside = float(bool(at) and span.since <= at and (not span.until or at < span.until))
            why = f"{'within' if inside else 'not within'} {span.words}"
        scaled = tuple(replace(part, weight=part.weight * (1 - share) / best) for part in parts)
        total = (1 - share) * score / best + share * inside
        weighed.append((row, (*scaled, Part("time", inside, share, why)), total))
    return sorted(weighed, key=lambda one: -one[2])


def _hit(
    table: PassageSearch, row: int, parts: tuple[Part, ...], score: float, words: tuple[str, ...]
) -> SessionHit | None:
    try:
        passage, source = table.read(row)
    except NotFound:
        return None
    event = int(passage.name) if passage.name.isdecimal() else -1
    return SessionHit(
        *(source.name, source.agent, source.title, source.scope.owner, event, passage.speaker, passage.at),
        *(passage.text, _cut(passage, words), round(score, 6), parts),
    )


def _cut(passage: Passage, words: tuple[str, ...]) -> str:
    """Return the part of a text around the rarest word that was asked for, on one line."""
    text = " ".join(passage.text.split())
    if len(text) <= _SHOWN:
        return text
    low = text.lower()
    places = [low.find(word) for word in words]
    at = max(0, next((place for place in places if place >= 0), 0) - _BEFORE)
    start = text.rfind(" ", 0, at) + 1 if at else 0
    end = start + _SHOWN
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
