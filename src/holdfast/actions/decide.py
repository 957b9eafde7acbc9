"""Write down a decision of the project with its reason, in the table of `decisions.md`; list and withdraw them."""

from __future__ import annotations

from holdfast.actions import project_pages
from holdfast.actions.house import House
from holdfast.actions.project_pages import Written
from holdfast.continuity.pages import DECISION
from holdfast.continuity.pages_tables import Note


def decisions(house: House, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the decisions that hold, or with `everything` all of them, in the order of the page."""
    return tuple(note for note in project_pages.notes(house, DECISION) if everything or not note.done)


def decide(house: House, text: str, *, because: str = "", replaces: str = "") -> Written:
    """Add a decision; the one that it replaces is struck through in the same write."""
    return project_pages.add_note(house, DECISION, text, because=because, replaces=replaces)


def withdraw(house: House, name: str) -> Written:
    """Strike a decision through, with the day."""
    return project_pages.withdraw_note(house, DECISION, name)


def path(house: House) -> str:
    """Return where the page lies."""
    return project_pages.path_of(house, DECISION)
