"""The phrases, word lists and weights of the triggers: one file in the package, of which a message reads what it needs.

A phrase is words with slots (`training/triggers/words/en.txt` tells the form at its top). Its steps are taken apart
when the message has its first word, or, where its second step is words, its first two.

`training/triggers/pack.py` makes the file from the texts in `training/triggers/words/`, which are the truth. A hook has
a message of a few sentences, so the file is mapped, and a word or feature is found through a hash of its bytes. All
numbers are little-endian; the sections begin where the head says, and the last of its numbers is the length of it all:

    magic 8 bytes | where each section begins, and the end: uint32[11]
    sure      uint32 for each kind: the score above which it is told as a fact
    out       signed, 31 bytes for each hidden unit: what it adds for each kind, joined in lanes of 40 bits
    small     text: a line for each language, with the small words by which it is known
    buckets   uint16[BUCKETS + 1]: the first feature of each bucket
    shorts    uint32 for each feature: a piece of its hash that tells it from the others of its bucket
    rows      26 bytes for each feature: its 39 weights, each in 5 bits with 16 added, three in every 16 bits; or, where
              one weight is larger than that and the last bit is set, the number of its wide row
    wide      signed, 78 bytes: the 39 weights joined in lanes of 16 bits
    starts    uint32[PARTS + 1]: where each part begins
    parts     text: a record for each word that begins phrases or is on lists, of the fields language and word; its
              lists; the numbers of the phrases that it begins; second words with those that it begins with them
    phrases   uint32 for each phrase and one for the end: where it begins; then the phrases as text, of the fields
              group; ^ if it begins the sentence; steps before the first one that is words; these words; other steps
"""

from __future__ import annotations

import sys
from mmap import ACCESS_READ, mmap

from holdfast.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.language.sentences import Sentence

    # Of a word in one language: the lists that it is on, the numbers of the phrases that it begins alone, and as text
    # the numbers of those that it begins together with a second word.
    Row = tuple[tuple[str, ...], list[int], str]
    # The group of a phrase, whether it begins the sentence, words of which one must be there, and its steps as text.
    Phrase = tuple[str, bool, frozenset[str], str]
    # One step of a phrase: what it is, words and lists of which one must stand there, and a number.
    Step = tuple[str, frozenset[str], int]

MAGIC = b"HFTRIG\x00\x02"
SECTIONS = 10
BUCKETS = 16_384
PARTS = 2_048
# A number has the weights of all kinds and hidden units, each in a lane of its own, so that one sum adds them all up.
LANE = 16
KINDS, HIDDEN = 6, 33
LANES = KINDS + HIDDEN
WIDE_ROW = LANES * LANE // 8
# In a row three weights share 16 bits: the lanes of a third of them, each five bits further to the left.
THIRD = LANES // 3
BITS = 5
MIDDLE = 1 << (BITS - 1)
NARROW_ROW = THIRD * LANE // 8
# What hidden units add is summed up in wider lanes: both of its factors are in hundredths.
OUT_LANE = 40
OUT_ROW = 31
# Weights are in so many parts of one.
STEPS = 100
# No word has them: they count as spaces.
RECORD, FIELD = "\x1e", "\x1f"
NOTHING: Row = ((), [], "")
_SLOT = 6
_SIGNS = ",:;!-="
# No power of two less one: texts of eight letters and more would share their hashes.
_PRIME = (1 << 61) - 31
# Brings short texts over the whole range, too.
_MIXED = 0x1B873593CC9E2D51
_MAX_KEPT = 50_000
_HINT = "Install Holdfast again."


def joined(weights: list[int], lane: int = LANE) -> int:
    """Return one number that has the weights of all kinds."""
    return sum(weight << (lane * place) for place, weight in enumerate(weights))


def apart(total: int) -> list[int]:
    """Return what stands in each lane of a sum of such numbers."""
    lanes = memoryview((total + _LIFT).to_bytes(WIDE_ROW, sys.byteorder)).cast("H").tolist()
    return [lane - _HALF_LANE for lane in (lanes if sys.byteorder == "little" else reversed(lanes))]


_HALF_LANE = 1 << (LANE - 1)
_LIFT = joined([_HALF_LANE] * LANES)
_HALF_OUT = 1 << (OUT_LANE - 1)
_OUT_LIFT = joined([_HALF_OUT] * KINDS, OUT_LANE)
_MASK = joined([(1 << BITS) - 1] * THIRD)
_MIDDLES = joined([MIDDLE] * LANES)
_IS_WIDE = 1 << (NARROW_ROW * 8 - 1)
MADE_ONCE = ("_LIFT", "_OUT_LIFT", "_MASK", "_MIDDLES")


class FoundCue(dict["Any", "Any"]):
    """A dict that looks for what it does not have, once."""

    def __init__(self, look: Callable[[Any], Any]) -> None:
        self._look = look

    def __missing__(self, name: Any) -> Any:
        """Look for it and keep it."""
        found = self[name] = self._look(name)
        return found


class TriggerTable:
    """The opened file. Raises StoreUnavailable where it cannot be read or is not whole."""

    def __init__(self, path: str, languages: tuple[str, ...]) -> None:
        try:
            with open(path, "rb") as file:
                self._table = table = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError) as problem:
            raise StoreUnavailable(f"the table of triggers cannot be read: {problem}", _HINT) from None
        self._at = [self._number(len(MAGIC) + 4 * place) for place in range(SECTIONS + 1)]
        if table[: len(MAGIC)] != MAGIC or self._at[-1] != len(table):
            raise StoreUnavailable("the table of triggers is not whole", _HINT)
        sure, out, small, buckets = self._at[:4]
        self.sure = [self._number(at) for at in range(sure, out, 4)]
        self._out = [
            int.from_bytes(table[at : at + OUT_ROW], "little", signed=True) for at in range(out, small, OUT_ROW)
        ]
        lines = table[small:buckets].decode("utf-8").split("\n")
        self._small = {line.partition(": ")[0]: {*line.partition(": ")[2].split()} for line in lines}
        self._weights = FoundCue(self._weight)
        self._parts = FoundCue(self._part)
        self.rows = {name: FoundCue(self._row_in(name)) for name in languages}
        self._phrases = FoundCue(self._phrase)

    def cues(self, sentence: Sentence, names: list[tuple[str, ...]], language: str) -> set[str]:
        """Return the groups of which a sentence says a phrase; `names` has the lists and shapes of each word."""
        words, rows = sentence.words, self.rows[language]
        here = {*words, *(name for each in names for name in each)}
        begins_until = next((at for at, each in enumerate(names) if "<lead>" not in each), 0)
        cues: set[str] = set()
        for at, word in enumerate(words):
            for key in (word, *names[at]) if names[at] else (word,):
                row = rows[key]
                if row is NOTHING:
                    continue
                _, alone, pairs = row
                second = with_second(pairs, words[at + 1]) if pairs and at + 1 < len(words) else ()
                for numbers, start in ((alone, at + 1), (second, at + 2)):
                    for group, begins, needed, steps in map(self._phrases.__getitem__, numbers):
                        if group in cues or (begins and at > begins_until) or (needed and needed.isdisjoint(here)):
                            continue
                        if _follows(_steps[steps], start, sentence, names):
                            cues.add(group)
        return cues

    def total(self, features: set[str]) -> int:
        """Return the sum of the weights of features, of all kinds in one number."""
        if len(self._weights) > _MAX_KEPT:
            self._weights.clear()
        return sum(map(self._weights.__getitem__, features))

    def scores(self, features: set[str]) -> list[int]:
        """Return how much features speak for each kind: by their weights, and by the hidden units that are positive."""
        sums = apart(self.total(features))
        positive = (max(0, one) for one in sums[KINDS:])
        added = sum(map(int.__mul__, positive, self._out), _OUT_LIFT)
        return [
            STEPS * score + (added >> OUT_LANE * place) % (1 << OUT_LANE) - _HALF_OUT
            for place, score in enumerate(sums[:KINDS])
        ]

    def languages(self, words: set[str]) -> list[str]:
        """Return the language of these words by the small ones among them; both, where they do not tell."""
        marks = {name: len(words & small) for name, small in self._small.items()}
        most = max(marks.values())
        return [name for name in self.rows if marks[name] * 2 >= most]

    def _weight(self, feature: str) -> int:
        """Return the weights of a feature, joined; 0 for one that has none."""
        table, (buckets, shorts, rows, wide) = self._table, self._at[3:7]
        bucket, short = hashed(feature)
        at = buckets + 2 * bucket
        first, end = int.from_bytes(table[at : at + 2], "little"), int.from_bytes(table[at + 2 : at + 4], "little")
        for number in range(first, end):
            if table[shorts + 4 * number : shorts + 4 * number + 4] == short:
                row = int.from_bytes(table[rows + NARROW_ROW * number : rows + NARROW_ROW * (number + 1)], "little")
                if row & _IS_WIDE:
                    at = wide + WIDE_ROW * (row ^ _IS_WIDE)
                    return int.from_bytes(table[at : at + WIDE_ROW], "little", signed=True)
                second, third = row >> BITS & _MASK, row >> 2 * BITS & _MASK
                return (row & _MASK) + (second << THIRD * LANE) + (third << 2 * THIRD * LANE) - _MIDDLES
        return 0

    def _row_in(self, language: str) -> Callable[[str], Row]:
        def row(word: str) -> Row:
            part = self._parts[part_of(word)]
            at = part.find(f"{RECORD}{language} {word}{FIELD}")
            if at < 0:
                return NOTHING
            _, lists, alone, pairs = part[at + 1 : part.index(RECORD, at + 1)].split(FIELD)
            return tuple(lists.split()), numbers(alone), pairs

        return row

    def _part(self, number: int) -> str:
        starts, parts = self._at[7:9]
        first, end = self._number(starts + 4 * number), self._number(starts + 4 * number + 4)
        return self._table[parts + first : parts + end].decode("utf-8", "surrogatepass")

    def _phrase(self, number: int) -> Phrase:
        at = self._at[9]
        first, end = self._number(at + 4 * number), self._number(at + 4 * number + 4)
        group, begins, before, needed, behind = self._table[at + first : at + end].decode("utf-8").split(FIELD)
        words = frozenset(needed.split("|")) if needed else frozenset()
        return group, begins == "^", words, f"{before} {needed} {behind}"

    def _number(self, at: int) -> int:
        return int.from_bytes(self._table[at : at + 4], "little")


def hashed(feature: str) -> tuple[int, bytes]:
    """Return the bucket of a feature, and the piece of its hash that tells it from the others there."""
    digest = int.from_bytes(feature.encode("utf-8", "surrogatepass"), "little") * _MIXED % _PRIME
    return digest % BUCKETS, (digest >> 29).to_bytes(4, "little")


def part_of(word: str) -> int:
    """Return the part in which the lines of a word are."""
    return int.from_bytes(word.encode("utf-8", "surrogatepass"), "little") * _MIXED % _PRIME % PARTS


def numbers(text: str) -> list[int]:
    """Return the numbers of phrases out of a field."""
    return [*map(int, text.split(","))] if text else []


def with_second(pairs: str, second: str) -> list[int]:
    """Return the phrases that a word begins together with this second one, out of the last field of its record."""
    at = pairs.find(f" {second} ")
    if at < 0:
        return []
    first = pairs.index("\t", at) + 1
    return numbers(pairs[first : pairs.index("\t", first)])


def step(text: str) -> Step:
    """Return a step of a phrase as its kind, its words and its reach."""
    if text[0] == "*":
        return "gap", frozenset(), int(text[1:] or _SLOT)
    if text in ("$", "_"):
        return text, frozenset(), 0
    if text in _SIGNS:
        return "sign", frozenset(text), 0
    return "words", frozenset(text.split("|")), 0


_steps = FoundCue(lambda text: tuple(map(step, text.split())))


def _follows(steps: tuple[Step, ...], at: int, sentence: Sentence, names: list[tuple[str, ...]]) -> bool:
    """Whether the rest of a phrase stands in the sentence from a word on."""
    words, last = sentence.words, len(sentence.words)
    for number, (kind, wanted, reach) in enumerate(steps):
        if kind == "gap":
            rest = steps[number + 1 :]
            places = range(at, min(at + reach, last) + 1)
            return not rest or any(_follows(rest, place, sentence, names) for place in places)
        if kind == "$":
            if at != last:
                return False
        elif kind == "sign":
            if wanted.isdisjoint(sentence.after[at - 1]):
                return False
        elif at < last and (kind == "_" or words[at] in wanted or not wanted.isdisjoint(names[at])):
            at += 1
        else:
            return False
    return True
