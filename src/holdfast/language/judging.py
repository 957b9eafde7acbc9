"""What a message of the person says about the work before it: a rating in so many words, a clear mood, or nothing."""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language import moods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.language.ratings import Parsed

# Between them a mood neither supports nor contradicts a number.
_BAD, _GOOD = 4, 7
# A rating has its number within so many characters.
_BEGINNING = 120


@dataclass(frozen=True, slots=True)
class Judged:
    """A rating of 1 to 10 and where it comes from, one of `ratings.SOURCES`."""

    rating: int
    source: str
    comment: str
    confidence: float


def judge(text: str, answer: Callable[[], str | None]) -> Judged | None:
    """Return what a message says about the work. `answer` tells what the agent said before, None where nobody knows."""
    said = _number(text)
    if said is not None:
        chosen = is_choice(said, answer())
        return None if chosen else Judged(said.rating, "explicit", said.comment, 1.0)
    mood = moods.mood(text)
    return None if mood is None else Judged(mood.rating, "implicit", "", mood.confidence)


def _number(text: str) -> Parsed | None:
    if not any(letter.isdigit() for letter in text[:_BEGINNING]):
        # Most messages have none.
        return None
    from holdfast.language import ratings

    return ratings.parsed(text)


def is_choice(said: Parsed, answer: str | None) -> bool:
    """Whether a number may be an answer to the agent: a choice must never count as a rating.

    Where it may be one, only a comment of the same mood makes it a rating. Where it is not known what the agent said,
    a low number may be one. What is out of ten chooses nothing, but may be a count.
    """
    from holdfast.language import ratings

    if said.certain:
        return not said.comment and answer is not None and ratings.asks_how_many(answer)
    open_to_doubt = ratings.may_be_a_choice(said.rating) if answer is None else ratings.answers(said.rating, answer)
    return open_to_doubt and not _agrees(said)


def _agrees(said: Parsed) -> bool:
    mood = moods.mood(said.comment)
    if mood is None:
        return False
    return said.rating <= _BAD if mood.rating <= _BAD else said.rating >= _GOOD
