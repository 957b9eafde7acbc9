"""A text as byte pairs, as the teacher reads it: bytes that are put together in the order of a vocabulary."""

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


def kept_pairs(
    merges: list[tuple[str, str]], counts: dict[str, int], fewest: int
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the pairs that enough texts have, with all that they are made of, and the letters of every piece."""
    letters = [byte_letter(byte) for byte in range(256)]
    parents = {one + two: (one, two) for one, two in merges}
    wanted: set[str] = set()

    def want(piece: str) -> None:
        if len(piece) > 1 and piece in parents and piece not in wanted:
            wanted.add(piece)
            for part in parents[piece]:
                want(part)

    for piece, count in counts.items():
        if count >= fewest:
            want(piece)
    made = [one + two for one, two in merges if one + two in wanted]
    numbers = {piece: number for number, piece in enumerate([*letters, *made])}
    return [(numbers[parents[piece][0]], numbers[parents[piece][1]]) for piece in made], [*letters, *made]


def byte_letter(byte: int) -> str:
    """Return the letter that stands for a byte in vocabularies of this kind."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return chr(byte) if byte in seen else chr(256 + [one for one in range(256) if one not in seen].index(byte))
