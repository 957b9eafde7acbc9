"""Keyword queries, made from conversations: a few words of a passage, as people type them into a search.

Questions that were written to be paraphrases teach that words hardly matter. People also search by the very words that
they remember, and then nothing matters more; these queries say so.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmarks", "recall_sets"))

from sets import Haystack, Passage, Question

from holdfast.language.word_lists import lines
from holdfast.recall.embed import plain, words
from holdfast.store import words as words_module

SEED = 7
EACH = 110
MIN_WORDS = 6
# A query whose words stand together in more passages than this asks for none of them.
MAX_ANSWERS = 3

EMPTY = frozenset(lines(str(Path(words_module.__file__).with_name("empty_words.txt"))))


def keyword_sets(haystacks: list[Haystack]) -> list[Haystack]:
    """Return the haystacks with keyword queries in place of their questions."""
    chance = random.Random(SEED)
    return [Haystack(f"{h.name} by keywords", h.passages, _questions(h, chance)) for h in haystacks]


def _questions(haystack: Haystack, chance: random.Random) -> list[Question]:
    held = {passage.id: set(map(plain, words(passage.text))) for passage in haystack.passages}
    long = [passage for passage in haystack.passages if len(words(passage.text)) >= MIN_WORDS]
    found = []
    for passage in chance.sample(long, min(len(long), EACH)):
        chosen = _some_words(passage, chance)
        answers = [name for name, there in held.items() if there.issuperset(chosen)]
        if len(chosen) > 1 and len(answers) <= MAX_ANSWERS:
            text = _asked(passage, chosen, chance)
            found.append(Question(passage.id, text, frozenset([passage.id]), frozenset([passage.session])))
    return found


def _some_words(passage: Passage, chance: random.Random) -> list[str]:
    telling = [word for word in dict.fromkeys(map(plain, words(passage.text))) if word not in EMPTY]
    telling = [word for word in telling if len(word) > 2]
    return chance.sample(telling, min(chance.randint(2, 5), len(telling)))


def _asked(passage: Passage, chosen: list[str], chance: random.Random) -> str:
    if passage.speaker in ("", "user", "assistant") or chance.random() < 0.4:
        return " ".join(chosen)
    return f"What did {passage.speaker} say about {' '.join(chosen)}?"
