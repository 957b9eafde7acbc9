"""The lists of words in `words/`."""

from __future__ import annotations

import os
from functools import cache


def lines_of(name: str) -> list[tuple[str, str]]:
    """Return the lines of a list, each as its kind and what stands behind that."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words", f"{name}.txt")
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").partition(": ") for line in file if not line.startswith("#")]
    return [(kind, listed) for kind, colon, listed in rows if colon]


@cache
def small_words(kind: str) -> frozenset[str]:
    """Return the words of a kind in `words/small.txt`."""
    return frozenset(word for each, listed in lines_of("small") if each == kind for word in listed.split())
