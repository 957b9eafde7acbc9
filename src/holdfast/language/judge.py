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
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
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
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Of the letters of an English text so many are plain ones.
_PLAIN = 0.85


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a message: kinds told as facts, moods among them, kinds that are candidates, and the statement.

    The statement is the part of the message, in its own words, that would be kept; "" where nothing is said. What
    `lasts` would be written down for the next session by a careful colleague.
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
    statement = stated(text, kept, marks, bars["span"]) if is_something else ""
    lasts = heads[_KEEP] + heads[_MAY_KEEP] >= bars["keep"]
    return Judgement(tuple(kinds), tuple(candidates), statement, lasts and bool(statement))


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


def stated(text: str, pieces: list[Piece], marks: list[float], more: float) -> str:
    """Return the run of clauses whose pieces speak most for being the statement; `more` is added for each piece."""
    cuts = sorted({0, *[found.end() for found in _CLAUSE.finditer(text)], len(text)})
    best, start, total = (float("-inf"), 0, len(text)), 0, 0.0
    at = 0
    for first, end in pairwise(cuts):
        gain = 0.0
        while at < len(pieces) and pieces[at].start < end:
            gain += marks[at] + more
            at += 1
        start, total = (first, gain) if total <= 0 else (start, total + gain)
        best = max(best, (total, start, end), key=lambda run: run[0])
    begin = best[1]
    # A clause that goes on without a comma has its verb before it: "adjust the rules | and the docs to say so".
    while begin and _JOINED.match(text[begin:].lstrip()) and text[:begin].rstrip()[-1:].isalnum():
        begin = max(cut for cut in cuts if cut < begin)
    end = best[2]
    while _GOES_ON.match(text[end:].lstrip()) and text[:end].rstrip()[-1:].isalnum():
        end = min(cut for cut in cuts if cut > end)
    said = text[begin:end].strip().rstrip(",(").rstrip()
    return _JOINED.sub("", said) if begin else said


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
