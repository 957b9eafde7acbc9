"""A file of weights: a line of JSON that names the tensors, and then all of them, packed.

Big tensors are small whole numbers, of which every 64 share a scale. They are kept as such and become floats when they
are asked for, so that a large network takes a quarter of the memory.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import StoreUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAGIC = b"HFENC\x01\n"
GROUP = 64
# Two numbers of four bits stand in one byte, each as much above zero.
_NIBBLE, _MIDDLE = 4, 8
_HINT = "Install Holdfast again."


class Weights:
    """The opened file. Raises StoreUnavailable where it cannot be read or is not whole."""

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as problem:
            raise StoreUnavailable(f"the weights of the judge cannot be read: {problem}", _HINT) from None
        try:
            head, packed = data.removeprefix(MAGIC).split(b"\n", 1)
            self.about: dict[str, Any] = json.loads(head)
            data = zlib.decompress(packed)
        except (ValueError, zlib.error):
            raise StoreUnavailable("the weights of the judge are not whole", _HINT) from None
        self._kept: dict[str, Any] = {}
        self._scales: dict[str, Floats] = {}
        for name, (start, size, shape, kind) in self.about["tensors"].items():
            self._keep(name, data[start : start + size], shape, kind)

    def text(self, name: str) -> str:
        """Return a text that travels with the weights."""
        return str(self._kept[name])

    def __contains__(self, name: str) -> bool:
        return name in self._kept

    def __getitem__(self, name: str) -> Floats:
        """Return a tensor as floats."""
        kept = self._kept[name]
        if name not in self._scales:
            plain: Floats = kept
            return plain
        found: Floats = np.multiply(kept.reshape(-1, GROUP), self._scales[name], dtype=np.float32).reshape(kept.shape)
        return found

    def rows(self, name: str, numbers: list[int]) -> Floats:
        """Return some rows of a tensor of whole numbers, as floats."""
        kept = self._kept[name]
        scales = self._scales[name].reshape(len(kept), -1)[numbers]
        found: Floats = (kept[numbers].reshape(len(numbers), -1, GROUP) * scales[..., None]).reshape(len(numbers), -1)
        return found

    def _keep(self, name: str, raw: bytes, shape: list[int], kind: str) -> None:
        """Keep a tensor: plain floats, or whole numbers with their scales behind them."""
        count = int(np.prod(shape))
        if kind == "text":
            self._kept[name] = raw.decode("utf-8")
        elif kind == "float16":
            self._kept[name] = np.frombuffer(raw, "<f2").astype(np.float32).reshape(shape)
        else:
            size = count if kind == "whole" else count // 2
            whole = np.frombuffer(raw[:size], np.int8) if kind == "whole" else _nibbles(raw[:size])
            self._kept[name] = whole.reshape(shape)
            self._scales[name] = np.frombuffer(raw[size:], "<f2").astype(np.float32)[:, None]


def _nibbles(raw: bytes) -> NDArray[np.int8]:
    """Return numbers of four bits, the lower half of each byte first."""
    both = np.frombuffer(raw, np.uint8)
    found = np.empty(2 * len(both), np.int8)
    found[0::2] = both & (_MIDDLE * 2 - 1)
    found[1::2] = both >> _NIBBLE
    found -= _MIDDLE
    return found
