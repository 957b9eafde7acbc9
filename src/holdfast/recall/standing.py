"""Standing rules: does a question ask for one, does a passage state one? The words are data, one file a language."""

from __future__ import annotations

from functools import lru_cache

from holdfast.language.word_lists import spoken

_FOLDER = __file__.rpartition("/")[0] + "/standing_words"


def asks(text: str) -> bool:
    """Whether the text asks what holds now: it names a rule, and does not speak of the past."""
    words = set(_apart(text).split())
    return not words.isdisjoint(_words("ask")) and not asks_past(text)


def asks_past(text: str) -> bool:
    """Whether the text asks for what was."""
    return not set(_apart(text).split()).isdisjoint(_words("past"))


def states(text: str) -> bool:
    """Whether the text lays down a rule, or takes one up."""
    apart = f" {_apart(text)} "
    return any(f" {phrase} " in apart for phrase in _words("state"))


def _apart(text: str) -> str:
    """Return the words of the text, in lower case, with one space between them."""
    low = text.lower().replace("\u2019", "'")
    return " ".join("".join([letter if letter.isalnum() or letter == "'" else " " for letter in low]).split())


@lru_cache(maxsize=8)
def _words(kind: str) -> frozenset[str]:
    """Return the words and phrases of a kind in every language."""
    return frozenset(spoken(_FOLDER, kind))
