"""The word lists and weights in a form that is quick to read: a hook needs only what its message's own words ask for.

It is a cache like the .pyc files: derived from the files of `words/`, not used when one of them changed, and where it
cannot be written there is none and the files themselves are read. In this order:

    length of the head, 8 bytes | head, marshalled: what the table was made of, where parts begin, how long all is
    weights   a hash table in two halves: four bytes of each feature's hash, and its weights, joined: one for each kind
              and for each hidden sum. A hidden sum that is above nought speaks for the kinds by what the head says.
    parts     of words that fall together: the lists that a word is on, its phrases, and of which language it is

The hash of a feature is its bytes as a number, little-endian, times a constant, modulo a prime.
"""

from __future__ import annotations

import marshal
import os
import sys
from mmap import ACCESS_READ, mmap

from holdfast.continuity import phrases, sentences
from holdfast.continuity.phrases import NOTHING, Phrases
from holdfast.continuity.sentences import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.continuity.phrases import Row

    # Change time and size of each file.
    Stamps = dict[str, tuple[int, int]]
    # Of one part of the table: the rows of words for each language, and the languages of small words.
    Part = tuple[list[dict[str, Row]], dict[str, list[str]]]

_PRIME = (1 << 61) - 1
# Brings short texts over the whole range, too.
_MIXED = 0x1B873593CC9E2D51
_PARTS = 2039
_FIRST = 8
_AT = 4
# A number has the weights of all kinds, each in a lane of its own, so that one sum adds up all of them.
_LANE = 16
_MIDDLE = 1 << (_LANE - 1)
_SHORT = 4
# The hidden sums stand in lanes behind those of the kinds.
_KINDS = 7
_HIDDEN = 32
_LANES = _KINDS + _HIDDEN
_LONG = _LANES * _LANE // 8
# Weights are in so many parts of one.
_STEPS = 100
# What a hidden sum speaks for is added up in wider lanes: both of its factors are in hundredths.
_WIDE = 40
_WIDE_MIDDLE = 1 << (_WIDE - 1)
_NAMES = ("small", "weights")
# What makes the table: when that changed, the table may be of another form.
_MAKERS = tuple(maker for maker in (phrases.__file__, sentences.__file__, __file__) if maker.endswith(".py"))
_MOST_KEPT = 50_000
_NO_PART: Part = ([{}, {}], {})


def joined(weights: list[int], lane: int = _LANE) -> int:
    """Return one number that has the weights of all kinds."""
    return sum(weight << (lane * place) for place, weight in enumerate(weights))


def apart(total: int) -> list[int]:
    """Return what stands in each lane of a sum of such numbers."""
    lanes = memoryview((total + _LIFT).to_bytes(_LONG, sys.byteorder)).cast("H").tolist()
    return [lane - _MIDDLE for lane in (lanes if sys.byteorder == "little" else reversed(lanes))]


_LIFT = joined([_MIDDLE] * _LANES)
_WIDE_LIFT = joined([_WIDE_MIDDLE] * _KINDS, _WIDE)


class Found(dict[str, "Any"]):
    """A dict that looks for what it does not have, once."""

    def __init__(self, look: Callable[[str], Any]) -> None:
        self._look = look

    def __missing__(self, name: str) -> Any:
        """Look for it and keep it."""
        found = self[name] = self._look(name)
        return found


class Words:
    """The word lists of a folder, and the weights: out of the table, or of the files where there is none."""

    def __init__(self, folder: str, languages: tuple[str, ...], place: str) -> None:
        self._folder = folder
        self._languages = languages
        self._place = f"{place}.{sys.implementation.cache_tag}"
        self._starts = b""
        self._shorts = self._sums = self._packed = memoryview(b"")
        self._count = 0
        self._out: list[int] = []
        self._plain: Plain | None = None
        if not self._opened() and not (self._renewed() and self._opened()):
            self._plain = Plain({name: self._told(name) for name in (*languages, *_NAMES)}, languages)
            self._out = self._plain.out
        self._parts = Found(self._part)
        self._weights = Found(self._weight)
        self.rows = {name: Found(self._row_of(place)) for place, name in enumerate(languages)}

    @property
    def is_table(self) -> bool:
        """Whether the table is used."""
        return self._plain is None

    def total(self, features: set[str]) -> int:
        """Return the sum of the weights of features, of all kinds in one number."""
        if len(self._weights) > _MOST_KEPT:
            self._weights.clear()
        return sum(map(self._weights.__getitem__, features))

    def scores(self, features: set[str]) -> list[int]:
        """Return how much features speak for each kind: by their weights, and by the hidden sums above nought."""
        sums = apart(self.total(features))
        above = (max(0, one) for one in sums[_KINDS:])
        spoken = sum(map(int.__mul__, above, self._out), _WIDE_LIFT)
        return [
            _STEPS * score + (spoken >> _WIDE * place) % (1 << _WIDE) - _WIDE_MIDDLE
            for place, score in enumerate(sums[:_KINDS])
        ]

    def _weight(self, feature: str) -> int:
        if self._plain:
            return self._plain.weight(feature)
        number, count, shorts = int.from_bytes, self._count, self._shorts
        digest = number(feature.encode("utf-8", "surrogatepass"), "little") * _MIXED % _PRIME
        slot, short = digest % count, digest >> 29
        while there := shorts[slot]:
            if there == short:
                return number(self._sums[slot * _LONG : (slot + 1) * _LONG], "little", signed=True)
            slot = (slot + 1) % count
        return 0

    def languages(self, words: set[str]) -> list[str]:
        """Return the language of these words by the small ones among them; both, where they do not tell."""
        marks = dict.fromkeys(self._languages, 0)
        for word in words:
            for name in self._parts[word][1].get(word, ()):
                marks[name] += 1
        most = max(marks.values())
        return [name for name in self._languages if marks[name] * 2 >= most]

    def _row_of(self, place: int) -> Callable[[str], Row]:
        def row(word: str) -> Row:
            if self._plain:
                found: Row = self._plain.phrases[self._languages[place]].row(word)
            else:
                found = self._parts[word][0][place].get(word, NOTHING)
            return found

        return row

    def _part(self, word: str) -> Part:
        if self._plain:
            return [], self._plain.small
        at = _part_of(word) * _AT
        start, end = (int.from_bytes(self._starts[one : one + _AT], "little") for one in (at, at + _AT))
        return marshal.loads(self._packed[start:end]) if end > start else _NO_PART  # noqa: S302

    def _stamps(self) -> Stamps:
        names = [f"{self._folder}{name}.txt" for name in (*self._languages, *_NAMES)]
        found = {name: os.stat(name) for name in (*names, *_MAKERS)}
        # Half of the table is in the order of bytes that this machine has.
        order = {sys.byteorder: (0, 0)}
        return order | {name: (status.st_mtime_ns, status.st_size) for name, status in found.items()}

    def _opened(self) -> bool:
        """Read the head of the table; whether there is one that is whole and true."""
        try:
            with open(self._place, "rb") as file:
                # Of some megabytes a message touches a few pages. The file is replaced whole and never cut.
                table = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
            first = _FIRST + int.from_bytes(table[:_FIRST], "little")
            # It lies among the .pyc files and comes from the same place.
            stamps, self._count, self._starts, self._out, rest = marshal.loads(table[_FIRST:first])  # noqa: S302
            sums = first + self._count * _SHORT
            behind = sums + self._count * _LONG
            self._shorts, self._sums = table[first:sums].cast("I"), table[sums:behind]
            self._packed = table[behind:]
            is_whole = len(table) == behind + rest
        except (OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError):
            return False
        return is_whole and bool(stamps == self._stamps())

    def _renewed(self) -> bool:
        """Write the table anew; whether that could be done."""
        temporary = f"{self._place}.{os.getpid()}"
        if sys.dont_write_bytecode:
            return False
        try:
            # Opened first: where nothing can be written, no time is lost with making it.
            with open(temporary, "xb") as file:
                # Before the files are read: if one changes between the two, the table is seen to be untrue.
                stamps = self._stamps()
                files = Plain({name: self._told(name) for name in (*self._languages, *_NAMES)}, self._languages)
                shorts, sums = _hashed(files.weights())
                starts, parts = _in_parts(files, self._languages)
                head = marshal.dumps((stamps, len(shorts) // _SHORT, starts, files.out, len(parts)))
                file.write(len(head).to_bytes(_FIRST, "little") + head + shorts + sums + parts)
            os.replace(temporary, self._place)
        except OSError:
            _discard(temporary)
            return False
        return True

    def _told(self, name: str) -> str:
        with open(f"{self._folder}{name}.txt", encoding="utf-8") as file:
            text = file.read()
        # The weights were learned of plain words, and they are many.
        return text if name == "weights" else plain(text)


class Plain:
    """The same out of the texts of the files: slower to begin with, and in need of no place."""

    def __init__(self, texts: dict[str, str], languages: tuple[str, ...]) -> None:
        # A message has one language, mostly.
        self.phrases = Found(lambda name: Phrases(texts[name]))
        self.small: dict[str, list[str]] = {}
        for name, colon, words in (line.partition(": ") for line in texts["small"].split("\n")):
            for word in words.split() if colon and name in languages else ():
                self.small.setdefault(word, []).append(name)
        head, _, weights = texts["weights"].partition("\n# Kinds: ")
        rows = head.partition("\n# Out: ")[2].split(";")
        self.out = [joined([int(number) for number in row.split()], _WIDE) for row in rows]
        # In the order of their letters, as they were written; those of a message are looked for, not all read.
        self._lines = weights.partition("\n")[2].rstrip("\n").split("\n")

    def weight(self, feature: str) -> int:
        """Return the weights of a feature for all kinds, joined."""
        wanted = f"{feature}\t"
        low, high = 0, len(self._lines)
        while low < high:
            middle = (low + high) // 2
            if self._lines[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        line = self._lines[low] if low < len(self._lines) else ""
        return joined([int(number) for number in line[len(wanted) :].split()]) if line.startswith(wanted) else 0

    def weights(self) -> dict[str, int]:
        """Return the weights of all features, as `joined` does, and quicker, since there are many."""
        # Only the table needs it, which is made once.
        from array import array

        found = {}
        for feature, _, numbers in (line.partition("\t") for line in self._lines):
            lifted = array("H", [_MIDDLE + number for number in map(int, numbers.split())])
            if sys.byteorder == "big":
                lifted.byteswap()
            found[feature] = int.from_bytes(lifted.tobytes(), "little") - _LIFT
        return found


def _part_of(word: str) -> int:
    return int.from_bytes(word.encode("utf-8", "surrogatepass"), "little") % _PARTS


def _hashed(weights: dict[str, int]) -> tuple[bytes, bytes]:
    """Return the two halves of the hash table: a piece of each feature's hash, and its weights."""
    count = len(weights) * 3 // 2 + 1
    shorts, sums = [0] * count, [bytes(_LONG)] * count
    for feature, weight in weights.items():
        digest = int.from_bytes(feature.encode("utf-8"), "little") * _MIXED % _PRIME
        slot = digest % count
        while shorts[slot]:
            slot = (slot + 1) % count
        shorts[slot] = digest >> 29
        sums[slot] = weight.to_bytes(_LONG, "little", signed=True)
    return b"".join(short.to_bytes(_SHORT, sys.byteorder) for short in shorts), b"".join(sums)


def _in_parts(files: Plain, languages: tuple[str, ...]) -> tuple[bytes, bytes]:
    """Return where each part begins, and the parts."""
    parts: list[Part] = [([{} for _ in languages], {}) for _ in range(_PARTS)]
    for place, language in enumerate(languages):
        every: Phrases = files.phrases[language]
        for word in sorted(every.words()):
            parts[_part_of(word)][0][place][word] = every.row(word)
    for word, names in files.small.items():
        parts[_part_of(word)][1][word] = names
    packed = [marshal.dumps(part) if any(part[0]) or part[1] else b"" for part in parts]
    starts = [0]
    for one in packed:
        starts.append(starts[-1] + len(one))
    return b"".join(start.to_bytes(_AT, "little") for start in starts), b"".join(packed)


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
