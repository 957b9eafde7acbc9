"""Learns how much each word, pair of words and cue speaks for each kind of statement, and writes it down.

    python training/triggers/learn.py REAL             what is found in the messages of people whom it did not see
    python training/triggers/learn.py REAL WEIGHTS     the same, and training/triggers/words/weights.txt; then pack.py

REAL is a folder of messages that real people typed to agents, labelled, as `holdfast bench triggers` reads them. They
are other people's words and not in the repository. Only they measure anything, and only they set the thresholds. What
was written for this (`writers/`, the files beside this one) is learned from, too: real people state few values
and priorities, and without it hardly any would be known.

A small network (`network.py`) over the features of a sentence (`language/triggers.py`), some of them added up. Labels
belong to messages, but a sentence is judged: a message has a kind if its best sentence has it. A kind is a candidate
above one score and told as a fact above another; both are chosen on people who were left out in turn.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from network import Network, taught
from written import messages_of, sentences_of

from holdfast.language.triggers import LEARNED, features, judged, of_before, own_sentences

# What is told as a fact is at least arguable in so many of a hundred cases, and clear in so many.
PRECISE, CLEAR = 0.86, 0.5
# A kind of which fewer are told cannot be measured, so none is.
MIN_TOLD = 20
# In so many of all messages there may be a candidate.
CANDIDATES = 0.13
# People are left out in so many groups.
GROUPS = 4
# How much a real message counts beside a written one: once with what the agent said before, once without.
REAL = 4.0
# An arguable label counts so much of a clear one.
ARGUABLE = 0.25
# How much a line of the sentences that were written for this counts beside a labelled message.
LINE = 1.5
# A weight is kept in hundredths, and of so many features: the table stays below two megabytes.
STEPS = 100
MAX_FEATURES = 54_000
LINES = ("said_en", "said_de", "seen_en", "told_en", "told_de")
# No score is as high: what has this threshold is never told.
NEVER = 99.0


class Example(NamedTuple):
    """A message to learn from: who typed it ("" if it was written for this), its weight, labels and features."""

    writer: str
    weight: float
    labels: list[float]
    arguable: list[bool]
    sentences: list[set[str]]


class Thresholds(NamedTuple):
    """Above which score each kind is a candidate, and above which it is told as a fact."""

    candidate: np.ndarray
    told: np.ndarray


def main() -> int:
    """Learn, and print how well what was learned finds the kinds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", help="a folder of labelled messages")
    parser.add_argument("weights", nargs="?", help="the file to write")
    options = parser.parse_args()
    real = of_people(Path(options.real))
    others = [one for one in of_writers() + of_lines() if one.sentences]
    with ProcessPoolExecutor() as pool:
        everything = pool.submit(learn, [*both_ways(real), *others]) if options.weights else None
        scores = crossed(real, others, pool)
        limits = thresholds(scores, real)
        show(scores, limits, real)
        if everything:
            write(Path(options.weights), everything.result(), limits)
    return 0


def of_people(folder: Path) -> list[Example]:
    """Return the real messages, with what the agent had said before."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [
        example(one["text"], one["labels"], one["arguable"], writer=one["writer"], weight=REAL, before=one["before"])
        for one in map(json.loads, lines)
    ]


def both_ways(real: list[Example]) -> list[Example]:
    """Return real messages with and without what the agent had said before: not everybody who asks knows it."""
    plain = [
        one._replace(sentences=[{name for name in each if name[:3] != "{b "} for each in one.sentences]) for one in real
    ]
    return real + plain


def of_writers() -> list[Example]:
    """Return the messages that were written for this; what two of the writers wrote ("sure") counts once."""
    rows = [row for path in sorted((HERE / "writers").glob("*.tsv")) for row in messages_of(path)]
    unique = {" ".join(text.split()): (text, labels) for labels, text in reversed(rows)}
    return [example(text, labels) for text, labels in unique.values()]


def of_lines() -> list[Example]:
    """Return the sentences out of lines with slots."""
    made = [one for name in LINES for one in sentences_of(HERE, name)]
    return [example(text, labels, weight=LINE * share) for labels, text, share in made]


def example(
    text: str, labels: Any, arguable: Any = (), *, writer: str = "", weight: float = 1.0, before: str = ""
) -> Example:
    """Return a message as what it counts by."""
    parts = own_sentences(text)
    cues, names = judged(parts)
    said = of_before(before, parts)
    own = next((place for place, each in enumerate(cues) if "paste" in each), len(parts))
    found = [(features(place, parts, cues, names) | said) - {"{}"} for place in range(own)]
    wanted = [1.0 if kind in labels else ARGUABLE if kind in arguable else 0.0 for kind in LEARNED]
    return Example(writer, weight, wanted, [kind in arguable for kind in LEARNED], found)


def crossed(real: list[Example], others: list[Example], pool: ProcessPoolExecutor) -> np.ndarray:
    """Return the scores of real messages by what was learned from other people."""
    people = sorted({one.writer for one in real})
    groups = [set(people[start::GROUPS]) for start in range(GROUPS)]
    apart = [[*both_ways([one for one in real if one.writer not in group]), *others] for group in groups]
    scores = np.full((len(real), len(LEARNED)), -NEVER)
    for group, learned in zip(groups, pool.map(learn, apart), strict=True):
        for place, one in enumerate(real):
            if one.writer in group and one.sentences:
                scores[place] = learned.scores(one.sentences)
    return scores


def learn(examples: list[Example]) -> Network:
    """Return a network that learned from these messages."""
    truth = np.array([one.labels for one in examples])
    return taught([one.sentences for one in examples], truth, np.array([one.weight for one in examples]))


def thresholds(scores: np.ndarray, real: list[Example]) -> Thresholds:
    """Return the lowest scores at which what is told is precise enough, and candidates are not too many."""
    clear = np.array([[label == 1 for label in one.labels] for one in real])
    right = clear | np.array([one.arguable for one in real])
    told = np.full(len(LEARNED), NEVER)
    for kind in range(len(LEARNED)):
        order = np.argsort(-scores[:, kind])
        count = np.arange(1, len(order) + 1)
        enough = (np.cumsum(right[order, kind]) >= PRECISE * count) & (np.cumsum(clear[order, kind]) >= CLEAR * count)
        last = int(np.flatnonzero(enough)[-1]) if enough.any() else -1
        if last + 1 >= MIN_TOLD:
            told[kind] = scores[order[last : last + 2], kind].mean()
    level = np.quantile(scores.max(axis=1), 1 - CANDIDATES)
    return Thresholds(np.minimum(told, level), told)


def show(scores: np.ndarray, limits: Thresholds, real: list[Example]) -> None:
    """Print what is told of people who were left out, and how many of their statements are at least candidates."""
    clear = np.array([[label == 1 for label in one.labels] for one in real])
    right = clear | np.array([one.arguable for one in real])
    told, either = scores > limits.told, scores > limits.candidate
    for place, kind in enumerate(LEARNED):
        said = told[:, place]
        print(
            f"  {kind:13} told {said.sum():4}: {(clear[:, place] & said).sum():4} clear,"
            f" {(right[:, place] & said).sum():4} at least arguable; {clear[:, place].sum():4} clear ones in all,"
            f" {(clear[:, place] & either[:, place]).sum():4} at least candidates"
        )
    silent = ~right.any(axis=1)
    print(
        f"  together: precision {right[told].mean():.3f}, strict {clear[told].mean():.3f},"
        f" recall {(clear & told).sum() / clear.sum():.3f}; with candidates {(clear & either).sum() / clear.sum():.3f}"
        f" in {either.any(axis=1).mean():.3f} of all messages; of {silent.sum()} that say nothing"
        f" {told[silent].any(axis=1).mean():.4f} give a fact"
    )


def write(path: Path, learned: Network, limits: Thresholds) -> None:
    """Write the weights: a kind is a candidate where its score is positive, and told from `Sure` on."""
    index, weights = learned.index, learned.rows.copy()
    weights[-1, : len(LEARNED)] -= limits.candidate
    steps = np.rint(weights * STEPS).astype(int)
    out = "; ".join(" ".join(map(str, row)) for row in np.rint(learned.out * STEPS).astype(int))
    sure = " ".join(map(str, np.rint((limits.told - limits.candidate) * STEPS).astype(int)))
    strongest = np.argsort(-np.abs(steps[:-1]).sum(axis=1), kind="stable")[:MAX_FEATURES]
    names = list(index)
    kept = [(names[number], steps[number]) for number in strongest]
    # In the order of their letters: so they are found without reading them all.
    lines = sorted(f"{name}\t{' '.join(map(str, row))}" for name, row in [("{}", steps[-1]), *kept])
    head = f"{HEAD}# Sure: {sure}\n# Out: {out}\n# Kinds: {' '.join(LEARNED)}\n"
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} features")


HEAD = """# Made by training/triggers/learn.py, not by hand: what a feature adds for each kind and to each hidden unit.
# All numbers are in hundredths. A hidden unit that is positive speaks for each kind by its numbers in `Out`.
# A kind is a candidate where its score is positive, and told as a fact where it is above its number in `Sure`.
# A feature is:
#   a word; a pair of words or signs (^ begins a sentence, $ ends it), with _ one is between; word* a beginning;
#   <x> a list or shape of a word; {b x} what the agent had said before;
#   [x] a cue; {x} place, length and neighbours of the sentence; {} what is added to every sentence.
"""


if __name__ == "__main__":
    sys.exit(main())
