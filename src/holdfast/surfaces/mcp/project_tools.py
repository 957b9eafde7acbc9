"""What `project_notes` and `work_item` do, each of which takes an action.

Notes are named by their ids, never by a number: numbers are for a person who looks at a list.
"""

from __future__ import annotations

import os

from holdfast.base.text import CUT, cut
from holdfast.continuity import decisions, todo
from holdfast.continuity.check_boxes import Todo
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange
from holdfast.continuity.todo import TodoChange
from holdfast.continuity.views import DECISIONS, LESSONS
from holdfast.errors import BadInput, NotFound
from holdfast.inject import hand_over
from holdfast.learning.lessons import lesson
from holdfast.learning.work import items as work
from holdfast.learning.work.criteria import Criterion
from holdfast.memory.recall_modes import recall_by
from holdfast.records import Hit, Memory, Scope
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp import results as given
from holdfast.surfaces.mcp.answers import Answer
from holdfast.surfaces.mcp.caller import Request
from holdfast.workspace import Workspace

MAX_LISTED = 40
_MAX_TEXT = 500
_MAX_FILES = 40
# A work item is asked about by its title and so many open criteria, and brings at most so many memories.
_MAX_ASKED = 5
_MAX_KNOWN = 5


def notes(request: Request, asked: given.ProjectNotes) -> Answer:
    """Do what the action says and return the to-dos, decisions and lessons that are listed or changed."""
    result = _changed_notes(request, asked) if asked.action != "list" else _listed(request.workspace)
    lines: list[str] = []
    for name, found in (("To do", result.todos), ("Decisions", result.decisions), ("Lessons", result.lessons)):
        lines += [f"{name}:"] if found else []
        lines += [f"- {one.id} {one.text}{f' ({one.because})' if one.because else ''}" for one in found]
    if lines and result.action != "listed":
        lines = [f"{result.action}:", *lines]
    lines += [f"There are more in {result.file_path}."] if result.more else []
    return result, hand_over.fenced(lines) or "There is nothing yet."


def _listed(workspace: Workspace) -> results.Notes:
    decided = decisions.listed(workspace, everything=False)
    todos, lessons = todo.todos(workspace), lesson.lessons(workspace)
    return results.Notes(
        action="listed",
        todos=[_noted(one) for one in todos[:MAX_LISTED]],
        # The newest stand at the end of their table.
        decisions=[_noted(one) for one in decided[-MAX_LISTED:]],
        lessons=[_noted(one) for one in lessons[-MAX_LISTED:]],
        more=max(len(todos), len(decided), len(lessons)) > MAX_LISTED,
        file_path=os.path.dirname(todo.path(workspace)),
    )


def _changed_notes(request: Request, asked: given.ProjectNotes) -> results.Notes:
    request.workspace.need_reach("project")
    workspace, because, replaces = request.workspace, asked.because or "", asked.id or ""
    match asked.action:
        case "todo":
            return _of_todos(todo.add(workspace, _needed(asked, "text"), by=request.agent))
        case "done":
            return _of_todos(todo.done(workspace, (_needed(asked, "id"),), numbers=False))
        case "reopen":
            return _of_todos(todo.reopen(workspace, (_needed(asked, "id"),), numbers=False))
        case "decide":
            text, by = _needed(asked, "text"), request.agent
            return _of_note(decisions.add(workspace, text, because=because, agent=by, replaces=replaces), "decisions")
        case "lesson":
            text, by = _needed(asked, "text"), request.agent
            return _of_note(lesson.propose(workspace, text, because=because, agent=by, replaces=replaces), "lessons")
    name = _needed(asked, "id")
    view, kind = (LESSONS, "lessons") if name[:1].upper() == "L" else (DECISIONS, "decisions")
    return _of_note(decisions.withdraw(workspace, name, agent=request.agent, view=view), kind)


def _needed(asked: given.ProjectNotes | given.WorkItem, name: str) -> str:
    value: str | None = getattr(asked, name)
    if not value or not value.strip():
        shows = "list" if isinstance(asked, given.ProjectNotes) else "show"
        raise BadInput(f"{asked.action} needs {name}", f"Give {name}; the action {shows} lists the ids.")
    return value


def _of_todos(changed: TodoChange) -> results.Notes:
    found = [_noted(one) for one in changed.todos]
    return results.Notes(action=changed.action, todos=found, file_path=changed.path, redacted=list(changed.redacted))


def _of_note(written: NoteChange, kind: str) -> results.Notes:
    found = results.Notes(action=written.action, file_path=written.path, redacted=list(written.redacted))
    return found.model_copy(update={kind: [_noted(written.note)]})


def _noted(one: Todo | Note) -> results.NotedResult:
    def safe(text: str) -> str:
        # What lies far behind the cut need not be made safe, but a secret that the cut would halve must be seen whole.
        return cut(hand_over.safe(text[: 8 * _MAX_TEXT]), _MAX_TEXT, CUT)

    because = one.because if isinstance(one, Note) else ""
    return results.NotedResult(id=safe(one.id), text=safe(one.text), because=safe(because), at=safe(one.at))


def work_item(request: Request, asked: given.WorkItem) -> Answer:
    """Show the work item at hand, add a criterion to it, verify one with evidence, or close it."""
    result = _work_shown(request, asked)
    if not result.id:
        return result, "There is no open work item."
    lines = [f"{result.action}: {result.id} {result.title} ({result.status})"]
    lines += [f"- {one.id} {one.status}: {one.text}" for one in result.criteria]
    lines += [f"- {one.id} must not happen: {one.text} ({one.status})" for one in result.anti_criteria]
    lines += [f"Outcome: {result.outcome}"] if result.outcome else []
    lines += [f"Files: {', '.join(result.files_changed)}"] if result.files_changed else []
    if asked.action == "show":
        known = _known_about(request, result)
        result = result.model_copy(update={"memories": [hand_over.safe(memory.body) for memory in known]})
        lines += ["What is known about it:", *map(hand_over.line, known)] if known else []
    return result, hand_over.fenced(lines)


def _known_about(request: Request, shown: results.WorkShown) -> list[Memory]:
    """Return the memories that whoever goes on with the work item should have before they begin."""
    wanted = [shown.title, *(one.text for one in shown.criteria if one.status != "SATISFIED")]
    bar = request.workspace.settings.number("inject.relevance") / 100
    best: dict[tuple[Scope, str], Hit] = {}
    for query in wanted[:_MAX_ASKED]:
        for hit in recall_by(request.workspace, query, limit=_MAX_KNOWN):
            before = best.get((hit.memory.scope, hit.memory.key))
            if hit.score >= bar and not hit.superseded_by and (before is None or before.score < hit.score):
                best[hit.memory.scope, hit.memory.key] = hit
    hits = sorted(best.values(), key=lambda hit: -hit.score)[:_MAX_KNOWN]
    memories = hand_over.shares([hit.memory for hit in hits])
    session, agent = request.session, request.agent
    hand_over.note_given(request.workspace, session, hits, agent=agent, moment="recall", handed=memories)
    return memories


def _work_shown(request: Request, asked: given.WorkItem) -> results.WorkShown:
    if asked.action == "show":
        shown = work.show(request.workspace, asked.id) if asked.id else work.latest(request.workspace, request.session)
        return _shown("shown", shown) if shown else results.WorkShown(action="none")
    changed = _changed_work(request, asked)
    return _shown(changed.action, changed.shown).model_copy(update={"redacted": list(changed.redacted)})


def _changed_work(request: Request, asked: given.WorkItem) -> work.Changed:
    workspace = request.workspace
    workspace.need_reach("project")
    if asked.action == "close":
        return work.close(workspace, _needed(asked, "id"), outcome=asked.text or "", by_agent=True)
    evidence = _needed(asked, "evidence") if asked.action == "verify" else ""
    latest = None if asked.id else work.latest(workspace, request.session)
    name = asked.id or (latest.work.id if latest else "")
    if not name:
        raise NotFound("there is no open work item here", "One opens when you act on what the person asked for.")
    if evidence:
        return work.verify(workspace, name, _needed(asked, "criterion"), evidence=evidence)
    return work.criterion(workspace, name, _needed(asked, "text"), anti=asked.anti)


def _shown(action: str, shown: work.ShownWork) -> results.WorkShown:
    one, isc = shown.work, shown.criteria
    return results.WorkShown(
        action=action,
        id=one.id,
        title=_line(one.title),
        status=one.status,
        effort=one.effort,
        ideal=_line(isc.ideal),
        criteria=[_criterion(each) for each in isc.criteria],
        anti_criteria=[_criterion(each) for each in isc.anti_criteria],
        files_changed=[_line(path) for path in one.lineage.files_changed[-_MAX_FILES:]],
        outcome=_line(one.outcome),
        file_path=one.path,
    )


def _criterion(one: Criterion) -> results.CriterionShown:
    because = one.source_events[-1] if one.source_events else ""
    return results.CriterionShown(id=_line(one.id), text=_line(one.text), status=one.status, because=_line(because))


def _line(text: str) -> str:
    return " ".join(hand_over.safe(text).split())
