"""A text as byte pairs: bytes that are put together in the order of a vocabulary."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from holdfast.language.word_pieces import Piece

_WORD = re.compile(r"\d|'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?=\d|\Z)|\s+(?!\S)|\s+|\w")
_MAX_WORD = 80
_NEVER = 1 << 30


class BytePairs:
    """The pieces of one vocabulary: all 256 bytes, then each pair of earlier pieces that was put together."""

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self._made = {pair: number for number, pair in enumerate(pairs, 256)}
        self._sizes = [1] * 256
        for one, two in pairs:
            self._sizes.append(self._sizes[one] + self._sizes[two])
        self._known: dict[str, list[int]] = {}

    def of(self, text: str) -> list[Piece]:
        """Return a text's pieces, each with the letters that it has a part of."""
        found = []
        for word in _WORD.finditer(text):
            letters = word[0][:_MAX_WORD]
            # For each byte its letter.
            places = [at for at, sign in enumerate(letters) for _ in sign.encode("utf-8", "surrogatepass")]
            numbers = self._cut(letters)
            ends = accumulate(self._sizes[number] for number in numbers)
            found += [
                Piece(number, word.start() + places[end - self._sizes[number]], word.start() + places[end - 1] + 1)
                for number, end in zip(numbers, ends, strict=True)
            ]
        return found

    def _cut(self, word: str) -> list[int]:
        if word in self._known:
            return self._known[word]
        pieces = list(word.encode("utf-8", "surrogatepass"))
        while len(pieces) > 1:
            made = [self._made.get(pair, _NEVER) for pair in pairwise(pieces)]
            best = min(made)
            if best == _NEVER:
                break
            at = made.index(best)
            pieces[at : at + 2] = [best]
        self._known[word] = pieces
        return pieces
