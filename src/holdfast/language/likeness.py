"""When two complaints are about the same thing: by their words, folded, stemmed roughly, with those that mean the same.

A word behind a negation is another word, so that "use tabs, not spaces" and "use spaces, not tabs" do not meet. The
lists are in `lesson_words/`, a file a language; which language a text is in need not be known.
"""

from __future__ import annotations

import unicodedata

from holdfast.language.word_lists import LANGUAGES, rows, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing can be learned from fewer words than this.
FEWEST = 2
# So much of all words of both must be common; less is enough where one says all that the other says, and more.
_COMMON = 0.7
_HELD = 0.6
_HELD_LONG = 0.5
_LONG = 3
_MAX_CHARACTERS = 2_000
# Endings, and how many letters must be left of a word.
_ENDINGS = {"ing": 3, "edly": 3, "ed": 3, "en": 4, "em": 4, "er": 4, "ly": 4, "e": 3}
_ANY_ENDING = tuple(_ENDINGS)
_SHORTEST_STEM = 3
# Two words that turn the word behind them round as one does.
_TURNING_PAIRS = ("instead of", "rather than", "anstatt", "an stelle von", "statt")
_SHARP = str.maketrans({"’": "'", "ß": "ss"})
_SPACED = "".join([chr(code) if chr(code).isalnum() or chr(code) == "'" else " " for code in range(128)])
_FOLDER = __file__.rpartition("/")[0] + "/likeness_words"
_tables: list[_Tables] = []


class _Tables:
    """The lists of all languages as they are looked up."""

    def __init__(self) -> None:
        self.small = frozenset(map(folded, listed("small")))
        self.turning = frozenset(map(folded, listed("not")))
        self.same: dict[str, str] = {}
        for language in LANGUAGES:
            for kind, line in rows(f"{_FOLDER}/{language}.txt"):
                words = [folded(word.strip()) for word in line.split(",")] if kind == "same" else []
                self.same.update({word: stem(words[0]) for word in words})
        self.classes = frozenset(self.same.values())


def words_of(text: str) -> frozenset[str]:
    """Return what a text is about: its words without small ones, each brought to one form."""
    tables = _all()
    found: set[str] = set()
    turned = False
    for word in _split(text[:_MAX_CHARACTERS]):
        if word in tables.turning:
            turned = True
        elif word not in tables.small:
            known = tables.same.get(word) or stem(word)
            found.add(f"not {known}" if turned else known)
            turned = False
    return frozenset(found)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts with these words are about the same thing.

    Where each has words of its own, one thing may stand in the place of another, so more must be common.
    """
    common = len(one & other)
    if common < FEWEST:
        return False
    share = common / len(one | other)
    if common < min(len(one), len(other)):
        return share >= _COMMON
    return share >= (_HELD_LONG if common >= _LONG else _HELD)


def shared(one: frozenset[str], other: frozenset[str]) -> tuple[int, int]:
    """Return how many words both have, and how many of them name a thing and not only an act."""
    common = {word.removeprefix("not ") for word in one} & {word.removeprefix("not ") for word in other}
    return len(common), len(common - _all().classes)


def listed(kind: str) -> tuple[str, ...]:
    """Return the words of a kind in all languages."""
    return spoken(_FOLDER, kind)


def folded(text: str) -> str:
    """Return the text in small letters without accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_SHARP).casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def stem(word: str) -> str:
    """Return a word without its ending, roughly, the same for English and German."""
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 1:
        return word[:-3] + "y"
    # First the plural, so that `servers` goes the way of `server`.
    if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST_STEM:
        word = word[:-1]
    for ending, left in _ENDINGS.items() if word.endswith(_ANY_ENDING) else ():
        if word.endswith(ending) and len(word) - len(ending) >= left:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] == word[-2:-1] else word


def _split(text: str) -> Iterator[str]:
    plain = folded(text)
    if plain.isascii():
        plain = plain.translate(_SPACED)
    else:
        plain = "".join([letter if letter.isalnum() or letter == "'" else " " for letter in plain])
    line = f" {' '.join(plain.split())} "
    for pair in _TURNING_PAIRS:
        line = line.replace(f" {pair} ", " not ")
    for word in line.split():
        bare = word.strip("'")
        if bare in _all().turning or "'" not in bare:
            yield bare
        else:
            yield from bare.split("'")


def _all() -> _Tables:
    if not _tables:
        _tables.append(_Tables())
    return _tables[0]
