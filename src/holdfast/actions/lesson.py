"""Lessons of a project: those that were written down in `lessons.md`, and those that were learned from sessions.

What somebody writes down stands at once: on the page, and as a learned lesson with its memory, so that it is recalled
when it matters. Withdrawing it ends both.
"""

from __future__ import annotations

from holdfast.actions import lesson_standing, mark, project_pages
from holdfast.actions.house import House, now
from holdfast.actions.project_pages import Written
from holdfast.continuity.pages import LESSON
from holdfast.continuity.pages_tables import Note
from holdfast.errors import BadInput, NotFound, ScopeUnknown
from holdfast.learning import lessons as learned_lessons
from holdfast.learning.lesson_file import Evidence, Lesson
from holdfast.memory.statements import same

STATED = "stated"
BY_HAND = "person"


def lessons(house: House, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the lessons that hold, or with `everything` all of them, in the order of the page."""
    return tuple(note for note in project_pages.notes(house, LESSON) if everything or not note.done)


def learned(house: House, *, everything: bool = False) -> list[Lesson]:
    """Return what was learned in this project and everywhere, the weightiest first; rejected ones with `everything`.

    What stands on the page as well is told by the page.
    """
    if not house.enabled:
        return []
    at, ids = now(), _projects(house)
    on_page = {same(note.text) for note in project_pages.notes(house, LESSON)} if ids - {""} else set()
    found = [
        one
        for one in learned_lessons.room(house.home).all()
        if one.project in ids
        and (everything or one.status != "rejected")
        and not any(each.kind == STATED and same(each.quote) in on_page for each in one.evidence)
    ]
    return sorted(found, key=lambda one: (-learned_lessons.weight(one, at), one.created, one.id))


def show(house: House, name: str) -> Lesson:
    """Return the learned lesson whose id, or the key of its memory, begins so, of whatever project."""
    house.need_enabled()
    return learned_lessons.room(house.home).get(name)


def rate(house: House, name: str, rating: str) -> Lesson:
    """Note that a learned lesson was helpful or harmful, as its memory gets a mark."""
    if rating not in mark.RATINGS:
        raise BadInput(f"{rating!a} is no mark", f"Use one of {', '.join(mark.RATINGS)}.")
    lesson = show(house, name)
    if lesson.status in ("standing", "warning") and lesson_standing.is_there(house, lesson):
        mark.told(house, lesson_standing.scope_of(lesson), lesson.key, rating)
    return lesson_standing.mark(house, lesson, rating, now())


def learn(
    house: House, text: str, *, because: str = "", source: str = "", replaces: str = "", trust: str = "user"
) -> Written:
    """Add a lesson; the one that it replaces is struck through in the same write, and ends."""
    before = _texts(house) if replaces else {}
    written = project_pages.add_note(house, LESSON, text, because=because, source=source, replaces=replaces)
    _end(house, before.get(replaces.strip().casefold(), ""))
    if written.action == "added":
        evidence = Evidence(now(), written.note.source or BY_HAND, house.session, STATED, written.note.text)
        lesson_standing.stated(house, house.project().id, evidence, because=written.note.because, trust=trust)
    return written


def withdraw(house: House, name: str) -> Written:
    """Strike a lesson through, with the day, and let it stand no longer."""
    written = project_pages.withdraw_note(house, LESSON, name)
    if written.action == "withdrawn":
        _end(house, written.note.text)
    return written


def path(house: House) -> str:
    """Return where the page lies."""
    return project_pages.path_of(house, LESSON)


def _texts(house: House) -> dict[str, str]:
    """Return the lessons that hold by their ids, whose letter may be written either way."""
    return {note.id.casefold(): note.text for note in project_pages.notes(house, LESSON) if not note.done}


def _end(house: House, text: str) -> None:
    """End the learned lesson that was stated so, and its memory; what sessions alone taught is not touched."""
    wanted, ids = same(text), _projects(house)
    for one in learned_lessons.room(house.home).all() if text else ():
        stated = [each for each in one.evidence if each.kind == STATED and same(each.quote) == wanted]
        if stated and one.project in ids and one.status in ("standing", "warning"):
            lesson_standing.end(house, one)


def _projects(house: House) -> set[str]:
    """Return the ids under which lessons that hold here may be kept; the empty one is everywhere."""
    try:
        project = house.project()
    except (NotFound, ScopeUnknown):
        return {""}
    return {"", project.id, *project.aliases}
