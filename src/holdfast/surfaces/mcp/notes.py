"""What `project_notes` does: one tool for the to-dos, decisions and lessons of a project, told apart by its action.

Entries are named by their ids, never by a number: numbers are for a person who looks at a list.
"""

from __future__ import annotations

import os

from holdfast.app import hand_over
from holdfast.base.text import CUT, cut
from holdfast.continuity import decide, todo
from holdfast.continuity.pages_boxes import Todo
from holdfast.continuity.pages_tables import Note
from holdfast.continuity.project_pages import Written
from holdfast.continuity.todo import Changed
from holdfast.errors import BadInput
from holdfast.learning.lessons import lesson
from holdfast.surfaces.mcp import arguments as given
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.caller import Request
from holdfast.workspace import Workspace

MAX_LISTED = 40
_MAX_TEXT = 500


def answer(request: Request, asked: given.ProjectNotes) -> tuple[results.Result, str]:
    """Do what the action says and return what is written now."""
    result = _changed(request, asked) if asked.action != "list" else _listed(request.workspace)
    return result, hand_over.fenced(_lines(result)) or "There is nothing yet."


def _listed(workspace: Workspace) -> results.Notes:
    todos, decisions, lessons = todo.todos(workspace), decide.decisions(workspace), lesson.lessons(workspace)
    return results.Notes(
        action="listed",
        todos=[_noted(one) for one in todos[:MAX_LISTED]],
        # The newest stand at the end of their table.
        decisions=[_noted(one) for one in decisions[-MAX_LISTED:]],
        lessons=[_noted(one) for one in lessons[-MAX_LISTED:]],
        more=max(len(todos), len(decisions), len(lessons)) > MAX_LISTED,
        file_path=os.path.dirname(todo.path(workspace)),
    )


def _changed(request: Request, asked: given.ProjectNotes) -> results.Notes:
    workspace, because = request.workspace, asked.because or ""
    match asked.action:
        case "todo":
            return _of_todos(todo.add(workspace, _needed(asked, "text")))
        case "done":
            return _of_todos(todo.done(workspace, (_needed(asked, "id"),), numbers=False))
        case "reopen":
            return _of_todos(todo.reopen(workspace, (_needed(asked, "id"),), numbers=False))
        case "decide":
            text = _needed(asked, "text")
            return _of_note(decide.decide(workspace, text, because=because, replaces=asked.id or ""), "decisions")
        case "lesson":
            written = lesson.learn(
                *(workspace, _needed(asked, "text")),
                because=because,
                source=request.agent,
                replaces=asked.id or "",
                trust="agent",
            )
            return _of_note(written, "lessons")
    name = _needed(asked, "id")
    if name[:1].upper() == "L":
        return _of_note(lesson.withdraw(workspace, name), "lessons")
    return _of_note(decide.withdraw(workspace, name), "decisions")


def _needed(asked: given.ProjectNotes, name: str) -> str:
    value: str | None = getattr(asked, name)
    if not value or not value.strip():
        raise BadInput(f"{asked.action} needs {name}", f"Give {name}; the action list shows the ids.")
    return value


def _of_todos(changed: Changed) -> results.Notes:
    found = [_noted(one) for one in changed.todos]
    return results.Notes(action=changed.action, todos=found, file_path=changed.path, redacted=list(changed.redacted))


def _of_note(written: Written, kind: str) -> results.Notes:
    found = results.Notes(action=written.action, file_path=written.path, redacted=list(written.redacted))
    return found.model_copy(update={kind: [_noted(written.note)]})


def _noted(one: Todo | Note) -> results.Noted:
    because = one.because if isinstance(one, Note) else ""
    return results.Noted(id=_safe(one.id), text=_safe(one.text), because=_safe(because), at=_safe(one.at))


def _safe(text: str) -> str:
    # What lies far behind the cut need not be made safe, but a secret that the cut would halve must be seen whole.
    return cut(hand_over.safe(text[: 8 * _MAX_TEXT]), _MAX_TEXT, CUT)


def _lines(result: results.Notes) -> list[str]:
    lines: list[str] = []
    for name, found in (("To do", result.todos), ("Decisions", result.decisions), ("Lessons", result.lessons)):
        lines += [f"{name}:"] if found else []
        lines += [f"- {one.id} {one.text}{f' ({one.because})' if one.because else ''}" for one in found]
    if lines and result.action != "listed":
        lines = [f"{result.action}:", *lines]
    return [*lines, f"There are more in {result.file_path}."] if result.more else lines
