"""Write down a decision of the project with its reason, in the table of `decisions.md`; list and withdraw them."""

from __future__ import annotations

from holdfast.continuity import project_pages
from holdfast.continuity.pages import DECISION
from holdfast.continuity.pages_tables import Note
from holdfast.continuity.project_pages import Written
from holdfast.workspace import Workspace


def decisions(workspace: Workspace, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the decisions that hold, or with `everything` all of them, in the order of the page."""
    return tuple(note for note in project_pages.notes(workspace, DECISION) if everything or not note.done)


def decide(workspace: Workspace, text: str, *, because: str = "", replaces: str = "") -> Written:
    """Add a decision; the one that it replaces is struck through in the same write."""
    return project_pages.add_note(workspace, DECISION, text, because=because, replaces=replaces)


def withdraw(workspace: Workspace, name: str) -> Written:
    """Strike a decision through, with the day."""
    return project_pages.withdraw_note(workspace, DECISION, name)


def path(workspace: Workspace) -> str:
    """Return where the page lies."""
    return project_pages.path_of(workspace, DECISION)
