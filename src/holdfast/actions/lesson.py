"""Write down a lesson of the project: the rule and what went wrong, in `lessons.md`; list and withdraw them."""

from __future__ import annotations

from holdfast.actions import project_pages
from holdfast.actions.house import House
from holdfast.actions.project_pages import Written
from holdfast.continuity.pages import LESSON
from holdfast.continuity.pages_tables import Note


def lessons(house: House, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the lessons that hold, or with `everything` all of them, in the order of the page."""
    return tuple(note for note in project_pages.notes(house, LESSON) if everything or not note.done)


def learn(house: House, text: str, *, because: str = "", source: str = "", replaces: str = "") -> Written:
    """Add a lesson; the one that it replaces is struck through in the same write."""
    return project_pages.add_note(house, LESSON, text, because=because, source=source, replaces=replaces)


def withdraw(house: House, name: str) -> Written:
    """Strike a lesson through, with the day."""
    return project_pages.withdraw_note(house, LESSON, name)


def path(house: House) -> str:
    """Return where the page lies."""
    return project_pages.path_of(house, LESSON)
