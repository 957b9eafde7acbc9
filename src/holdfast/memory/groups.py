"""Groups: which memories of a crowded folder belong together.

A label is a tag or the first word of a key. The label that gathers the most goes first, as long as it tells something
(three memories at least, not nearly all of them); what no label gathers stays ungrouped. The same memories always give
the same groups.
"""

from __future__ import annotations

from collections import Counter

from holdfast.records import Memory

LEAST = 3
MAX_GROUPS = 20
_LARGEST_SHARE = 0.7
_EMPTY_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "we",
        "our",
        "use",
        "is",
        "are",
        "in",
        "on",
        "to",
        "for",
        "of",
        "and",
        "or",
        "not",
        "no",
        "it",
        "this",
        "that",
        "do",
        "does",
        "when",
        "all",
    ]
)


def group(memories: list[Memory]) -> list[tuple[str, list[Memory]]]:
    """Return labelled groups in the order of their labels, and last, under the empty label, the rest."""
    left = {memory.path: memory for memory in memories}
    found: list[tuple[str, list[Memory]]] = []
    while left and len(found) < MAX_GROUPS:
        label = _best_label(list(left.values()), len(memories))
        if not label:
            break
        members = [memory for memory in left.values() if label in labels(memory)]
        found.append((label, members))
        for memory in members:
            del left[memory.path]
    found.sort()
    return [*found, ("", list(left.values()))] if left else found


def labels(memory: Memory) -> list[str]:
    """Return what a memory may be grouped by."""
    first = memory.key.split("-", 1)[0]
    words = [first] if len(first) > 2 and not first.isdigit() and first not in _EMPTY_WORDS else []
    return list(dict.fromkeys([*(tag.lower() for tag in memory.tags), *words]))


def _best_label(memories: list[Memory], total: int) -> str:
    counts = Counter(label for memory in memories for label in labels(memory))
    usable = [(-n, label) for label, n in counts.items() if n >= LEAST and n <= total * _LARGEST_SHARE]
    return min(usable)[1] if usable else ""
