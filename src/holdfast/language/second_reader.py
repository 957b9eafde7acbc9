"""A second reader of what the first found worth a look: slower, larger, and right in other cases than the first.

It is a language model that reads from the beginning to the end, cut to its first layers, with weights of four bits.
What two unlike readers say together is better than what either says. A message takes some tenths of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.language.byte_pairs import BytePairs
from holdfast.language.encoder import Figures, of_statement
from holdfast.language.weights import Weights

if TYPE_CHECKING:
    from holdfast.language.weights import Floats
    from holdfast.language.word_pieces import Piece

_SIZE = 64
_TINY, _LONGEST_WAVE = 1e-5, 100_000.0


class SecondReader:
    """The opened file. Raises StoreUnavailable where it cannot be read or is not whole.

    So many pieces are read as `most` says: of the end of what the agent had said, of the beginning and the end of the
    message.
    """

    def __init__(self, path: str, most: tuple[int, int, int]) -> None:
        self._weights, self._most = Weights(path), most
        pairs = [int(number) for number in self._weights.text("pairs").split()]
        self._pieces = BytePairs(list(zip(pairs[0::2], pairs[1::2], strict=True)))
        self._agent, self._person, self._end = range(256 + len(pairs) // 2, 259 + len(pairs) // 2)
        self._layers = int(self._weights.about["layers"])

    def read(self, text: str, before: str) -> tuple[Figures, list[Piece]]:
        """Return what is said of a message, and its pieces that were read."""
        last, head, tail = self._most
        own = self._pieces.of(text)
        own = own if len(own) <= head + tail else [*own[:head], *own[-tail:]]
        said = [self._agent, *[piece.number for piece in self._pieces.of(before)[-last:]], self._end, self._person]
        kept, rows = self._weights, self._weights.rows("words", [*said, *[piece.number for piece in own], self._end])
        turns = _turns(len(rows))
        for layer in range(self._layers):
            rows = rows + self._attended(rows, f"{layer}.", turns)
            inner = _normed(rows, kept[f"{layer}.ffn_norm"])
            opened = inner @ kept[f"{layer}.ffn_gate"].T
            opened = opened / (1 + np.exp(-opened)) * (inner @ kept[f"{layer}.ffn_up"].T)
            rows = rows + opened @ kept[f"{layer}.ffn_down"].T
        rows = _normed(rows, kept["norm"])
        words = rows[len(said) : -1]
        mean = words.mean(axis=0) if own else np.zeros_like(rows[0])
        heads = kept["heads.weight"] @ np.concatenate([rows[-1], mean]) + kept["heads.bias"]
        return Figures(heads.tolist(), of_statement(kept, words, rows[-1])), own

    def _attended(self, rows: Floats, name: str, turns: tuple[Floats, Floats]) -> Floats:
        """Return what each piece takes from those up to it."""
        count = len(rows)
        inner = _normed(rows, self._weights[f"{name}attn_norm"])
        query, key, value = (
            (inner @ self._weights[f"{name}attn_{part}"].T).reshape(count, -1, _SIZE).transpose(1, 0, 2)
            for part in "qkv"
        )
        query, key = _turned(query, turns), _turned(key, turns)
        shared = len(query) // len(key)
        marks = query @ np.repeat(key, shared, axis=0).transpose(0, 2, 1) / np.float32(np.sqrt(_SIZE))
        marks[:, np.triu(np.ones((count, count), bool), 1)] = -np.inf
        shares = np.exp(marks - marks.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        seen = (shares @ np.repeat(value, shared, axis=0)).transpose(1, 0, 2).reshape(count, -1)
        found: Floats = seen @ self._weights[f"{name}attn_output"].T
        return found


def _turns(count: int) -> tuple[Floats, Floats]:
    """Return by how much the numbers of each place are turned."""
    waves = _LONGEST_WAVE ** (-np.arange(0, _SIZE, 2, dtype=np.float32) / _SIZE)
    angles = np.outer(np.arange(count, dtype=np.float32), waves)
    return np.cos(angles), np.sin(angles)


def _turned(rows: Floats, turns: tuple[Floats, Floats]) -> Floats:
    even, odd = rows[..., 0::2], rows[..., 1::2]
    found = np.empty_like(rows)
    found[..., 0::2] = even * turns[0] - odd * turns[1]
    found[..., 1::2] = even * turns[1] + odd * turns[0]
    return found


def _normed(rows: Floats, weight: Floats) -> Floats:
    found: Floats = rows / np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + _TINY) * weight
    return found
