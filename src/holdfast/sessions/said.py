"""What the person said about the work: decisions, corrections and praise, by lists of phrases.

A quote is one sentence. Code, quoted lines and long pasted texts are not what a person says. The lists,
`words/en.txt` and `words/de.txt`, are light: they find what is said plainly, and miss the rest.
"""

from __future__ import annotations

import re
from functools import cache

from holdfast.language import word_lists
from holdfast.records import SessionEvent
from holdfast.sessions.facts import Said

# What is longer than this was pasted, for the most part.
_LOOK = 1_500
_LONGEST_SENTENCE = 400
LONGEST_TIME = 40
_WORDS = __file__.rpartition("/")[0] + "/words"
_LONGEST_GREETING = 60
_MAX_OF_A_TEXT = 8
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*[>|].*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]*")
_APART = re.compile(r"[^\w']+")
# The same for plain letters: what is neither a letter, a number, `_` nor `'` becomes a space.
_PLAIN_WORDS = "".join(sign if sign.isalnum() or sign in "_'" else " " for sign in map(chr, range(128)))
_BEFORE = 4
_starts_of: dict[str, tuple[str, ...]] = {}


def sayings(event: SessionEvent) -> list[Said]:
    """Return the sentences of a person's message that decide, correct or praise, in order, a few at most."""
    found: list[Said] = []
    is_first = True
    text = event.text[:_LOOK]
    if "`" in text or ">" in text or "|" in text:
        text = _CODE.sub(" … ", text)
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        if 1 < len(sentence) <= _LONGEST_SENTENCE:
            for kind in _kinds(sentence, is_first):
                found.append(Said(kind, sentence, event.at[:LONGEST_TIME], event.place, event.line))
        is_first = is_first and not sentence
    return found[:_MAX_OF_A_TEXT]


def begins_with(text: str, mark: str) -> bool:
    """Whether a text begins as an agent program writes it for this matter, in any case."""
    if mark not in _starts_of:
        _starts_of[mark] = tuple(one.casefold() for one in word_lists.lists(f"{_WORDS}/marks.txt")[mark])
    return text[:120].lstrip().casefold().startswith(_starts_of[mark])


def only_greets(text: str) -> bool:
    """Whether a message says hello, or tries whether somebody is there, and nothing else."""
    return len(text) < _LONGEST_GREETING and _folded(text).strip() in word_lists.spoken(_WORDS, "greeting")


def _kinds(sentence: str, is_first: bool) -> list[str]:
    """Return what a sentence is: a correction is no praise, and a question decides nothing."""
    folded = _folded(sentence)
    in_it = folded.split(" ")
    is_question = sentence.endswith("?")
    kinds = []
    if _place_of("correction", folded, in_it) >= 0 or (is_first and folded.startswith(_beginnings("correction-first"))):
        kinds.append("correction")
    elif not is_question and (_praises(folded, in_it) or (is_first and folded.startswith(_beginnings("praise-first")))):
        kinds.append("praise")
    if not is_question and _place_of("decision", folded, in_it) >= 0:
        kinds.append("decision")
    return kinds


def _folded(sentence: str) -> str:
    """Return the words of a sentence, in small letters, with a space around each."""
    folded = sentence.casefold()
    if folded.isascii():
        return f" {' '.join(folded.translate(_PLAIN_WORDS).split())} "
    return f" {_APART.sub(' ', folded.replace('’', chr(39))).strip()} "


def _praises(folded: str, in_it: list[str]) -> bool:
    place = _place_of("praise", folded, in_it)
    before = folded[:place].split()[-_BEFORE:] if place >= 0 else []
    return place >= 0 and not set(before) & set(word_lists.spoken(_WORDS, "negation"))


@cache
def _beginnings(kind: str) -> tuple[str, ...]:
    return tuple(f" {word} " for word in word_lists.spoken(_WORDS, kind))


@cache
def _phrases(kind: str) -> dict[str, list[str]]:
    """Return the phrases of a kind, with a space around each, by the word that they begin with."""
    found: dict[str, list[str]] = {}
    for phrase in word_lists.spoken(_WORDS, kind):
        found.setdefault(phrase.split(" ")[0], []).append(f" {phrase} ")
    return found


def _place_of(kind: str, folded: str, in_it: list[str]) -> int:
    """Return where the first phrase of a kind stands in a sentence with these words, -1 where there is none."""
    by_first_word = _phrases(kind)
    if by_first_word.keys().isdisjoint(in_it):
        return -1
    places = [folded.find(phrase) for word in in_it for phrase in by_first_word.get(word, ())]
    return min((place for place in places if place >= 0), default=-1)
