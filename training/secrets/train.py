"""Learns the weights of `privacy/secret_judge.py` from made-up secrets and real text, and writes the file that ships.

    python training/secrets/train.py --real FOLDER ... --harmless FILE ... --secrets FILE ...

Real text is that of whole folders (sources, documents, sessions); what the rules take out of it has no label and is
left out. FILEs have a JSON text a line, or an object with `text` and `secret`. Needs numpy, scipy and scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import struct
from collections import Counter
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import scipy.sparse as sparse
from made import LOWER, Maker
from sklearn.linear_model import LogisticRegression

from holdfast import privacy
from holdfast.privacy import secret_judge as judge
from holdfast.privacy.redact import redact

TABLE = Path(judge.__file__).with_suffix(".bin")
TELLING = re.compile("|".join([*(word for word, _ in privacy.WORDS), *privacy.FOREIGN]), re.IGNORECASE)
MASK = (1 << judge.BITS) - 1
# Real text counts more, and the sum of a secret is so much above nothing.
REAL, LEAST = 3.0, 0.7
Place = tuple[str, int, int]


def places(text: str) -> list[Place]:
    """Return the values near telling words that the judge would look at, each once."""
    found: dict[Place, None] = {}
    for word in TELLING.finditer(text):
        found.update(dict.fromkeys((text, *span) for span in judge.near(text, *word.span())))
    return list(found)


def chunks(folder: Path, most: int) -> list[str]:
    """Return pieces of text from the files of a folder; of rows of JSON the strings."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 3_000_000]
    random.Random(1).shuffle(files)
    found: list[str] = []
    for path in files[:most]:
        text = path.read_text("utf-8", "replace")[:1_500_000]
        if path.suffix == ".jsonl":
            text = text.replace("\\n", "\n").replace('\\"', '"')
        found += [text[at : at + 20_000] for at in range(0, len(text), 20_000)]
    return found


def pairs(texts: list[str]) -> bytes:
    """Return how usual each pair of letters is in the words of texts."""
    seen: Counter[str] = Counter()
    for word in {word.lower() for text in texts for word in re.findall(r"[A-Z]?[a-z]{2,}", text)}:
        seen.update(map("".join, pairwise(word)))
    firsts = {one: sum(seen[one + two] for two in LOWER) for one in LOWER}
    usual = [math.log((seen[one + two] + 0.5) / (firsts[one] + 13)) for one in LOWER for two in LOWER]
    return bytes(max(-128, min(-1, round(16 * value))) & 255 for value in usual)


def write(base: int, least: int, letters: bytes, weights: list[int]) -> None:
    """Write the table, and let the judge read it anew."""
    TABLE.write_bytes(judge.MAGIC + struct.pack("<ii", base, least) + letters + bytes(one & 255 for one in weights))
    judge.reread()


def matrix(rows: list[Place]) -> sparse.csr_matrix:
    """Return the features of each place, hashed."""
    told = [sorted({crc32(one.encode("utf-8", "replace")) & MASK for one in judge.features(*row)}) for row in rows]
    ends = np.cumsum([0, *map(len, told)])
    where = np.fromiter((place for one in told for place in one), np.int32, ends[-1])
    return sparse.csr_matrix((np.ones(ends[-1], np.float32), where, ends), shape=(len(rows), MASK + 1))


def labelled(file: Path) -> list[Place]:
    """Return where the secrets are in a file of texts with secrets."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [
        place for row in rows for place in covering(row["text"], row["text"].find(row["secret"]), len(row["secret"]))
    ]


def covering(text: str, start: int, size: int) -> list[Place]:
    """Return the places that hold most of a secret."""
    return [one for one in places(text) if min(one[2], start + size) - max(one[1], start) > 0.7 * size]


def main() -> None:
    """Read, learn, write, and say how well it fits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("real", "harmless", "secrets"):
        parser.add_argument(f"--{name}", nargs="*", type=Path, default=[])
    parser.add_argument("--count", type=int, default=24_000)
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--pairs", type=Path, help="take the pairs of letters from this table")
    given = parser.parse_args()
    texts = [text for folder in given.real for text in chunks(folder, given.files)]
    letters = given.pairs.read_bytes()[judge.HEAD :][: judge.PAIRS] if given.pairs else pairs(texts)
    write(0, 0, letters, [0] * (MASK + 1))
    real = []
    for text in texts:
        cleaned = redact(text)[0]
        real += [place for place in places(text) if text[place[1] : place[2]] in cleaned]
    for file in given.harmless:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        real += [place for row in rows for place in places(row if isinstance(row, str) else row["text"])]
    maker = Maker(1)
    around = [line[:160] for text in texts[:400] for line in text.splitlines()[5:9] if line.strip()]
    wrong = [place for text in maker.harmless(given.count // 2, around) for place in places(text)]
    right = [
        place for text, start, end in maker.secrets(given.count, around) for place in covering(text, start, end - start)
    ]
    right += [place for file in given.secrets for place in labelled(file)] * 6
    everything = sparse.vstack([matrix(right), matrix(wrong), matrix(real)]).tocsr()
    counts = [1.0] * (len(right) + len(wrong)) + [REAL] * len(real)
    truth = [1] * len(right) + [0] * (len(wrong) + len(real))
    model = LogisticRegression(C=0.2, solver="liblinear", max_iter=60).fit(everything, truth, sample_weight=counts)
    weights = model.coef_[0]
    scale = np.percentile(np.abs(weights[weights != 0]), 99.9) / 127
    whole = np.clip(np.round(weights / scale), -127, 127).astype(int)
    write(round(model.intercept_[0] / scale), round(LEAST / scale), letters, whole.tolist())
    sums = everything @ (whole * scale) + model.intercept_[0] - LEAST
    ends = np.cumsum([len(right), len(wrong), len(real)])
    for name, part in zip(("secrets", "made-up", "real"), np.split(sums, ends[:-1]), strict=True):
        print(f"{name}: {len(part)} places, {np.sum(part > 0)} taken for a secret")


if __name__ == "__main__":
    main()
