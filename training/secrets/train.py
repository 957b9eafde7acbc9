"""Learns the weights of `privacy/secret_judge.py` from made-up secrets and real text, and writes the file that ships.

    python training/secrets/train.py --real FOLDER ... --harmless FILE ... --secrets FILE ...

Real text is that of whole folders (sources, documents, sessions); what the rules take out of it has no label and is
left out. FILEs have a JSON text a line, or an object with `text` and `secret`. With `--start` the weights of a table
are changed only as far as the texts ask for it. With `--folds` nothing is written: the forms of secrets and the texts
without any are left out in turn, and what is left out is judged. Needs numpy and scipy.
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
from scipy.optimize import minimize
from scipy.special import expit

from holdfast import privacy
from holdfast.privacy import secret_judge as judge
from holdfast.privacy.redact import made, redact

TABLE = Path(judge.__file__).with_suffix(".bin")
TELLING = re.compile("|".join([*(word for word, _ in privacy.WORDS), *privacy.FOREIGN]), re.IGNORECASE)
MASK = (1 << judge.BITS) - 1
# Real text counts more. The least sum of a secret was chosen on sets that had been looked at before.
REAL, LEAST = 3.0, -0.5
# How freely weights leave where they began.
FREEDOM = 0.08
# A name with a number in it, as it stands among words, and how long a line of words is.
NAME = re.compile(r"(?<![^\s(`\"'])[A-Za-z][\w.+-]{3,30}\w(?![^\s)`\"',.:;!?])")
LINE = 12, 200
Place = tuple[str, int, int]


def places(text: str) -> list[Place]:
    """Return the values that the judge would look at, near telling words and elsewhere, each once."""
    found: dict[Place, None] = {}
    for at, run in made(text):
        if span := judge.value_in(text, at, run):
            found[text, *span] = None
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


def common(texts: list[str]) -> list[str]:
    """Return the words that most texts have, of which people may make passwords."""
    seen = Counter(word for text in texts for word in set(re.findall(r"\b[a-z]{4,9}\b", text)))
    return [word for word, _ in seen.most_common(4_000)]


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


def swapped(texts: list[str], count: int) -> list[str]:
    """Return lines without a telling word, with a name that has a number in the place of another word of theirs."""
    rng = random.Random(2)
    lines = {line.strip() for text in texts for line in text.splitlines() if LINE[0] < len(line.strip()) < LINE[1]}
    frames = [(line, list(NAME.finditer(line))) for line in sorted(lines) if not TELLING.search(line)]
    frames = [(line, words) for line, words in frames if words]
    found = {word[0] for text in texts for word in NAME.finditer(text)}
    # What has no words in it may be anything.
    named = [name for name in found if re.search(r"\d", name) and judge.shape_of(name)[0] == "w"]
    names = sorted(name for name in named if not redact(f"see {name} there")[1])
    swaps = []
    for _ in range(count if frames and names else 0):
        line, words = rng.choice(frames)
        word = rng.choice(words)
        swaps.append(line[: word.start()] + rng.choice(names) + line[word.end() :])
    return swaps


def learned(rows: sparse.csr_matrix, truth: list[int], counts: list[float], start: np.ndarray) -> np.ndarray:
    """Return the weights that tell the rows best and stay near those they start from; the last one is the base."""
    signs, each = 2.0 * np.array(truth) - 1, np.array(counts)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = signs * (rows @ weights[:-1] + weights[-1])
        away = weights - start
        slope = -signs * each * expit(-sums)
        whole = float(each @ np.logaddexp(0, -sums) + away @ away / (2 * FREEDOM))
        return whole, np.append(rows.T @ slope, slope.sum()) + away / FREEDOM

    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def validate(
    rows: sparse.csr_matrix, truth: list[int], counts: list[float], start: np.ndarray, folds: list[int]
) -> None:
    """Judge each fold by what was learned from the others, and print how many are taken for a secret."""
    is_secret, each, fold_of = np.array(truth, bool), np.array(counts), np.array(folds)
    sums = np.zeros(len(truth))
    for fold in sorted(set(folds)):
        out = fold_of == fold
        weights = learned(rows[~out], is_secret[~out].astype(int).tolist(), each[~out].tolist(), start)
        sums[out] = rows[out] @ weights[:-1] + weights[-1]
    for name, part in (("secrets", is_secret), ("made-up", ~is_secret & (each == 1)), ("real", each == REAL)):
        print(f"{name}, left out: {part.sum()} places, {np.sum(sums[part] > LEAST)} taken for a secret")


def started(table: Path | None) -> np.ndarray:
    """Return the weights of a table and its base, or nothing but zeros."""
    if table is None:
        return np.zeros(MASK + 2)
    held = table.read_bytes()
    base, least = struct.unpack("<ii", held[8 : judge.HEAD])
    return np.append(np.frombuffer(held[judge.HEAD + judge.PAIRS :], np.int8), base) * (LEAST / least)


def labelled(file: Path) -> list[Place]:
    """Return where the secrets are in a file of texts with secrets."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [
        place for row in rows for place in covering(row["text"], row["text"].find(row["secret"]), len(row["secret"]))
    ]


def covering(text: str, start: int, size: int) -> list[Place]:
    """Return the places that hold most of a secret."""
    return [one for one in places(text) if min(one[2], start + size) - max(one[1], start) > 0.7 * size]


def arguments() -> argparse.Namespace:
    """Return what the command line gives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("real", "harmless", "secrets"):
        parser.add_argument(f"--{name}", nargs="*", type=Path, default=[])
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--pairs", type=Path, help="take the pairs of letters from this table")
    parser.add_argument("--start", type=Path, help="begin with the weights of this table")
    parser.add_argument("--folds", type=int, default=0, help="judge what was left out, and write nothing")
    return parser.parse_args()


def main() -> None:
    """Read, learn, write, and say how well it fits."""
    given = arguments()
    texts = [text for folder in given.real for text in chunks(folder, given.files)]
    start = started(given.start)
    letters = given.pairs.read_bytes()[judge.HEAD :][: judge.PAIRS] if given.pairs else pairs(texts)
    before = TABLE.read_bytes()
    write(0, 0, letters, [0] * (MASK + 1))
    real = []
    for text in texts:
        cleaned = redact(text)[0]
        real += [place for place in places(text) if text[place[1] : place[2]] in cleaned]
    for file in given.harmless:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        real += [place for row in rows for place in places(row if isinstance(row, str) else row["text"])]
    # What stands a thousand times in the same words is one case.
    real = list(
        {(text[max(0, start - 40) : start], text[start:end]): (text, start, end) for text, start, end in real}.values()
    )
    maker = Maker(1, common(texts))
    around = [line[:160] for text in texts[:400] for line in text.splitlines()[5:9] if line.strip()]
    lines = [*maker.harmless(given.count // 2, around), *swapped(texts, given.count)]
    wrong = [place for text in lines for place in places(text)]
    made_up = list(maker.secrets(given.count, around))
    held = [covering(text, start, end - start) for text, start, end, _ in made_up]
    forms = [form for (*_, form), found in zip(made_up, held, strict=True) for _ in found]
    right = [place for found in held for place in found]
    given_ones = [place for file in given.secrets for place in labelled(file)] * 6
    right, forms = right + given_ones, forms + [text for text, _, _ in given_ones]
    everything = sparse.vstack([matrix(right), matrix(wrong), matrix(real)]).tocsr()
    counts = [1.0] * (len(right) + len(wrong)) + [REAL] * len(real)
    truth = [1] * len(right) + [0] * (len(wrong) + len(real))
    if given.folds:
        TABLE.write_bytes(before)
        groups = [*forms, *(text for text, _, _ in (*wrong, *real))]
        validate(everything, truth, counts, start, [crc32(one.encode()) % given.folds for one in groups])
        return
    *weights, base = learned(everything, truth, counts, start)
    weights = np.array(weights)
    scale = np.percentile(np.abs(weights[weights != 0]), 99.9) / 127
    whole = np.clip(np.round(weights / scale), -127, 127).astype(int)
    write(round(base / scale), round(LEAST / scale), letters, whole.tolist())
    sums = everything @ (whole * scale) + base - LEAST
    ends = np.cumsum([len(right), len(wrong), len(real)])
    for name, part in zip(("secrets", "made-up", "real"), np.split(sums, ends[:-1]), strict=True):
        print(f"{name}: {len(part)} places, {np.sum(part > 0)} taken for a secret")


if __name__ == "__main__":
    main()
