"""A text as pieces of words out of a vocabulary, as an encoder reads it: small letters without accents, longest first.

Signs and the letters of scripts without spaces stand alone. A word of which the vocabulary has no piece is unknown.
Each piece knows where in the text it stands, so that what an encoder says of a piece can be said of the text.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

PADDING, UNKNOWN, BEGIN, END = range(4)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
# A longer run of letters is no word.
_LONGEST_WORD = 60
# What goes on with a word begins so in a vocabulary.
_GOES_ON = "##"
# From here on letters are of scripts that write no spaces between words.
_FIRST_IDEOGRAPH = "\u2e80"
# Accents, and signs that nobody sees.
_UNSEEN = ("Mn", "Cc", "Cf")


class Piece(NamedTuple):
    """A piece of a text: its number in the vocabulary, and from where to where it stands."""

    number: int
    start: int
    end: int


class WordPieces:
    """The pieces of one vocabulary. Its first four entries are SPECIAL."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary))
        self._known: dict[str, list[tuple[int, int, int]]] = {}

    def of(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in their order."""
        found = []
        for word, places in _words(text):
            if word not in self._known:
                self._known[word] = self._cut(word)
            found += [Piece(number, places[first], places[last] + 1) for number, first, last in self._known[word]]
        return found

    def _cut(self, word: str) -> list[tuple[int, int, int]]:
        """Return a word's pieces as number, first and last letter; one unknown piece where they are not all known."""
        found, at = [], 0
        while at < len(word) <= _LONGEST_WORD:
            for end in range(min(len(word), at + self._longest), at, -1):
                number = self._numbers.get(word[at:end] if not at else _GOES_ON + word[at:end])
                if number is not None:
                    found.append((number, at, end - 1))
                    at = end
                    break
            else:
                break
        return found if found and at == len(word) else [(UNKNOWN, 0, len(word) - 1)]


def _words(text: str) -> list[tuple[str, list[int]]]:
    """Return the words of a text in plain letters, each with the place of every letter."""
    found: list[tuple[str, list[int]]] = []
    letters: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        plain = sign.lower() if sign.isascii() else _plain(sign)
        stands_alone = not sign.isalnum() or sign >= _FIRST_IDEOGRAPH
        if letters and stands_alone and plain:
            found.append(("".join(letters), places))
            letters, places = [], []
        if not stands_alone:
            letters += plain
            places += [place] * len(plain)
        elif plain.strip():
            found.append((plain.strip(), [place] * len(plain)))
    return [*found, ("".join(letters), places)] if letters else found


def _plain(sign: str) -> str:
    """Return a letter small and without its accents; nothing for an accent alone or a sign that nobody sees."""
    apart = unicodedata.normalize("NFKD", sign.lower())
    seen = "".join([one for one in apart if unicodedata.category(one) not in _UNSEEN])
    return seen or (" " if sign.isspace() else "")
