"""Human messages with the classes that a careful colleague would give them; `GUIDE.md` beside this file says which.

Of the messages in `written_*.tsv` and `indirect_held.tsv` the files hold everything: id, language, labels, text. Of
those in `drawn_*.tsv` they hold id and labels only; their texts are found again in a folder of transcripts, by the id.
Weights are learned with `dev` and with the messages of more writers in `training/triggers/writers/`; only what is found
in `held` counts. A drawn message is in `held` or in `dev` by its id alone, a written one is where its file says.
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
# Written ones as people talk, and ones whose writers were told to avoid the usual words; `dev` has the first only.
WRITTEN = {"dev": ("written",), "held": ("written", "indirect")}
CLASSES = ("correction", "decision", "architecture", "priority", "value", "preference", "remember")
# All drawn messages are in this language, as the person who labelled them read them.
DRAWN_LANGUAGE = "en"
FOLDER = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Message:
    """One message; no label means that nothing in it is worth writing down.

    `source` is `written`, `indirect` or `drawn`.
    """

    id: str
    language: str
    labels: frozenset[str]
    text: str
    source: str


def load(part: str, data: str = "") -> list[Message]:
    """Return the messages of a part: the written ones, and those drawn ones whose text is below `data`."""
    texts = drawn_texts(data) if data else {}
    drawn = drawn_labels(part)
    return [
        *written(part),
        *(Message(id, DRAWN_LANGUAGE, labels, texts[id], "drawn") for id, labels in drawn.items() if id in texts),
    ]


def left_out(part: str, loaded: list[Message]) -> int:
    """Return how many drawn messages of a part are not among those loaded."""
    return len(drawn_labels(part)) - sum(message.source == "drawn" for message in loaded)


def written(part: str) -> list[Message]:
    """Return the messages that were written for this set."""
    _check(part)
    return [
        message for source in WRITTEN[part] for message in read(os.path.join(FOLDER, f"{source}_{part}.tsv"), source)
    ]


def read(path: str, source: str = "written") -> list[Message]:
    """Return the messages of a file."""
    return [
        Message(id, language, _labels(labels), unescaped(text), source) for id, language, labels, text in _rows(path, 4)
    ]


def drawn_labels(part: str) -> dict[str, frozenset[str]]:
    """Return the labels of the drawn messages by id."""
    _check(part)
    return {id: _labels(labels) for id, labels in _rows(os.path.join(FOLDER, f"drawn_{part}.tsv"), 2)}


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


def _labels(joined: str) -> frozenset[str]:
    return frozenset() if joined == "-" else frozenset(joined.split(","))


def _check(part: str) -> None:
    if part not in PARTS:
        raise BadInput(f"there is no part {part!r}", f"There are {' and '.join(PARTS)}.")


def _rows(path: str, columns: int) -> Iterator[list[str]]:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = line.rstrip("\n").split("\t")
            if len(row) != columns:
                name = os.path.basename(path)
                raise BadInput(f"{name}: {len(row)} columns in {row[0]!r}, not {columns}")
            yield row


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
