"""Meaning: a text becomes a vector, by a static table that ships with the package.

A vector is the weighted sum of one row for each word, word piece and known phrase of the text, brought to length one;
two texts are as near as the dot product of their vectors. The table was trained to follow two sentence transformers:
`training/` has how.

The prompt hook uses this file, so it loads nothing but the rows that a text needs: both files are mapped, a word is
found through a hash table that lies in the file, and sums are made by Python's own long integers. No numpy, no `re`,
no dict of the vocabulary. `table.bin` is little-endian, in this order (`training/quantise.py` writes it):

    magic  8 bytes | layout, rows, dim, slots: uint32 | content hash 40 bytes | version 64 bytes, padded with NUL
    bias    float32[dim]     added to a vector of length one, which is then brought to length one again
    slots   uint32[slots]    row + 1, or 0; a word starts at its bytes, as a little-endian number, modulo `slots`
    starts  uint32[rows + 1] where the word of each row begins in `vocabulary.txt`
    scales  float32[rows]    what a step of the row's numbers is worth
    gains   float32[rows]    how much more a row counts in a query
    table   uint8[rows][dim] the rows; 128 is zero
"""

from __future__ import annotations

import mmap
import os
import sys
from _operator import mul

from holdfast.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

MAGIC = b"HFMEAN\x00\x01"
LAYOUT = 1
HEADER = 128
HOME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model")
MAX_WORD = 40
# So many words are remembered with what they are made of.
_MAX_WORDS = 20_000
_ZERO = 128
# Loading numpy takes as long as this many texts without it.
_MANY = 64
_HINT = "Reinstall Holdfast; until then recall searches by words alone."
# The sum of whole-number weights: times 255 it still fits a lane of 32 bits.
_WEIGHT_SUM = 1 << 24
# Up to this many it is quicker to go through them one by one.
_FEW = 30
_STEPS = 32_767
_UNSIGNED = bytes([*range(128, 256), *range(128)])
# A square over 64 fits a byte; what a byte stands for goes from zero up to 127 and from -128 back to -1.
_HALF = [min(255, (number * number + 32) // 64) for number in range(129)]
_SQUARES = bytes([*_HALF[:128], *_HALF[:0:-1]])


class Tokenizer:
    """Takes a text apart into rows of the table: known words and phrases, parts of identifiers, pieces of words."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, float], ...]] = {}

    def row(self, word: str) -> int:
        """Return the row of an entry of the vocabulary, or -1."""
        raise NotImplementedError

    def found(self, text: str) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Yield each row that the text is made of, its share, and the lower-case words that brought it.

        The pieces of an unknown word share its one count, so that a rare name does not outweigh the rest.
        """
        before = ""
        for raw in words(text):
            low = plain(raw)
            for row, share in self._rows_of(raw, low):
                yield row, share, (low,)
            if before:
                row = self.row(f"{before} {low}")
                if row >= 0:
                    yield row, 1.0, (before, low)
            before = low

    def _rows_of(self, raw: str, low: str) -> tuple[tuple[int, float], ...]:
        known = self._known.get(raw)
        if known is None:
            if len(self._known) > _MAX_WORDS:
                self._known.clear()
            known = self._known[raw] = tuple(self._look_up(raw, low))
        return known

    def _look_up(self, raw: str, low: str) -> list[tuple[int, float]]:
        row = self.row(low)
        if row >= 0:
            return [(row, 1.0)]
        parts = camel(raw)
        if len(parts) > 1:
            return [found for part in parts for found in self._look_up(part, part)]
        pieces = self._pieces(low)
        return [(row, 1.0 / len(pieces)) for row in pieces]

    def _pieces(self, word: str) -> list[int]:
        """Return the longest known pieces of the word from left to right; unknown letters are left out."""
        out: list[int] = []
        at = 0
        while at < len(word) <= MAX_WORD:
            row, at = self._piece(word, at)
            if row >= 0:
                out.append(row)
        return out

    def _piece(self, word: str, at: int) -> tuple[int, int]:
        mark = "##" if at else ""
        for end in range(len(word), at, -1):
            row = self.row(mark + word[at:end])
            if row >= 0:
                return row, end
        # Scripts without spaces: each letter is an entry of its own, without the mark of a continuation.
        return self.row(word[at]), at + 1


class _AllRows(Tokenizer):
    """A tokenizer for very many texts, with the whole vocabulary in memory."""

    def __init__(self, entries: list[str]) -> None:
        super().__init__()
        self._rows = {entry: row for row, entry in enumerate(entries)}
        # The words that each word forms a phrase with.
        self._phrases: dict[str, dict[str, int]] = {}
        for row, entry in enumerate(entries):
            first, space, second = entry.partition(" ")
            if space:
                self._phrases.setdefault(first, {})[second] = row
        # Of each word as it was written: in lower case, its rows, and what it forms a phrase with.
        self._told: dict[str, tuple[str, tuple[tuple[int, float], ...], dict[str, int]]] = {}

    def row(self, word: str) -> int:
        """Return the row of an entry of the vocabulary, or -1."""
        return self._rows.get(word, -1)

    def counts(self, text: str) -> dict[int, float]:
        """Return how often each row stands in a text: the sums of the shares that `found` yields."""
        if len(self._told) > _MAX_WORDS:
            self._told.clear()
        counts: dict[int, float] = {}
        told = self._told
        follows: dict[str, int] = {}
        for raw in words(text):
            known = told.get(raw)
            if known is None:
                low = plain(raw)
                known = told[raw] = low, self._rows_of(raw, low), self._phrases.get(low, {})
            for row, share in known[1]:
                counts[row] = counts.get(row, 0.0) + share
            if follows and (row := follows.get(known[0], -1)) >= 0:
                counts[row] = counts.get(row, 0.0) + 1.0
            follows = known[2]
        return counts


class Model(Tokenizer):
    """The static model: texts in, vectors of length one out. Open one and keep it; it is safe to share by threads."""

    def __init__(self, table: memoryview, words: mmap.mmap) -> None:
        super().__init__()
        layout, self.rows, self.dim, self._slot_count = table[8:24].cast("I")
        if bytes(table[:8]) != MAGIC or layout != LAYOUT or sys.byteorder != "little":
            raise StoreUnavailable("the model's table has another layout", _HINT)
        self.content_hash = bytes(table[24:64]).rstrip(b"\0").decode("ascii")
        self.version = bytes(table[64:HEADER]).rstrip(b"\0").decode("ascii")
        at = HEADER
        sizes = (self.dim * 4, self._slot_count * 4, (self.rows + 1) * 4, self.rows * 4, self.rows * 4)
        parts = []
        for size in sizes:
            parts.append(table[at : at + size])
            at += size
        if len(table) != at + self.rows * self.dim:
            raise StoreUnavailable("the model's table is cut short", _HINT)
        self._bias = list(parts[0].cast("f"))
        self._slots, self._starts = parts[1].cast("I"), parts[2].cast("I")
        self._scales, self._gains = parts[3].cast("f"), parts[4].cast("f")
        self._table, self._words = table[at:], words
        # The whole vocabulary, where many texts are read.
        self._all: _AllRows | None = None
        self._lane = int.from_bytes(b"\xff\0\0\0" * (self.dim // 4), "little")

    @classmethod
    def open(cls, path: str | None = None) -> Model:
        """Map the model's two files in the folder `path`, by default the ones that ship with the package."""
        folder = path or HOME
        try:
            table = _mapped(os.path.join(folder, "table.bin"))
            words = _mapped(os.path.join(folder, "vocabulary.txt"))
        except (OSError, ValueError) as error:
            raise StoreUnavailable(f"the model cannot be read: {error}", _HINT) from None
        if len(table) < HEADER:
            raise StoreUnavailable("the model's table is cut short", _HINT)
        return cls(memoryview(table), words)

    def encode(self, text: str, query: bool = False, damp: Mapping[str, float] | None = None) -> list[float]:
        """Return the text's vector, of length one; all zeros if the text has no word that the model knows.

        `damp` gives lower-case words a weight of their own, for words that stand everywhere in the haystack.
        """
        return self._finish(self._sum(self.weights(text, query, damp)))

    def encode_moved(
        self, text: str, damp: Mapping[str, float], places: Mapping[int, int], scales: Sequence[float], rows: memoryview
    ) -> list[float]:
        """Return the vector of a query whose rows are moved by offsets: `rows` of another table, at these places."""
        weights = self.weights(text, True, damp)
        moved = {
            places[row]: one / self._scales[row] * scales[places[row]] for row, one in weights.items() if row in places
        }
        most = max(sum(weights.values()), sum(moved.values()))
        sums = self._sum(weights, None, most), self._sum(moved, rows, most)
        return self._finish([one + two for one, two in zip(*sums, strict=True)])

    def encode_many(self, texts: Iterable[str], query: bool = False) -> list[Sequence[float]]:
        """Return the vector of each text, the same as `encode` gives; many of them by numpy where it is installed."""
        texts = list(texts)
        if len(texts) < _MANY:
            return [self.encode(text, query) for text in texts]
        try:
            # By name, because it is optional: a type checker without it must pass too.
            numpy: Any = __import__("numpy")
        except ImportError:
            return [self.encode(text, query) for text in texts]
        table = numpy.frombuffer(self._table, numpy.uint8).reshape(self.rows, self.dim)
        bias = numpy.array(self._bias, numpy.float32)

        def vector(weights: dict[int, float]) -> Any:
            rows = numpy.fromiter(weights.keys(), numpy.int64, len(weights))
            shares = numpy.fromiter(weights.values(), numpy.float32, len(weights))
            total = shares @ table[rows].astype(numpy.float32) - float(_ZERO) * shares.sum()
            length = numpy.linalg.norm(total)
            if length == 0.0:
                return numpy.zeros(self.dim, numpy.float32)
            moved = total / length + bias
            return moved / (numpy.linalg.norm(moved) or 1.0)

        self._all = self._all or _AllRows(bytes(self._words).decode("utf-8").split("\n"))
        return [vector(self._weighed(self._all.counts(text), query)) for text in texts]

    def tokens(self, text: str) -> list[str]:
        """Return the entries of the vocabulary that the text is made of, for people who ask why."""
        return [self._word(row).decode("utf-8") for row, _, _ in self.found(text)]

    def weights(self, text: str, query: bool = False, damp: Mapping[str, float] | None = None) -> dict[int, float]:
        """Return the rows that the text is made of and how much each counts."""
        counts: dict[int, float] = {}
        for row, share, of in self.found(text):
            if damp:
                share *= min(damp.get(word, 1.0) for word in of)
            counts[row] = counts.get(row, 0.0) + share
        return self._weighed(counts, query)

    def _weighed(self, counts: dict[int, float], query: bool) -> dict[int, float]:
        scales, gains = self._scales, self._gains
        if query:
            return {row: count**0.5 * scales[row] * gains[row] for row, count in counts.items()}
        return {row: scales[row] if count == 1.0 else count**0.5 * scales[row] for row, count in counts.items()}

    def _sum(self, weights: dict[int, float], rows: memoryview | None = None, most: float = 0.0) -> list[float]:
        """Return the weighted sum of these rows, or the model's, up to a factor that `most` settles.

        A row is read as one long integer; its bytes, four apart, are lanes of 32 bits, so that one multiplication
        weighs a quarter of the row. Ten times faster than a loop over the numbers.
        """
        total = most or sum(weights.values())
        if total <= 0.0:
            return [0.0] * self.dim
        dim, table, lane, factor = self.dim, rows or self._table, self._lane, (_WEIGHT_SUM - 1) / total
        first = second = third = fourth = weight_sum = 0
        for row, weight in weights.items():
            share = int(weight * factor)
            numbers = int.from_bytes(table[row * dim : row * dim + dim], "little")
            first += (numbers & lane) * share
            second += (numbers >> 8 & lane) * share
            third += (numbers >> 16 & lane) * share
            fourth += (numbers >> 24 & lane) * share
            weight_sum += share
        out = [0] * dim
        for place, lanes in enumerate((first, second, third, fourth)):
            out[place::4] = memoryview(lanes.to_bytes(dim, "little")).cast("I")
        zero = weight_sum * _ZERO
        return [float(number - zero) for number in out]

    def _finish(self, vector: list[float]) -> list[float]:
        length: float = sum([number * number for number in vector]) ** 0.5
        if length == 0.0:
            return vector
        moved = [number / length + bias for number, bias in zip(vector, self._bias, strict=True)]
        length = sum([number * number for number in moved]) ** 0.5 or 1.0
        return [number / length for number in moved]

    def row(self, word: str) -> int:
        """Return the row of an entry of the vocabulary, or -1."""
        key = word.encode("utf-8", "replace")
        slot = int.from_bytes(key, "little") % self._slot_count
        while True:
            row = self._slots[slot] - 1
            if row < 0 or self._word(row) == key:
                return row
            slot = slot + 1 if slot + 1 < self._slot_count else 0

    def _word(self, row: int) -> bytes:
        return self._words[self._starts[row] : self._starts[row + 1] - 1]


def words(text: str) -> list[str]:
    """Return the runs of letters and digits, in order and as written; `c++`, `c#` and `f#` are words."""
    if not text.isascii():
        for letter in set(text):
            if not letter.isalnum() and letter not in "+#":
                text = text.replace(letter, " ")
    elif "+" not in text and "#" not in text:
        return text.translate(_TO_SPACE).split()
    else:
        text = text.translate(_TO_SPACE_BUT_SIGNS)
    return [word for run in text.split() for word in _without_signs(run)]


def plain(word: str) -> str:
    """Return the word in lower case, without accents."""
    low = word.lower()
    if low.isascii():
        return low
    import unicodedata

    return "".join([letter for letter in unicodedata.normalize("NFD", low) if not unicodedata.combining(letter)])


def camel(word: str) -> list[str]:
    """Return the parts of `camelCase`, `HTTPServer` or `Utf8Text`, lower case; other words are whole."""
    if not word.isascii() or word.islower() or word.isupper():
        return [word.lower()]
    parts = []
    start = 0
    for at in range(1, len(word)):
        one, two = word[at - 1], word[at]
        after = word[at + 1 : at + 2]
        if (
            (two.isupper() and not one.isupper())
            or (two.isdigit() != one.isdigit())
            or (one.isupper() and two.isupper() and after.islower())
        ):
            parts.append(word[start:at].lower())
            start = at
    return [*parts, word[start:].lower()]


def to_bytes(vector: Sequence[float]) -> bytes:
    """Return the vector in one byte a number, for storing: each number times 127 over the largest, as int8."""
    most = max(max(vector), -min(vector)) or 1.0
    factor = 127.0 / most
    return bytes([round(number * factor) & 255 for number in vector])


def to_bytes_each(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Return each vector as `to_bytes` does; those of numpy all at once."""
    if not vectors or isinstance(vectors[0], list):
        return [to_bytes(one) for one in vectors]
    numpy: Any = __import__("numpy")
    # In doubles, as `to_bytes` reckons, so that the same numbers are rounded up.
    numbers = numpy.array(vectors, numpy.float64)
    most = numpy.abs(numbers).max(axis=1, keepdims=True)
    most[most == 0.0] = 1.0
    stored = numpy.rint(numbers * (127.0 / most)).astype(numpy.int8)
    return [one.tobytes() for one in stored]


def near(query: Sequence[float], stored: bytes) -> float:
    """Return the dot product of a query's vector and a stored one, both of length one."""
    numbers = memoryview(stored).cast("b")
    length: float = sum([number * number for number in numbers]) ** 0.5
    if length == 0.0:
        return 0.0
    return sum([one * two for one, two in zip(query, numbers, strict=True)]) / length


def cosines(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    """Return how near each stored vector is: what `near` says, to three digits, several times as fast."""
    return _one_by_one(vector, stored) if len(stored) <= _FEW else _all_at_once(vector, stored)


def _one_by_one(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    squares = [sum(one.translate(_SQUARES)) for one in stored]
    dots = [sum(map(mul, vector, memoryview(one).cast("b"))) for one in stored]
    return [dot / (8 * square**0.5) if square else 0.0 for dot, square in zip(dots, squares, strict=True)]


def _all_at_once(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    """A number of every vector is a lane of one long integer, so that one multiplication weighs it in all of them."""
    rows, dim = len(stored), len(vector)
    joined = b"".join(stored)
    unsigned = joined.translate(_UNSIGNED)
    lanes = bytearray(rows * 4)
    more = less = offset = 0
    for place, number in enumerate(vector):
        weight = round(number * _STEPS)
        lanes[::4] = unsigned[place::dim]
        offset += weight * 128
        if weight >= 0:
            more += int.from_bytes(lanes, "little") * weight
        else:
            less -= int.from_bytes(lanes, "little") * weight
    above, below = (memoryview(one.to_bytes(rows * 4, "little")).cast("I") for one in (more, less))
    return [
        (up - down - offset) / _STEPS / (8 * square**0.5) if square else 0.0
        for up, down, square in zip(above, below, _squares(joined, rows, dim), strict=True)
    ]


def _squares(joined: bytes, rows: int, dim: int) -> list[int]:
    """Return for each row the sum of its squared numbers, over 64; up to 256 numbers that fits 16 bits."""
    squares = joined.translate(_SQUARES)
    lanes = bytearray(rows * 2)
    sums = [0] * rows
    for start in range(0, dim, 256):
        total = 0
        for place in range(start, min(start + 256, dim)):
            lanes[::2] = squares[place::dim]
            total += int.from_bytes(lanes, "little")
        part = memoryview(total.to_bytes(rows * 2, "little")).cast("H")
        sums = [one + more for one, more in zip(sums, part, strict=True)]
    return sums


def _without_signs(run: str) -> list[str]:
    if "+" not in run and "#" not in run:
        return [run]
    low = run.lower()
    if low in ("c++", "c#", "f#"):
        return [run]
    return run.replace("+", " ").replace("#", " ").split()


def _mapped(path: str) -> mmap.mmap:
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


_TO_SPACE_BUT_SIGNS = "".join([chr(code) if chr(code).isalnum() or chr(code) in "+#" else " " for code in range(128)])
_TO_SPACE = _TO_SPACE_BUT_SIGNS.replace("+", " ").replace("#", " ")
MADE_ONCE = ("_UNSIGNED", "_HALF", "_SQUARES", "_TO_SPACE_BUT_SIGNS", "_TO_SPACE")
