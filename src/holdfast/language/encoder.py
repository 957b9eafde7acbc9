"""A transformer that reads a message: how much it says of each kind, and which of its words say it.

Reading a message of a hundred pieces takes tens of milliseconds for a small one and some tenths of a second for a large
one, and needs numpy, so this is for what runs behind a session, never for a hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
        for layer in range(self._layers):
            rows = self._layer(rows, f"{layer}.", parts)
        for part, (_, first) in zip(parts, messages, strict=True):
            yield self._figures(rows[part], first)

    def _figures(self, rows: Floats, first: int) -> Figures:
        kept, own = self._weights, rows[first:-1]
        mean = own.mean(axis=0) if len(own) else np.zeros(self._width, np.float32)
        heads = kept["heads.weight"] @ np.concatenate([rows[0], mean]) + kept["heads.bias"]
        return Figures(heads, _of_statement(kept, own, rows[0]))

    def _layer(self, rows: Floats, name: str, parts: list[slice]) -> Floats:
        seen = self._times(self._attended(rows, name, parts), f"{name}out")
        rows = self._normed(rows + seen, f"{name}norm1")
        inner = _gelu(self._times(rows, f"{name}up"))
        return self._normed(rows + self._times(inner, f"{name}down"), f"{name}norm2")

    def _attended(self, rows: Floats, name: str, parts: list[slice]) -> Floats:
        """Return what each piece takes from all of its message, by every head, and by how far apart they are."""
        size = self._width // self._heads
        found = np.empty_like(rows)
        all_parts = self._times(rows, f"{name}qkv").reshape(len(rows), 3, self._heads, size).transpose(1, 2, 0, 3)
        for part in parts:
            asks, answers, values = all_parts[:, :, part]
            marks = asks @ answers.transpose(0, 2, 1)
            marks /= np.float32(np.sqrt(size))
            marks += self._by_distance(part.stop - part.start)
            shares = np.exp(marks - marks.max(axis=-1, keepdims=True))
            shares /= shares.sum(axis=-1, keepdims=True)
            found[part] = (shares @ values).transpose(1, 0, 2).reshape(-1, self._width)
        return found

    def _by_distance(self, count: int) -> Floats | float:
        """Return what the distance of any two pieces counts for each head, the same in every layer."""
        if "apart" not in self._weights:
            return 0.0
        kinds = self._weights["apart"]
        found: Floats = kinds[_apart(count, len(kinds))].transpose(2, 0, 1)
        return found

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
    """Return how far apart any two pieces are, and which comes first: near ones exactly, far ones roughly."""
    ahead = np.arange(count)[None, :] - np.arange(count)[:, None]
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
