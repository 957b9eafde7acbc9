"""What a message in another language says in English, word by word, so that readers of English see what it lays down.

`tables/glosses.txt` has the commonest words of seven languages. A message is in the language of which most of its words
are there; what is not there stays as it is. It is no translation: "todas as mudanças só no script" becomes "all the
changes only in the script", and that is enough to tell a lasting rule from a question.
"""

from __future__ import annotations

import functools
import re

from holdfast.language.likeness import folded
from holdfast.language.word_lists import TABLES, among, lines

_TABLE = f"{TABLES}/glosses.txt"
# Letters beside figures are of a number or a name.
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
# Between the words of a phrase stands nothing more than this: "c'est-à-dire".
_WITHIN = re.compile(r"[\s'’-]{1,2}")
_LONGEST = 4
# So many of the words of a message are known in its language, and so many at least.
_KNOWN, _AT_LEAST = 0.25, 2
_PREFIX, _LEFT_OUT, _SPACE = "*", "-", "_"
# A beginning of a word has so many letters.
_SHORTEST = 4

# What the words of a language are in English, and how the phrases and the words that are there begin.
Words = tuple[dict[str, str], frozenset[str]]
Found = list[tuple[int, int, str]]


@functools.lru_cache(maxsize=256)
def glossed(text: str) -> tuple[str, list[int]] | None:
    """Return a text in English words, with where in the text each of its letters stands; None where it is not known."""
    said = [(folded(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]
    english = among("small_words", "english")
    count, found = max((_known(said, text, words) for words in _languages()), key=lambda one: one[0])
    in_english = sum(one[0] in english for one in said)
    if count < max(_AT_LEAST, _KNOWN * len(said)) or count <= in_english:
        return None
    parts, places, at = [], [], 0
    for start, end, word in found:
        parts += [text[at:start], word]
        places += [*range(at, start), *[start] * len(word)]
        at = end
    return "".join([*parts, text[at:]]), [*places, *range(at, len(text) + 1)]


def _known(said: list[tuple[str, int, int]], text: str, words: Words) -> tuple[int, Found]:
    """Return how many words of a message tell of a language, and what stands for them.

    A letter alone, a word that English has too, or one that is the same there tells of none.
    """
    english = among("small_words", "english")
    table, beginnings = words
    found: Found = []
    at = known = 0
    while at < len(said):
        own = said[at][0]
        # Most words of a message in another language are not there.
        may_be = own in beginnings or own[:_SHORTEST] + _PREFIX in beginnings
        length, word = _longest(said, at, text, table) if may_be else (0, "")
        if length:
            found.append((said[at][1], said[at + length - 1][2], word))
            known += length if length > 1 else len(own) > 1 and own not in english and own != word
        at += length or 1
    return known, found


def _longest(said: list[tuple[str, int, int]], at: int, text: str, words: dict[str, str]) -> tuple[int, str]:
    """Return how many words the longest phrase has that begins at a word, and what it is in English."""
    reach = 1
    while reach < _LONGEST and at + reach < len(said):
        if not _WITHIN.fullmatch(text, said[at + reach - 1][2], said[at + reach][1]):
            break
        reach += 1
    for length in range(reach, 0, -1):
        word = words.get(_SPACE.join([one[0] for one in said[at : at + length]]))
        if word is not None:
            return length, word
    begins = said[at][0]
    for end in range(len(begins), _SHORTEST - 1, -1):
        word = words.get(begins[:end] + _PREFIX)
        if word is not None:
            return 1, word
    return 0, ""


@functools.cache
def _languages() -> tuple[Words, ...]:
    """Return what the words of each language are in English; of a word with two meanings the first."""
    table = [[cell.split() for cell in line.split("|")[1:]] for line in lines(_TABLE)]
    english = [line.partition("|")[0].strip() for line in lines(_TABLE)]
    languages: list[dict[str, str]] = [{} for _ in table[0]]
    for said, cells in zip(english, table, strict=True):
        for words, cell in zip(languages, cells, strict=True):
            for word in cell:
                words.setdefault(folded(word), "" if said == _LEFT_OUT else said)
    found: list[Words] = []
    for words in languages:
        firsts = {key.partition(_SPACE)[0] for key in words}
        beginnings = [one[:_SHORTEST] + _PREFIX if one.endswith(_PREFIX) else one for one in firsts]
        found.append((words, frozenset(beginnings)))
    return tuple(found)
