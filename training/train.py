"""Train the table to follow two sentence transformers, on one accelerator in a few minutes.

    python training/train.py prepare WORK            texts -> WORK/data.pt (our tokens), WORK/minilm.pt, WORK/granite.pt
    python training/train.py run WORK OUT NAME ...   train the variants, print a line for each, write OUT/NAME.npz

The student is what `holdfast.recall.embed` computes: the sum of a row for each entry of the vocabulary in the text,
weighed by the root of how often it stands there, brought to length one, plus a bias, and to length one again; a query
has a gain for each row besides. It learns from four things, in batches of 256 runs of 32 neighbouring passages, so that
neighbours are the hard negatives:

    scores      the teachers' softmax over the passages of the batch, for each query and the other way round
    pairs       the passage that truly belongs to the query
    passages    the teachers' softmax of each passage over the others
    directions  the teachers' vectors themselves, through a linear map that is thrown away

A variant whose name begins with `hold+` leaves whole kinds of text out and is judged by them; variants are chosen by
that and by `dev.tsv`, which is never trained on.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import random
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from distil import reduced, spoken
from generated import read_families
from quantise import int8
from teachers import DEVICE, Teacher
from vocabulary import read_units

from holdfast.recall.embed import Tokenizer

HERE = Path(__file__).parent
SEED = 5
TEACHERS = ("minilm", "granite")
HELD = ("faq", "manual", "release", "said", "interface")
SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
START = time.time()

BASE: dict[str, Any] = {
    "dim": 256,
    "rate": 2e-3,
    "epochs": 6,
    "runs": 256,
    "run_length": 32,
    "teacher_heat": {"minilm": 0.05, "granite": 0.05},
    "joint": False,
    "student_heat": 0.05,
    "scores": 1.0,
    "pairs": 0.3,
    "passages": 0.5,
    "directions": 1.0,
    "asked": 0.4,
    "named": 0.0,
    "drop": 0.1,
    "words": True,
    "phrases": True,
    "common": 0.02,
    "seed": 0,
    "held": (),
    "extra": {},
}
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "hold": {"held": HELD},
    "start": {"epochs": 0},
    "pieces": {"words": False, "phrases": False},
    "nophrases": {"phrases": False},
    "named": {"named": 0.15},
    "named3": {"named": 0.3},
    "joint": {"joint": True},
    "sharp": {"teacher_heat": {"minilm": 0.05, "granite": 0.03}},
    "sharp3": {"teacher_heat": {"minilm": 0.03, "granite": 0.02}},
    "soft": {"teacher_heat": {"minilm": 0.08, "granite": 0.06}},
    "pairs0": {"pairs": 0.0},
    "pairs1": {"pairs": 0.1},
    "pairs6": {"pairs": 0.6},
    "directions4": {"directions": 4.0},
    "drop3": {"drop": 0.3},
    "slow": {"rate": 1e-3},
    "short": {"epochs": 3},
    "long": {"epochs": 12},
    "rulesx3": {"extra": {"rule": 2, "said": 2, "chat": 1, "faq": 2}},
    "near": {"runs": 64, "run_length": 128},
    "far": {"runs": 1024, "run_length": 8},
    "regression": {"scores": 0.0, "pairs": 0.0, "passages": 0.0},
    "asked2": {"asked": 0.2},
    "asked6": {"asked": 0.6},
    "seed1": {"seed": 1},
}


def log(*said: object) -> None:
    """Print with the seconds since the start."""
    print(f"[{time.time() - START:6.1f}]", *said, flush=True)


# ---- prepare: texts to tokens and teachers' vectors


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


def dressed(units: list[list[str]], names: list[str]) -> Texts:
    """Return the texts: queries also with question words around them, and texts also with a speaker's name.

    The teachers do not see either, so that the student learns to look past both.
    """
    chance = random.Random(SEED)
    lists, _ = read_families(HERE / "families.txt")
    texts = Texts([], [], [], [], [], [])
    speaker = {}
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


def prepare(work: Path) -> None:
    """Tokenise everything for the student and let both teachers encode what they see."""
    units = read_units(work / "units.tsv.xz")
    parts = json.loads((work / "vocabulary.json").read_text(encoding="utf-8"))
    vocabulary = parts["pieces"] + parts["words"] + parts["phrases"]
    known = set(parts["pieces"])
    names = [name for name in (work / "names.txt").read_text().lower().split() if name in known]
    texts = dressed(units, names)
    dev = [line.split("\t") for line in (HERE / "dev.tsv").read_text(encoding="utf-8").splitlines()]
    dev_texts = [line[0] for line in dev] + [query for line in dev for query in line[1:]]
    log("units", len(units), "names", len(names))
    everything = [text for part in texts for text in part] + dev_texts
    flat, starts = tokenised(vocabulary, everything)
    log("our tokens", len(flat), "per passage", round(starts[len(units)] / len(units), 1))
    data = {
        "kinds": [unit[0] for unit in units],
        "groups": [unit[0] + "|" + unit[1] for unit in units],
        "queried": np.array([bool(unit[2]) for unit in units]),
        "sentenced": np.array([bool(text) for text in texts.sentences]),
        "flat": flat,
        "starts": starts,
        "vocabulary": vocabulary,
        "parts": [len(parts["pieces"]), len(parts["words"]), len(parts["phrases"])],
        "dev": [len(line) - 1 for line in dev],
    }
    torch.save(data, work / "data.pt")
    seen = texts.passages + texts.queries + texts.sentences + dev_texts + [spoken(word) for word in vocabulary]
    for name in TEACHERS:
        vectors = Teacher(work / "carry" / f"{name}.npz").vectors(seen)
        torch.save(vectors, work / f"{name}.pt")
        log(name, tuple(vectors.shape), "not a number:", int(torch.isnan(vectors).sum()))


# ---- the student


class Bags:
    """Texts as rows and weights on the device: `take(texts)` gives what an embedding bag wants."""

    def __init__(self, flat: np.ndarray, starts: np.ndarray, rows: int) -> None:
        sizes = torch.tensor(np.diff(starts), device=DEVICE)
        text = torch.repeat_interleave(torch.arange(len(sizes), device=DEVICE), sizes)
        # One entry for each row of a text, weighed by the root of how often it stands there.
        found = torch.tensor(flat, device=DEVICE)
        keys, places = torch.unique(text * rows + found[:, 0].long(), return_inverse=True)
        self.rows = (keys % rows).int()
        self.weights = torch.zeros(len(keys), device=DEVICE).index_add_(0, places, found[:, 1]).sqrt()
        self.starts = F.pad(torch.bincount(keys // rows, minlength=len(sizes)).cumsum(0), (1, 0))

    def take(self, texts: torch.Tensor, drop: float = 0.0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return rows, offsets and weights of some texts; `drop` leaves that share of the rows out, by chance."""
        first, sizes = self.starts[texts], self.starts[texts + 1] - self.starts[texts]
        offsets = F.pad(sizes.cumsum(0), (1, 0))
        total = int(offsets[-1])
        at = torch.arange(total, device=DEVICE)
        at = at + torch.repeat_interleave(first - offsets[:-1], sizes, output_size=total)
        weights = self.weights[at]
        if drop:
            weights = weights * (torch.rand_like(weights) > drop)
        return self.rows[at].long(), offsets[:-1], weights


class Student(torch.nn.Module):
    """The table, the gain of each row in a query, and the bias."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(table)
        self.gains = torch.nn.Parameter(torch.zeros(len(table), device=DEVICE))
        self.bias = torch.nn.Parameter(torch.zeros(table.shape[1], device=DEVICE))

    def forward(self, bag: tuple[torch.Tensor, torch.Tensor, torch.Tensor], query: bool = False) -> torch.Tensor:
        """Return vectors of length one."""
        rows, offsets, weights = bag
        if query:
            weights = weights * torch.exp(self.gains[rows])
        summed = F.embedding_bag(rows, self.table, offsets, mode="sum", per_sample_weights=weights)
        return F.normalize(F.normalize(summed, dim=1) + self.bias, dim=1)


class Data:
    """Everything that training reads, on the device."""

    def __init__(self, work: Path) -> None:
        loaded = torch.load(work / "data.pt", weights_only=False)
        self.kinds = np.array(loaded["kinds"])
        self.count = len(self.kinds)
        self.vocabulary: list[str] = loaded["vocabulary"]
        self.parts: list[int] = loaded["parts"]
        self.dev: list[int] = loaded["dev"]
        self.flat, self.starts = loaded["flat"], loaded["starts"]
        self.queried, self.sentenced = loaded["queried"], loaded["sentenced"]
        # One group in fifty is never trained on, of whatever kind.
        aside = {group: hashlib.md5(group.encode()).digest()[0] < 5 for group in set(loaded["groups"])}
        self.aside = np.array([aside[group] for group in loaded["groups"]])
        self.teachers = {}
        self.words = {}
        for name in TEACHERS:
            vectors = torch.load(work / f"{name}.pt")
            self.words[name] = vectors[-len(self.vocabulary) :]
            self.teachers[name] = vectors[: -len(self.vocabulary)].to(DEVICE)
        self._bags: dict[tuple[bool, bool], Bags] = {}

    def bags(self, words: bool, phrases: bool) -> Bags:
        """Return the texts in rows; a smaller vocabulary takes the words that it lacks apart again."""
        if (words, phrases) not in self._bags:
            flat, starts = self.flat, self.starts
            if not (words and phrases):
                flat, starts = self._smaller(words)
            self._bags = {(words, phrases): Bags(flat, starts, len(self.vocabulary))}
        return self._bags[words, phrases]

    def _smaller(self, words: bool) -> tuple[np.ndarray, np.ndarray]:
        pieces, new = self.parts[0], self.parts[0] + self.parts[1]
        tokenizer = DictTokenizer(self.vocabulary[:pieces])
        apart: list[list[tuple[float, float]]] = []
        for row, word in enumerate(self.vocabulary):
            if row >= new:
                apart.append([])
            elif words or row < pieces:
                apart.append([(row, 1.0)])
            else:
                apart.append([(found, share) for found, share, _ in tokenizer.found(word)])
        sizes = np.array([len(rows) for rows in apart])
        joined = np.concatenate([np.array(rows, np.float32).reshape(-1, 2) for rows in apart])
        first = np.r_[0, np.cumsum(sizes)]
        rows, shares = self.flat[:, 0].astype(np.int64), self.flat[:, 1]
        each = sizes[rows]
        ends = np.r_[0, np.cumsum(each)]
        flat = joined[np.repeat(first[rows] - ends[:-1], each) + np.arange(ends[-1])]
        flat[:, 1] *= np.repeat(shares, each)
        return flat, ends[self.starts]


def first_table(data: Data, bags: Bags, given: dict[str, Any]) -> torch.Tensor:
    """Return the table that training starts from: the teachers' vectors of each entry, frequent entries small."""
    table = reduced([data.words[name] for name in TEACHERS], given["dim"])
    share = torch.bincount(bags.rows[: int(bags.starts[data.count])].long(), minlength=len(table)) / data.count
    table = table * (given["common"] / (given["common"] + share))[:, None].clamp(min=0.02)
    table[sum(data.parts[:2]) :] *= 0.3
    return table


# ---- the losses


class Batch(NamedTuple):
    """The student's and the teachers' vectors of one batch: what asks and the passages; `real` marks true queries."""

    asks: torch.Tensor
    passages: torch.Tensor
    teachers: list[tuple[torch.Tensor, torch.Tensor, float]]
    real: torch.Tensor


def wanted_scores(batch: Batch, joint: bool, of_passages: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the teachers' share of each passage for each ask, and of each ask for each passage."""
    scores = [(passages if of_passages else asks) @ passages.T / heat for asks, passages, heat in batch.teachers]
    if joint:
        scores = [sum(scores[1:], scores[0]) / len(scores)]
    if of_passages:
        for score in scores:
            score.fill_diagonal_(-1e4)
    there = sum(F.softmax(score, 1) for score in scores) / len(scores)
    back = sum(F.softmax(score.T, 1) for score in scores) / len(scores)
    return there, back


def score_loss(batch: Batch, heat: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    """Return the loss of scores and of pairs."""
    scores = batch.asks @ batch.passages.T * heat
    there, back = F.log_softmax(scores, 1), F.log_softmax(scores.T, 1)
    loss = torch.zeros((), device=DEVICE)
    if given["scores"]:
        with torch.no_grad():
            want, want_back = wanted_scores(batch, given["joint"])
        loss = loss - given["scores"] * ((want * there).sum(1).mean() + 0.5 * (want_back * back).sum(1).mean())
    if given["pairs"]:
        weight = torch.where(batch.real, 1.0, 0.3)
        weight = weight / weight.mean()
        loss = loss - given["pairs"] * ((weight * there.diag()).mean() + 0.5 * (weight * back.diag()).mean())
    return loss


def passage_loss(batch: Batch, heat: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    """Return the loss of each passage's nearness to the others."""
    with torch.no_grad():
        want, _ = wanted_scores(batch, given["joint"], of_passages=True)
    scores = batch.passages @ batch.passages.T * heat
    scores = scores - torch.eye(len(scores), device=DEVICE) * 1e4
    return -(want * F.log_softmax(scores, 1)).sum(1).mean()


def direction_loss(batch: Batch, maps: torch.nn.ModuleList) -> torch.Tensor:
    """Return how far the student's vectors, mapped, are from the teachers'."""
    loss = torch.zeros((), device=DEVICE)
    for (asks, passages, _), one in zip(batch.teachers, maps, strict=True):
        near = (
            F.cosine_similarity(one(batch.asks), asks).mean()
            + F.cosine_similarity(one(batch.passages), passages).mean()
        )
        loss = loss + 4 * (2 - near) / len(batch.teachers)
    return loss


# ---- training


def rows_of(data: Data, given: dict[str, Any]) -> np.ndarray:
    """Return the units to train on, in runs of neighbours; kinds that are to count more stand there again."""
    fit = ~data.aside & (data.queried | data.sentenced) & ~np.isin(data.kinds, given["held"])
    rows = np.flatnonzero(fit)
    more = [rows[data.kinds[rows] == kind] for kind, times in given["extra"].items() for _ in range(times)]
    return np.concatenate([rows, *more])


def make_batch(data: Data, bags: Bags, student: Student, rows: torch.Tensor, given: dict[str, Any]) -> Batch:
    """Return the vectors of one batch: each passage is asked for by its query, dressed or not, or by a sentence."""
    count = data.count
    queried = torch.tensor(data.queried, device=DEVICE)[rows]
    sentenced = torch.tensor(data.sentenced, device=DEVICE)[rows]
    chance = torch.rand(3, len(rows), device=DEVICE)
    by_query = queried & (~sentenced | (chance[0] < 0.65))
    # A speaker's name is given to a whole run at once, or to none of it: it must not tell the passages apart.
    named = torch.rand(-(-len(rows) // given["run_length"]), device=DEVICE) < given["named"]
    named = named.repeat_interleave(given["run_length"])[: len(rows)]
    asks = torch.where(chance[1] < given["asked"], rows + 2 * count, rows + count)
    asks = torch.where(named, rows + 4 * count, asks)
    asks = torch.where(by_query, asks, rows + 3 * count)
    texts = torch.where(named, rows + 5 * count, rows)
    teachers = []
    for name in TEACHERS:
        vectors = data.teachers[name]
        seen = torch.where(by_query[:, None], vectors[rows + count], vectors[rows + 2 * count])
        teachers.append((seen.float(), vectors[rows].float(), given["teacher_heat"][name]))
    return Batch(
        student(bags.take(asks, given["drop"]), query=True),
        student(bags.take(texts, given["drop"])),
        teachers,
        by_query,
    )


def train(data: Data, given: dict[str, Any]) -> tuple[Student, Bags, str]:
    """Train one variant and return the student, the texts in its rows, and a word on how it went."""
    torch.manual_seed(given["seed"])
    chance = np.random.default_rng(given["seed"])
    bags = data.bags(given["words"], given["phrases"])
    student = Student(first_table(data, bags, given))
    maps = torch.nn.ModuleList([torch.nn.Linear(given["dim"], 384, bias=False) for _ in TEACHERS]).to(DEVICE)
    heat = torch.nn.Parameter(torch.tensor(-math.log(given["student_heat"]), device=DEVICE))
    rates = [given["rate"], 1e-3]
    adam = torch.optim.Adam([{"params": student.parameters()}, {"params": [*maps.parameters(), heat]}])
    order, length = rows_of(data, given), given["run_length"]
    runs = [order[at : at + length] for at in range(0, len(order) - length, length)]
    steps = len(runs) // given["runs"] * given["epochs"]
    queue: list[int] = []
    loss = torch.zeros(())
    for step in range(steps):
        if len(queue) < given["runs"]:
            queue = list(chance.permutation(len(runs)))
        picked, queue = queue[: given["runs"]], queue[given["runs"] :]
        share = min(1.0, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        for group, rate in zip(adam.param_groups, rates, strict=True):
            group["lr"] = rate * max(share, 0.01)
        rows = torch.tensor(np.concatenate([runs[run] for run in picked]), device=DEVICE)
        batch = make_batch(data, bags, student, rows, given)
        loss = score_loss(batch, heat.exp(), given)
        if given["passages"]:
            loss = loss + given["passages"] * passage_loss(batch, heat.exp(), given)
        if given["directions"]:
            loss = loss + given["directions"] * direction_loss(batch, maps)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
    return student, bags, f"steps {steps} loss {loss.item():.3f} heat {1 / heat.exp().item():.3f}"


# ---- judging


def reciprocal(queries: torch.Tensor, passages: torch.Tensor, right: torch.Tensor) -> float:
    """Return the mean reciprocal rank of the right passage, in per cent."""
    scores = queries @ passages.T
    ranks = (scores > scores.gather(1, right[:, None])).sum(1) + 1
    return (1 / ranks.float()).mean().item() * 100


@torch.no_grad()
def judge(data: Data, encode: Any, most: int = 3000) -> dict[str, float]:
    """Return the mean reciprocal rank for each kind over its units that were set aside, and for `dev.tsv`."""
    out = {}
    for kind in sorted(set(data.kinds)):
        rows = np.flatnonzero((data.kinds == kind) & data.aside)[:most]
        places = np.flatnonzero(data.queried[rows])
        if len(places) < 50:
            continue
        passages = encode(torch.tensor(rows, device=DEVICE), False)
        right = torch.tensor(places, device=DEVICE)
        for mark, shift in (("", 1), ("?", 2)):
            queries = encode(torch.tensor(rows[places] + shift * data.count, device=DEVICE), True)
            out[kind + mark] = reciprocal(queries, passages, right)
    first = 6 * data.count
    passages = encode(torch.arange(first, first + len(data.dev), device=DEVICE), False)
    asked = torch.arange(first + len(data.dev), first + len(data.dev) + sum(data.dev), device=DEVICE)
    right = torch.repeat_interleave(torch.arange(len(data.dev)), torch.tensor(data.dev)).to(DEVICE)
    out["dev"] = reciprocal(encode(asked, True), passages, right)
    return out


def teacher_encoder(data: Data, names: tuple[str, ...]) -> Any:
    """Return an encoder by the teachers' own vectors; for the queries in dress it takes the plain ones."""
    place = torch.tensor([0, 1, 1, 2, 1, 0, 3], device=DEVICE)

    def encode(texts: torch.Tensor, _query: bool) -> torch.Tensor:
        at = place[texts // data.count] * data.count + texts % data.count
        return torch.cat([data.teachers[name][at].float() for name in names], 1)

    return encode


def told(found: dict[str, float], held: tuple[str, ...]) -> tuple[float, str]:
    """Return what a variant is chosen by, and all figures in words."""
    kinds = [value for kind, value in found.items() if kind.rstrip("?") in (held or HELD)]
    chosen = 0.5 * found["dev"] + 0.5 * float(np.mean(kinds))
    words = " ".join(f"{kind} {value:.1f}" for kind, value in found.items())
    return chosen, f"choose {chosen:.2f} held-kinds {np.mean(kinds):.2f} | {words}"


class Bench:
    """Trains variants over the same data, remembers how each was judged, and writes the tables."""

    def __init__(self, work: Path, out: Path) -> None:
        self.data = Data(work)
        self.out = out
        self.found: dict[str, float] = {}
        log("units", self.data.count, "vocabulary", self.data.parts)
        for teachers in (("minilm",), ("granite",), TEACHERS):
            log("TEACHER", "+".join(teachers), told(judge(self.data, teacher_encoder(self.data, teachers)), ())[1])

    def __call__(self, name: str) -> float:
        """Train a variant, the changes of its name one after the other, and return what it is chosen by."""
        if name in self.found:
            return self.found[name]
        given = dict(BASE)
        for change in name.split("+"):
            given.update(VARIANTS[change])
        began = time.time()
        student, bags, how = train(self.data, given)
        numbers, scales = int8(student.table.detach().cpu().numpy())
        with torch.no_grad():
            student.table.copy_(torch.tensor(numbers * scales[:, None]))
        found = judge(self.data, lambda texts, query: student(bags.take(texts), query))
        self.found[name], words = told(found, given["held"])
        log("VARIANT", name, f"{time.time() - began:.0f} s", how, words)
        if not name.startswith("hold"):
            self.write(name, given, student, numbers, scales)
        return self.found[name]

    def write(
        self, name: str, given: dict[str, Any], student: Student, numbers: np.ndarray, scales: np.ndarray
    ) -> None:
        """Write what ships of a variant: the rows of its part of the vocabulary, scales, gains and bias."""
        parts = self.data.parts
        last = sum(parts) if given["phrases"] else sum(parts[:2]) if given["words"] else parts[0]
        np.savez_compressed(
            self.out / f"{name.replace('+', '-')}.npz",
            numbers=numbers[:last],
            scales=scales[:last],
            gains=student.gains.detach().exp().cpu().numpy()[:last],
            bias=student.bias.detach().cpu().numpy(),
        )

    def search(self, changes: list[str], until: float) -> list[str]:
        """Return the changes that help together: each alone first, then the helpful ones added one by one."""
        plain = self("hold")
        # What another seed changes is noise; a change must do better than that.
        least = plain + max(0.1, abs(self("hold+seed1") - plain))
        helped = [change for change in changes if time.time() - START < until and self(f"hold+{change}") > least]
        helped.sort(key=lambda change: -self.found[f"hold+{change}"])
        log("helped alone, over", round(least, 2), helped)
        taken, best = helped[:1], self.found[f"hold+{helped[0]}"] if helped else plain
        for change in helped[1:]:
            if time.time() - START < until and self("+".join(["hold", *taken, change])) > best:
                taken.append(change)
                best = self.found["+".join(["hold", *taken])]
        log("TAKEN", taken, round(best, 2))
        return taken


def run(work: Path, out: Path, names: list[str], until: float) -> None:
    """Train the named variants; `search:a,b,c` looks for the best of these changes and trains it on everything."""
    bench = Bench(work, out)
    for name in names:
        if not name.startswith("search:"):
            bench(name)
            continue
        taken = bench.search(name.removeprefix("search:").split(","), until)
        bench("+".join(["base", *taken]))
        bench("+".join(["base", *taken, "pieces"]))
    for name, value in sorted(bench.found.items(), key=lambda item: -item[1]):
        log(f"{value:6.2f} {name}")


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]))
    else:
        run(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:], until=400)
