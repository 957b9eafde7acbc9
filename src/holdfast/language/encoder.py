"""A transformer that reads a message: how much it says of each kind, and which of its words say it.

Reading a message of a hundred pieces takes tens of milliseconds for a small one and some tenths of a second for a large
one, and needs numpy, so this is for what runs behind a session, never for a hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from holdfast.language.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.language.weights import Floats

# So many pieces ahead are looked at to tell whether a piece belongs to the statement.
AHEAD = 8
_TINY = 1e-12
# Two pieces farther apart than this are as far apart as any.
_FARTHEST = 128
_ROOT, _CUBED = 0.7978845608, 0.044715
# So many pieces of messages are read together: more take more memory and no less time.
_ROWS_TOGETHER = 1_000


class Figures(NamedTuple):
    """What an encoder says of a message, and of each piece of the person's words.

    There is a figure for each head, and for each piece three: how much it belongs to the statement, begins it, ends it.
    """

    heads: Floats
    pieces: Floats


class Encoder:
    """The opened file. Raises StoreUnavailable where it cannot be read or is not whole."""

    def __init__(self, path: str) -> None:
        self._weights = Weights(path)
        self.about = self._weights.about
        self._width, self._heads, self._layers = (int(self.about[name]) for name in ("width", "heads", "layers"))

    def vocabulary(self) -> list[str]:
        """Return the pieces of words that are known, by their numbers."""
        return self._weights.text("vocabulary").split("\n")

    def read(self, messages: Sequence[tuple[list[int], int]]) -> Iterator[Figures]:
        """Read messages by the numbers of their pieces; the person's own begin at the place given, but for the last.

        Many are read together: the weights become floats once for all of them.
        """
        together: list[tuple[list[int], int]] = []
        for one in messages:
            if sum(len(numbers) for numbers, _ in together) + len(one[0]) > _ROWS_TOGETHER and together:
                yield from self._read(together)
                together = []
            together.append(one)
        yield from self._read(together) if together else ()

    def _read(self, messages: list[tuple[list[int], int]]) -> Iterator[Figures]:
        """Read a few messages, whose pieces stand one below the other."""
        kept = self._weights
        ends = np.cumsum([len(numbers) for numbers, _ in messages])
        parts = [slice(end - len(numbers), end) for end, (numbers, _) in zip(ends.tolist(), messages, strict=True)]
        places = np.concatenate([np.arange(len(numbers)) for numbers, _ in messages])
        own = np.concatenate([np.arange(len(numbers)) >= first for numbers, first in messages])
        known = kept.rows("pieces", [number for numbers, _ in messages for number in numbers])
        rows = self._normed(known + kept["places"][places] + kept["type"][own.astype(int)], "first")
        asking = [np.arange(part.start, part.stop) for part in parts]
        # Only these are asked for at the end: the beginning, and the person's words.
        asked = [each[[0, *range(first, len(each) - 1)]] for each, (_, first) in zip(asking, messages, strict=True)]
        for layer in range(self._layers):
            rows = self._layer(rows, f"{layer}.", parts, asked if layer == self._layers - 1 else asking)
        for own_rows in np.split(rows, np.cumsum([len(each) for each in asked])[:-1]):
            yield self._figures(own_rows[0], own_rows[1:])

    def _figures(self, whole: Floats, own: Floats) -> Figures:
        kept = self._weights
        mean = own.mean(axis=0) if len(own) else np.zeros(self._width, np.float32)
        heads = kept["heads.weight"] @ np.concatenate([whole, mean]) + kept["heads.bias"]
        return Figures(heads, _of_statement(kept, own, whole))

    def _layer(self, rows: Floats, name: str, parts: list[slice], asking: list[NDArray[np.int64]]) -> Floats:
        """Return what becomes of the rows that ask; `parts` are the messages, and each asks only within its own."""
        seen = self._times(self._attended(rows, name, parts, asking), f"{name}out")
        rows = self._normed(rows[np.concatenate(asking)] + seen, f"{name}norm1")
        inner = _gelu(self._times(rows, f"{name}up"))
        return self._normed(rows + self._times(inner, f"{name}down"), f"{name}norm2")

    def _attended(self, rows: Floats, name: str, parts: list[slice], asking: list[NDArray[np.int64]]) -> Floats:
        """Return what each piece that asks takes from all of its message: by every head, and by their distance."""
        size, width = self._width // self._heads, self._width
        weight, bias = self._weights[f"{name}qkv.weight"], self._weights[f"{name}qkv.bias"]
        asks = rows[np.concatenate(asking)] @ weight[:width].T + bias[:width]
        asks = asks.reshape(-1, self._heads, size).transpose(1, 0, 2)
        others = (rows @ weight[width:].T + bias[width:]).reshape(-1, 2, self._heads, size).transpose(1, 2, 0, 3)
        found, end = [], 0
        for part, own in zip(parts, asking, strict=True):
            answers, values = others[:, :, part]
            start, end = end, end + len(own)
            marks = asks[:, start:end] @ answers.transpose(0, 2, 1)
            marks /= np.float32(np.sqrt(size))
            marks += self._by_distance(own - part.start, part.stop - part.start)
            marks -= marks.max(axis=-1, keepdims=True)
            shares = np.exp(marks, out=marks)
            shares /= shares.sum(axis=-1, keepdims=True)
            found.append((shares @ values).transpose(1, 0, 2).reshape(-1, width))
        return np.concatenate(found)

    def _by_distance(self, asking: NDArray[np.int64], count: int) -> Floats | float:
        """Return what the distance of each piece that asks from any other counts for each head, in every layer."""
        if "apart" not in self._weights:
            return 0.0
        kinds = self._weights["apart"]
        # The piece at `place` sees the others from `-place` on.
        by_distance = np.ascontiguousarray(kinds[_apart(count, len(kinds))].T)
        return sliding_window_view(by_distance, count, axis=1)[:, count - 1 - asking]

    def _times(self, rows: Floats, name: str) -> Floats:
        found: Floats = rows @ self._weights[f"{name}.weight"].T
        found += self._weights[f"{name}.bias"]
        return found

    def _normed(self, rows: Floats, name: str) -> Floats:
        apart = rows - rows.mean(axis=-1, keepdims=True)
        by = np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + _TINY)
        found: Floats = apart / by * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return found


def _of_statement(weights: Weights, own: Floats, whole: Floats) -> Floats:
    """Return how much each piece belongs to the statement: by itself, by what follows it, and by the message."""
    count = len(own)
    sums = np.concatenate([np.zeros((1, own.shape[1]), np.float32), own.cumsum(axis=0, dtype=np.float32)])
    ends = np.minimum(np.arange(count) + AHEAD, count)
    ahead = (sums[ends] - sums[:-1]) / (ends - np.arange(count))[:, None]
    inner = np.concatenate([own, ahead, np.tile(whole, (count, 1))], axis=1) @ weights["span1.weight"].T
    found: Floats = _gelu(inner + weights["span1.bias"]) @ weights["span2.weight"].T + weights["span2.bias"]
    return found


def _apart(count: int, kinds: int) -> NDArray[np.int64]:
    """Return how far ahead a piece is, from `1 - count` to `count - 1`: near ones exactly, far ones roughly."""
    ahead = np.arange(1 - count, count)
    far, half, near = np.abs(ahead), kinds // 2, kinds // 4
    rough = near + (np.log(np.maximum(far, near) / near) / np.log(_FARTHEST / near) * (half - near)).astype(int)
    found: NDArray[np.int64] = (ahead > 0) * half + np.where(far < near, far, np.minimum(rough, half - 1))
    return found


def _gelu(values: Floats) -> Floats:
    """Return what passes through a unit, by the hyperbolic tangent: right to a thousandth."""
    found = values * values
    found *= np.float32(_ROOT * _CUBED)
    found += np.float32(_ROOT)
    found *= values
    np.tanh(found, out=found)
    found += 1
    found *= values
    found *= np.float32(0.5)
    return found
