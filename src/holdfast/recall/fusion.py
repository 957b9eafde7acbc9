"""Fusion: one order out of text relevance, recency, use, trust, scope and pinning, with each part told.

Text decides; the others settle what text leaves open. A superseded memory sinks below all that hold, whatever its
words.
"""

from __future__ import annotations

import math

from holdfast.recall.when import days_between
from holdfast.records import Hit, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.base import Candidate

WEIGHTS = {"words": 0.45, "meaning": 0.25, "recency": 0.10, "use": 0.05, "trust": 0.05, "scope": 0.05, "pinned": 0.05}
_TRUST = {"user": 1.0, "agent": 0.6, "derived": 0.3, "import": 0.1}
_SCOPE = {"session": 1.0, "project": 0.8, "agent": 0.6, "global": 0.4}
HALF_AFTER_DAYS = 30


def fuse(candidates: list[Candidate], now: str) -> list[Hit]:
    """Return a hit for each candidate, best first. Statements that say the same are one hit, the best of them."""
    best = max((candidate.text for candidate in candidates), default=0.0) or 1.0
    hits = [_hit(candidate, best, now) for candidate in candidates]
    hits.sort(key=lambda hit: hit.memory.path)
    hits.sort(key=lambda hit: hit.memory.updated, reverse=True)
    hits.sort(key=lambda hit: (bool(hit.superseded_by), -hit.score))
    return _without_repeats(hits)


def _hit(candidate: Candidate, best: float, now: str) -> Hit:
    parts = _parts(candidate, best, now)
    return Hit(
        memory=candidate.memory,
        score=round(sum(part.points for part in parts), 6),
        parts=parts,
        words=candidate.words,
        superseded_by=candidate.superseded_by,
        earlier=candidate.earlier,
    )


def _parts(candidate: Candidate, best: float, now: str) -> tuple[Part, ...]:
    memory = candidate.memory
    days = days_between(memory.updated, now)
    words = ", ".join(candidate.words) or "none of the words"
    return (
        Part("words", max(0.0, candidate.text / best), WEIGHTS["words"], words),
        Part("meaning", candidate.meaning, WEIGHTS["meaning"], "how near it is to what was asked"),
        Part("recency", 1 / (1 + days / HALF_AFTER_DAYS), WEIGHTS["recency"], f"updated {days:.0f} days ago"),
        Part(
            "use", min(1.0, math.log1p(candidate.uses) / math.log(101)), WEIGHTS["use"], f"used {candidate.uses} times"
        ),
        Part("trust", _TRUST.get(memory.trust, 0.0), WEIGHTS["trust"], f"said by: {memory.trust}"),
        Part("scope", _SCOPE.get(memory.scope.kind, 0.0), WEIGHTS["scope"], str(memory.scope)),
        Part("pinned", float(memory.pinned), WEIGHTS["pinned"], "pinned" if memory.pinned else "not pinned"),
    )


def _without_repeats(hits: list[Hit]) -> list[Hit]:
    seen: set[str] = set()
    kept = []
    for hit in hits:
        words = " ".join(hit.memory.body.casefold().split())
        if words not in seen:
            kept.append(hit)
        seen.add(words)
    return kept
