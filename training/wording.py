"""Learns how one asks about something that has a name: the offsets of `src/holdfast/recall/wording.py`.

    python training/wording.py src/holdfast/recall/model/wording.bin

Learned from `wording.txt` alone: each question shall be nearest to the notes of its own aspect, among those of all. An
offset is learned for each row of the model that questions have, and one map for all rows, which is folded into the
offsets; both are pulled towards nothing. Some words of each question are left out at each step, so that no single one
carries it. How strong the pull is was chosen by `tune` of `benchmarks/fact_sets`; `bench facts` measures the others.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from holdfast.recall.embed import Model
from holdfast.recall.wording import MAGIC

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS, LEFT_OUT, SHARPNESS, SEED = 80, 0.3, 1 / 0.06, 18
PULL, PULL_OF_MAP = 0.03, 0.03
RATE, RATE_OF_MAP = 0.02, 0.004
VALUES = 3
NAMES = (
    *("atlas", "bolt", "cedar", "delta", "echo", "fable", "hazel", "iris", "jade", "karma", "lotus", "mango", "nova"),
    *("opal", "raven", "sage", "topaz", "viola", "walnut", "zephyr", "billing", "checkout", "search", "orders"),
    *("invoices", "mailer", "portal", "widget", "crawler", "importer"),
)
_TINY = 1e-9


class Aspect(NamedTuple):
    """One thing to know of something: the ways to note it, its values, and the ways to ask."""

    notes: list[str]
    values: list[str]
    asks: list[str]


class Task(NamedTuple):
    """Notes as vectors; questions as what each row of the model counts in them; which note answers which question."""

    notes: np.ndarray
    counts: np.ndarray
    answers: np.ndarray
    used: list[int]


def main(path: str) -> None:
    """Learn, and write the file."""
    model = Model.open()
    task = task_of(model, aspects(Path(HERE, "wording.txt")), random.Random(SEED))
    offsets = learned(task, rows_of(model)[task.used], np.array(model._bias, np.float32))
    numbers, scales = int8(offsets)
    Path(path).write_bytes(packed(model, task.used, numbers, scales))
    print(len(task.counts), "questions,", len(task.used), "rows")


def aspects(path: Path) -> list[Aspect]:
    """Return the aspects of a file."""
    found: list[Aspect] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "-":
            found.append(Aspect(rest.split(" | "), [], []))
        elif mark == "v":
            found[-1].values.extend(rest.split("; "))
        elif mark == "?":
            found[-1].asks.extend(rest.split(" | "))
    return found


def rows_of(model: Model) -> np.ndarray:
    """Return the model's table in numbers."""
    table = np.frombuffer(model._table, np.uint8).reshape(model.rows, model.dim).astype(np.float32) - 128
    return table * np.array(model._scales, np.float32)[:, None]


def task_of(model: Model, found: list[Aspect], chance: random.Random) -> Task:
    """Return what is learned from: a few notes of each aspect, and all questions without their name."""
    notes, of_note, asked, of_ask = [], [], [], []
    for place, aspect in enumerate(found):
        for note in aspect.notes:
            for value in chance.sample(aspect.values, VALUES):
                notes.append(model.encode(note.format(s=chance.choice(NAMES), v=value)))
                of_note.append(place)
        asked += [model.weights(ask.format(s=""), query=True) for ask in aspect.asks]
        of_ask += [place] * len(aspect.asks)
    used = sorted({row for weights in asked for row in weights})
    counts = np.zeros((len(asked), len(used)), np.float32)
    for number, weights in enumerate(asked):
        for row, weight in weights.items():
            counts[number, used.index(row)] = weight / model._scales[row]
    return Task(np.array(notes, np.float32), counts, np.equal.outer(of_ask, of_note).astype(np.float32), used)


def learned(task: Task, rows: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return the offsets of the rows, by Adam."""
    unit = float(np.linalg.norm(rows, axis=1).mean())
    found = [np.zeros_like(rows), np.zeros((rows.shape[1], rows.shape[1]), np.float32)]
    first, second = [np.zeros_like(each) for each in found], [np.zeros_like(each) for each in found]
    chance = np.random.default_rng(SEED)
    for step in range(1, STEPS + 1):
        counts = task.counts * (chance.random(task.counts.shape) > LEFT_OUT)
        slopes = slopes_of(counts, rows, bias, found, task)
        slopes[0] += PULL * found[0] / unit**2
        slopes[1] += PULL_OF_MAP * found[1]
        for place, rate in enumerate((RATE * unit, RATE_OF_MAP)):
            first[place] = 0.9 * first[place] + 0.1 * slopes[place]
            second[place] = 0.99 * second[place] + 0.01 * slopes[place] ** 2
            size = np.sqrt(second[place] / (1 - 0.99**step)) + 1e-8
            found[place] = found[place] - rate * (1 - 0.9 * step / STEPS) * first[place] / (1 - 0.9**step) / size
    moved = rows + found[0]
    return moved + moved @ found[1] - rows


def slopes_of(
    counts: np.ndarray, rows: np.ndarray, bias: np.ndarray, found: list[np.ndarray], task: Task
) -> list[np.ndarray]:
    """Return the slopes of the offsets and of the map: of the cross-entropy of the right notes among all."""
    offsets, through = found
    sums, length = to_one(counts @ (rows + offsets))
    moved, moved_length = to_one(sums + bias)
    asked, asked_length = to_one(moved + moved @ through)
    scores = SHARPNESS * asked @ task.notes.T
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    right = shares * task.answers
    right /= right.sum(1, keepdims=True) + _TINY
    slope = SHARPNESS / len(counts) * (shares - right) @ task.notes
    slope = across(slope, asked, asked_length)
    of_map = moved.T @ slope
    slope = across(across(slope + slope @ through.T, moved, moved_length), sums, length)
    return [counts.T @ slope, of_map]


def to_one(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors at length one, and how long they were."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) + _TINY
    return vectors / lengths, lengths


def across(slope: np.ndarray, units: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the slope before a vector was brought to length one."""
    return (slope - (slope * units).sum(1, keepdims=True) * units) / lengths


def int8(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets as bytes with 128 for zero, and what a step of each is worth."""
    scales = np.maximum(np.abs(offsets).max(1) / 127, _TINY)
    return (np.round(offsets / scales[:, None]) + 128).astype(np.uint8), scales


def packed(model: Model, used: list[int], numbers: np.ndarray, scales: np.ndarray) -> bytes:
    """Return the file."""
    sizes = np.array(numbers.shape, "<u4")
    head = MAGIC + model.version.encode().ljust(64, b"\0") + sizes.tobytes()
    return head + np.array(used, "<u4").tobytes() + scales.astype("<f4").tobytes() + numbers.tobytes()


if __name__ == "__main__":
    main(sys.argv[1])
