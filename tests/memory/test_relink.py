"""What names a memory follows it; a file that is edited at that moment is left alone."""

from __future__ import annotations

from holdfast.memory import move as relink
from holdfast.memory.remember import remember


def test_a_memory_that_changed_meanwhile_keeps_its_words(workspace) -> None:
    """Links are corrected in what was read; where the file says something else by now, it stays, and that is said."""
    with workspace() as h:
        stored = remember(h, "See [[old]].", key="a").memory
        remember(h, "See [[old]] and more.", key="a")
        relink.correct(h, stored, lambda text: text.replace("[[old]]", "[[new]]"))
        assert h.store.get(stored.scope, "a").body == "See [[old]] and more."
    assert any("were left as they are" in line for line in workspace.said)
