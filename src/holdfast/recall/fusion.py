"""Fusion: one order out of text relevance, recency, use, trust, scope and pinning, with each part told.

Text decides; the others settle what text leaves open. A time that the query speaks of takes a share of the whole:
much where it narrows, little where it leans. A superseded memory sinks below all that hold, whatever its words. Of two
that say nearly the same, the newer stands where the better one would.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdfast.base.clock import days_between
from holdfast.base.text import count
from holdfast.recall.embed import plain, words
from holdfast.records import Hit, Part, replace
from holdfast.store.words import same_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.language.spoken_time import Span
    from holdfast.records import Candidate, Memory

# Words and meaning say together how likely it is that a memory is meant; the others break what ties that leaves.
_TEXT = 0.9
WEIGHTS = {"words": _TEXT, "meaning": _TEXT, "recency": 0.04, "use": 0.02, "trust": 0.02, "scope": 0.01, "pinned": 0.01}
# The weight of a time that the query speaks of; the other parts share the rest.
TIME_NARROWS = 0.40
TIME_LEANS = 0.10
_TRUST = {"user": 1.0, "agent": 0.6, "derived": 0.3, "import": 0.1}
_SCOPE = {"session": 1.0, "project": 0.8, "agent": 0.6, "global": 0.4}
HALF_AFTER_DAYS = 30
# Two statements with this share of common words say nearly the same; a longer text is not a statement.
ALIKE = 0.5
MUCH_LATER_DAYS = 1.0
_MIN_COMMON = 3
_MAX_STATEMENT = 600


def fuse(
    candidates: list[Candidate],
    now: str,
    *,
    span: Span | None = None,
    statements: Mapping[str, tuple[str, ...]] | None = None,
    instead_of: Mapping[str, str] | None = None,
) -> list[Hit]:
    """Return a hit for each candidate, best first. Statements that say the same are one hit, the best of them.

    By path: `statements` has the times of earlier statements, `instead_of` the key of what a candidate replaces and
    stands in for.
    """
    best = max([1.0, *(candidate.text for candidate in candidates)])
    times = _Times(span, candidates, statements or {})
    hits = [
        _hit(candidate, best, now, times, (instead_of or {}).get(candidate.memory.path)) for candidate in candidates
    ]
    hits = _with_newer_lifted(hits)
    hits.sort(key=lambda hit: hit.memory.path)
    hits.sort(key=lambda hit: hit.memory.updated, reverse=True)
    hits.sort(key=lambda hit: (bool(hit.superseded_by), -hit.score))
    return _without_repeats(hits)


class _Times:
    """The spoken time of one query, and how far a memory lies in it."""

    def __init__(
        self, span: Span | None, candidates: list[Candidate], statements: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.span = span
        self.statements = statements
        self.share = 0.0 if span is None else TIME_NARROWS if span.narrows else TIME_LEANS
        self._created = sorted({candidate.memory.created for candidate in candidates})

    def parts(self, memory: Memory) -> tuple[Part, ...]:
        """Return the part `time`, or nothing where the query speaks of none."""
        if self.span is None:
            return ()
        if self.span.is_first:
            later = self._created.index(memory.created) / max(1, len(self._created) - 1)
            return (Part("time", 1.0 - later, self.share, f"{self.span.words}: stored {memory.created[:10]}"),)
        inside = self._is_inside(memory)
        bounds = [("since", self.span.since[:10]), ("before", self.span.until[:10])]
        shown = " ".join([f"{name} {day}" for name, day in bounds if day])
        why = f"{'within' if inside else 'not within'} {self.span.words} ({shown})"
        return (Part("time", float(inside), self.share, why),)

    def _is_inside(self, memory: Memory) -> bool:
        since, until = (self.span.since, self.span.until) if self.span else ("", "")
        told = (memory.created, memory.updated, *self.statements.get(memory.path, ()))
        return any(since <= moment and (not until or moment < until) for moment in told if moment)


def _hit(candidate: Candidate, best: float, now: str, times: _Times, replaced: str | None) -> Hit:
    parts = _parts(candidate, best, now, replaced)
    if times.span is not None:
        parts = tuple(replace(part, weight=part.weight * (1 - times.share)) for part in parts)
        parts += times.parts(candidate.memory)
    return Hit(
        memory=candidate.memory,
        score=round(sum(part.points for part in parts), 6),
        parts=parts,
        words=candidate.words,
        superseded_by=candidate.superseded_by,
        earlier=candidate.earlier,
    )


def _parts(candidate: Candidate, best: float, now: str, replaced: str | None) -> tuple[Part, ...]:
    memory = candidate.memory
    days = days_between(memory.updated, now)
    found = f"replaces {replaced}, which has them" if replaced else ", ".join(candidate.words) or "none of the words"
    near = f"how near {replaced or 'it'} is to what was asked"
    updated, used = f"updated {count(round(days), 'day')} ago", f"used {count(candidate.uses, 'time')}"
    return (
        Part("words", max(0.0, candidate.text / best), WEIGHTS["words"], found),
        Part("meaning", candidate.meaning, WEIGHTS["meaning"], near),
        Part("recency", 1 / (1 + days / HALF_AFTER_DAYS), WEIGHTS["recency"], updated),
        Part("use", min(1.0, math.log1p(candidate.uses) / math.log(101)), WEIGHTS["use"], used),
        Part("trust", _TRUST.get(memory.trust, 0.0), WEIGHTS["trust"], f"said by: {memory.trust}"),
        Part("scope", _SCOPE.get(memory.scope.kind, 0.0), WEIGHTS["scope"], str(memory.scope)),
        Part("pinned", float(memory.pinned), WEIGHTS["pinned"], "pinned" if memory.pinned else "not pinned"),
    )


def _with_newer_lifted(hits: list[Hit]) -> list[Hit]:
    """Give a hit the score of an older one that says nearly the same and stood before it; the tie goes to the newer."""
    statements = [hit.memory for hit in hits if not hit.superseded_by and len(hit.memory.body) <= _MAX_STATEMENT]
    said = {memory.path: frozenset(map(plain, words(memory.body))) for memory in statements}
    done: list[Hit] = []
    for hit in sorted(hits, key=lambda each: each.memory.updated):
        older = [each for each in done if each.score > hit.score and _is_newer(hit, each, said)]
        if older:
            best = max(older, key=lambda each: each.score)
            days = days_between(best.memory.updated, hit.memory.updated)
            why = f"says nearly the same as {best.memory.key}, {count(round(days), 'day')} later"
            hit = replace(hit, score=best.score, parts=(*hit.parts, Part("newer", 1.0, best.score - hit.score, why)))
        done.append(hit)
    return done


def _is_newer(hit: Hit, older: Hit, said: dict[str, frozenset[str]]) -> bool:
    """Whether the hit is a later word on the same thing: same scope, no weaker trust, most words common.

    Every word of the query that the older one has must stand in the newer one, or they answer different questions; and
    who asks for a time gets what was said then.
    """
    one, other = said.get(hit.memory.path, frozenset()), said.get(older.memory.path, frozenset())
    common = len(one & other)
    return (
        common >= _MIN_COMMON
        and common >= ALIKE * len(one | other)
        and hit.memory.scope == older.memory.scope
        and _TRUST.get(hit.memory.trust, 0.0) >= _TRUST.get(older.memory.trust, 0.0)
        and one >= set(map(plain, older.words))
        and _time(hit) >= _time(older)
        and days_between(older.memory.updated, hit.memory.updated) >= MUCH_LATER_DAYS
    )


def _time(hit: Hit) -> float:
    return next((part.value for part in hit.parts if part.name == "time"), 0.0)


def _without_repeats(hits: list[Hit]) -> list[Hit]:
    seen: set[str] = set()
    kept = []
    for hit in hits:
        said = same_words(hit.memory.body)
        if said not in seen:
            kept.append(hit)
        seen.add(said)
    return kept
