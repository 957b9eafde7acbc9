"""The words that speak of time, and a text taken apart into words with what is known of each.

The words of each language lie in `times/`, one file a language, all read as one list. A line is a kind of word, for
some kinds a value, and the words:

    month, short    the number of a month; a short name counts only where it is written with a capital
    doubtful        months that are also another word: alone they say nothing
    weekday, unit, number, day (so many days ago), weekend, this, last, ago, back (an `ago` that stands first)
    in, on, since, before, after, until, between, and     what stands before a time, or between two
    article         what stands before the name of an event
    recent, old, first     what only leans: to the newest, to what is older, to the oldest
    ahead, past     words of a sentence about what is to come, or about what was
    join            what may follow a bare year, and what ends the name of an event
    fill            what a question has that asks for all of a time: "what happened yesterday"
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.language.word_lists import LANGUAGES, rows

AROUND = " .,;:!?()[]{}<>\"'“”„‘’«»…*"
CODE = "`"
_ENDS = ".,;:!?)…"
_OPEN = "([{"
_LONGEST_PHRASE = 5
_read: list[dict[str, list[tuple[str, str]]]] = []


class Word(NamedTuple):
    """One word of the text: `ends` where a comma, stop or the like follows, `dot` where that is a single dot."""

    text: str
    capital: bool
    ends: bool
    dot: bool
    owns: bool


_A_PIECE_OF_CODE = Word(CODE, False, True, False, False)


def kinds_at(words: list[Word], place: int) -> dict[str, tuple[str, int]]:
    """Return the kinds of the longest phrases that begin here, each with its value and the place after it."""
    # The lists are read when a time is first asked for.
    if not _read:
        _read.append(_all_phrases())
    kinds: dict[str, tuple[str, int]] = {}
    phrase = ""
    for last in range(place, min(len(words), place + _LONGEST_PHRASE)):
        phrase = f"{phrase} {words[last].text}" if phrase else words[last].text
        for kind, value in _read[0].get(phrase, ()):
            kinds[kind] = (value, last + 1)
        if words[last].ends:
            break
    word = words[place].text
    if len(word) == 2 and word[0] == "q" and word[1] in "1234":
        kinds["quarter"] = (word[1], place + 1)
    if len(word) == 4 and word.isascii() and word.isdecimal():
        kinds["year"] = (word, place + 1)
    return kinds


def _all_phrases() -> dict[str, list[tuple[str, str]]]:
    known: dict[str, list[tuple[str, str]]] = {}
    folder = __file__.rpartition("/")[0] + "/times"
    for language in LANGUAGES:
        for kind, phrases in rows(f"{folder}/{language}.txt"):
            name, _, value = kind.partition(" ")
            for phrase in phrases.split(","):
                known.setdefault(phrase.strip(), []).append((name, value))
    return known


def taken_apart(text: str, most: int) -> tuple[list[str], list[Word]]:
    """Return the pieces between spaces that hold a word, and the words; what stands in backticks is code, and none."""
    pieces = [piece for piece in text.split(None, most + 1) if piece.strip(AROUND)]
    words: list[Word] = []
    code = False
    for piece in pieces:
        if words and piece[0] in _OPEN:
            words[-1] = words[-1]._replace(ends=True)
        words.append(_A_PIECE_OF_CODE if code or CODE in piece else _word(piece))
        code ^= piece.count(CODE) % 2 == 1
    return pieces, words


def _word(piece: str) -> Word:
    core = piece.strip(AROUND)
    tail = piece[piece.rfind(core[-1]) + 1 :]
    low = core.lower().replace("’", "'")
    owns = low.endswith("'s")
    return Word(low.removesuffix("'s"), core[0].isupper(), any(sign in _ENDS for sign in tail), tail == ".", owns)
