"""Signatures: a text without what differs from time to time, and when two of them mean the same.

A signature is words in small letters; names (of files, modules, programs, codes of errors) stand in quotes. Before the
last `: ` may stand a head, which says what it is about. Two signatures are near when head and names are the same and
most of the other words are; a word counts as the same if it begins alike and differs by a letter or two.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.language.failures import plain as without_colours
from holdfast.language.word_lists import lists

MOST = 200
_LOOK = 500
# So much of the words of both must be common.
COMMON = 0.65
# Words that begin with these letters alike may be the same word, misspelt or in another form.
BEGINNING = 3
# Words that say nothing about which failure it is, and words that everybody looks for.
SMALL_WORDS = __file__.rpartition("/")[0] + "/words/small.txt"
_EMPTY = frozenset(lists(SMALL_WORDS)["empty"])
# Before a word that the person negated.
_NOT = "not-"
_TOKEN = re.compile(
    r"""(?P<quoted>(?<!\w)(?:'[^'\n]{1,80}'|"[^"\n]{1,80}"|`[^`\n]{1,80}`|“[^”\n]{1,80}”)(?!\w))"""
    r"""|(?P<url>[a-z]+://[^\s'"<>)\]]+)|(?P<path>(?:[A-Za-z]:)?[\w.@~+-]*[/\\][\w.@~+/\\:*-]*)"""
    r"""|(?P<word>[^\W_][\w'’+.@:-]*|--?[a-zA-Z][\w-]*)"""
)
_CODE = re.compile(r"[A-Z]{1,8}-?\d{2,5}|E[A-Z]{3,}|ERR_[A-Z_]+")
_VARYING = re.compile(r"(?:0x)?[0-9a-f]{7,}|[\d.:,tzx+-]*\d[\d.:,tzx+-]*(?:m?s|[kmg]b|px|m|h|b|k|th|st|nd|rd)?", re.I)
_HEXLIKE = re.compile(r"[0-9a-f]*\d[0-9a-f]*(?:-[0-9a-f]+)*", re.I)
_DIGITS = re.compile(r"\d+")
_CAMEL = re.compile(r"[a-z][A-Z]")
_LINE_BEHIND = re.compile(r"(?::\d+)+:?$|\(\d+(?:,\d+)?\)$")


@lru_cache(16_384)
def signature(text: str, head: str = "") -> str:
    """Return the text in small letters without paths, numbers, hashes, times and ids; behind a head, if one is given.

    Nothing is left of a text that has nothing else.
    """
    found: dict[str, None] = {}
    line = " ".join(without_colours(text[:_LOOK]).split())
    for match in _TOKEN.finditer(line):
        for token in _tokens(match):
            found.setdefault(token)
    told = " ".join(found)
    told = told if len(told) <= MOST else told[:MOST].rpartition(" ")[0]
    if not head:
        return told
    return f"{head}: {told}" if told else f"{head}:"


def near(one: str, other: str) -> bool:
    """Whether two signatures mean the same."""
    return one == other or (frame(one) == frame(other) and alike(one, other))


@lru_cache(65_536)
def frame(signature: str) -> tuple[str, tuple[str, ...]]:
    """Return what must be the same in near signatures: the head, and the names."""
    head, tail = _apart(signature)
    return head, tuple(sorted(token for token in tail.split(" ") if token[:1] == "'"))


@lru_cache(65_536)
def words(signature: str) -> frozenset[str]:
    """Return the words of a signature that are no names, without the sign that one was negated."""
    tail = _apart(signature)[1].split(" ")
    return frozenset(token.removeprefix(_NOT) for token in tail if token and token[:1] != "'")


def alike(one: str, other: str) -> bool:
    """Whether most of the words of two signatures are the same, and they do not say the opposite."""
    first, second = words(one), words(other)
    common = len(first & second)
    if common < min(len(first), len(second)):
        common += _misspelt(first - second, second - first)
    whole = len(first) + len(second) - common
    return (whole == 0 or common / whole >= COMMON) and not _are_opposite(one, other)


def _are_opposite(one: str, other: str) -> bool:
    """Whether each negates a word that the other does not: tabs, not spaces; and spaces, not tabs."""
    if _NOT not in one or _NOT not in other:
        return False
    first, second = _negated(one), _negated(other)
    return bool((first - second) & words(other)) and bool((second - first) & words(one))


def _negated(signature: str) -> frozenset[str]:
    return frozenset(token.removeprefix(_NOT) for token in signature.split(" ") if token.startswith(_NOT))


def _misspelt(one: frozenset[str], other: frozenset[str]) -> int:
    """Return how many words of one are words of the other in a slightly different form."""
    left = sorted(other)
    count = 0
    for word in sorted(one):
        same = next((each for each in left if _is_form(word, each)), None)
        if same is not None:
            left.remove(same)
            count += 1
    return count


def _is_form(one: str, other: str) -> bool:
    shortest = min(len(one), len(other))
    if shortest < 5 or one[:BEGINNING] != other[:BEGINNING]:
        return False
    return distance(one, other) <= (1 if shortest < 9 else 2)


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out or changed to make one word the other."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, compared in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != compared)))
        before = now
    return before[-1]


def _apart(signature: str) -> tuple[str, str]:
    if signature.endswith(":"):
        return signature[:-1], ""
    head, _, tail = signature.rpartition(": ")
    return head, tail


def _tokens(match: re.Match[str]) -> list[str]:
    kind, text = match.lastgroup, match[0]
    if kind == "url":
        return _name(text.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0])
    if kind == "path":
        return _of_path(text)
    if kind == "word":
        return _of_word(text)
    inner = text[1:-1].strip()
    if " " in inner:
        return [token for part in inner.split() for token in _of_part(part)]
    if "://" in inner:
        return _of_part(inner)
    return _of_path(inner) if "/" in inner or "\\" in inner else _name(inner)


def _of_part(text: str) -> list[str]:
    match = _TOKEN.search(text)
    return _tokens(match) if match and match.lastgroup in ("url", "path", "word") else []


def _of_path(text: str) -> list[str]:
    """Return the last part of a path as a name, unless it is one that nobody chose."""
    last = _LINE_BEHIND.sub("", text).replace("\\", "/").rstrip("/:.").rpartition("/")[2]
    return _name(last) if any(letter.isalpha() for letter in last) else []


def _of_word(text: str) -> list[str]:
    text = _LINE_BEHIND.sub("", text).strip("'’.:-+@")
    if _CODE.fullmatch(text):
        return [f"'{text.casefold()}'"]
    if not text or _VARYING.fullmatch(text) or _HEXLIKE.fullmatch(text):
        return []
    if any(sign in text for sign in "_.@") or _CAMEL.search(text):
        return _name(text)
    plain = _DIGITS.sub("", text).casefold().strip("'’-:")
    return [plain] if plain and plain not in _EMPTY else []


def _name(text: str) -> list[str]:
    """Return a name in quotes; where it varies, as the name of a temporary file does, nothing."""
    text = text.strip("'\"`,;:()[]{}<> ")
    if not text or _VARYING.fullmatch(text) or _HEXLIKE.fullmatch(text):
        return []
    if _CODE.fullmatch(text):
        return [f"'{text.casefold()}'"]
    digits = sum(letter.isdigit() for letter in text)
    if text.casefold().startswith("tmp") or digits > max(4, len(text) // 2):
        return []
    plain = _DIGITS.sub("#", text).casefold().replace("'", "").replace(" ", "-")
    return [f"'{plain[:60]}'"] if any(letter.isalpha() for letter in plain) else []
