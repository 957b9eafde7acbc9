"""Learns how much each word, pair of words and cue speaks for each kind of statement, and writes it down.

    python training/triggers/learn.py --cross          what is found in the messages of a writer whom it did not see
    python training/triggers/learn.py WEIGHTS          training/triggers/words/weights.txt; pack.py comes after it
        [--data FOLDER]                                transcripts in which the texts of the drawn messages are found

A small network (`network.py`) over the features of a sentence (`language/triggers.py`), some of them added up. Labels
belong to messages, but a sentence is judged: a message has a kind if its best sentence has it. It learns from the
labelled messages of `dev`, from those of the writers in `writers/`, and from the lines of the files beside it, which
measure nothing.

A kind is found above a score that is chosen on messages of writers who were left out in turn.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks" / "trigger_sets"))
sys.path.insert(0, str(HERE))

from messages import id_of, load, part_of, read
from network import Network, taught
from written import sentences_of

from holdfast.language.triggers import KINDS, LANGUAGES, features, judged, own_sentences

# At least this precision and this recall: a threshold is as far above the one as above the other. Asked for is a
# precision of 0.85; the writers wrote more that only looks like a kind than others do, and on held messages precision
# was three to six points higher than on writers left out. Who asks to remember something must not be overlooked.
PRECISE, FOUND = 0.81, {kind: 0.9 if kind == "remember" else 0.75 for kind in KINDS}
# The more frequent a kind is, the fewer of its finds are wrong: precision is reckoned as if each were in this share.
USUAL = 0.13
# Writers are left out in so many groups.
GROUPS = 5
# How much a line of the sentences that were written for this counts beside a labelled message.
WRITTEN = 1.5
# A weight is kept in hundredths; one that is less for every kind is left out.
STEPS = 100
LEAST = 8
# The phrases were written while looking at these, so they are no measure.
FIRST = "first"
# Who wrote as people talk, not to say things in unusual words or to look like what they are not.
PLAIN = ("dev", "a", "b", "c", "d", "e", "f", "aa", "ab", "ac", "ad", "af", "ag", "am", "an", "ap")
# Sentences that were written after misses in the messages of a writer had been read.
READ = {"dev": ("seen_en", "told_en", "told_de"), "b": ("told_en", "told_de"), "c": ("seen_en", "told_en", "told_de")}
WRITTEN_FILES = ("said_en", "said_de", "seen_en", "told_en", "told_de")


class Example(NamedTuple):
    """A message to learn from: who wrote it, its language, its weight, its labels, the features of each sentence."""

    writer: str
    language: str
    weight: float
    labels: list[bool]
    sentences: list[set[str]]


def main() -> int:
    """Learn, and print how well what was learned finds the kinds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", nargs="?", help="the file to write")
    parser.add_argument("--cross", action="store_true", help="print the figures by writer, too")
    parser.add_argument("--data", default="", help="a folder of transcripts with the drawn messages")
    options = parser.parse_args()
    examples = labelled(options.data) + written()
    scores, tested = crossed(examples)
    limits = {language: thresholds(language, scores, examples) for language in LANGUAGES}
    over = scores - np.array([limits[one.language] for one in examples])
    show("writers left out in turn", over, examples, tested)
    show("who wrote as people talk", over, examples, np.array([one.writer in PLAIN for one in examples]))
    for name in (*LANGUAGES, *writers_of(examples)) if options.cross else ():
        show(name, over, examples, tested & np.array([name in (one.writer, one.language) for one in examples]))
    if options.weights:
        write(Path(options.weights), examples, limits)
    return 0


def labelled(data: str) -> list[Example]:
    """Return the labelled messages of dev and of the writers; what two of them wrote ("sure") counts once."""
    found: dict[str, Example] = {}
    for message in load("dev", data):
        writer = message.source
        if writer == "written":
            writer = FIRST if part_of(message.id) == "dev" else "dev"
        found[message.id] = example(writer, 1.0, message.labels, message.text)
    for path in sorted((HERE / "writers").glob("*.tsv")):
        for message in read(str(path)):
            # Writers number their messages, and two of them may choose the same words.
            found.setdefault(id_of(message.text), example(path.stem, 1.0, message.labels, message.text))
    return [one for one in found.values() if one.sentences]


def written() -> list[Example]:
    """Return the sentences that were written to learn from."""
    return [
        example(name, WRITTEN * share, labels, text)
        for name in WRITTEN_FILES
        for labels, text, share in sentences_of(HERE, name)
    ]


def example(writer: str, weight: float, labels: frozenset[str], text: str) -> Example:
    """Return a message as what it counts by."""
    parts = own_sentences(text)
    cues, names = judged(parts)
    found = []
    for place in range(len(parts)):
        if "paste" in cues[place]:
            break
        found.append(features(place, parts, cues, names) - {"{}"})
    language = "de" if found and "[de]" in found[0] else "en"
    return Example(writer, language, weight, [kind in labels for kind in KINDS], found)


def writers_of(examples: list[Example]) -> list[str]:
    """Return who wrote messages that are a measure."""
    return sorted({one.writer for one in examples} - {FIRST, *WRITTEN_FILES})


def truths(examples: list[Example]) -> np.ndarray:
    """Return the labels of all messages as a table."""
    return np.array([one.labels for one in examples], dtype=float)


def crossed(examples: list[Example]) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of messages by what was learned from other writers, and of which messages there are some."""
    scores = np.full((len(examples), len(KINDS)), -99.0)
    writers = np.array([one.writer for one in examples])
    every = writers_of(examples)
    groups = [every[start::GROUPS] for start in range(GROUPS)]
    with ProcessPoolExecutor() as pool:
        found = pool.map(learn, [without(group, examples) for group in groups])
    for group, learned in zip(groups, found, strict=True):
        for place in np.flatnonzero(np.isin(writers, group)):
            scores[place] = learned.scores(examples[place].sentences)
    return scores, np.isin(writers, every)


def without(writers: list[str], examples: list[Example]) -> list[Example]:
    """Return the messages that neither are by these writers nor were written after theirs had been read."""
    read = {name for writer in writers for name in READ.get(writer, ())}
    out = {*writers, *read, *((FIRST,) if "dev" in writers else ())}
    return [one for one in examples if one.writer not in out]


def learn(examples: list[Example]) -> Network:
    """Return a network that learned from these messages."""
    messages, weight = [one.sentences for one in examples], np.array([one.weight for one in examples])
    return taught(messages, truths(examples), weight)


def thresholds(language: str, scores: np.ndarray, examples: list[Example]) -> np.ndarray:
    """Return for each kind the score above which precision and recall are best, both measured from what is asked."""
    writers = writers_of(examples)
    which = np.array([one.language == language and one.writer in writers for one in examples])
    truth = truths(examples)
    found = []
    for place, kind in enumerate(KINDS):
        order = np.flatnonzero(which)[np.argsort(-scores[which, place])]
        right, wrong = np.cumsum(truth[order, place]), np.cumsum(1 - truth[order, place])
        rarer = min(1.0, USUAL / (1 - USUAL) * wrong[-1] / right[-1])
        precision, recall = right * rarer / (right * rarer + wrong), right / right[-1]
        last = int(np.argmax(np.minimum(precision - PRECISE, recall - FOUND[kind])))
        found.append(scores[order[last : last + 2], place].mean())
    return np.array(found)


def show(name: str, over: np.ndarray, examples: list[Example], which: np.ndarray) -> None:
    """Print precision and recall of each kind in some messages."""
    print(f"{name}: {which.sum()} messages")
    truth = truths(examples)
    for place, kind in enumerate(KINDS):
        said, is_so = over[which, place] > 0, truth[which, place] > 0
        right = int((said & is_so).sum())
        figures = f"precision {right / max(1, said.sum()):.3f}  recall {right / max(1, is_so.sum()):.3f}"
        print(f"  {kind:13} {figures}  found {right} of {is_so.sum()}, wrongly {said.sum() - right}")


def write(path: Path, examples: list[Example], limits: dict[str, np.ndarray]) -> None:
    """Write the weights of all messages, so that a kind is found where its score is positive."""
    learned = learn(examples)
    index, weights = learned.index, learned.rows.copy()
    # Where the words do not tell the language, it is taken for English.
    weights[-1, : len(KINDS)] -= limits["en"]
    weights[index["[de]"], : len(KINDS)] += limits["en"] - limits["de"]
    steps = np.rint(weights * STEPS).astype(int)
    out = "; ".join(" ".join(map(str, row)) for row in np.rint(learned.out * STEPS).astype(int))
    kept = [(name, steps[number]) for name, number in index.items() if np.abs(steps[number]).max() >= LEAST]
    # In the order of their letters: so they are found without reading them all.
    lines = sorted(f"{name}\t{' '.join(map(str, row))}" for name, row in [("{}", steps[-1]), *kept])
    path.write_text(f"{HEAD}# Out: {out}\n# Kinds: {' '.join(KINDS)}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} features")


HEAD = """# Made by training/triggers/learn.py, not by hand: what a feature adds for each kind and to each hidden unit.
# All numbers are in hundredths. A hidden unit that is positive speaks for each kind by its numbers in `Out`.
# A feature is:
#   a word; a pair of words or signs (^ begins a sentence, $ ends it), with _ one is between; word* a beginning;
#   <x> a list or shape of a word;
#   [x] a cue; {x} place, length and neighbours of the sentence; {} what is added to every sentence.
"""


if __name__ == "__main__":
    sys.exit(main())
