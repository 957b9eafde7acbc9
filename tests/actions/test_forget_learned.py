"""What goes with a session that is forgotten."""

from __future__ import annotations

import os

from holdfast.actions.forget_learned import forget_learned
from holdfast.learning import work_log

AT = "2026-05-04T10:00:00Z"


def test_what_was_noted_for_work_items_goes(house, home) -> None:
    """The rows of a forgotten session, the person's words among them, are gone; those of another one stay."""
    for session in ("s1", "s2"):
        work_log.note(str(home), ("codex", session, "shop"), AT, [(work_log.PROMPT, f"Move the uploads of {session}")])
    with house() as h:
        forget_learned(h, "codex/s1")
    assert [one.session for one in work_log.sessions(str(home))] == ["s2"]
    folder = work_log.folder_of(str(home))
    assert not any(b"uploads of s1" in (home / folder / name).read_bytes() for name in os.listdir(folder))
