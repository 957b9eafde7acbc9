"""The plain distilled model: the teachers' vectors of each entry of the vocabulary, and nothing learned.

    python training/distil.py WORK FOLDER     writes table.bin and vocabulary.txt of the word pieces alone into FOLDER

It is what the package shipped before the trained table, what training starts from, and what training is compared with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from quantise import int8, write
from teachers import DEVICE, Teacher

DIM = 256


def wordpieces(tokenizer_json: str) -> list[str]:
    """Return the teacher's word pieces that our tokenizer can meet: made of letters and digits, most frequent first."""
    order = json.loads(tokenizer_json)["model"]["vocab"]
    pieces = [piece for piece in sorted(order, key=order.get) if piece.removeprefix("##").isalnum()]
    # The teacher's order is by frequency, but for the single letters of all scripts, which it has first.
    return sorted(pieces, key=lambda piece: len(piece) == 1 and not piece.isascii())


def spoken(word: str) -> str:
    """Return an entry of the vocabulary as the teacher should read it."""
    return word.removeprefix("##")


def reduced(vectors: list[torch.Tensor], dim: int = DIM) -> torch.Tensor:
    """Return the teachers' vectors of the vocabulary side by side, each centred, in their `dim` main directions."""
    parts = []
    for found in vectors:
        one = found.float().to(DEVICE)
        parts.append(F.normalize(one - one.mean(0), dim=1))
    both = torch.cat(parts, 1)
    both = both - both.mean(0)
    _, _, directions = torch.linalg.svd(both, full_matrices=False)
    out = both @ directions[:dim].T
    return out / out.norm(dim=1).mean()


def weight_of_rank(count: int, rare: float = 1e-4) -> torch.Tensor:
    """Return a weight for each entry by its place in an order of frequency: the frequent ones count little (Zipf)."""
    share = 1 / (torch.arange(count, device=DEVICE) + 2.0)
    share = share / share.sum()
    return rare / (rare + share)


def main(work: Path, folder: Path) -> None:
    """Distil the word pieces and write the model."""
    with np.load(work / "carry" / "minilm.npz") as packed:
        words = wordpieces(packed["tokenizer"].tobytes().decode())
    vectors = [
        Teacher(work / "carry" / f"{name}.npz").vectors([spoken(w) for w in words]) for name in ("minilm", "granite")
    ]
    table = (reduced(vectors) * weight_of_rank(len(words))[:, None]).cpu().numpy()
    numbers, scales = int8(table)
    version = write(folder, "distilled", words, numbers, scales, np.ones(len(words)), np.zeros(DIM))
    print(version, len(words), "rows")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
