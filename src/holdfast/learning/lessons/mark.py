"""Mark a memory: it helped, or it did harm. A mark is an event of the journal.

The memory of a learned lesson is weighed by its marks: where harm outweighs, it becomes a warning.
"""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import BadInput
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.privacy import redact
from holdfast.records import Event, Memory, Scope
from holdfast.workspace import Workspace

KIND = "mark"
RATINGS = ("helpful", "harmful")
MAX_NOTE = 500


def mark(
    workspace: Workspace, key: str, rating: str, *, scope: str | None = None, note: str = "", agent: str = ""
) -> tuple[Memory, tuple[str, ...]]:
    """Write down how the memory did, and return it with the kinds of secret that were taken out of the note."""
    if rating not in RATINGS:
        raise BadInput(f"{rating!a} is not a rating", f"Use one of {', '.join(RATINGS)}.")
    check_text(note)
    if len(note) > MAX_NOTE:
        raise BadInput(f"the note has {len(note):,} characters", f"Use at most {MAX_NOTE}.")
    memory = workspace.locate(key, scope)
    cleaned, kinds = redact.redact(note) if note else ("", ())
    told(workspace, memory.scope, memory.key, rating, note=cleaned, agent=redact.redact(agent)[0] if agent else "")
    lesson_standing.marked(workspace, memory, rating, now())
    return memory, kinds


def told(workspace: Workspace, scope: Scope, key: str, rating: str, *, note: str = "", agent: str = "") -> None:
    """Write a mark into the journal; note and agent are clean already."""
    data: dict[str, object] = {
        "memory": [scope.kind, scope.owner, key],
        "rating": rating,
        "note": note,
        "agent": agent,
        "session": workspace.session,
    }
    workspace.journal.append(Event(now(), KIND, data))
