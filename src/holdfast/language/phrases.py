"""Phrases with slots, and whether a sentence says them. `training/triggers/words/en.txt` tells their form at its top.

A hook needs them for one message only, so the steps of a phrase are taken apart when the message has its first word, or
where its second step is words, its first two.
"""

from __future__ import annotations

from holdfast.language.trigger_table import NOTHING, Found, with_second

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.language.sentences import Sentence
    from holdfast.language.trigger_table import Phrase, Row

    # One step of a phrase: what it is, words and lists of which one must stand there, and a number.
    Step = tuple[str, frozenset[str], int]

_SLOT = 6
_SIGNS = ",:;!-="


def said(
    sentence: Sentence, names: list[tuple[str, ...]], rows: Mapping[str, Row], phrases: Mapping[int, Phrase]
) -> set[str]:
    """Return the groups of which a sentence says a phrase; `names` has the lists and shapes of each word."""
    words = sentence.words
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
                for group, begins, needed, steps in map(phrases.__getitem__, numbers):
                    if group in cues or (begins and at > begins_until) or (needed and needed.isdisjoint(here)):
                        continue
                    if _follows(_steps[steps], start, sentence, names):
                        cues.add(group)
    return cues


def step(text: str) -> Step:
    """Return a step of a phrase as its kind, its words and its reach."""
    if text[0] == "*":
        return "gap", frozenset(), int(text[1:] or _SLOT)
    if text in ("$", "_"):
        return text, frozenset(), 0
    if text in _SIGNS:
        return "sign", frozenset(text), 0
    return "words", frozenset(text.split("|")), 0


_steps = Found(lambda text: tuple(map(step, text.split())))


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
