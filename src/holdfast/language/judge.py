"""What a person's message says that lasts, judged behind the session: slower than a hook could be, and better.

An encoder (`encoder.py`) reads the message together with the end of what the agent had said. Where that may say
something, a second reader (`second_reader.py`) reads it too, and what counts is the mean of both. What is above one
score is told as a fact, what is above a lower one is a candidate. Both bars were learned from messages of real people
(`training/triggers/judge_bars.py`). Of other languages than English hardly any were seen, so what is said in them is at
most a candidate.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import exp, log1p
from typing import TYPE_CHECKING, Any

from holdfast.language.triggers import KINDS, LEARNED
from holdfast.language.word_lists import among
from holdfast.language.word_pieces import BEGIN, END, Piece, WordPieces

if TYPE_CHECKING:
    from holdfast.language.encoder import Encoder
    from holdfast.language.second_reader import SecondReader

MOODS = ("praise", "frustration")
# The heads of the encoder: how clearly each kind is said, whether some would say so, and what holds for the message.
_HEADS = (*KINDS, *MOODS)
_KEEP, _MAY_KEEP, _ANY = range(2 * len(_HEADS), 2 * len(_HEADS) + 3)
# Where all of these are low by the first reader, the second need not look.
LOOKS = (_ANY, _KEEP, *[_HEADS.index(mood) for mood in MOODS])
# So many pieces are read of the end of what the agent had said, and of the beginning and the end of the message.
BEFORE, HEAD, TAIL = 112, 120, 80
MAX_BEFORE, MAX_TEXT = 600, 4_000
# Nothing is stated in one word.
_MIN_WORDS = 2
# A mood is told by a clear figure and half of an arguable one.
_ARGUABLE = 0.5
_FOLDER = __file__.rpartition("/")[0] + "/"
_opened: list[tuple[Encoder, WordPieces, SecondReader]] = []
Bars = dict[str, Any]
# Where a clause of a message ends: behind signs, at line ends, and before words that begin another one.
_CLAUSE = re.compile(
    r"[.!?;:]+(?=\s|$)|[。！？；]|\n+|[,，、]\s*|\s[-–—]+\s|[()]|\s(?=(?:and|but|so|because|then|however|instead)\s)"
)
_JOINED = re.compile(r"\A(?:and|but|so|then|however)\b[,\s]*", re.IGNORECASE)
# What a statement would be cut by: "by showing both | and asking which to take", "use tabs | and not spaces".
_GOES_ON = re.compile(r"(?:and|or)\s+(?:\w+ing|not|never)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?:[.!?;。！？；]['\")\]]*|\n)\s*\Z")
# What speaks for a run of clauses: what its pieces are marked with, how likely its first and its last clause are and
# not those around it, how much of all that is likely it holds, its length and its share of the message, and that it
# begins and ends with a sentence. Learned from what people would keep, by marks of readers that did not know them.
_MARKED, _EDGE, _AROUND, _HELD, _LONG, _SHARE, _BEGINS, _ENDS = 0.0073, 2.24, -0.35, 3.98, 0.59, -2.13, 0.96, 1.16
# Of people whom they do not know, readers are less sure than they say.
_DOUBT = 3.0
_MAX_CLAUSES, _LOOK_BACK = 31, 8
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Of the letters of an English text so many are plain ones.
_PLAIN = 0.85


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a message: kinds told as facts, moods among them, kinds that are candidates, and the statement.

    The statement is the part of the message, in its own words, that would be kept if any of it were; "" where nothing
    can be said at all. What `lasts` would be written down for the next session by a careful colleague.
    """

    kinds: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    statement: str = ""
    lasts: bool = False


NOTHING = Judgement()


@lru_cache(maxsize=512)
def judge(text: str, before: str = "") -> Judgement:
    """Judge a message. `before` is what the agent had said last, where that is known."""
    if len(text.split()) < _MIN_WORDS and text.isascii():
        return NOTHING
    text_read, before_read = text[:MAX_TEXT], before[-MAX_BEFORE:]
    encoder, pieces, second = _open()
    own = pieces.of(text_read)
    kept = own if len(own) <= HEAD + TAIL else [*own[:HEAD], *own[-TAIL:]]
    said = [BEGIN, *[piece.number for piece in pieces.of(before_read)[-BEFORE:]], END]
    first = encoder.read([*said, *[piece.number for piece in kept], END], len(said))
    bars = encoder.about
    if max(first.heads[at] for at in LOOKS) < bars["look"]:
        return NOTHING
    again, read_again = second.read(text_read, before_read)
    heads = [sum(both) / 2 for both in zip(first.heads, again.heads, strict=True)]
    kinds = [*(_told(bars, heads) if is_english(text) else ()), *_moods(bars, heads)]
    candidates = [kind for kind in _candidates(bars, heads) if kind not in kinds]
    is_something = candidates or set(kinds) - set(MOODS)
    marks = _of_both(kept, first.pieces, read_again, again.pieces)
    statement = stated(text, kept, marks)
    lasts = heads[_KEEP] + heads[_MAY_KEEP] >= bars["keep"]
    return Judgement(tuple(kinds), tuple(candidates), statement, bool(lasts and is_something and statement))


def _told(bars: Bars, heads: list[float]) -> Iterable[str]:
    """Return the kinds that are told as facts."""
    marks = [heads[at] + heads[len(_HEADS) + at] for at in range(len(LEARNED))]
    return [kind for kind, mark, bar in zip(LEARNED, marks, bars["told"], strict=True) if mark >= bar]


def _moods(bars: Bars, heads: list[float]) -> Iterable[str]:
    places = [(mood, _HEADS.index(mood)) for mood in MOODS]
    marks = {mood: heads[at] + _ARGUABLE * heads[len(_HEADS) + at] for mood, at in places}
    return [mood for mood, mark in marks.items() if mark >= bars["moods"][mood]]


def _candidates(bars: Bars, heads: list[float]) -> Iterable[str]:
    """Return the likeliest kinds of a message that seems to say something."""
    if heads[_ANY] < bars["candidate"]:
        return ()
    marks = [heads[at] + _ARGUABLE * heads[len(_HEADS) + at] for at in range(len(LEARNED))]
    return [kind for kind, mark in zip(LEARNED, marks, strict=True) if mark >= max(marks) - bars["margin"]]


def _of_both(pieces: list[Piece], marks: list[float], others: list[Piece], other_marks: list[float]) -> list[float]:
    """Return the mean of what both readers say of each piece of the first; theirs do not begin and end alike."""
    starts = [piece.start for piece in others]
    places = [max(0, bisect_right(starts, piece.end - 1) - 1) for piece in pieces]
    return [(mark + other_marks[at]) / 2 for mark, at in zip(marks, places, strict=True)]


def stated(text: str, pieces: list[Piece], marks: list[float]) -> str:
    """Return the run of clauses that speaks most for being the statement, by the marks of its pieces and its bounds."""
    cuts = sorted({0, *[found.end() for found in _CLAUSE.finditer(text)], len(text)})
    best = (float("-inf"), 0, len(text))
    for score, first, end in _runs_of_clauses(text, cuts, pieces, marks):
        best = max(best, (score, first, end), key=lambda run: run[0])
    _, begin, end = best
    # A clause that goes on without a comma has its verb before it: "adjust the rules | and the docs to say so".
    while begin and _JOINED.match(text[begin:].lstrip()) and text[:begin].rstrip()[-1:].isalnum():
        begin = max(cut for cut in cuts if cut < begin)
    while _GOES_ON.match(text[end:].lstrip()) and text[:end].rstrip()[-1:].isalnum():
        end = min(cut for cut in cuts if cut > end)
    said = text[begin:end].strip().rstrip(",(").rstrip()
    return _JOINED.sub("", said) if begin else said


def _runs_of_clauses(
    text: str, cuts: list[int], pieces: list[Piece], marks: list[float]
) -> Iterator[tuple[float, int, int]]:
    """Yield how much speaks for each run, where it begins and where it ends."""
    starts = [piece.start for piece in pieces]
    places = [bisect_left(starts, cut) for cut in cuts]
    sums = [0.0, *accumulate(marks)]
    likely = [0.0, *accumulate(1 / (1 + exp(-mark / _DOUBT)) for mark in marks)]
    each = [(likely[end] - likely[start]) / max(1, end - start) for start, end in pairwise(places)]
    around = [0.0, *each, 0.0]
    whole = [cut in (0, len(text)) or bool(_SENTENCE_END.search(text, max(0, cut - _LOOK_BACK), cut)) for cut in cuts]
    for first, start in enumerate(places[:-1]):
        for last in range(first + 1, min(len(cuts), first + _MAX_CLAUSES) if places[first + 1] > start else 0):
            end = places[last]
            score = _MARKED * (sums[end] - sums[start]) + _HELD * (likely[end] - likely[start]) / likely[-1]
            score += _EDGE * min(each[first], each[last - 1]) + _AROUND * max(around[first], around[last + 1])
            score += _LONG * log1p(end - start) + _SHARE * (end - start) / len(pieces)
            yield score + _BEGINS * whole[first] + _ENDS * whole[last], cuts[first], cuts[last]


def is_english(text: str) -> bool:
    """Whether a text is in English, as far as its letters and its small words tell."""
    letters = [letter for letter in text if letter.isalpha()]
    if sum(letter.isascii() for letter in letters) < _PLAIN * len(letters):
        return False
    words = _WORD.findall(text.lower())
    english, other = among("small_words", "english"), among("small_words", "other")
    return sum(word in english for word in words) >= sum(word in other for word in words)


def _open() -> tuple[Encoder, WordPieces, SecondReader]:
    if not _opened:
        # On a busy machine several threads wait for each other longer than one of them works.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from holdfast.language.encoder import Encoder
        from holdfast.language.second_reader import SecondReader

        encoder = Encoder(_FOLDER + "judge.bin")
        second = SecondReader(_FOLDER + "second_reader.bin", (BEFORE, HEAD, TAIL))
        _opened.append((encoder, WordPieces(encoder.vocabulary), second))
    return _opened[0]
