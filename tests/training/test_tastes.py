"""Pairs of things and kinds, out of a small WordNet that these tests write."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

from tastes import Taste, tastes

NOUNS = "\n".join(
    [
        "  1 a line of the licence",
        "00000001 13 n 01 fruit 0 005 ~ 00000002 n 0000 ~ 00000003 n 0000 ~ 00000004 n 0000 ~ 00000005 n 0000 "
        "~ 00000006 n 0000 | sweet",
        "00000002 13 n 01 apple 0 001 @ 00000001 n 0000 | round",
        "00000003 13 n 01 ugli_fruit 0 001 @ 00000001 n 0000 | rare",
    ]
)
INDEX = "\n".join(
    [
        "fruit n 1 1 ~ 1 0 00000001",
        "apple n 2 1 @ 2 0 00000002 00000009",
        "ugli_fruit n 1 1 @ 1 0 00000003",
    ]
)


def test_a_thing_is_paired_with_its_kind() -> None:
    """A thing in known words comes with the broader word; one with an unknown word is left out."""
    assert list(tastes(NOUNS, INDEX, {"apple", "fruit"})) == [Taste("13", "apple", "fruit")]


def test_a_rare_meaning_is_left_out() -> None:
    """A word is taken in its most frequent meaning only."""
    rare = INDEX.replace("00000002 00000009", "00000009 00000002")
    assert list(tastes(NOUNS, rare, {"apple", "fruit"})) == []
