"""From a table of floats to the two files that ship: `table.bin` and `vocabulary.txt`.

    python training/quantise.py WORK WORK/NAME.npz static-1 src/holdfast/recall/model

`src/holdfast/recall/embed.py` says what lies where, and reads it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from holdfast.recall.embed import HEADER, LAYOUT, MAGIC


def int8(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as whole numbers from -127 to 127, and what a step of each row is worth."""
    scales = np.abs(table).max(1) / 127
    scales[scales == 0] = 1e-9
    return np.round(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def write(
    folder: Path,
    name: str,
    words: list[str],
    numbers: np.ndarray,
    scales: np.ndarray,
    gains: np.ndarray,
    bias: np.ndarray,
) -> str:
    """Write the model's two files and return its version: the name and the beginning of the content's hash."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = [word.encode() for word in words]
    text = b"".join(key + b"\n" for key in keys)
    starts = np.cumsum([0] + [len(key) + 1 for key in keys]).astype("<u4")
    slots = hashed(keys)
    body = b"".join(
        part.tobytes()
        for part in (
            bias.astype("<f4"),
            slots,
            starts,
            scales.astype("<f4"),
            gains.astype("<f4"),
            (numbers.astype(np.int16) + 128).astype(np.uint8),
        )
    )
    digest = content_hash(text, body)
    version = f"{name}-{digest[:12]}"
    sizes = np.array([LAYOUT, len(words), numbers.shape[1], len(slots)], "<u4").tobytes()
    header = MAGIC + sizes + digest[:40].encode() + version.encode().ljust(64, b"\0")
    if len(header) != HEADER:
        raise ValueError("the name is too long for the header")
    (folder / "table.bin").write_bytes(header + body)
    (folder / "vocabulary.txt").write_bytes(text)
    return version


def content_hash(text: bytes, body: bytes) -> str:
    """Return the hash of what the model is made of: the vocabulary and all of the table after its header."""
    return hashlib.sha256(text + body).hexdigest()


def hashed(keys: list[bytes]) -> np.ndarray:
    """Return the hash table: row + 1 at the first free slot from where the key points."""
    count = prime_from(2 * len(keys))
    slots = np.zeros(count, "<u4")
    for row, key in enumerate(keys):
        slot = int.from_bytes(key, "little") % count
        while slots[slot]:
            slot = (slot + 1) % count
        slots[slot] = row + 1
    return slots


def prime_from(least: int) -> int:
    """Return the first prime that is not below `least`; a prime keeps keys with like endings apart."""
    number = least | 1
    while any(number % part == 0 for part in range(3, int(number**0.5) + 1, 2)):
        number += 2
    return number


def main(work: Path, trained: Path, name: str, folder: Path) -> None:
    """Write the model's files from what a training run brought back."""
    parts = json.loads((work / "vocabulary.json").read_text(encoding="utf-8"))
    words = parts["pieces"] + parts["words"] + parts["phrases"]
    with np.load(trained) as found:
        count = len(found["numbers"])
        version = write(folder, name, words[:count], found["numbers"], found["scales"], found["gains"], found["bias"])
    print(version, count, "rows")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
