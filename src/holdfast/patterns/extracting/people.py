"""Signals of the person: corrections and ratings."""

from __future__ import annotations

from holdfast.patterns.acts import ASK, Act, Rated, Seen
from holdfast.patterns.extracting.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Ratings up to the first are bad, from the second on good.
LOW, HIGH = 4, 8


def corrections(seen: Seen) -> Iterator[Found]:
    """Yield what the person corrected."""
    for one in seen.corrections:
        act = Act(ASK, place=one.place, line=one.line, at=one.at, text=one.text)
        yield Found(act, " ".join(sorted(one.words)), one.text)


def low_ratings(seen: Seen) -> Iterator[Found]:
    """Yield what the person rated low, and why; a number without a reason says nothing about what recurs."""
    for one in seen.ratings:
        if one.rating <= LOW:
            yield from _of(one)


def high_ratings(seen: Seen) -> Iterator[Found]:
    """Yield what the person rated high, and why."""
    for one in seen.ratings:
        if one.rating >= HIGH:
            yield from _of(one)


def _of(one: Rated) -> Iterator[Found]:
    for about in one.about:
        yield Found(Act(ASK, at=one.at, text=one.text), about, f"{one.rating}/10: {one.text}")
