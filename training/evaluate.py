"""Measure encoders alone, without words or fusion, side by side in one run.

    python training/evaluate.py FOLDER ... [--encoder ENCODER ...] [--locomo] [--json]

Each FOLDER holds sets that `benchmarks/recall_sets/sets.py` reads; `dev.tsv` is always among them. Texts are laid out
as recall stores them and ranked by the dot product of their vectors; a session is as near as its nearest passage. An
ENCODER is the folder of a model of ours (default: the one that ships), `wordllama`, or `model2vec:FOLDER`; `NAME=`
before it gives it another name in the table. Variants are chosen by dev sets, never by LoCoMo, so that is left out
unless asked for.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "benchmarks" / "recall_sets"))

from sets import Haystack, Passage, Question, find_sets

from holdfast.recall.embed import HOME, Model

Encode = Callable[[list[str], bool], np.ndarray]
# set, level, measure -> per cent
Figures = dict[tuple[str, str], dict[str, float]]
MEASURES = ("R@1", "R@5", "R@10", "MRR")


def dev_set(path: Path) -> list[Haystack]:
    """Return the dev set of single messages: a line is a message and the questions that it answers."""
    passages, questions = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        message, *asked = line.split("\t")
        passages.append(Passage(str(number), "", message))
        questions += [Question(f"{number}-{n}", text, frozenset([str(number)])) for n, text in enumerate(asked)]
    return [Haystack("dev", passages, questions)]


def all_sets(folders: list[Path], locomo: bool) -> dict[str, list[Haystack]]:
    """Return the sets of all folders by name."""
    found = {"dev.tsv": dev_set(HERE / "dev.tsv")}
    for folder in folders:
        for name, haystacks in find_sets(str(folder)).items():
            if locomo or name != "locomo":
                found.setdefault(name, []).extend(haystacks)
    return found


def marks(scores: np.ndarray, names: list[str], right: frozenset[str]) -> dict[str, float]:
    """Return the measures of one ranking; a name counts by the best of its scores, and equals keep their order."""
    ranked = list(dict.fromkeys(names[at] for at in np.argsort(-scores, kind="stable")))
    hits = [rank for rank, name in enumerate(ranked) if name in right]
    found = {f"R@{most}": sum(rank < most for rank in hits) / len(right) for most in (1, 5, 10)}
    return {**found, "MRR": 1 / (hits[0] + 1) if hits else 0.0}


def asked(haystack: Haystack, encode: Encode) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield level and measures for each question of a haystack."""
    texts = encode([passage.text for passage in haystack.passages], False)
    queries = encode([question.text for question in haystack.questions], True)
    ids = [passage.id for passage in haystack.passages]
    sessions = [passage.session for passage in haystack.passages]
    for question, scores in zip(haystack.questions, queries @ texts.T, strict=True):
        if question.passages:
            yield "turn", marks(scores, ids, question.passages)
        if question.sessions:
            yield "session", marks(scores, sessions, question.sessions)


def measured(sets: dict[str, list[Haystack]], encode: Encode) -> Figures:
    """Return the mean of each measure in per cent, and the number of questions, for each set and level."""
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    for name, haystacks in sets.items():
        for haystack in haystacks:
            for level, one in asked(haystack, encode):
                found.setdefault((name, level), []).append(one)
    return {
        key: {"questions": len(rows), **{m: 100 * float(np.mean([row[m] for row in rows])) for m in MEASURES}}
        for key, rows in found.items()
    }


def ours(folder: str) -> Encode:
    """Return a model of ours as an encoder."""
    model = Model.open(folder)
    return lambda texts, query: np.array(model.encode_many(texts, query), np.float32)


def wordllama() -> Encode:
    """Return wordllama as an encoder, by the weights and the tokenizer that lie in its wheel: nothing is downloaded."""
    import wordllama as package

    # The wheel has its tokenizer where the loader looks for a cache, not where it looks for what was installed.
    home = Path(package.__file__).parent
    loaded = package.WordLlama.load(cache_dir=home, disable_download=True)
    return lambda texts, _query: _of_length_one(loaded.embed(texts))


def model2vec(folder: str) -> Encode:
    """Return a model of model2vec as an encoder."""
    from model2vec import StaticModel

    loaded = StaticModel.from_pretrained(folder)
    # By default a text is cut after 512 tokens; ours is not, so that neither is.
    return lambda texts, _query: _of_length_one(loaded.encode(texts, max_length=None))


def _of_length_one(vectors: np.ndarray) -> np.ndarray:
    # A text without a known word is no number to some; here it is nothing, and comes last.
    vectors = np.nan_to_num(vectors)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def encoder(name: str) -> Encode:
    """Return the encoder of that name."""
    if name == "wordllama":
        return wordllama()
    return model2vec(name.removeprefix("model2vec:")) if name.startswith("model2vec:") else ours(name)


def table(by_encoder: dict[str, Figures]) -> Iterator[str]:
    """Yield the lines of a table: a row for each set and level, a column for each encoder."""
    yield "| set | level | questions | " + " | ".join(by_encoder) + " |"
    yield "|---" * (3 + len(by_encoder)) + "|"
    for (name, level), first in next(iter(by_encoder.values())).items():
        cells = [" / ".join(f"{found[name, level][m]:.1f}" for m in MEASURES) for found in by_encoder.values()]
        yield f"| {name} | {level} | {first['questions']:.0f} | " + " | ".join(cells) + " |"


def main(arguments: list[str]) -> int:
    """Print R@1 / R@5 / R@10 / MRR of each encoder on each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--encoder", action="append", default=[])
    parser.add_argument("--locomo", action="store_true", help="also LoCoMo, once, for a model that is settled on")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    sets = all_sets(options.folders, options.locomo)
    by_encoder = {}
    for given in options.encoder or [f"ours={HOME}"]:
        name, _, of = given.rpartition("=")
        by_encoder[name or Path(of).name] = measured(sets, encoder(of))
    if options.json:
        flat = {e: {" ".join(key): row for key, row in found.items()} for e, found in by_encoder.items()}
        print(json.dumps(flat, indent=1))
    else:
        print("\n".join(table(by_encoder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
