"""Texts: how a number is told together with what it counts."""

from __future__ import annotations


def count(number: int, thing: str, plural: str = "") -> str:
    """Return the number and what it counts, in the plural where it is not one: `1 session`, `1,200 memories`."""
    if number == 1:
        return f"1 {thing}"
    if not plural:
        ends_in_y = thing.endswith("y") and thing[-2:-1] not in "aeiou"
        plural = f"{thing[:-1]}ies" if ends_in_y else f"{thing}es" if thing.endswith(("s", "x", "ch")) else f"{thing}s"
    return f"{number:,} {plural}"
