"""Packs what `judge_train.py` learned into the files that ship, `language/judge.bin` and `language/second_reader.bin`.

    python training/triggers/pack_judge.py WORK

WORK has `first.npz` and `second.npz` (the weights), `vocabulary.txt`, and `settings.json` (the bars, by
`judge_bars.py`).
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.language.weights import GROUP, MAGIC

SHIPPED = Path(__file__).resolve().parents[2] / "src/holdfast/language"
HEADS, SMALL, NIBBLE = 12, 100_000, 4
# As each reader learned: the bits of its weights and of its words, and how far the largest is missed.
FIRST, SECOND = (6, 6, 0.0), (4, 4, 0.5)
# The names that readers ask for, of what was taught under shorter ones.
NAMES = {"emb": "pieces", "pos": "places", "typ": "type", "g0": "first.weight", "b0": "first.bias", "apart": "apart"}
LAYER = {"q": "qkv", "o": "out", "u": "up", "d": "down", "n1": "norm1", "n2": "norm2"}
PARTS = {"w": "weight", "b": "bias"}
NEW = {"h": "heads", "s1": "span1", "s2": "span2"}
Packed = tuple[str, bytes, list[int], str]


def main() -> int:
    """Pack, and print the sizes."""
    work = Path(sys.argv[1])
    vocabulary = ("vocabulary", (work / "vocabulary.txt").read_bytes(), [], "text")
    settings = json.loads((work / "settings.json").read_text("utf-8"))
    pack(SHIPPED / "judge.bin", [vocabulary, *tensors(work / "first.npz", FIRST)], settings)
    pack(SHIPPED / "second_reader.bin", tensors(work / "second.npz", SECOND), {})
    return 0


def pack(path: Path, packed: list[Packed], settings: dict[str, Any]) -> None:
    """Write a file: a line that names its tensors, and all of them."""
    rows, at = {}, 0
    for name, data, shape, kind in packed:
        rows[name] = [at, len(data), shape, kind]
        at += len(data)
    layers = sum(name.endswith(".qkv.weight") for name in rows)
    about = {"width": rows["pieces"][2][1], "heads": HEADS, "layers": layers, "tensors": rows} | settings
    body = zlib.compress(b"".join(data for _, data, _, _ in packed), 9)
    path.write_bytes(MAGIC + json.dumps(about).encode() + b"\n" + body)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


def tensors(path: Path, how: tuple[int, int, float]) -> list[Packed]:
    """Return the learned tensors under the names that the encoder asks for."""
    raw = np.load(path)
    bits, word_bits, half = how
    found = []
    for name in raw.files:
        tensor = raw[name].astype(np.float32)
        own = word_bits if name == "emb" else bits
        large = name == "emb" or (name.startswith("L.") and tensor.size >= SMALL)
        found.append((named(name), *(encoded(tensor, own, half) if large else plain(tensor))))
    return found


def named(name: str) -> str:
    """Return the name that an encoder asks for."""
    if name.startswith("L."):
        _, layer, short = name.split(".")
        return f"{layer}.{LAYER[short[:-1]]}.{PARTS[short[-1]]}"
    return NAMES.get(name) or f"{NEW[name[:-1]]}.{PARTS[name[-1]]}"


def plain(tensor: np.ndarray) -> tuple[bytes, list[int], str]:
    """Return a small tensor's bytes, shape and kind."""
    return tensor.astype("<f2").tobytes(), list(tensor.shape), "float16"


def encoded(tensor: np.ndarray, bits: int, half: float) -> tuple[bytes, list[int], str]:
    """Return a large tensor's bytes, shape and kind: whole numbers, and behind them a scale for every 64."""
    most = 2 ** (bits - 1) - 1
    groups = tensor.reshape(-1, GROUP)
    scales = (np.maximum(np.abs(groups).max(axis=1), 1e-8) / (most + half)).astype("<f2")
    whole = np.rint(groups / np.maximum(scales.astype(np.float32), 1e-12)[:, None]).clip(-most - 1, most).astype("i1")
    if bits > NIBBLE:
        return whole.tobytes() + scales.tobytes(), list(tensor.shape), "whole"
    above = (whole.ravel() + most + 1).astype(np.uint8)
    return (above[0::2] | (above[1::2] << NIBBLE)).tobytes() + scales.tobytes(), list(tensor.shape), "nibbles"


if __name__ == "__main__":
    sys.exit(main())
