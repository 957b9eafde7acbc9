"""Words of a text, for every script.

SQLite's tokenizer cuts at spaces and punctuation. Scripts that put no spaces between words, and emoji, need more: each
run of such letters is told as its single letters and its overlapping pairs, so that any part of the run can be found.
"""

from __future__ import annotations

# First and last code point of each block written without spaces: Thai and Lao, Myanmar, Khmer, CJK, kana, Yi, Tai.
_SPACELESS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x303F),
    (0x3040, 0x31FF),
    (0x3400, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xAA80, 0xAADF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D),
    (0x20000, 0x323AF),
)
_EMOJI = ((0x2190, 0x2BFF), (0x1F000, 0x1FAFF))


def words(text: str) -> list[str]:
    """Return the runs of letters and digits that a space-cutting tokenizer finds, in order, lower case."""
    return [word for word in "".join(_letter_or_space(letter) for letter in text).lower().split() if word]


def grams(text: str) -> list[str]:
    """Return single letters and pairs of spaceless scripts, and a code word for each emoji; none for other text."""
    if text.isascii():
        return []
    out: list[str] = []
    before = ""
    for letter in text:
        code = ord(letter)
        if _within(code, _SPACELESS):
            out += [letter, before + letter] if before else [letter]
            before = letter
            continue
        before = ""
        if _within(code, _EMOJI):
            out.append(f"emoji{code:x}")
    return out


def query_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the grams to look for: pairs where a run has them, a single letter where it is alone."""
    found = grams(text)
    pairs = [gram for gram in found if len(gram) == 2]
    singles = [gram for gram in found if len(gram) == 1 and not any(gram in pair for pair in pairs)]
    emoji = [gram for gram in found if len(gram) > 2]
    plain = [word for word in words(text) if not _is_spaceless(word)]
    return _once(plain), _once(pairs + singles + emoji)


def _is_spaceless(word: str) -> bool:
    return not word.isascii() and all(_within(ord(letter), _SPACELESS) for letter in word)


def _letter_or_space(letter: str) -> str:
    return letter if letter.isalnum() or letter in "_\u0301\u0308" else " "


def _within(code: int, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in blocks)


def _once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))
