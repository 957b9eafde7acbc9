"""Packs what `judge_train.py` learned into the file that ships, `language/judge.bin`.

    python training/triggers/pack_judge.py WORK

WORK has `judge.npz` (the weights), `vocabulary.txt` and `settings.json` (the bars, by `judge_bars.py`).
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import numpy as np

from holdfast.language.weights import GROUP, MAGIC

SHIPPED = Path(__file__).resolve().parents[2] / "src/holdfast/language/judge.bin"
# Weights were learned as whole numbers of so many bits.
BITS = 6
HEADS = 12


def main() -> int:
    """Pack, and print the size."""
    work = Path(sys.argv[1])
    raw = np.load(work / "judge.npz")
    tensors = named({name: raw[name].astype(np.float32) for name in raw.files})
    pieces, rows, at = [], {}, 0
    vocabulary = (work / "vocabulary.txt").read_bytes()
    packed = [("vocabulary", vocabulary, [], "text")]
    packed += [(name, *encoded(tensor)) for name, tensor in tensors.items()]
    for name, data, shape, kind in packed:
        rows[name] = [at, len(data), shape, kind]
        at += len(data)
        pieces.append(data)
    layers = sum(name.endswith(".qkv.weight") for name in tensors)
    about = {"width": tensors["pieces"].shape[1], "heads": HEADS, "layers": layers, "tensors": rows}
    about |= json.loads((work / "settings.json").read_text("utf-8"))
    SHIPPED.write_bytes(MAGIC + json.dumps(about).encode() + b"\n" + zlib.compress(b"".join(pieces), 9))
    print(f"{SHIPPED.stat().st_size / 1e6:.1f} MB")
    return 0


def named(raw: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the learned tensors under the names that the encoder asks for."""
    found = {"pieces": raw["emb"], "places": raw["pos"], "type": raw["typ"]}
    found |= {"first.weight": raw["g0"], "first.bias": raw["b0"]}
    names = {"out": "o", "up": "u", "down": "d", "norm1": "n1", "norm2": "n2"}
    for layer in range(sum(name.endswith(".qw") for name in raw)):
        for part, letter in (("weight", "w"), ("bias", "b")):
            found[f"{layer}.qkv.{part}"] = np.concatenate([raw[f"L.{layer}.{one}{letter}"] for one in "qkv"])
            for ours, theirs in names.items():
                found[f"{layer}.{ours}.{part}"] = raw[f"L.{layer}.{theirs}{letter}"]
    for ours, theirs in (("heads", "head"), ("span1", "s1"), ("span2", "s2")):
        for part in ("weight", "bias"):
            found[f"{ours}.{part}"] = raw[f"{theirs}.{part}"]
    return found


def encoded(tensor: np.ndarray) -> tuple[bytes, list[int], str]:
    """Return a tensor's bytes, shape and kind: big matrices as whole numbers with scales, the rest as floats."""
    shape = list(tensor.shape)
    if tensor.ndim == 1 or tensor.shape[-1] % GROUP or tensor.size < 100_000 or tensor.shape[-1] == 3 * 384:
        return tensor.astype("<f2").tobytes(), shape, "float16"
    most = 2 ** (BITS - 1) - 1
    groups = tensor.reshape(-1, GROUP)
    scales = (np.maximum(np.abs(groups).max(axis=1), 1e-8) / most).astype("<f2")
    whole = np.rint(groups / np.maximum(scales.astype(np.float32), 1e-12)[:, None]).clip(-most - 1, most)
    return whole.astype(np.int8).tobytes() + scales.tobytes(), shape, "whole"


if __name__ == "__main__":
    sys.exit(main())
