"""`/now`, `/todos`, `/lint`, `/catalogue` and `/measure`: what is being done, what is wrong, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from holdfast.app import findings
from holdfast.continuity import log, notes, todo, working_state
from holdfast.continuity.buffer import WorkingState
from holdfast.continuity.check_boxes import Todo
from holdfast.continuity.log import LogEntry
from holdfast.continuity.todo import TodoChange
from holdfast.memory import settled
from holdfast.memory.lint import lint
from holdfast.patterns import catalogue_edit
from holdfast.patterns.catalogue_file import CatalogueEntry
from holdfast.patterns.measure import MeasureReport, measure
from holdfast.records import Problem
from holdfast.surfaces.web.api.endpoints import ApiCall, endpoint
from holdfast.surfaces.web.api.reviewing import DecisionList, ManyDecided, OneDecision
from holdfast.surfaces.web.api.shapes import SeenFrom, SentFields, Words, shape
from holdfast.surfaces.web.api.shapes import given as given_of

MAX_DAYS = 5

if TYPE_CHECKING:
    LintShape = Struct
    StateShape = Struct
    TodoShape = Struct
    LogShape = Struct
else:
    LintShape = shape("LintShape", Problem, id=str)
    StateShape = shape("StateShape", WorkingState, ("said",))
    TodoShape = shape("TodoShape", Todo)
    LogShape = shape("LogShape", LogEntry)


class LoggedDay(Struct, frozen=True):
    """A day of the log, and what its sessions came to."""

    day: str
    entries: list[LogShape]


class ProjectNow(Struct, frozen=True, kw_only=True):
    """Where a project stands: its working state, all of its to-dos, and the last days of its log."""

    project: str
    state: StateShape
    todos: list[TodoShape]
    log: list[LoggedDay]


class NewTodo(SentFields):
    """Something to do."""

    text: Annotated[str, Meta(min_length=1, max_length=2_000)]


class TodoMark(SentFields):
    """Whether it is done."""

    done: bool


class ChangedTodos(Struct, frozen=True):
    """What was done to which boxes; `redacted` are the kinds of secret that were taken out first."""

    action: str
    todos: list[TodoShape]
    redacted: tuple[str, ...]


class LintList(Struct, frozen=True):
    """What lint finds and nobody decided about; an `id` is that of what one decides on."""

    problems: list[LintShape]


class CatalogueList(Struct, frozen=True):
    """Every pattern of the catalogue, and where each was handed to."""

    entries: list[CatalogueEntry]


class MeasureAsked(SeenFrom):
    """Since when sessions are compared."""

    since: Words = ""


@endpoint("GET", "/now")
def show_now(call: ApiCall, asked: SeenFrom) -> ProjectNow:
    """Show where a project stands: its working state, to-dos and log. Its decisions are memories of that type."""
    workspace, project = call.workspace, call.workspace.project().id
    workspace.refresh(workspace.visible("project"))
    days = [(day, log.entries(folder, day)[0]) for folder in notes.folders(workspace) for day in log.days(folder)]
    newest = sorted(days, key=lambda one: one[0], reverse=True)[:MAX_DAYS]
    return ProjectNow(
        project=project,
        state=given_of(working_state.read(workspace), StateShape),
        todos=[given_of(one, TodoShape) for one in todo.todos(workspace, everything=True)],
        log=[LoggedDay(day, [given_of(one, LogShape) for one in entries]) for day, entries in newest],
    )


@endpoint("POST", "/todos", "write")
def add_todo(call: ApiCall, asked: SeenFrom, given: NewTodo) -> ChangedTodos:
    """Add something to do in a project; the same words stay one."""
    call.need_to_write(call.workspace.scope("project"))
    return _changed(todo.add(call.workspace, given.text, by=call.agent))


@endpoint("PATCH", "/todos/{id}", "write")
def mark_todo(call: ApiCall, asked: SeenFrom, given: TodoMark, id: str) -> ChangedTodos:
    """Tick something off, or open it again."""
    call.need_to_write(call.workspace.scope("project"))
    return _changed((todo.done if given.done else todo.reopen)(call.workspace, (id,), numbers=False))


def _changed(done: TodoChange) -> ChangedTodos:
    return ChangedTodos(done.action, [given_of(one, TodoShape) for one in done.todos], done.redacted)


@endpoint("GET", "/lint")
def find_problems(call: ApiCall, asked: SeenFrom) -> LintList:
    """Look through all memories for secrets, conflicts, stale facts and broken files. It takes a while."""
    call.need_whole_home()
    found = settled.standing(call.workspace, lint(call.workspace))
    return LintList(
        [given_of(one, LintShape, id=settled.id_of(one) if one.kind in findings.KINDS else "") for one in found]
    )


@endpoint("POST", "/lint/decisions", "review")
def settle(call: ApiCall, asked: SeenFrom, given: ManyDecided) -> DecisionList:
    """Have findings mended, leave them as they are, or put them off."""
    call.need_whole_home()
    found = lint(call.workspace)
    wanted = list(dict.fromkeys(findings.find(found, name) for name in given.ids))
    done = findings.settle(call.workspace, wanted, given.act, days=given.days, reason=given.reason)
    return DecisionList([OneDecision(id=one.id, act=one.act, key="", why=one.why, update=one.update) for one in done])


@endpoint("GET", "/catalogue")
def list_catalogue(call: ApiCall, asked: SeenFrom) -> CatalogueList:
    """List the patterns of the catalogue, and where each was handed to."""
    call.need_whole_home()
    return CatalogueList(catalogue_edit.entries(call.workspace)[0])


@endpoint("GET", "/measure")
def show_measure(call: ApiCall, asked: MeasureAsked) -> MeasureReport:
    """Show whether patterns and memories help, each change with its bounds."""
    call.need_whole_home()
    return measure(call.workspace, since=asked.since)
