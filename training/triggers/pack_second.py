"""Packs the second reader that `second_train.py` taught into the file that ships, `language/second_reader.bin`.

    python training/triggers/pack_second.py WORK

WORK has `second.npz` (the weights, whole numbers with their scales) and `pairs.npz` (the byte pairs, a row each).
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import numpy as np

from holdfast.language.weights import MAGIC

SHIPPED = Path(__file__).resolve().parents[2] / "src/holdfast/language/second_reader.bin"
# The names that readers ask for, of what was taught under shorter ones.
OURS = {"hw": "heads.weight", "hb": "heads.bias"}
OURS |= {f"s{at}{letter}": f"span{at}.{part}" for at in (1, 2) for letter, part in (("w", "weight"), ("b", "bias"))}


def main() -> int:
    """Pack, and print the size."""
    work = Path(sys.argv[1])
    raw = np.load(work / "second.npz")
    pairs = " ".join(str(number) for number in np.load(work / "pairs.npz")["pairs"].ravel())
    packed = [("pairs", pairs.encode(), [], "text")]
    for name in raw.files:
        ours = name.removeprefix("layers.")
        if name.endswith("|q"):
            key = name[:-2]
            kind = "whole" if raw[name].dtype == np.int8 else "nibbles"
            data = raw[name].tobytes() + raw[f"{key}|s"].astype("<f2").tobytes()
            packed.append((ours[:-2], data, raw[f"{key}|n"].tolist(), kind))
        elif "|" not in name:
            packed.append((OURS.get(name, ours), raw[name].astype("<f2").tobytes(), list(raw[name].shape), "float16"))
    rows, at = {}, 0
    for name, data, shape, kind in packed:
        rows[name] = [at, len(data), shape, kind]
        at += len(data)
    layers = sum(name.endswith(".attn_q") for name in rows)
    about = {"layers": layers, "tensors": rows}
    SHIPPED.write_bytes(
        MAGIC + json.dumps(about).encode() + b"\n" + zlib.compress(b"".join(data for _, data, _, _ in packed), 9)
    )
    print(f"{SHIPPED.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
