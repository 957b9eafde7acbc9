"""How candidates become one order, and why."""

from __future__ import annotations

import pytest

from holdfast.recall.fusion import WEIGHTS, fuse
from holdfast.records import Memory, Scope
from holdfast.store.base import Candidate

NOW = "2026-11-15T09:30:00Z"


def candidate(key: str, text: float = 1.0, **more) -> Candidate:
    """Return a candidate of the shop, said by the user today unless told otherwise."""
    fields = {name: more.pop(name) for name in ("uses", "superseded_by", "earlier") if name in more}
    told = {"scope": Scope("project", "shop"), "title": key, "body": f"{key} says so", "updated": NOW, **more}
    memory = Memory(key=key, path=f"projects/shop/memories/{key}.md", **told)
    return Candidate(memory, text, ("word",), **{"earlier": False, "uses": 0, "superseded_by": "", **fields})


def order(*candidates: Candidate) -> list[str]:
    """Return the keys as recall would show them."""
    return [hit.memory.key for hit in fuse(list(candidates), NOW)]


def test_the_parts_are_the_score() -> None:
    """The points of all parts sum to the score, and the weights to one."""
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    for hit in fuse([candidate("a", 2.0, uses=5, pinned=True), candidate("b", 0.5)], NOW):
        assert hit.score == pytest.approx(sum(part.points for part in hit.parts), abs=1e-6)
        assert all(part.why for part in hit.parts)
        assert 0 <= hit.score <= 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"text": 2.0}, {"text": 1.0}),
        ({}, {"updated": "2025-01-01T00:00:00Z"}),
        ({"uses": 9}, {"uses": 0}),
        ({"trust": "user"}, {"trust": "import"}),
        ({"trust": "agent"}, {"trust": "derived"}),
        ({"scope": Scope("session", "s")}, {"scope": Scope("global")}),
        ({"pinned": True}, {}),
    ],
)
def test_each_part_settles_what_the_others_leave_open(better, worse) -> None:
    """All else being equal, each part alone puts the better memory first."""
    assert order(candidate("worse", **worse), candidate("better", **better)) == ["better", "worse"]


def test_what_was_replaced_sinks() -> None:
    """A superseded memory comes after all that hold, whatever its words are worth."""
    assert order(candidate("old", 9.0, superseded_by="new"), candidate("weak", 0.1)) == ["weak", "old"]


def test_those_that_say_the_same_are_one_hit() -> None:
    """Two memories with the same words, but for case and white space, are one hit: the better one."""
    same = [candidate("a", 1.0, body="Use  the VPN"), candidate("b", 2.0, body="use the vpn")]
    assert order(*same) == ["b"]


def test_nothing_gives_nothing() -> None:
    """No candidates are no hits, and no error."""
    assert fuse([], NOW) == []
