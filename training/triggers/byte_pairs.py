"""A text as byte pairs, as the judge's teacher reads it: put together in the order of its vocabulary."""

from __future__ import annotations

import re
from itertools import pairwise

DIGITS = re.compile(r"(\d)")
WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+|\w")
LONGEST_WORD = 80
NEVER = 1 << 30


class BytePairs:
    """The pieces of one vocabulary: all 256 bytes, then each pair of earlier pieces that was put together."""

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self._made = {pair: number for number, pair in enumerate(pairs, 256)}
        self._known: dict[str, list[int]] = {}

    def of(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces."""
        found = []
        for part in DIGITS.split(text):
            for word in WORDS.findall(part):
                if word not in self._known:
                    self._known[word] = self._cut(word[:LONGEST_WORD])
                found += self._known[word]
        return found

    def _cut(self, word: str) -> list[int]:
        pieces = list(word.encode("utf-8", "surrogatepass"))
        while len(pieces) > 1:
            made = [self._made.get(pair, NEVER) for pair in pairwise(pieces)]
            best = min(made)
            if best == NEVER:
                break
            at = made.index(best)
            pieces[at : at + 2] = [best]
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
