"""Lessons: memories of the type `lesson`, and the evidence that sessions gave for them.

Whoever stores such a memory teaches: `holdfast lesson`, `holdfast remember --type lesson`, an approved proposal, what
recurred, or a row that a person adds to `lessons.md`. It holds for its project, for a profile or everywhere, as its
scope says. What an agent writes down is proposed. Marks say that a memory helped or did harm; a lesson is weighed by
them: where harm outweighs, its memory becomes a warning; one of the person's only by a mark of theirs.
"""

from __future__ import annotations

import os

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.continuity import decisions, notes
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange
from holdfast.continuity.views import LESSONS
from holdfast.errors import BadInput, NotFound, Refused, ScopeUnknown
from holdfast.language.ratings import MAX_NOTE
from holdfast.learning.lessons import model as learned_lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.categories import category
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.privacy import redact
from holdfast.records import Event, Memory, Scope, replace
from holdfast.workspace import Workspace

PASSED_ON = "passed-on"
MARK = "mark"
RATINGS = ("helpful", "harmful")


def lessons(workspace: Workspace, *, everything: bool = False) -> tuple[Note, ...]:
    """Return the lessons that hold here: of the project, of the profile and everywhere; or with `everything` all."""
    return decisions.listed(workspace, everything=everything, view=LESSONS)


def learned(workspace: Workspace, *, everything: bool = False) -> list[Lesson]:
    """Return what there is evidence for in this project and everywhere, the weightiest first.

    Those that were rejected, or whose memory is gone, come with `everything`.
    """
    if not workspace.enabled:
        return []
    at, ids = now(), _projects(workspace)
    every = [
        one for one in lesson_standing.every(workspace) if one.project in ids and not lesson_standing.is_unsure(one)
    ]
    found = [one for one in every if everything or one.status != "rejected"]
    return sorted(found, key=lambda one: (-learned_lessons.weight(one, at), one.created, one.id))


def show(workspace: Workspace, name: str) -> Lesson:
    """Return the lesson of that id or key with its evidence; the beginning of either is enough where it has some."""
    workspace.need_enabled()
    try:
        return lesson_standing.as_it_is(workspace, learned_lessons.room(workspace.home).get(name))
    except NotFound:
        memory = decisions.named(workspace, name, LESSONS)[1]
    known = [one for one in lesson_standing.every(workspace) if one.key == memory.key]
    if known:
        return known[0]
    path = os.path.join(workspace.home, "memory", memory.path)
    lesson = Lesson("", memory.body, category(memory.body), "standing", key=memory.key, path=path)
    return replace(lesson, created=memory.created, updated=memory.updated)


def rate(workspace: Workspace, name: str, rating: str) -> Lesson:
    """Note that a lesson was helpful or harmful, as its memory gets a mark."""
    if rating not in RATINGS:
        raise BadInput(f"{rating!a} is not a mark", f"Use one of {', '.join(RATINGS)}.")
    lesson = show(workspace, name)
    if not lesson.id:
        mark(workspace, lesson.key, rating)
        return show(workspace, name)
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
    project = workspace.project().id
    (said, why, by), kinds = notes.without_secrets(workspace, text, because, agent)
    evidence = Evidence(now(), by, workspace.session, PASSED_ON, said)
    statement = f"{said.rstrip('.')}. What went wrong: {why}" if why else said
    is_new = lesson_standing.occurred(workspace, statement, project, evidence)
    there = learned_lessons.room(workspace.home).like(project, evidence)
    there = lesson_standing.as_it_is(workspace, there) if there else None
    if there is None or there.status == "rejected":
        raise Refused("the person said no to this lesson", "Ask them: `holdfast lesson add` writes it down.")
    action = "proposed" if is_new and there.status == "proposed" else "unchanged"
    return NoteChange(action, Note(0, there.id, said, why, by, now()[:10]), there.path, kinds)


def learn(
    workspace: Workspace, text: str, *, because: str = "", source: str = "", replaces: str = "", scope: str = "project"
) -> NoteChange:
    """Write a lesson of the person down; the one that it replaces is superseded. What waits and says it is closed.

    In the shell of an agent it is the agent's, and is proposed.
    """
    if workspace.speaker and scope != "agent":
        return propose(workspace, text, because=because, agent=workspace.speaker, replaces=replaces)
    about = {"because": because, "source": source, "replaces": replaces, "scope": scope}
    written = decisions.add(workspace, text, view=LESSONS, **about)
    if written.action == "added":
        lesson_standing.take_over(workspace, decisions.named(workspace, written.note.key, LESSONS)[1])
    return written


def withdraw(workspace: Workspace, name: str) -> NoteChange:
    """Strike a lesson through, with the day: it stays to be read, is told no more, and does not come back by itself."""
    return decisions.withdraw(workspace, name, view=LESSONS)


def path(workspace: Workspace) -> str:
    """Return where the page lies; nothing outside of a project."""
    try:
        return decisions.path(workspace, LESSONS)
    except ScopeUnknown:
        return ""


def _projects(workspace: Workspace) -> set[str]:
    """Return the ids under which lessons that hold here may be kept; the empty one is everywhere."""
    try:
        project = workspace.project()
    except (NotFound, ScopeUnknown):
        return {""}
    return {"", *project.ids}


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
    by = redact.redact(agent)[0] if agent else ""
    _note_mark(workspace, memory.scope, memory.key, rating, note=cleaned, agent=by)
    lesson_standing.marked(workspace, memory, rating, now(), agent=by)
    return memory, kinds


def _note_mark(workspace: Workspace, scope: Scope, key: str, rating: str, *, note: str = "", agent: str = "") -> None:
    """Write a mark into the journal; note and agent are clean already."""
    agent = agent or workspace.speaker
    data: dict[str, object] = {
        "memory": [scope.kind, scope.owner, key],
        "rating": rating,
        "note": note,
        "agent": agent,
        "session": workspace.session,
    }
    workspace.journal.append(Event(now(), MARK, data))
