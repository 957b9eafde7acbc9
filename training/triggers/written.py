"""What was written to learn from: messages in `writers/`, and sentences out of the lines of `said_*.txt` and the like.

A line of a file in `writers/` has an id, the language, the labels and the text; `said_en.txt` tells the form of a line
with slots.
"""

from __future__ import annotations

import random
from pathlib import Path

# Of each line that many sentences are made.
TIMES = 4


def messages_of(path: Path) -> list[tuple[frozenset[str], str]]:
    """Return the labels and the text of each message, with its line ends, tabs and backslashes as they were typed."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(frozenset(labels.split(",")) - {"-"}, _typed(text)) for _, _, labels, text in rows]


def _typed(text: str) -> str:
    return "\\".join(piece.replace("\\n", "\n").replace("\\t", "\t") for piece in text.split("\\\\"))


def sentences_of(folder: Path, name: str) -> list[tuple[frozenset[str], str, float]]:
    """Return the labels, the text and the share in its line of each sentence that the lines of a file make."""
    chance = random.Random(name)
    lists = _lists(folder / f"said_{name[-2:]}.txt")
    found = []
    labels: frozenset[str] = frozenset()
    for line in (folder / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
        if line[:2] == "= ":
            labels = frozenset(line[2:].split()) - {"-"}
        elif line and line[0] not in "#@":
            made = {_tidy(_one(line, lists, chance)) for _ in range(2 * TIMES)}
            texts = sorted(made)[:TIMES]
            found += [(labels, text, 1 / len(texts)) for text in texts]
    return found


def _lists(path: Path) -> dict[str, list[str]]:
    lines = (line[2:].partition(": ") for line in path.read_text(encoding="utf-8").split("\n") if line[:2] == "@ ")
    return {name: words.split("|") for name, _, words in lines}


def _one(line: str, lists: dict[str, list[str]], chance: random.Random) -> str:
    """Return a line with one word for each of its slots, from the innermost on."""
    while "[" in line or "{" in line:
        end = next(place for place, letter in enumerate(line) if letter in "]}")
        start = max(line.rfind("[", 0, end), line.rfind("{", 0, end))
        inside = line[start + 1 : end]
        words = lists[inside] if line[end] == "}" else inside.split("|")
        line = f"{line[:start]}{chance.choice(words)}{line[end + 1 :]}"
    return line


def _tidy(text: str) -> str:
    return " ".join(text.replace(" ,", ",").split())
