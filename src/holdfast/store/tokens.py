"""Words of a text, for every script.

SQLite's tokenizer cuts at spaces and punctuation. Scripts that put no spaces between words, Korean, whose endings stick
to the word, and emoji need more: each run of such letters is told as its single letters and its overlapping pairs, so
that any part of the run can be found.
"""

from __future__ import annotations

# First and last code point of each block: Thai and Lao, Myanmar, Hangul, Khmer, CJK, kana, Yi, Tai.
_SPACELESS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x2E80, 0x303F),
    (0x3040, 0x31FF),
    (0x3400, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xA960, 0xA97F),
    (0xAA80, 0xAADF),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D),
    (0x20000, 0x323AF),
)
_EMOJI = ((0x2190, 0x2BFF), (0x1F000, 0x1FAFF))
_FIRST_SPACELESS = "\u0e00"


def words(text: str) -> list[str]:
    """Return the runs of letters and digits between spaces, punctuation and spaceless scripts, in lower case."""
    return "".join(map(_letter_or_space, _composed(text))).lower().split()


def grams(text: str) -> list[str]:
    """Return what SQLite's tokenizer would not find in the text; nothing for most text.

    That is: single letters and pairs of spaceless scripts, words of other scripts that stand within such a run, words
    without the accents that the tokenizer does not take off, and a code word for each emoji.
    """
    if text.isascii():
        return []
    return [gram for piece in _composed(text).split() if not piece.isascii() for gram in _grams_of_piece(piece)]


def query_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the grams to look for: pairs where a run has them, a single letter where it is alone."""
    plain, found = words(text), grams(text)
    paired = {letter for gram in found if len(gram) == 2 for letter in gram}
    wanted = [gram for gram in found if len(gram) > 1 or gram not in paired]
    return _once(plain), [gram for gram in _once(wanted) if gram not in plain]


def _grams_of_piece(piece: str) -> list[str]:
    out: list[str] = []
    before = ""
    spaceless = False
    for letter in piece:
        if _is_spaceless(letter):
            out += [letter, before + letter] if before else [letter]
            before, spaceless = letter, True
        else:
            before = ""
            if _within(ord(letter), _EMOJI):
                out.append(f"emoji{ord(letter):x}")
    if spaceless:
        return out + words(piece)
    bare = _without_accents(piece)
    # Latin letters lose their accents in the tokenizer already.
    return out if bare == piece or bare.isascii() else out + words(bare)


def _composed(text: str) -> str:
    """Return the text with each letter and its accents as one character, however it was typed."""
    if text.isascii():
        return text
    # Not at the top: a prompt hook loads this file, and most prompts are ASCII.
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _without_accents(text: str) -> str:
    import unicodedata

    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def _letter_or_space(letter: str) -> str:
    # Accents that have no composed letter stay with theirs, as in SQLite's tokenizer.
    wanted = letter.isalnum() or letter == "_" or "\u0300" <= letter <= "\u0331"
    return letter if wanted and not _is_spaceless(letter) else " "


def _is_spaceless(letter: str) -> bool:
    return letter >= _FIRST_SPACELESS and _within(ord(letter), _SPACELESS)


def _within(code: int, blocks: tuple[tuple[int, int], ...]) -> bool:
    for first, last in blocks:
        if code <= last:
            return code >= first
    return False


def _once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))
