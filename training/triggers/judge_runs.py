"""Learns which run of clauses of a message is its statement, by marks of readers that did not know its writer.

    python training/triggers/judge_runs.py REAL WORK

Prints how often the right part is kept, with each group of people left out in turn, and the weights for `RUN_WEIGHTS`
and `BUILD_WEIGHTS` of `language/statements.py`, learned from all. The right runs of a message are made the likeliest of
all its runs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

HERE = Path(__file__).resolve().parent
# Last, as a benchmark has the name of a module of Python.
sys.path.append(str(HERE.parents[1] / "benchmarks"))

from triggers import is_the_statement

from holdfast.language import judge, statements
from holdfast.language.word_pieces import WordPieces

DECAY = 0.003
# Of one message: what speaks for each run, and whether it is right.
Runs = tuple[np.ndarray, np.ndarray]


def main() -> int:
    """Learn, measure and print."""
    real = [json.loads(line) for path in sorted(Path(sys.argv[1]).glob("*.jsonl")) for line in path.open("rb")]
    work = Path(sys.argv[2])
    texts, (first, second) = (
        np.load(work / "texts.npz"),
        (np.load(work / f"{one}_heads.npz") for one in ("first", "second")),
    )
    marks = judge.FIRST_COUNTS * first["spans"].astype("f4") + (1 - judge.FIRST_COUNTS) * second["spans"].astype("f4")
    pieces = WordPieces((work / "vocabulary.txt").read_text("utf-8").split("\n"))
    kept = [at for at, one in enumerate(real) if one["keep"] == "y"]
    runs = [runs_of(real[at], pieces, marks[at, texts["firsts"][at] :]) for at in kept]
    groups = texts["groups"][kept]
    every = np.concatenate([features for features, _ in runs])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    runs = [((features - mean) / spread, right) for features, right in runs]
    hits = []
    for group in range(groups.max() + 1):
        weights = learned([one for one, own in zip(runs, groups, strict=True) if own != group])
        hits.append(
            [right[np.argmax(f @ weights)] for (f, right), own in zip(runs, groups, strict=True) if own == group]
        )
    print("people left out:", *[f"{np.mean(one):.2f}" for one in hits], f"all {np.mean(np.concatenate(hits)):.3f}")
    print("any run could:", f"{np.mean([right.any() for _, right in runs]):.3f}")
    print("RUN_WEIGHTS + BUILD_WEIGHTS = (" + ", ".join(f"{one:.3g}" for one in learned(runs) / spread) + ")")
    return 0


def runs_of(one: dict[str, Any], pieces: WordPieces, marks: np.ndarray) -> Runs:
    """Return the runs of a message."""
    text = one["text"]
    own = pieces.of(text[: judge.MAX_TEXT])
    own = own if len(own) <= judge.HEAD + judge.TAIL else [*own[: judge.HEAD], *own[-judge.TAIL :]]
    cuts = statements.clause_cuts(text)
    found = [
        (features, is_the_statement(one["what"], statements.trimmed(text, cuts, begin, end)))
        for features, begin, end in statements.runs_of_clauses(text, cuts, own, marks[: len(own)])
    ]
    return np.array([features for features, _ in found]), np.array([right for _, right in found])


def learned(runs: list[Runs]) -> np.ndarray:
    """Return the weights under which the right runs are the likeliest."""
    some = [(features, right) for features, right in runs if right.any()]
    features, right = (np.concatenate(each) for each in zip(*some, strict=True))
    sizes = [len(one) for _, one in some]
    starts, rows = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(some)), sizes)

    def wrong(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = features @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[rows])
        every, good = np.add.reduceat(likely, starts), np.add.reduceat(likely * right, starts)
        apart = likely / every[rows] - likely * right / good[rows]
        cost = float(np.mean(np.log(every) - np.log(good)) + DECAY * weights @ weights)
        return cost, features.T @ apart / len(some) + 2 * DECAY * weights

    found: np.ndarray = minimize(wrong, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B").x
    return found


if __name__ == "__main__":
    sys.exit(main())
