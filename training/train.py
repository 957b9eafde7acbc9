"""Train the table to follow two sentence transformers, on one accelerator in a few minutes.

    python training/train.py WORK OUT NAME ...    train the variants, print a line for each, write OUT/NAME.npz

`prepare.py` made what this reads, `student.py` has what is trained. It learns from four things, in batches of 256 runs
of 32 neighbouring passages, so that neighbours are the hard negatives:

    scores      the teachers' softmax over the passages of the batch, for each query and the other way round; a long
                passage is as near to a query as the nearest of its parts
    pairs       the passage that truly belongs to the query
    passages    the teachers' softmax of each passage over the others
    directions  the teachers' vectors themselves, through a linear map that is thrown away

Variants are chosen by the dev sets (`dev.tsv`, and those under WORK/dev), which are never trained on. A variant with
`soup` in its name is the mean of the tables of three seeds.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from judge import judge, of_student, of_teachers, told
from prepare import START, TEACHERS, log
from quantise import int8
from student import Data, Student, first_table
from teachers import DEVICE

BASE: dict[str, Any] = {
    "dim": 256,
    "rate": 2e-3,
    "epochs": 12,
    "runs": 256,
    "run_length": 32,
    "teacher_heat": {"minilm": 0.05, "granite": 0.03},
    "joint": True,
    "nearest_part": True,
    "student_heat": 0.05,
    "scores": 1.0,
    "pairs": 0.3,
    "passages": 0.5,
    "directions": 1.0,
    "asked": 0.4,
    "named": 0.15,
    "drop": 0.1,
    "power": 0.5,
    "common": 0.02,
    "seed": 0,
    "soup": 1,
    "without": (),
    "extra": {},
}
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "start": {"epochs": 0},
    "seed1": {"seed": 1},
    "seed2": {"seed": 2},
    "soup": {"soup": 3},
    "power5": {"power": 0.5},
    "power6": {"power": 0.6},
    "power7": {"power": 0.7},
    "power8": {"power": 0.85},
    "short": {"without": ("long", "buried")},
    "pages": {"without": ("buried",)},
    "old": {"without": ("long", "buried", "taste")},
    "mean": {"nearest_part": False},
    "longx2": {"extra": {"long": 1, "buried": 1}},
    "ownx2": {"extra": {"rule": 1, "said": 1, "taste": 1, "buried": 1, "chat": 1, "faq": 1}},
    "ownx3": {"extra": {"rule": 2, "said": 2, "taste": 2, "buried": 2, "chat": 2, "faq": 2}},
    "nodictionary": {"without": ("dictionary",)},
    "nocode": {"without": ("docstring", "comment", "service")},
    "pairs1": {"pairs": 0.1},
    "pairs6": {"pairs": 0.6},
    "passages0": {"passages": 0.0},
    "directions0": {"directions": 0.0},
    "directions4": {"directions": 4.0},
    "asked6": {"asked": 0.6},
    "asked2": {"asked": 0.2},
    "drop2": {"drop": 0.2},
    "drop3": {"drop": 0.3},
    "slow": {"rate": 1e-3},
    "fast": {"rate": 4e-3},
    "quick": {"epochs": 6},
    "longer": {"epochs": 24},
    "rare": {"common": 0.005},
    "plainer": {"common": 0.08},
    "sharper": {"teacher_heat": {"minilm": 0.04, "granite": 0.025}},
    "softer": {"teacher_heat": {"minilm": 0.06, "granite": 0.04}},
    "near": {"runs": 128, "run_length": 64},
    "far": {"runs": 512, "run_length": 16},
    "unnamed": {"named": 0.0},
}


class Batch(NamedTuple):
    """The student's vectors of one batch, what asks and the passages; what the teachers think; which asks are queries.

    Of each teacher: its vectors of asks and passages, its scores of asks for passages, and its heat.
    """

    asks: torch.Tensor
    passages: torch.Tensor
    teachers: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]]
    real: torch.Tensor


def shares(scores: list[torch.Tensor], joint: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the teachers' share of each column for each row of their scores, and of each row for each column."""
    if joint:
        scores = [sum(scores[1:], scores[0]) / len(scores)]
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
            want, want_back = shares([found / hot for _, _, found, hot in batch.teachers], given["joint"])
        loss = loss - given["scores"] * ((want * there).sum(1).mean() + 0.5 * (want_back * back).sum(1).mean())
    if given["pairs"]:
        weight = torch.where(batch.real, 1.0, 0.3)
        weight = weight / weight.mean()
        loss = loss - given["pairs"] * ((weight * there.diag()).mean() + 0.5 * (weight * back.diag()).mean())
    return loss


def passage_loss(batch: Batch, heat: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    """Return the loss of each passage's nearness to the others."""
    own = torch.eye(len(batch.passages), device=DEVICE) * 1e4
    with torch.no_grad():
        want, _ = shares([found @ found.T / hot - own for _, found, _, hot in batch.teachers], given["joint"])
    scores = batch.passages @ batch.passages.T * heat - own
    return -(want * F.log_softmax(scores, 1)).sum(1).mean()


def direction_loss(batch: Batch, maps: torch.nn.ModuleList) -> torch.Tensor:
    """Return how far the student's vectors, mapped, are from the teachers'."""
    loss = torch.zeros((), device=DEVICE)
    for (asks, passages, _, _), one in zip(batch.teachers, maps, strict=True):
        near = (
            F.cosine_similarity(one(batch.asks), asks).mean()
            + F.cosine_similarity(one(batch.passages), passages).mean()
        )
        loss = loss + 4 * (2 - near) / len(batch.teachers)
    return loss


def rows_of(data: Data, given: dict[str, Any]) -> np.ndarray:
    """Return the units to train on, in runs of neighbours; kinds that are to count more stand there again."""
    rows = np.flatnonzero(~data.aside & data.fit & ~np.isin(data.kinds, given["without"]))
    more = [rows[data.kinds[rows] == kind] for kind, times in given["extra"].items() for _ in range(times)]
    return np.concatenate([rows, *more])


def taught(data: Data, name: str, asks: torch.Tensor, rows: torch.Tensor, nearest: bool) -> tuple[torch.Tensor, ...]:
    """Return a teacher's vectors of asks and passages, and its scores: of a long passage that of its nearest part."""
    vectors = data.teachers[name]
    asking, passages = vectors[asks].float(), vectors[rows].float()
    scores = asking @ passages.T
    if nearest:
        long = torch.nonzero(data.parts[rows, 0] != rows)[:, 0]
        scores[:, long] = -1.0
        for column in data.parts[rows[long]].T:
            scores[:, long] = torch.maximum(scores[:, long], asking @ vectors[column].float().T)
    return asking, passages, scores


def make_batch(data: Data, student: Student, rows: torch.Tensor, given: dict[str, Any]) -> Batch:
    """Return the vectors of one batch: each passage is asked for by its query, dressed or not, or by a sentence."""
    count, bags = data.count, data.bags
    chance = torch.rand(2, len(rows), device=DEVICE)
    by_query = data.queried[rows] & (~data.sentenced[rows] | (chance[0] < 0.65))
    # A speaker's name is given to a whole run at once, or to none of it: it must not tell the passages apart.
    named = torch.rand(-(-len(rows) // given["run_length"]), device=DEVICE) < given["named"]
    named = named.repeat_interleave(given["run_length"])[: len(rows)]
    asks = torch.where(chance[1] < given["asked"], rows + 2 * count, rows + count)
    asks = torch.where(named, rows + 4 * count, asks)
    asks = torch.where(by_query, asks, rows + 3 * count)
    texts = torch.where(named, rows + 5 * count, rows)
    seen = torch.where(by_query, rows + count, rows + 2 * count)
    with torch.no_grad():
        teachers = [
            (*taught(data, name, seen, rows, given["nearest_part"]), given["teacher_heat"][name]) for name in TEACHERS
        ]
    return Batch(
        student(bags.take(asks, given["drop"]), query=True),
        student(bags.take(texts, given["drop"])),
        teachers,
        by_query,
    )


def train(data: Data, given: dict[str, Any], seed: int) -> tuple[Student, str]:
    """Train one variant and return the student and a word on how it went."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    student = Student(first_table(data, given))
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
        batch = make_batch(data, student, rows, given)
        loss = score_loss(batch, heat.exp(), given)
        if given["passages"]:
            loss = loss + given["passages"] * passage_loss(batch, heat.exp(), given)
        if given["directions"]:
            loss = loss + given["directions"] * direction_loss(batch, maps)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
    return student, f"steps {steps} loss {loss.item():.3f} heat {1 / heat.exp().item():.3f}"


@torch.no_grad()
def soup(students: list[Student]) -> Student:
    """Return the mean of several students; they began alike, so that their rows can be added."""
    mean = students[0]
    for name, parameter in mean.named_parameters():
        parameter.copy_(sum(dict(student.named_parameters())[name] for student in students) / len(students))
    return mean


class Bench:
    """Trains variants over the same data, remembers how each was judged, and writes the tables."""

    def __init__(self, work: Path, out: Path) -> None:
        self.data = Data(work)
        self.out = out
        # A search may go on in another run, where a machine is lent for some minutes at a time.
        self.memory = out / "found.json"
        self.found: dict[str, float] = json.loads(self.memory.read_text()) if self.memory.exists() else {}
        log("units", self.data.count, "vocabulary", self.data.sizes)
        for teachers in (("minilm",), ("granite",), TEACHERS):
            log("TEACHER", "+".join(teachers), told(judge(self.data, of_teachers(self.data, teachers)))[1])

    def __call__(self, name: str, keep: bool = False) -> float:
        """Train a variant, the changes of its name one after the other, and return what it is chosen by."""
        if name in self.found and not keep:
            return self.found[name]
        given = dict(BASE)
        for change in name.split("+"):
            given.update(VARIANTS[change])
        began = time.time()
        self.data.bags.power = given["power"]
        trained = [train(self.data, given, given["seed"] + more) for more in range(given["soup"])]
        student = soup([student for student, _ in trained])
        numbers, scales = int8(student.table.detach().cpu().numpy())
        with torch.no_grad():
            student.table.copy_(torch.tensor(numbers * scales[:, None]))
        self.found[name], words = told(judge(self.data, of_student(self.data, student)))
        log("VARIANT", name, f"{time.time() - began:.0f} s", trained[0][1], words)
        self.memory.write_text(json.dumps(self.found))
        if keep:
            gains, bias = student.gains.detach().exp().cpu().numpy(), student.bias.detach().cpu().numpy()
            path = self.out / f"{name.replace('+', '-')}.npz"
            np.savez_compressed(path, numbers=numbers, scales=scales, gains=gains, bias=bias)
        return self.found[name]

    def search(self, start: str, changes: list[str], until: float) -> str:
        """Return the best variant found: each change to the start alone first, then the helpful ones one by one."""
        plain = self(start)
        # What another seed changes is noise; a change must do better than the better of the two.
        least = max(plain, self(f"{start}+seed1"))
        tried = [change for change in changes if time.time() - START < until and self(f"{start}+{change}")]
        helped = sorted(
            [c for c in tried if self.found[f"{start}+{c}"] > least], key=lambda c: -self.found[f"{start}+{c}"]
        )
        log("helped alone, over", round(least, 2), helped)
        best = f"{start}+{helped[0]}" if helped else start
        for change in helped[1:]:
            if time.time() - START < until and self(f"{best}+{change}") > self.found[best]:
                best = f"{best}+{change}"
        log("BEST", best, round(self.found[best], 2))
        return best


def main(work: Path, out: Path, names: list[str], until: float) -> None:
    """Train the named variants.

    `search:START:a,b,c` looks for the best of these changes, which is BEST from there on; `keep:` writes the table.
    """
    torch.set_float32_matmul_precision("high")
    bench = Bench(work, out)
    best = "base"
    for name in names:
        if name.startswith("search:"):
            _, start, changes = name.split(":")
            best = bench.search(start, changes.split(","), until)
        else:
            bench(name.removeprefix("keep:").replace("BEST", best), keep=name.startswith("keep:"))
    for name, value in sorted(bench.found.items(), key=lambda item: -item[1]):
        log(f"{value:6.2f} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:], until=380)
