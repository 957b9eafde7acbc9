"""Making the index anew."""

from __future__ import annotations

import pytest

from holdfast.actions.recall import recall
from holdfast.actions.reindex import reindex
from holdfast.actions.remember import remember


@pytest.fixture
def one(house):
    """A home with one memory."""
    with house() as h:
        remember(h, "Apples are red.", key="a")
    return house


def damage(home) -> None:
    """Keep the head of the index and break its body."""
    data = (home / "index.db").read_bytes()
    (home / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def test_reindex_loses_nothing(one, home) -> None:
    """After the index is deleted or damaged, reindex gives the same hits with the same scores and uses."""
    with one() as h:
        recall(h, "apples")
        before = [(hit.memory, hit.score) for hit in recall(h, "apples")]
    for harm in (lambda: (home / "index.db").unlink(), lambda: damage(home), lambda: None):
        harm()
        with one(flags={"recall.count_use": "false"}) as h:
            assert reindex(h).read == 1
            after = [(hit.memory, hit.score) for hit in recall(h, "apples")]
        assert [m for m, _ in after] == [m for m, _ in before]
        assert after[0][1] == pytest.approx(before[0][1], abs=1e-3)
