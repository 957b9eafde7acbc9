"""What people complain about and what they praise, in groups, found by the words in `synthesis_words/`, en and de.

A complaint is a rating up to 4, praise one from 7. The comment counts and so does the message, whether the person said
a number or not. One rating may be in several groups, and many are in none.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language.ratings import words_of
from holdfast.language.word_lists import LANGUAGES, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.language.ratings import Rating

FRUSTRATION, SUCCESS = "frustration", "success"
WORST_OF_SUCCESS, BEST_OF_FRUSTRATION = 7, 4
_FOLDER = __file__.rpartition("/")[0] + "/words"
# What stands behind one of these was not so.
_NOT = frozenset(
    (
        *("not", "no", "never", "isnt", "wasnt", "werent", "arent", "hardly"),
        *("nicht", "kein", "keine", "keinen", "nie", "weder", "kaum"),
    )
)
_known: list[Cues] = []


@dataclass(frozen=True, slots=True)
class Cues:
    """One group: its name, whether it is praise, and what shows it, as pieces of a text with a space around it."""

    name: str
    mood: str
    pieces: tuple[str, ...]


def mood_of(rating: Rating) -> str:
    """Return whether a rating is a complaint, praise, or, in between, nothing."""
    if rating.rating <= BEST_OF_FRUSTRATION:
        return FRUSTRATION
    return SUCCESS if rating.rating >= WORST_OF_SUCCESS else ""


def said_in(rating: Rating) -> str:
    """Return everything that was said with a rating."""
    return rating.text if rating.comment in rating.text else f"{rating.comment} {rating.text}"


def names_of(rating: Rating) -> list[str]:
    """Return the groups that a rating is in."""
    mood = mood_of(rating)
    said = words_of(said_in(rating)) if mood else []
    if mood == SUCCESS:
        said = [word for place, word in enumerate(said) if not place or said[place - 1] not in _NOT]
    text = f" {' '.join(said)} "
    return [cues.name for cues in groups() if cues.mood == mood and any(piece in text for piece in cues.pieces)]


def groups() -> Sequence[Cues]:
    """Return all groups, as they stand in the files of words."""
    if not _known:
        _known.extend(_read())
    return _known


def _read() -> list[Cues]:
    found: dict[tuple[str, str], list[str]] = {}
    for language in LANGUAGES:
        for heading, body in sections(f"{_FOLDER}/{language}.txt").items():
            name, _, mood = heading.partition(": ")
            # With a star at the end of a line its last word may go on.
            pieces = [f" {line[:-1]}" if line.endswith("*") else f" {line} " for line in body.splitlines() if line]
            found.setdefault((name, mood), []).extend(pieces)
    return [Cues(name, mood, tuple(pieces)) for (name, mood), pieces in found.items()]
