"""What a person's message says that lasts, judged behind the session: slower than a hook could be, and better.

A small encoder (`encoder.py`) reads the message together with the end of what the agent had said. Where that may say
something, a larger one reads it too, and counts for more. Both know English; what is written in Chinese or Japanese is
read first by one that knows these, and of seven other languages the commonest words are put into English
(`glosses.py`). What is above one score is told as a fact, what is above a lower one is a candidate.
Both bars were learned from messages of real people (`training/triggers/judge_bars.py`). What is said in other languages
than English is at most a candidate: too much of what would be told is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from typing import TYPE_CHECKING, Any
from zlib import crc32

from holdfast.language.glosses import glossed
from holdfast.language.statements import stated
from holdfast.language.triggers import KINDS, LEARNED
from holdfast.language.word_lists import among
from holdfast.language.word_pieces import BEGIN, END, Piece, WordPieces

if TYPE_CHECKING:
    from holdfast.language.encoder import Encoder, Figures

    Read = dict[int, tuple[Figures, list[Piece]]]

MOODS = ("praise", "frustration")
# The heads of the encoder: how clearly each kind is said, whether some would say so, and what holds for the message.
_HEADS = (*KINDS, *MOODS)
_KEEP, _MAY_KEEP, _ANY = range(2 * len(_HEADS), 2 * len(_HEADS) + 3)
# Where all of these are low by the first reader, the second need not look.
LOOKS = (_ANY, _KEEP, *[_HEADS.index(mood) for mood in MOODS])
# What the first reader counts, of the two that know English, and what the Chinese one counts, of all three.
FIRST_COUNTS, CHINESE_COUNTS = 0.3, 0.6
# So many pieces are read of the end of what the agent had said, and of the beginning and the end of the message.
BEFORE, HEAD, TAIL = 112, 120, 80
MAX_BEFORE, MAX_TEXT = 600, 4_000
# Nothing is stated in one word.
_MIN_WORDS = 2
# A kind or a mood is told by its figure of clear ones and half of that of arguable ones.
ARGUABLE = 0.5
_FOLDER = __file__.rpartition("/")[0] + "/"
_READERS = ("judge.bin", "second_reader.bin", "chinese_reader.bin")
_FIRST, _SECOND, _CHINESE = range(len(_READERS))
_opened: dict[int, tuple[Encoder, WordPieces]] = {}
# Raised when what is made of the figures of the encoders changes.
RULES = 3
Bars = dict[str, Any]
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Of the letters of an English text so many are plain ones.
_PLAIN = 0.85
# Letters of Chinese and Japanese; names and paths in such a message have plain ones.
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_IDEOGRAPHS = 0.15
# So short an answer to what the agent asked at the end is for the second reader: one in five of them says something.
_SHORT_ANSWER, _ASKED = 40, 250
# What is read word by word is seen less clearly. So much lower are the bars for a second look and for a candidate.
_GLOSSED_LOOK, _GLOSSED_CANDIDATE = 1.5, 1.0


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


def judge(text: str, before: str = "") -> Judgement:
    """Judge a message. `before` is what the agent had said last, where that is known."""
    return judge_all([(text, before)])[0]


def judge_all(messages: Sequence[tuple[str, str]]) -> list[Judgement]:
    """Judge messages, each with what the agent had said before it; together they take less time than one by one.

    What is more than a word is read: all by one reader, and by the others what may say something.
    """
    found = [NOTHING] * len(messages)
    places = [at for at, (text, _) in enumerate(messages) if len(text.split()) >= _MIN_WORDS or not text.isascii()]
    chinese = _looked_at(_CHINESE, messages, [at for at in places if is_chinese(messages[at][0])])
    plain = _looked_at(_FIRST, messages, [at for at in places if not is_chinese(messages[at][0])])
    plain |= _read_by(_FIRST, messages, list(chinese))
    for at, (again, _) in _read_by(_SECOND, messages, list(plain)).items():
        first, pieces = plain[at]
        heads = FIRST_COUNTS * first.heads + (1 - FIRST_COUNTS) * again.heads
        marks = FIRST_COUNTS * first.pieces + (1 - FIRST_COUNTS) * again.pieces
        if at in chinese:
            heads = CHINESE_COUNTS * chinese[at][0].heads + (1 - CHINESE_COUNTS) * heads
        text = messages[at][0]
        found[at] = _judgement(text, _reader(_FIRST)[0].about, heads.tolist(), stated(text[:MAX_TEXT], pieces, marks))
    return found


def is_chinese(text: str) -> bool:
    """Whether a text is written with Chinese or Japanese letters, but for names and code."""
    count = len(_IDEOGRAPH.findall(text))
    return count > 0 and count >= _IDEOGRAPHS * sum(sign.isalpha() for sign in text)


def _looked_at(which: int, messages: Sequence[tuple[str, str]], places: list[int]) -> Read:
    """Return what a reader says of those messages that may say something, by it or as an answer."""
    read = _read_by(which, messages, places)
    bar = _reader(which)[0].about["look"] if read else 0.0
    bars = {at: bar - _GLOSSED_LOOK * is_glossed(messages[at][0]) for at in read}
    return {
        at: one
        for at, one in read.items()
        if is_answer(*messages[at]) or max(one[0].heads[head] for head in LOOKS) >= bars[at]
    }


def is_answer(text: str, before: str) -> bool:
    """Whether a message is a short answer to a question at the end of what the agent had said."""
    return len(text) <= _SHORT_ANSWER and any(sign in before[-_ASKED:] for sign in "?？")


def _read_by(which: int, messages: Sequence[tuple[str, str]], places: list[int]) -> Read:
    """Return what a reader says of messages, and the pieces that it read of each."""
    if not places:
        return {}
    reader, pieces = _reader(which)
    cut = [_pieces_of(pieces, *messages[at]) for at in places]
    figures = reader.read([one[:2] for one in cut])
    return {at: (said, one[2]) for at, said, one in zip(places, figures, cut, strict=True)}


# Two readers share their pieces, and are asked about the same few messages one after the other.
@lru_cache(maxsize=64)
def _pieces_of(pieces: WordPieces, text: str, before: str) -> tuple[list[int], int, list[Piece]]:
    """Return the numbers that an encoder reads, where those of the person's words begin, and their pieces."""
    own = _own_pieces(pieces, text[:MAX_TEXT])
    kept = own if len(own) <= HEAD + TAIL else [*own[:HEAD], *own[-TAIL:]]
    said = [BEGIN, *[piece.number for piece in _own_pieces(pieces, before[-MAX_BEFORE:])[-BEFORE:]], END]
    return [*said, *[piece.number for piece in kept], END], len(said), kept


def _own_pieces(pieces: WordPieces, text: str) -> list[Piece]:
    """Return the pieces of a text, of one in another language those of its words in English, at their places in it."""
    said = glossed(text) if is_glossed(text) else None
    if not said:
        return pieces.of(text)
    return [Piece(one.number, said[1][one.start], said[1][one.end]) for one in pieces.of(said[0])]


def _judgement(text: str, bars: Bars, heads: list[float], statement: str) -> Judgement:
    kinds = [*(_told(bars, heads) if is_english(text) else ()), *_moods(bars, heads)]
    lower = _GLOSSED_CANDIDATE * is_glossed(text)
    candidates = [kind for kind in _candidates(bars, heads, lower) if kind not in kinds]
    is_something = candidates or set(kinds) - set(MOODS)
    lasts = heads[_KEEP] + heads[_MAY_KEEP] >= bars["keep"]
    return Judgement(tuple(kinds), tuple(candidates), statement, bool(lasts and is_something and statement))


def _told(bars: Bars, heads: list[float]) -> Iterable[str]:
    """Return the kinds that are told as facts."""
    return [kind for kind, mark, bar in zip(LEARNED, _marks(heads), bars["told"], strict=True) if mark >= bar]


def _moods(bars: Bars, heads: list[float]) -> Iterable[str]:
    places = [(mood, _HEADS.index(mood)) for mood in MOODS]
    marks = {mood: heads[at] + ARGUABLE * heads[len(_HEADS) + at] for mood, at in places}
    return [mood for mood, mark in marks.items() if mark >= bars["moods"][mood]]


def _candidates(bars: Bars, heads: list[float], lower: float) -> Iterable[str]:
    """Return the likeliest kinds of a message that seems to say something: one kind clearly, or several less so."""
    if log(sum(exp(heads[at]) for at in range(len(LEARNED)))) < bars["candidate"] - lower:
        return ()
    marks = _marks(heads)
    return [kind for kind, mark in zip(LEARNED, marks, strict=True) if mark >= max(marks) - bars["margin"]]


def _marks(heads: list[float]) -> list[float]:
    """Return how much each kind is said."""
    return [heads[at] + ARGUABLE * heads[len(_HEADS) + at] for at in range(len(LEARNED))]


def is_glossed(text: str) -> bool:
    """Whether a text is in a language of which the commonest words are known in English."""
    return not is_chinese(text) and bool(glossed(text[:MAX_TEXT]))


def is_english(text: str) -> bool:
    """Whether a text is in English, as far as its letters and its words tell."""
    if is_glossed(text):
        return False
    letters = [letter for letter in text if letter.isalpha()]
    if sum(letter.isascii() for letter in letters) < _PLAIN * len(letters):
        return False
    words = _WORD.findall(text.lower())
    english, other = among("small_words", "english"), among("small_words", "other")
    return sum(word in english for word in words) >= sum(word in other for word in words)


def who_judges() -> str:
    """Return what tells this judge from one that would say something else of a message: its rules and its weights."""
    told = [str(RULES)]
    for name in _READERS:
        with open(_FOLDER + name, "rb") as file:
            head = file.readline() + file.readline()
            # What is packed ends with a sum of all of it.
            file.seek(-4, os.SEEK_END)
            told.append(f"{crc32(head + file.read()):x}")
    return " ".join(told)


def _reader(which: int) -> tuple[Encoder, WordPieces]:
    """Return a reader and the pieces of words that it knows; each is opened when a message is for it."""
    if which not in _opened:
        # On a busy machine several threads wait for each other longer than one of them works.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from holdfast.language.encoder import Encoder

        reader = Encoder(_FOLDER + _READERS[which])
        shared = which == _SECOND
        _opened[which] = reader, _reader(_FIRST)[1] if shared else WordPieces(reader.vocabulary())
    return _opened[which]
