"""How one asks about something that has a name: what the words of such a question mean beside what they say.

Who asks "whom do I call when billing is down?" wants the fact that says where its alerts go, which shares no word with
that. The model's rows are the same for questions and facts, so here are offsets for those of words that questions have.
They count only in what a question says besides its names (`recall/statements.py`); no stored vector has them.

`model/wording.bin` belongs to one version of the model (`training/wording.py` writes it). Little-endian, in this order:

    magic   8 bytes | version of the model 64 bytes, padded with NUL | rows, dim: uint32
    rows    uint32[rows]     the rows of the model that have an offset
    scales  float32[rows]    what a step of the offset's numbers is worth
    table   uint8[rows][dim] the offsets; 128 is zero
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.recall.embed import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.recall.embed import Model

MAGIC = b"HFWORD\x00\x01"
HEADER = 80
PATH = os.path.join(HOME, "wording.bin")
_OPENED: dict[str, Wording | None] = {}


class Wording:
    """The opened file."""

    def __init__(self, data: memoryview) -> None:
        count, self.dim = data[72:HEADER].cast("I")
        ends = [HEADER, HEADER + 4 * count, HEADER + 8 * count, HEADER + 8 * count + count * self.dim]
        rows, scales, self._table = (data[start:end] for start, end in pairwise(ends))
        self.version = bytes(data[8:72]).rstrip(b"\0").decode("ascii", "replace")
        self.is_whole = bytes(data[:8]) == MAGIC and len(data) == ends[-1]
        self.places = dict(zip(rows.cast("I"), range(count), strict=True)) if self.is_whole else {}
        self.scales = scales.cast("f") if self.is_whole else ()

    def encode(self, model: Model, text: str, damp: Mapping[str, float]) -> list[float]:
        """Return the vector of what a question asks of something that has a name; `damp` takes the name out."""
        return model.encode_moved(text, damp, self.places, self.scales, self._table)


def wording_of(model: Model, path: str = PATH) -> Wording | None:
    """Return the offsets for this model, or None where there are none that belong to it."""
    if path not in _OPENED:
        try:
            with open(path, "rb") as file:
                data = file.read()
            _OPENED[path] = Wording(memoryview(data)) if len(data) > HEADER else None
        except OSError:
            _OPENED[path] = None
    found = _OPENED[path]
    is_its = found is not None and found.is_whole and (found.version, found.dim) == (model.version, model.dim)
    return found if is_its else None
