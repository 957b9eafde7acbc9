"""Marking a memory."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, NotFound, SwitchedOff
from holdfast.learning.lessons import lesson
from holdfast.memory.remember import remember

TOKEN = "ghp_" + "a1B2" * 9


def test_a_mark_is_an_event(workspace, home) -> None:
    """A rating goes into the journal with who said so and why, without secrets, and the memory stays as it is."""
    with workspace(session="s1") as opened:
        stored = remember(opened, "Apples are red.", key="apples")
        before = (home / "memory" / stored.memory.path).read_bytes()
        memory, kinds = lesson.mark(opened, "apples", "harmful", note=f"They are green, {TOKEN}.", agent="codex")
        assert memory.key == "apples" and kinds == ("github-token",)
        (event,) = opened.journal.events("mark")
        assert event.data["agent"] == "codex" and event.data["session"] == "s1"
        assert str(event.data["note"]).startswith("They are green") and TOKEN not in str(event.data)
        assert (home / "memory" / stored.memory.path).read_bytes() == before


def test_what_cannot_be_rated(workspace, home) -> None:
    """A rating that is none, a memory that is not there, a long note and a memory that is off are refused."""
    with workspace() as opened:
        with pytest.raises(NotFound):
            lesson.mark(opened, "apples", "helpful")
        with pytest.raises(BadInput):
            lesson.mark(opened, "apples", "great")
        with pytest.raises(BadInput):
            lesson.mark(opened, "apples", "helpful", note="x" * 501)
    with workspace(flags={"enabled": "false"}) as opened, pytest.raises(SwitchedOff):
        lesson.mark(opened, "apples", "helpful")
    assert not (home / "journal").exists()
