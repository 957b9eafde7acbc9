"""Which memories of a crowded folder belong together."""

from __future__ import annotations

import random

from holdfast.memory.index_pages import group, labels
from holdfast.records import Memory, Scope


def memory(key: str, *tags: str) -> Memory:
    """Return a memory with these tags."""
    return Memory(key=key, scope=Scope("global"), title=key, body=key, tags=tags, path=f"global/memories/{key}.md")


def names(memories: list[Memory]) -> dict[str, list[str]]:
    """Return the keys of each group."""
    return {label: sorted(m.key for m in members) for label, members in group(memories)}


def test_tags_and_first_words_make_groups() -> None:
    """Memories with a common tag or first word are together; what has neither is the rest, last."""
    found = names(
        [*(memory(f"deploy-{n}") for n in range(4)), *(memory(f"x{n}-y", "Style") for n in range(3)), memory("z")]
    )
    assert list(found) == ["deploy", "style", ""]
    assert found["style"] == ["x0-y", "x1-y", "x2-y"] and found[""] == ["z"]


def test_a_label_that_gathers_nearly_all_tells_nothing() -> None:
    """A tag on every memory is no group, and neither is one on two."""
    assert list(names([memory(f"k{n}-x", "all") for n in range(10)])) == [""]
    assert list(names([memory("a1-x", "two"), memory("b1-x", "two"), memory("c1-x"), memory("d1-x")])) == [""]


def test_words_without_meaning_are_no_labels() -> None:
    """Articles, numbers and two letters do not name a group."""
    assert labels(memory("the-thing")) == labels(memory("42-thing")) == labels(memory("ab-thing")) == []
    assert labels(memory("deploy-x", "Deploy", "CI")) == ["deploy", "ci"]


def test_the_same_memories_give_the_same_groups() -> None:
    """The order in which memories come does not matter, and none is lost."""
    memories = [memory(f"{word}-{n}", *(["night"] if n % 2 else [])) for word in ("alpha", "beta") for n in range(9)]
    first = names(memories)
    random.Random(1).shuffle(memories)
    assert names(memories) == first
    assert sum(map(len, first.values())) == 18
