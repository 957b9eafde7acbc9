"""Rules in Spanish and French, put into the words by which a rule is known in English.

Only the words that make a rule are put over, one by one (`tables/rule_words.txt`); commands, files and what is in
backquotes stay. A sentence that has English words of its own is left alone. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import functools
import re

from holdfast.base.regexes import kept
from holdfast.language.word_lists import TABLES, lists

_TABLE = f"{TABLES}/rule_words.txt"
_QUOTED = kept(r"(`[^`\n]*`)")
_TONGUES = ("es", "fr")


def in_english(sentence: str) -> str:
    """Return a sentence with the words of its rule in English; as it is where it is in no such language."""
    pieces = _QUOTED.split(sentence)
    spoken = " ".join(pieces[::2]).casefold().replace("’", "'")
    if _english().search(spoken):
        return sentence
    for tongue in _TONGUES:
        if not _sign(tongue).search(spoken):
            continue
        pieces[::2] = [_put_over(piece.replace("’", "'"), tongue) for piece in pieces[::2]]
        return "".join(pieces)
    return sentence


def _put_over(piece: str, tongue: str) -> str:
    for pattern, words in _patterns(tongue):
        piece = pattern.sub(lambda found, words=words: _said(found, words), piece)  # type: ignore[misc]
    return piece


def _said(found: re.Match[str], words: dict[str, str]) -> str:
    said = words[found["word"].casefold()]
    return f"never {said}" if "verb" in found.re.groupindex else said


@functools.cache
def _english() -> re.Pattern[str]:
    return kept(rf"(?<![\w'/.-])(?:{'|'.join(lists(_TABLE)['english'])})(?![\w'/-])")


@functools.cache
def _sign(tongue: str) -> re.Pattern[str]:
    """Return what tells the language: one of its words for a ban or a wish."""
    return kept(rf"(?<![\w/.-])(?:{'|'.join(lists(_TABLE)[f'{tongue}-sign'])})(?![\w/-])")


@functools.cache
def _patterns(tongue: str) -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Return what is put over: bans with their verb, then phrases and words, the longest first."""
    found = []
    for kind in ("verb", "word"):
        words = dict([one.split("=") for one in lists(_TABLE)[f"{tongue}-{kind}"]])
        either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        if kind == "verb":
            for ban in lists(_TABLE)[f"{tongue}-ban"]:
                form = ban.replace("VERB", rf"(?P<verb>)(?P<word>{either})")
                found.append((kept(rf"(?i)(?<![\w/.-]){form}(?![\w/-])"), words))
        found.append((kept(rf"(?i)(?<![\w/.'-])(?P<word>{either})(?![\w/-])"), words))
    return found
