"""Pinning and unpinning."""

from __future__ import annotations

import pytest

from holdfast.errors import Conflict
from holdfast.memory.remember import pin, remember
from holdfast.memory.show import show


def test_pin_and_unpin(workspace, home) -> None:
    """A pin is in the file, does not make the memory newer, and can be taken away."""
    with workspace() as h:
        stored = remember(h, "One.", key="k").memory
        before = (home / "memory" / stored.path).read_text()
        pinned = pin(h, "k")
        assert pinned.pinned and pinned.updated == stored.updated
        assert "pinned: true" in (home / "memory" / stored.path).read_text()
        pin(h, "k", pinned=False)
    assert (home / "memory" / stored.path).read_text() == before


def test_a_file_with_broken_front_matter_is_shown_and_not_rewritten(workspace, write) -> None:
    """A file that cannot be understood is read as far as it goes; pinning it fails and leaves it alone."""
    path = write("global/memories/broken.md", "---\ntags: [a, b\n---\nPears are yellow.\n")
    before = path.read_bytes()
    with workspace() as h:
        assert "Pears" in show(h, "broken").body
        with pytest.raises(Conflict):
            pin(h, "broken")
    assert path.read_bytes() == before
