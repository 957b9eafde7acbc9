"""Learns what the names, the rest and the words of a query count for a memory (`src/holdfast/recall/statements.py`).

    python training/facts.py

Learned from `tune` of `benchmarks/fact_sets` (facts with shared names, with older versions and near-duplicates), from
the statements of `dev.tsv`, so that what helps facts about services does not hurt ordinary ones, and from keyword
queries of both, for which nothing matters more than words. `held` is not read: `holdfast bench facts` measures it.

The loss is the cross-entropy of the right fact among all. It prints the four weights, then how often a memory with so
much evidence is right, from which `HALF` and `STEEP` were read off.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in (".", "../benchmarks", "../benchmarks/fact_sets"):
    sys.path.insert(0, os.path.join(HERE, _folder))

from facts import PROJECT, lay
from keywords import EMPTY
from make import Facts, made, with_versions

from holdfast.app.reindex import reindex
from holdfast.recall.embed import Model, words
from holdfast.recall.scan import Scan
from holdfast.recall.statements import Question
from holdfast.records import Filter
from holdfast.store.base import MemorySearch, Tables
from holdfast.workspace import Workspace

SHARPNESS, STEPS, RATE, PULL = 20.0, 250, 0.02, 0.02
START = np.array([0.6, 0.6, 0.4, 0.1])
TOP = 5
Case = tuple[np.ndarray, np.ndarray]


def main() -> None:
    """Learn and print."""
    model = Model.open()
    sets = {"plain": made("tune", 400), "versions": with_versions("tune", 160), "statements": _statements()}
    sets |= {f"{name} by keywords": _by_keywords(sets[name]) for name in ("plain", "statements")}
    cases = {name: cases_of(facts, model) for name, facts in sets.items()}
    found = learn(cases)
    print("meaning, kin, names, words:", np.round(found, 3))
    evidence, right = [], []
    for marks, is_right in (case for each in cases.values() for case in each):
        sums = marks @ found - found[2]
        best = np.argsort(-sums)[:TOP]
        evidence.append(sums[best])
        right.append(is_right[best])
    sums, was_right = np.concatenate(evidence), np.concatenate(right)
    for least in np.arange(0.0, 1.2, 0.1):
        within = (sums >= least) & (sums < least + 0.1)
        if within.sum():
            print(f"evidence from {least:.1f}: {was_right[within].mean():.2f} right of {within.sum()}")


def _statements() -> Facts:
    with open(os.path.join(HERE, "dev.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    facts = [(f"s{number}", row[0], 1) for number, row in enumerate(rows)]
    asked = [(text, frozenset([f"s{number}"])) for number, row in enumerate(rows) for text in row[1:]]
    return Facts(facts, asked)


def _by_keywords(facts: Facts) -> Facts:
    """Return the same facts, asked for by two to four of their words."""
    chance = random.Random(3)
    held = {key: set(words(text)) for key, text, _ in facts.facts}
    asked = []
    for key, text, _ in chance.sample(facts.facts, 100):
        telling = [word for word in dict.fromkeys(words(text)) if word.lower() not in EMPTY and len(word) > 2]
        chosen = chance.sample(telling, min(len(telling), chance.choice((2, 3, 3, 4))))
        asked.append((" ".join(chosen), frozenset(key for key, said in held.items() if said.issuperset(chosen))))
    return Facts(facts.facts, asked)


def cases_of(facts: Facts, model: Model) -> list[Case]:
    """Return for each question the marks of every fact, and which are right."""
    with tempfile.TemporaryDirectory() as home:
        lay(home, facts)
        with Workspace(home, project=PROJECT) as workspace:
            reindex(workspace)
            return workspace.store.ask(lambda tables: _cases(tables, facts, model))


def _cases(tables: Tables, facts: Facts, model: Model) -> list[Case]:
    table = tables.memories
    ids = table.few(Filter(None), len(facts.facts)) or []
    known = table.candidates(dict.fromkeys(ids, (0.0, 0.0)), table.ask(""), Filter(None))
    keys = [one.memory.key for one in known]
    scan = Scan(table)
    return [
        (_marks(table, text, ids, model, scan), np.array([key in right for key in keys]))
        for text, right in facts.questions
    ]


def _marks(table: MemorySearch, text: str, ids: list[int], model: Model, scan: Scan) -> np.ndarray:
    found = Question(table, model, table.ask(text)).marks(ids, scan, Filter(None))
    return np.array([found[row] for row in ids])


def learn(sets: dict[str, list[Case]]) -> np.ndarray:
    """Return the weights that put what is right first, by Adam from `START`; every set counts the same."""
    found, first, second = START.copy(), np.zeros(len(START)), np.zeros(len(START))
    for step in range(1, STEPS + 1):
        slope = sum(_slope(cases, found) for cases in sets.values()) / len(sets) + PULL * (found - START)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        size = RATE * (1 - 0.9 * step / STEPS)
        found = found - size * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return found


def _slope(cases: list[Case], found: np.ndarray) -> np.ndarray:
    total = np.zeros(len(START))
    for marks, right in cases:
        scores = SHARPNESS * (marks @ found)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        wanted = shares * right
        total += SHARPNESS * (marks.T @ (shares - wanted / (wanted.sum() or 1.0)))
    return total / len(cases)


if __name__ == "__main__":
    main()
