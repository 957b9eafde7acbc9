"""Texts to tokens and teachers' vectors: what training reads.

    python training/prepare.py WORK      WORK/units.tsv.xz -> WORK/data.pt, WORK/minilm.pt, WORK/granite.pt

It needs the accelerator, for the teachers. Sets under WORK/dev, in the simple format of
`benchmarks/recall_sets/sets.py`, are prepared along with `dev.tsv`: variants are chosen by these and never trained on
them.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from distil import spoken
from evaluate import all_sets
from extract import Unit
from generated import read_families
from long import MAX_PARTS, Long, long_passages
from teachers import Teacher
from vocabulary import read_units

from holdfast.recall.embed import Tokenizer

HERE = Path(__file__).parent
SEED = 5
TEACHERS = ("minilm", "granite")
SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
START = time.time()


def log(*said: object) -> None:
    """Print with the seconds since the start."""
    print(f"[{time.time() - START:6.1f}]", *said, flush=True)


class DictTokenizer(Tokenizer):
    """The tokenizer of the package over a vocabulary in memory."""

    def __init__(self, vocabulary: list[str]) -> None:
        super().__init__()
        self._index = {word: row for row, word in enumerate(vocabulary)}

    def row(self, word: str) -> int:
        """Return the row of an entry of the vocabulary, or -1."""
        return self._index.get(word, -1)


_tokenizer: DictTokenizer


def _begin(vocabulary: list[str]) -> None:
    global _tokenizer  # one tokenizer for each process of the pool
    _tokenizer = DictTokenizer(vocabulary)


def _tokens(texts: list[str]) -> list[np.ndarray]:
    return [
        np.array([(row, share) for row, share, _ in _tokenizer.found(text)], np.float32).reshape(-1, 2)
        for text in texts
    ]


def tokenised(vocabulary: list[str], texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all texts and their shares in one array, and where each text begins."""
    parts = [texts[at : at + 2000] for at in range(0, len(texts), 2000)]
    found: list[np.ndarray] = []
    with multiprocessing.get_context("fork").Pool(initializer=_begin, initargs=(vocabulary,)) as pool:
        for rows in pool.imap(_tokens, parts):
            found += rows
    return np.concatenate(found), np.cumsum([0] + [len(rows) for rows in found])


class Texts(NamedTuple):
    """The texts of each unit: the passage, the query, two ways to dress the query, a sentence, a named passage."""

    passages: list[str]
    queries: list[str]
    asked: list[str]
    sentences: list[str]
    named_queries: list[str]
    named_passages: list[str]


def dressed(units: list[Unit], names: list[str]) -> Texts:
    """Return the texts: queries also with question words around them, and texts also with a speaker's name.

    The teachers do not see either, so that the student learns to look past both.
    """
    chance = random.Random(SEED)
    lists, _ = read_families(HERE / "families.txt")
    texts = Texts([], [], [], [], [], [])
    speaker: dict[str, str] = {}
    for _, group, query, passage in units:
        name = speaker.setdefault(group, chance.choice(names).capitalize())
        topic = query.rstrip(".?! ")
        topic = topic[:1].lower() + topic[1:] if topic[1:2].islower() else topic
        parts = [part for part in SENTENCE.split(passage) if 25 < len(part) < 300]
        asked = chance.choice(lists["wrap"]).replace("{x}", topic) if query else ""
        texts.passages.append(passage)
        texts.queries.append(query)
        texts.asked.append(asked)
        texts.sentences.append(chance.choice(parts) if len(parts) > 1 else "")
        named = chance.choice(lists["wrap_named"]).replace("{x}", topic).replace("{name}", name)
        texts.named_queries.append(named if query else "")
        texts.named_passages.append(f"{name}: {passage}")
    return texts


def parts_of(count: int, longs: list[Long]) -> np.ndarray:
    """Return the parts of each unit, as many columns for all: a short one is its own only part, again and again."""
    short = np.repeat(np.arange(count)[:, None], MAX_PARTS, 1)
    rows = [(one.parts * MAX_PARTS)[:MAX_PARTS] for one in longs]
    return np.concatenate([short, np.array(rows, np.int64).reshape(-1, MAX_PARTS)])


def dev_texts(sets: dict[str, list]) -> list[str]:
    """Return each text of the dev sets once: passages and questions."""
    found = dict.fromkeys(
        text
        for haystacks in sets.values()
        for haystack in haystacks
        for text in [p.text for p in haystack.passages] + [q.text for q in haystack.questions]
    )
    return list(found)


def teach(work: Path, name: str, texts: Texts, longs: list[Long], rest: list[str]) -> None:
    """Write a teacher's vectors of passages, queries, sentences and the rest; a long passage has its parts' mean."""
    count = len(texts.passages) - len(longs)
    seen = texts.passages[:count] + [""] * len(longs) + texts.queries + texts.sentences + rest
    vectors = Teacher(work / "carry" / f"{name}.npz").vectors(seen)
    for at, one in enumerate(longs, count):
        vectors[at] = F.normalize(vectors[one.parts].float().sum(0), dim=0).half()
    torch.save(vectors, work / f"{name}.pt")
    log(name, tuple(vectors.shape), "not a number:", int(torch.isnan(vectors).sum()))


def main(work: Path) -> None:
    """Tokenise everything for the student and let both teachers encode what they see."""
    short = [Unit(*unit) for unit in read_units(work / "units.tsv.xz")]
    longs = long_passages(short)
    units = short + [one.unit for one in longs]
    parts = json.loads((work / "vocabulary.json").read_text(encoding="utf-8"))
    vocabulary = parts["pieces"] + parts["words"] + parts["phrases"]
    known = set(parts["pieces"])
    names = [name for name in (work / "names.txt").read_text().lower().split() if name in known]
    texts = dressed(units, names)
    sets = all_sets([work / "dev"], locomo=False)
    dev = dev_texts(sets)
    log("units", len(short), "long", len(longs), "names", len(names), "dev", {name: len(s) for name, s in sets.items()})
    flat, starts = tokenised(vocabulary, [text for part in texts for text in part] + dev)
    log("our tokens", len(flat), "per passage", round(starts[len(units)] / len(units), 1))
    group = [f"{unit.kind}|{unit.group}" for unit in short]
    data = {
        "kinds": [unit.kind for unit in units],
        # A long passage is set aside together with what it is about.
        "groups": group + [group[one.about] for one in longs],
        "queried": np.array([bool(unit.query) for unit in units]),
        "sentenced": np.array([bool(text) for text in texts.sentences]),
        "parts": parts_of(len(short), longs),
        "flat": flat,
        "starts": starts,
        "vocabulary": vocabulary,
        "sizes": [len(parts["pieces"]), len(parts["words"]), len(parts["phrases"])],
        "dev_sets": sets,
        "dev": {text: 6 * len(units) + at for at, text in enumerate(dev)},
    }
    torch.save(data, work / "data.pt", pickle_protocol=4)
    for name in TEACHERS:
        teach(work, name, texts, longs, dev + [spoken(word) for word in vocabulary])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
