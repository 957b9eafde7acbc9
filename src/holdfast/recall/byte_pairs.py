"""Byte-pair encoding, as RoBERTa and its kin read text: words, then bytes, then the merges that were learned.

Which letters belong together is told by the letter's kind. Python's `re` has no classes for all letters and all
numbers of Unicode, so a text that is not ASCII is cut by its shape: each letter of it stands for its kind there.
What looks like a special token in a text (`<s>`) is text like any other.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPACES = r"[ \t\n\r\f\v]"
_WORDS = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[0-9]+| ?[^ \t\n\r\f\vA-Za-z0-9]+"
    rf"|{_SPACES}+(?![^ \t\n\r\f\v])|{_SPACES}+"
)
# Any capital stands for a letter: no ending such as 's has one.
_SHAPES = {"L": "A", "N": "0", "Z": "\t"}
_MOST_KNOWN = 50_000
# A run without a space may be a file of data; beyond this it is cut, and nothing is lost but a merge over the cut.
_LONGEST_WORD = 200


class BytePairs:
    """Texts in, numbers of tokens out."""

    def __init__(self, vocabulary: Mapping[str, int], merges: Sequence[str | Sequence[str]]) -> None:
        self._vocabulary = vocabulary
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
        self._ranks = {(first, second): rank for rank, (first, second) in enumerate(pairs)}
        self._letters = letters_of_bytes()
        self._known: dict[str, tuple[int, ...]] = {}

    def tokens(self, text: str, most: int) -> list[int]:
        """Return the tokens of the text, at most so many; the rest of a long text is not looked at."""
        found: list[int] = []
        for word in words(text):
            if len(found) >= most:
                break
            for start in range(0, len(word), _LONGEST_WORD):
                found += self._of_word(word[start : start + _LONGEST_WORD])
        return found[:most]

    def _of_word(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            spelled = [self._letters[byte] for byte in word.encode("utf-8", "replace")]
            known = self._known[word] = tuple(self._vocabulary[piece] for piece in self._merged(spelled))
        return known

    def _merged(self, pieces: list[str]) -> list[str]:
        """Join neighbours for as long as a merge was learned for any, the earliest learned first."""
        never = len(self._ranks)
        while len(pieces) > 1:
            ranks = [self._ranks.get(pair, never) for pair in pairwise(pieces)]
            best = min(ranks)
            if best == never:
                break
            joined: list[str] = []
            at = 0
            while at < len(pieces):
                together = at < len(ranks) and ranks[at] == best
                joined.append(pieces[at] + pieces[at + 1] if together else pieces[at])
                at += 2 if together else 1
            pieces = joined
        return pieces


def words(text: str) -> list[str]:
    """Return the text cut into words with the space before them, numbers, signs and spaces; nothing is left out."""
    shape = text if text.isascii() else "".join(map(_shape, text))
    return [text[found.start() : found.end()] for found in _WORDS.finditer(shape)]


def _shape(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter == "\x85":
        return "\t"
    return _SHAPES.get(unicodedata.category(letter)[0], ".")


def letters_of_bytes() -> list[str]:
    """Return the letter that stands for each byte: itself where it can be printed, else one from 256 on."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    letters = {byte: chr(byte) for byte in printed} | {byte: chr(256 + place) for place, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]
