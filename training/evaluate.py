"""Measure encoders alone, without words or fusion, on the public sets.

    python training/evaluate.py BENCH [ENCODER ...]

BENCH is a folder with `locomo`, `devmembench`, `devbench` and `memorycode`. An ENCODER is the folder of a model of ours
(default: the one that ships), `wordllama`, or `model2vec:FOLDER`. LoCoMo is for evaluation only: run this on
models that are finished, never to choose one. R@k is the share of the right texts found; a haystack is a conversation.
"""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from holdfast.recall.embed import HOME, Model, plain, words

Encode = Callable[[list[str], bool], np.ndarray]


class Haystack(NamedTuple):
    """Texts with their ids, and questions with the ids of the right texts."""

    ids: list[str]
    texts: list[str]
    questions: list[tuple[str, set[str]]]


def locomo(bench: Path) -> Iterator[Haystack]:
    """Yield each conversation: a document a turn, with the name of who speaks."""
    for sample in json.loads((bench / "locomo" / "locomo10.json").read_text()):
        talk = sample["conversation"]
        sessions = [turns for name, turns in talk.items() if name.startswith("session_") and isinstance(turns, list)]
        turns = [turn for session in sessions for turn in session]
        ids = [turn["dia_id"] for turn in turns]
        asked = [(item["question"], set(item["evidence"]) & set(ids)) for item in sample["qa"]]
        texts = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        yield Haystack(ids, texts, [(question, right) for question, right in asked if right])


def devmembench(bench: Path) -> Iterator[Haystack]:
    """Yield the coding sessions, a document each."""
    sessions = json.loads((bench / "devmembench" / "sessions.json").read_text())
    questions = json.loads((bench / "devmembench" / "questions.json").read_text())
    texts = ["\n".join(message["content"] for message in session["messages"]) for session in sessions]
    asked = [(item["question"], set(item["haystackSessionIds"])) for item in questions]
    yield Haystack([s["sessionId"] for s in sessions], texts, [(question, right) for question, right in asked if right])


def devbench(bench: Path) -> Iterator[Haystack]:
    """Yield the developer memories."""
    data = json.loads((bench / "devbench" / "dataset.json").read_text())
    ids = [memory["id"] for memory in data["memories"]]
    asked = [(item["question"], set(item["expected_tags"]) & set(ids)) for item in data["queries"]]
    texts = [memory["content"] for memory in data["memories"]]
    yield Haystack(ids, texts, [(question, right) for question, right in asked if right])


def memorycode(bench: Path) -> Iterator[Haystack]:
    """Yield each dialogue of ten sessions or more: the rule is asked for, the session that states it is right."""
    for path in sorted((bench / "memorycode" / "dataset").glob("*.json")):
        sessions = json.loads(path.read_text())["sessions"]
        if len(sessions) < 10:
            continue
        right: dict[str, set[str]] = collections.defaultdict(set)
        for number, session in enumerate(sessions):
            for topic, kind in zip(session["topic"], session["type"], strict=False):
                if kind.startswith("instruction"):
                    right[topic].add(str(number))
        texts = [session["text"] for session in sessions]
        yield Haystack([str(number) for number in range(len(sessions))], texts, list(right.items()))


SETS = {"locomo": locomo, "devmembench": devmembench, "devbench": devbench, "memorycode": memorycode}


def without_common(haystack: Haystack, share: float = 0.15) -> Haystack:
    """Return the haystack with its questions freed of words that stand in more than that share of its texts."""
    counts = collections.Counter(word for text in haystack.texts for word in {plain(w) for w in words(text)})
    common = {word for word, count in counts.items() if count > share * len(haystack.texts)}
    questions = []
    for question, right in haystack.questions:
        left = [word for word in words(question) if plain(word) not in common]
        questions.append((" ".join(left) or question, right))
    return haystack._replace(questions=questions)


def measured(haystacks: list[Haystack], encode: Encode) -> dict[str, float]:
    """Return R@1, R@5, R@10 and MRR in per cent over the questions of all haystacks."""
    found: dict[str, list[float]] = collections.defaultdict(list)
    for haystack in haystacks:
        texts = encode(haystack.texts, False)
        queries = encode([question for question, _ in haystack.questions], True)
        order = np.argsort(-(queries @ texts.T), axis=1, kind="stable")
        for (_, right), ranked in zip(haystack.questions, order, strict=True):
            hits = [rank for rank, at in enumerate(ranked) if haystack.ids[at] in right]
            for most in (1, 5, 10):
                found[f"R@{most}"].append(sum(rank < most for rank in hits) / len(right))
            found["MRR"].append(1 / (hits[0] + 1))
    return {name: 100 * float(np.mean(values)) for name, values in found.items()}


def ours(folder: str) -> Encode:
    """Return a model of ours as an encoder."""
    model = Model.open(folder)
    return lambda texts, query: np.array(model.encode_many(texts, query), np.float32)


def wordllama() -> Encode:
    """Return wordllama as an encoder; its wheel needs a link from `tokenizer` to its folder `tokenizers`."""
    from wordllama import WordLlama

    loaded = WordLlama.load(disable_download=True)
    return lambda texts, _query: loaded.embed(texts, norm=True)


def model2vec(folder: str) -> Encode:
    """Return a model of model2vec as an encoder."""
    from model2vec import StaticModel

    loaded = StaticModel.from_pretrained(folder)

    def encode(texts: list[str], _query: bool) -> np.ndarray:
        vectors = loaded.encode(texts)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    return encode


def encoder(name: str) -> Encode:
    """Return the encoder of that name."""
    if name == "wordllama":
        return wordllama()
    return model2vec(name.removeprefix("model2vec:")) if name.startswith("model2vec:") else ours(name)


def main(bench: Path, names: list[str]) -> None:
    """Print a row for each encoder and set."""
    sets = {name: list(read(bench)) for name, read in SETS.items()}
    sets["locomo, common words dropped"] = [without_common(haystack) for haystack in sets["locomo"]]
    print("| encoder | set | R@1 | R@5 | R@10 | MRR |\n|---|---|---|---|---|---|")
    for name in names or [HOME]:
        encode = encoder(name)
        for label, haystacks in sets.items():
            figures = measured(haystacks, encode)
            print(
                f"| {Path(name).name} | {label} | "
                + " | ".join(f"{figures[k]:.1f}" for k in ("R@1", "R@5", "R@10", "MRR"))
                + " |"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
