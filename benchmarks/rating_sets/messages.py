"""What people say about an agent's work, with the rating that a careful colleague would see in it.

`GUIDE.md` beside this file says how. `explicit.tsv` is about ratings by a number. In `written_*.tsv` and `drawn_*.tsv`
praise and frustration are in the words. Of drawn messages only ids and labels are here; their texts are found again in
a folder of transcripts, by the id. Rules are written with `explicit.tsv` and `dev`; only what they
find in `held` counts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.reading.base import Reading
from holdfast.errors import BadInput

PARTS = ("dev", "held")
LABELS = ("praise", "frustration", "none")
# All drawn messages are in this language, as the person who labelled them read them.
DRAWN_LANGUAGE = "en"
FOLDER = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Explicit:
    """A message with the number that it gives, `None` if it gives none; `answer` is what the agent said before."""

    id: str
    language: str
    rating: int | None
    comment: str
    answer: str
    text: str


@dataclass(frozen=True)
class Message:
    """A message and its label, one of `LABELS`. `source` is `written` or `drawn`."""

    id: str
    language: str
    label: str
    text: str
    source: str


def explicit() -> list[Explicit]:
    """Return the messages that may be a rating by a number."""
    return [
        Explicit(
            id,
            language,
            None if rating == "-" else int(rating),
            unescaped(comment),
            unescaped(answer),
            unescaped(text),
        )
        for id, language, rating, comment, answer, text in _rows("explicit.tsv", 6)
    ]


def load(part: str, data: str = "") -> list[Message]:
    """Return the messages of a part: the written ones, and those drawn ones whose text is below `data`."""
    texts = drawn_texts(data) if data else {}
    labels = drawn_labels(part)
    drawn = (Message(id, DRAWN_LANGUAGE, label, texts[id], "drawn") for id, label in labels.items() if id in texts)
    return [*written(part), *drawn]


def left_out(part: str, loaded: list[Message]) -> int:
    """Return how many drawn messages of a part are not among those loaded."""
    return len(drawn_labels(part)) - sum(message.source == "drawn" for message in loaded)


def written(part: str) -> list[Message]:
    """Return the messages that were written for this set."""
    rows = _rows(f"written_{_known(part)}.tsv", 4)
    return [Message(id, language, label, unescaped(text), "written") for id, language, label, text in rows]


def drawn_labels(part: str) -> dict[str, str]:
    """Return the label of each drawn message by id."""
    return {row[0]: row[1] for row in _rows(f"drawn_{_known(part)}.tsv", 2)}


def _known(part: str) -> str:
    if part not in PARTS:
        raise BadInput(f"there is no part {part!r}", f"There are {' and '.join(PARTS)}.")
    return part


def _rows(name: str, columns: int) -> Iterator[list[str]]:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as lines:
        for line in lines:
            row = line.rstrip("\n").split("\t")
            if len(row) != columns:
                raise BadInput(f"{name}: {len(row)} columns in {row[0]!r}, not {columns}")
            yield row


def id_of(text: str) -> str:
    """Return the id of a message, which does not depend on its white space."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()[:16]


def part_of(id: str) -> str:
    """Return the part to which the id of a drawn message belongs."""
    return "dev" if hashlib.sha256(id.encode()).hexdigest()[0] < "8" else "held"


def drawn_texts(folder: str) -> dict[str, str]:
    """Return what people typed in the transcripts below a folder, by id."""
    texts: dict[str, str] = {}
    for readings in _sessions(folder):
        for reading in readings:
            for event in reading:
                if event.role == "human" and event.text.strip():
                    texts.setdefault(id_of(event.text), event.text)
    return texts


def unescaped(text: str) -> str:
    r"""Return a text as it was typed, from one where `\n`, `\t` and `\\` stand for a line end, a tab, a backslash."""
    pieces = (piece.replace("\\n", "\n").replace("\\t", "\t") for piece in text.split("\\\\"))
    return "\\".join(pieces)


def _sessions(folder: str) -> Iterator[Iterator[Reading]]:
    """Yield what is read of each path below a folder that an agent knows as its own."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        if readings := _read(parent):
            # A folder that is one session: its files are parts of it.
            folders.clear()
            yield readings
            continue
        yield from filter(None, (_read(os.path.join(parent, name)) for name in sorted(names)))


def _read(path: str) -> Iterator[Reading] | None:
    found = (agents.get(name).read_session(path) for name in agents.names())
    return next((readings for readings in found if readings is not None), None)
