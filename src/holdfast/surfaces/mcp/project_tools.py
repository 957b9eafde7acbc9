"""What the tools about the work itself do: sessions, ratings, the working state, project notes and work items.

Notes are named by their ids, never by a number: numbers are for a person who looks at a list.
"""

from __future__ import annotations

import os

from holdfast.app.harvest import learn_from
from holdfast.base.text import CUT, cut
from holdfast.continuity import decisions, todo, working_state
from holdfast.continuity.buffer import MAX_ITEM, MAX_ITEMS
from holdfast.continuity.check_boxes import Todo
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange
from holdfast.continuity.todo import TodoChange
from holdfast.continuity.views import DECISIONS, LESSONS
from holdfast.errors import BadInput, NotFound
from holdfast.inject import hand_over
from holdfast.learning.lessons import lesson
from holdfast.learning.ratings import rate
from holdfast.learning.work import items as work
from holdfast.learning.work.criteria import Criterion
from holdfast.memory import anchors
from holdfast.memory.recall_modes import recall_by
from holdfast.records import Hit, Memory, Scope, replace
from holdfast.sessions import search as session_search
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.arguments import (
    NotesArguments,
    RateArguments,
    SearchArguments,
    StateArguments,
    WorkArguments,
)
from holdfast.surfaces.mcp.caller import Request
from holdfast.surfaces.mcp.results import Answer
from holdfast.workspace import Workspace

MAX_LISTED = 40
_MAX_TEXT = 500
_MAX_FILES = 40
_MAX_OWN_WORDS = 4_000
# A work item is asked about by its title and so many open criteria, and brings at most so many memories.
_MAX_ASKED = 5
_MAX_KNOWN = 5


def notes(request: Request, asked: NotesArguments) -> Answer:
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
        todos=tuple(map(_noted, todos[:MAX_LISTED])),
        # The newest stand at the end of their table.
        decisions=tuple(map(_noted, decided[-MAX_LISTED:])),
        lessons=tuple(map(_noted, lessons[-MAX_LISTED:])),
        more=max(len(todos), len(decided), len(lessons)) > MAX_LISTED,
        file_path=os.path.dirname(todo.path(workspace)),
    )


def _changed_notes(request: Request, asked: NotesArguments) -> results.Notes:
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


def _needed(asked: NotesArguments | WorkArguments, name: str) -> str:
    value: str | None = getattr(asked, name)
    if not value or not value.strip():
        shows = "list" if isinstance(asked, NotesArguments) else "show"
        raise BadInput(f"{asked.action} needs {name}", f"Give {name}; the action {shows} lists the ids.")
    return value


def _of_todos(changed: TodoChange) -> results.Notes:
    found = tuple(map(_noted, changed.todos))
    return results.Notes(action=changed.action, todos=found, file_path=changed.path, redacted=changed.redacted)


def _of_note(written: NoteChange, kind: str) -> results.Notes:
    noted = (_noted(written.note),)
    found = results.Notes(action=written.action, file_path=written.path, redacted=written.redacted)
    return replace(found, lessons=noted) if kind == "lessons" else replace(found, decisions=noted)


def _noted(one: Todo | Note) -> results.NotedResult:
    def safe(text: str) -> str:
        # What lies far behind the cut need not be made safe, but a secret that the cut would halve must be seen whole.
        return cut(hand_over.safe(text[: 8 * _MAX_TEXT]), _MAX_TEXT, CUT)

    because = one.because if isinstance(one, Note) else ""
    return results.NotedResult(id=safe(one.id), text=safe(one.text), because=safe(because), at=safe(one.at))


def work_item(request: Request, asked: WorkArguments) -> Answer:
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
        result = replace(result, memories=tuple(hand_over.safe(memory.body) for memory in known))
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


def _work_shown(request: Request, asked: WorkArguments) -> results.WorkShown:
    if asked.action == "show":
        shown = work.show(request.workspace, asked.id) if asked.id else work.latest(request.workspace, request.session)
        return _shown("shown", shown) if shown else results.WorkShown(action="none")
    changed = _changed_work(request, asked)
    return replace(_shown(changed.action, changed.shown), redacted=changed.redacted)


def _changed_work(request: Request, asked: WorkArguments) -> work.Changed:
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
        criteria=tuple(map(_criterion, isc.criteria)),
        anti_criteria=tuple(map(_criterion, isc.anti_criteria)),
        files_changed=tuple(map(_line, one.lineage.files_changed[-_MAX_FILES:])),
        outcome=_line(one.outcome),
        file_path=one.path,
    )


def _criterion(one: Criterion) -> results.CriterionShown:
    because = one.source_events[-1] if one.source_events else ""
    return results.CriterionShown(id=_line(one.id), text=_line(one.text), status=one.status, because=_line(because))


def _line(text: str) -> str:
    return " ".join(hand_over.safe(text).split())


def search_sessions(request: Request, asked: SearchArguments) -> Answer:
    """Find what was said in sessions of this project, and of no other."""
    # Where there is no project this raises; a person may look everywhere, an agent may not.
    request.workspace.project()
    agents, since, until = (asked.agent,) if asked.agent else (), asked.since or "", asked.until or ""
    found = session_search.search(
        request.workspace, asked.query, agents=agents, since=since, until=until, limit=asked.limit
    )
    passages = tuple(
        results.PassageResult(
            session=hand_over.safe(hit.session),
            title=" ".join(hand_over.safe(hit.title).split()),
            speaker=hit.speaker,
            said_at=hand_over.safe(hit.at),
            text=hand_over.safe(hit.text),
            event=hit.event,
            score=round(hit.score, 4),
        )
        for hit in found.hits
    )
    lines = [f"- {one.session} ({one.speaker}, {one.said_at[:10]}): {one.text}" for one in passages]
    return results.Searched(passages=passages), hand_over.fenced(lines) or "Nothing was found."


def rate_one(request: Request, asked: RateArguments) -> results.RatedResult | results.SessionRated:
    """Mark a memory as helpful or harmful, or write down the rating that the person gave this session in words."""
    if (asked.session_rating is None) == (asked.key is None):
        raise BadInput("either a memory or the session is rated", "Give key and rating, or session_rating and note.")
    if asked.session_rating is not None:
        return _rate_session(request, asked.session_rating, asked.note or "")
    if asked.key is None or asked.rating is None:
        raise BadInput("the rating is missing", "Give rating: helpful or harmful.")
    if asked.rating == "confirmed":
        held = anchors.confirm(request.workspace, request.workspace.locate(asked.key, asked.scope))
        return results.RatedResult(key=held.key, scope=held.scope.kind, rating=asked.rating)
    memory, kinds = lesson.mark(
        request.workspace, asked.key, asked.rating, scope=asked.scope, note=asked.note or "", agent=request.agent
    )
    return results.RatedResult(key=memory.key, scope=memory.scope.kind, rating=asked.rating, redacted=tuple(kinds))


def _rate_session(request: Request, rating: int, words: str) -> results.SessionRated:
    if not words.strip():
        raise BadInput("the person's own words are missing", "Quote them as note; never rate your own work.")
    rated = rate.pass_on(request.workspace, rating, words, agent=request.agent, session=request.session)
    learn_from(request.workspace, rated)
    return results.SessionRated(
        rating=rated.rating.rating,
        session=hand_over.safe(rated.rating.session),
        action=rated.action,
        redacted=rated.redacted,
    )


def state(request: Request, asked: StateArguments) -> results.StateUpdated | Answer:
    """Read what is being done now, or write down the fields that are given."""
    return update_state(request, asked) if asked.given else read_state(request)


def read_state(request: Request) -> Answer:
    """Read the working state of the project."""
    state = working_state.read(request.workspace)
    result = results.State(
        exists=bool(state.path),
        focus=hand_over.safe(state.focus),
        decisions=_safe(state.decisions),
        next_steps=_safe(state.next_steps),
        open_threads=_safe(state.open_threads),
        updated_at=hand_over.safe(state.updated),
        updated_by=hand_over.safe(state.by),
        own_words=cut(hand_over.safe(state.own_words), _MAX_OWN_WORDS, CUT),
        file_path=state.path,
    )
    return result, hand_over.fenced(_state_lines(result)) or "There is no working state yet."


def _safe(items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cut(hand_over.safe(item), MAX_ITEM, CUT) for item in items[:MAX_ITEMS])


def _state_lines(state: results.State) -> list[str]:
    lines = [f"Focus: {state.focus}"] if state.focus else []
    named = (("Decisions", state.decisions), ("Next steps", state.next_steps), ("Open threads", state.open_threads))
    for name, items in named:
        lines += [f"{name}:", *(f"- {item}" for item in items)] if items else []
    lines += [f"Beside it the person wrote: {state.own_words}"] if state.own_words else []
    by = f" by {state.updated_by}" if state.updated_by else ""
    return [*lines, f"Updated {state.updated_at}{by}."] if lines and state.updated_at else lines


def update_state(request: Request, asked: StateArguments) -> results.StateUpdated:
    """Write down what is being done now."""
    request.workspace.need_reach("project")
    updated = working_state.update(
        request.workspace,
        focus=asked.focus,
        decisions=tuple(asked.decisions or ()),
        next_steps=None if asked.next_steps is None else tuple(asked.next_steps),
        open_threads=None if asked.open_threads is None else tuple(asked.open_threads),
        clear=asked.clear,
        by=request.agent,
    )
    return results.StateUpdated(
        action=updated.action,
        file_path=updated.state.path,
        redacted=updated.redacted,
        dropped_decisions=tuple(map(hand_over.safe, updated.dropped)),
    )
