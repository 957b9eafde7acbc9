"""Lessons of a project: those that were written down in `lessons.md`, and those that were learned from sessions.

What a person writes down stands at once: on the page, and as a learned lesson with its memory, so that it is recalled
when it matters. Withdrawing it ends both. What an agent writes down is proposed. Marks say that a memory
helped or did harm; the memory of a learned lesson is weighed by them: where harm outweighs, it becomes a warning.
"""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.continuity import notes
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange
from holdfast.continuity.pages import LESSON
from holdfast.errors import BadInput, NotFound, Refused, ScopeUnknown
from holdfast.learning.lessons import model as learned_lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.memory.proposal_files import same
from holdfast.privacy import redact
from holdfast.records import Event, Memory, Scope
from holdfast.workspace import Workspace

STATED = "stated"
PASSED_ON = "passed-on"
BY_HAND = "person"
MARK = "mark"
RATINGS = ("helpful", "harmful")
MAX_NOTE = 500


def lessons(workspace: Workspace, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the lessons that hold, or with `everything` all of them, in the order of the page."""
    return notes.listed(workspace, LESSON, everything=everything)


def learned(workspace: Workspace, *, everything: bool = False) -> list[Lesson]:
    """Return what was learned in this project and everywhere, the weightiest first; rejected ones with `everything`.

    What stands on the page as well is told by the page.
    """
    if not workspace.enabled:
        return []
    at, ids = now(), _projects(workspace)
    on_page = {same(note.text) for note in notes.listed(workspace, LESSON)} if ids - {""} else set()
    found = [
        one
        for one in lesson_standing.every(workspace)
        if one.project in ids
        and (everything or one.status != "rejected")
        and not any(each.kind == STATED and same(each.quote) in on_page for each in one.evidence)
    ]
    return sorted(found, key=lambda one: (-learned_lessons.weight(one, at), one.created, one.id))


def show(workspace: Workspace, name: str) -> Lesson:
    """Return the learned lesson whose id, or the key of its memory, begins so, of whatever project."""
    workspace.need_enabled()
    return lesson_standing.as_it_is(workspace, learned_lessons.room(workspace.home).get(name))


def rate(workspace: Workspace, name: str, rating: str) -> Lesson:
    """Note that a learned lesson was helpful or harmful, as its memory gets a mark."""
    if rating not in RATINGS:
        raise BadInput(f"{rating!a} is no mark", f"Use one of {', '.join(RATINGS)}.")
    lesson = show(workspace, name)
    memory = lesson_standing.memory_of(workspace, lesson)
    if memory is not None:
        _note_mark(workspace, memory.scope, memory.key, rating)
    return lesson_standing.mark(workspace, lesson, rating, now())


def propose(workspace: Workspace, text: str, *, because: str = "", agent: str = "", replaces: str = "") -> NoteChange:
    """Propose what an agent says as a lesson: it stands when the person approves it.

    What they said no to, and what puts an end to a lesson of theirs, is refused.
    """
    workspace.need_enabled()
    if replaces:
        raise Refused("only the person replaces a lesson", "Propose it without an id, and tell them what it replaces.")
    (said, why, by), kinds = notes.without_secrets(workspace, text, because, agent)
    evidence = Evidence(now(), by, workspace.session, PASSED_ON, said)
    statement = f"{said.rstrip('.')}. What went wrong: {why}" if why else said
    is_new = lesson_standing.occurred(workspace, statement, workspace.project().id, evidence)
    there = learned_lessons.room(workspace.home).like(workspace.project().id, evidence)
    there = lesson_standing.as_it_is(workspace, there) if there else None
    if there is None or there.status == "rejected":
        raise Refused("the person said no to this lesson", "Ask them: `holdfast lesson add` writes it down.")
    action = "proposed" if is_new and there.status == "proposed" else "unchanged"
    return NoteChange(action, Note(0, there.id, said, why, by, now()[:10]), there.path, kinds)


def learn(workspace: Workspace, text: str, *, because: str = "", source: str = "", replaces: str = "") -> NoteChange:
    """Add a lesson of the person; the one that it replaces is struck through in the same write, and ends."""
    name = replaces.strip().casefold()
    holding = notes.listed(workspace, LESSON) if name else ()
    replaced = next((note.text for note in holding if note.id.casefold() == name and not note.done), "")
    written = notes.add(workspace, LESSON, text, because=because, source=source, replaces=replaces)
    _end(workspace, replaced)
    if written.action == "added":
        evidence = Evidence(now(), written.note.source or BY_HAND, workspace.session, STATED, written.note.text)
        lesson_standing.stated(workspace, workspace.project().id, evidence, because=written.note.because)
    return written


def withdraw(workspace: Workspace, name: str) -> NoteChange:
    """Strike a lesson through, with the day, and let it stand no longer."""
    written = notes.withdraw(workspace, LESSON, name)
    if written.action == "withdrawn":
        _end(workspace, written.note.text)
    return written


def path(workspace: Workspace) -> str:
    """Return where the page lies."""
    return notes.path_of(workspace, LESSON)


def _end(workspace: Workspace, text: str) -> None:
    """End the learned lesson that was stated so, and its memory; what sessions alone taught is not touched."""
    wanted, ids = same(text), _projects(workspace)
    for one in lesson_standing.every(workspace) if text else ():
        stated = [each for each in one.evidence if each.kind == STATED and same(each.quote) == wanted]
        if stated and one.project in ids and one.status in ("standing", "warning"):
            lesson_standing.end(workspace, one)


def _projects(workspace: Workspace) -> set[str]:
    """Return the ids under which lessons that hold here may be kept; the empty one is everywhere."""
    try:
        project = workspace.project()
    except (NotFound, ScopeUnknown):
        return {""}
    return {"", project.id, *project.aliases}


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
    _note_mark(
        workspace, memory.scope, memory.key, rating, note=cleaned, agent=redact.redact(agent)[0] if agent else ""
    )
    lesson_standing.marked(workspace, memory, rating, now())
    return memory, kinds


def _note_mark(workspace: Workspace, scope: Scope, key: str, rating: str, *, note: str = "", agent: str = "") -> None:
    """Write a mark into the journal; note and agent are clean already."""
    data: dict[str, object] = {
        "memory": [scope.kind, scope.owner, key],
        "rating": rating,
        "note": note,
        "agent": agent,
        "session": workspace.session,
    }
    workspace.journal.append(Event(now(), MARK, data))
