"""What the person said about the work: decisions, corrections and praise, by lists of phrases.

A quote is one sentence. Code, quoted lines and long pasted texts are not what a person says. The lists,
`words/en.txt` and `words/de.txt`, are light: they find what is said plainly, and miss the rest.
"""

from __future__ import annotations

import re

from holdfast.records import SessionEvent
from holdfast.sessions.facts import Said
from holdfast.sessions.vocabulary import spoken, words

# What is longer than this was pasted, for the most part.
_LOOK = 1_500
_LONGEST_SENTENCE = 400
LONGEST_TIME = 40
_MOST_OF_A_TEXT = 8
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*[>|].*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]*")
_APART = re.compile(r"[^\w']+")
_BEFORE = 4
_found: dict[str, re.Pattern[str]] = {}
_starts_of: dict[str, tuple[str, ...]] = {}


def sayings(event: SessionEvent) -> list[Said]:
    """Return the sentences of a person's message that decide, correct or praise, in order, a few at most."""
    found: list[Said] = []
    is_first = True
    for match in _SENTENCE.finditer(_CODE.sub(" … ", event.text[:_LOOK])):
        sentence = match[0].strip()
        if 1 < len(sentence) <= _LONGEST_SENTENCE:
            for kind in _kinds(sentence, is_first):
                found.append(Said(kind, sentence, event.at[:LONGEST_TIME], event.place, event.line))
        is_first = is_first and not sentence
    return found[:_MOST_OF_A_TEXT]


def begins_with(text: str, mark: str) -> bool:
    """Whether a text begins as an agent program writes it for this matter, in any case."""
    if mark not in _starts_of:
        _starts_of[mark] = tuple(one.casefold() for one in words("marks")[mark])
    return text[:120].lstrip().casefold().startswith(_starts_of[mark])


def _kinds(sentence: str, is_first: bool) -> list[str]:
    """Return what a sentence is: a correction is no praise, and a question decides nothing."""
    folded = f" {_APART.sub(' ', sentence.casefold().replace('’', chr(39))).strip()} "
    is_question = sentence.endswith("?")
    kinds = []
    if _has(folded, "correction") or (is_first and _starts(folded, "correction-first")):
        kinds.append("correction")
    elif not is_question and (_praises(folded) or (is_first and _starts(folded, "praise-first"))):
        kinds.append("praise")
    if not is_question and _has(folded, "decision"):
        kinds.append("decision")
    return kinds


def _praises(folded: str) -> bool:
    match = _pattern("praise").search(folded)
    before = folded[: match.start()].split()[-_BEFORE:] if match else []
    return match is not None and not set(before) & set(spoken("negation"))


def _has(folded: str, kind: str) -> bool:
    return _pattern(kind).search(folded) is not None


def _starts(folded: str, kind: str) -> bool:
    return folded.startswith(tuple(f" {word} " for word in spoken(kind)))


def _pattern(kind: str) -> re.Pattern[str]:
    if kind not in _found:
        _found[kind] = re.compile(f" (?:{'|'.join(re.escape(word) for word in spoken(kind))}) ")
    return _found[kind]
