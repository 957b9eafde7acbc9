"""A small network over features that are there or not, in numpy: weights that add up, and a few sums that can bend.

A row's score for a kind is the sum of its features' weights, and besides that what passes the hidden sums: each is a
sum of weights, too, counts only above nought, and speaks for each kind by a number of its own. So a hook adds up one
row of numbers for each feature, as for weights alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SEED = 0
HIDDEN = 33
EPOCHS = 12
BATCH = 128
PACE = 1e-3
PULL = 0.5
# A feature of fewer messages is left out.
FEWEST = 2
MIN_PAIRS = 3
MIN_GAPS = 4
GAP = " _ "
# So many features are overlooked in each step, so that none is relied on alone.
OVERLOOKED = 0.4
# How much the best sentence of a message stands out among the others.
SOFT = 0.3
WARM = 0.1


class Network(NamedTuple):
    """The number of each feature; a row of numbers for each of them and for none; what each hidden sum speaks for."""

    index: dict[str, int]
    rows: np.ndarray
    out: np.ndarray

    def scores(self, sentences: list[set[str]]) -> np.ndarray:
        """Return the highest score of each kind among the sentences."""
        found = []
        for sentence in sentences:
            numbers = [self.index[name] for name in sentence if name in self.index]
            found.append(self.rows[numbers].sum(axis=0) + self.rows[-1])
        return forward(np.array(found), self.out).max(axis=0)


def forward(sums: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Return the scores that sums of rows come to."""
    kinds = out.shape[1]
    return sums[:, :kinds] + np.maximum(sums[:, kinds:], 0) @ out


class Bags:
    """Messages as numbers: of each sentence its features, of each message its sentences."""

    def __init__(self, messages: list[list[set[str]]], index: dict[str, int]) -> None:
        self._messages = [
            [np.array([index[name] for name in sorted(one) if name in index]) for one in message]
            for message in messages
        ]

    def batch(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the features of all sentences of these messages, which sentence has each, and whose it is."""
        sentences = [(place, one) for place, number in enumerate(numbers) for one in self._messages[number]]
        columns = np.concatenate([one for _, one in sentences])
        row = np.repeat(np.arange(len(sentences)), [len(one) for _, one in sentences])
        return columns.astype(int), row, np.array([place for place, _ in sentences])


def taught(messages: list[list[set[str]]], truth: np.ndarray, weight: np.ndarray) -> Network:
    """Return a network that learned which messages are of which kinds."""
    index = _numbered(messages)
    which = [place for place, message in enumerate(messages) if message]
    messages, truth, weight = [messages[place] for place in which], truth[which], weight[which]
    bags, chance = Bags(messages, index), np.random.default_rng(SEED)
    kinds = truth.shape[1]
    # Half as long as they could be: most of the time goes into moving these numbers.
    rows = np.zeros((len(index) + 1, kinds + HIDDEN), dtype=np.float32)
    rows[:-1, kinds:] = chance.normal(0, 0.05, (len(index), HIDDEN))
    rows[-1, :kinds] = -2
    out = chance.normal(0, 0.1, (HIDDEN, kinds)).astype(np.float32)
    steps = [_Step(rows), _Step(out)]
    every = EPOCHS * -(-len(messages) // BATCH)
    done = 0
    for _ in range(EPOCHS):
        order = chance.permutation(len(messages))
        for start in range(0, len(order), BATCH):
            numbers = order[start : start + BATCH]
            slopes = _slopes(rows, out, bags.batch(numbers), truth[numbers], weight[numbers], chance)
            for step, slope in zip(steps, slopes, strict=True):
                step.take(slope, _pace(done / every))
            done += 1
    return Network(index, rows, out)


def _numbered(messages: list[list[set[str]]]) -> dict[str, int]:
    seen: dict[str, int] = {}
    for message in messages:
        for name in set().union(*message):
            seen[name] = seen.get(name, 0) + 1
    kept = sorted(name for name, times in seen.items() if times >= _fewest(name))
    return {name: number for number, name in enumerate(kept)}


def _fewest(name: str) -> int:
    """Return in how many messages a feature must be to count: pairs are many, and most of them tell nothing."""
    if GAP in name:
        return MIN_GAPS
    return MIN_PAIRS if " " in name and name[0] != "{" else FEWEST


def _slopes(
    rows: np.ndarray,
    out: np.ndarray,
    batch: tuple[np.ndarray, np.ndarray, np.ndarray],
    truth: np.ndarray,
    weight: np.ndarray,
    chance: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return in which direction rows and what hidden sums speak for make the scores of these messages worse."""
    columns, row, message = batch
    kinds = out.shape[1]
    seen = ((chance.random(len(columns)) >= OVERLOOKED) / (1 - OVERLOOKED)).astype(np.float32)
    sums = np.tile(rows[-1], (len(message), 1))
    sums += _added(rows[columns] * seen[:, None], row, len(message))
    above = np.maximum(sums[:, kinds:], 0)
    scores = sums[:, :kinds] + above @ out
    best = np.full(truth.shape, -np.inf)
    np.maximum.at(best, message, scores)
    likely = np.exp((scores - best[message]) / SOFT)
    together = np.zeros(truth.shape)
    np.add.at(together, message, likely)
    pooled = best + SOFT * np.log(together)
    wrong = (1 / (1 + np.exp(-pooled)) - truth) * weight[:, None] / len(truth)
    slope = (wrong[message] * likely / together[message]).astype(np.float32)
    behind = np.hstack([slope, (slope @ out.T) * (above > 0)])
    of_rows = np.zeros_like(rows)
    order = np.argsort(columns, kind="stable")
    firsts = np.flatnonzero(np.diff(columns[order], prepend=-1))
    of_rows[columns[order][firsts]] = np.add.reduceat((behind[row] * seen[:, None])[order], firsts)
    of_rows[-1] = behind.sum(axis=0)
    return of_rows, above.T @ slope


def _added(numbers: np.ndarray, row: np.ndarray, rows: int) -> np.ndarray:
    """Return the sum of the numbers of each row; a row may have none."""
    firsts = np.flatnonzero(np.diff(row, prepend=-1))
    found = np.zeros((rows, numbers.shape[1]), dtype=numbers.dtype)
    found[row[firsts]] = np.add.reduceat(numbers, firsts)
    return found


def _pace(done: float) -> float:
    """Return how far a step goes: more and more at first, then less and less."""
    if done < WARM:
        return PACE * (0.04 + 0.96 * done / WARM)
    return PACE * 0.5 * (1 + np.cos(np.pi * (done - WARM) / (1 - WARM)))


class _Step:
    """Steps of Adam with a pull to nought, for one table of numbers."""

    def __init__(self, numbers: np.ndarray) -> None:
        self._numbers = numbers
        self._mean, self._square = np.zeros_like(numbers), np.zeros_like(numbers)
        self._taken = 0

    def take(self, slope: np.ndarray, pace: float) -> None:
        """Go one step against the slope."""
        self._taken += 1
        self._mean += np.float32(0.1) * (slope - self._mean)
        self._square += np.float32(0.001) * (slope * slope - self._square)
        length = np.sqrt(self._square)
        # Both means are too small at first, by a known share.
        length += np.float32(1e-8)
        length *= np.float32((1 - 0.9**self._taken) / np.sqrt(1 - 0.999**self._taken))
        self._numbers *= np.float32(1 - pace * PULL)
        self._numbers -= np.float32(pace) * (self._mean / length)
