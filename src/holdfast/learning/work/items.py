"""Work items of a project: list, show and add them, their criteria and evidence, nest them and close them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from holdfast import project as projects
from holdfast.base.clock import now
from holdfast.base.text import DOTS, one_line
from holdfast.continuity import notes
from holdfast.errors import BadInput, NotFound
from holdfast.learning.lessons import model as lessons
from holdfast.learning.work import criteria as isc_file
from holdfast.learning.work import model as items
from holdfast.learning.work import text as work_text
from holdfast.learning.work import turns as work_turns
from holdfast.learning.work.criteria import SATISFIED, Criteria, Criterion
from holdfast.learning.work.model import MANUAL, Work
from holdfast.records import replace
from holdfast.workspace import Workspace

PARTS = ("items", "agents", "research", "scratch", "verification", "children")
MAX_TEXT = isc_file.MAX_TEXT
_MAX_SHOWN = 50


@dataclass(frozen=True, slots=True)
class ShownWork:
    """A work item with its criteria, the names of the files in each of its folders that is there, and its lessons."""

    work: Work
    criteria: Criteria
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    lessons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """The answer to a change: what was done to which work item, and the kinds of secret that were taken out."""

    action: str
    shown: ShownWork
    criterion: Criterion | None = None
    file: str = ""
    redacted: tuple[str, ...] = ()


def work_items(workspace: Workspace, *, everything: bool = False) -> list[Work]:
    """Return the open work items of the project, or with `everything` all; open ones first, then the newest first."""
    if not workspace.enabled:
        return []
    found = [one for project in workspace.project().ids for one in items.items(workspace.home, project)]
    newest = sorted(found, key=lambda one: (one.updated_at, one.id), reverse=True)
    return [one for one in sorted(newest, key=lambda one: not one.is_open) if everything or one.is_open]


def show(workspace: Workspace, name: str) -> ShownWork:
    """Return a work item by its id, or the beginning of its id or of the words in it."""
    workspace.need_enabled()
    return _shown(workspace, _find(workspace, name))


def latest(workspace: Workspace, session: str = "") -> ShownWork | None:
    """Return the open item that a session works on, or the one that was worked on last; None where none is open."""
    workspace.need_enabled()
    every = work_items(workspace)
    mine = [one for one in every if session and any(each.partition("/")[2] == session for each in one.sessions[-1:])]
    found = mine or every
    return _shown(workspace, found[0]) if found else None


def add(workspace: Workspace, title: str, *, criteria: tuple[str, ...] = (), parent: str = "") -> Changed:
    """Add a work item with these criteria; without any, its title is the one."""
    workspace.need_enabled()
    (said, *_), kinds = notes.without_secrets(workspace, title)
    above = _find(workspace, parent) if parent else None
    project = above.project if above else workspace.project().id
    isc = Criteria(ideal=one_line(said, MAX_TEXT, DOTS))
    at = now()
    for text in criteria or (said,):
        (wanted, *_), more = notes.without_secrets(workspace, text)
        kinds = tuple(sorted({*kinds, *more}))
        isc = isc_file.added(isc, wanted, f"by command {at}")
    named = work_text.title_of(said) if len(said) > work_text.MAX_TITLE else said
    new = Work("", named, project, source=MANUAL, created_at=at, updated_at=at)
    with items.lock(workspace.home, project):
        one = items.make(workspace.home, new, isc_file.versioned(Criteria(), isc, at, "standard", closed=False))
        one = items.nest(one, above) if above else one
    projects.record(workspace.project(), workspace.registry)
    return Changed("added", _shown(workspace, one), redacted=kinds)


def criterion(workspace: Workspace, name: str, text: str, *, anti: bool = False) -> Changed:
    """Add a criterion to a work item, or with `anti` something that must not happen; the same words stay one."""
    workspace.need_enabled()
    (said, *_), kinds = notes.without_secrets(workspace, text)
    if len(said) > MAX_TEXT:
        raise BadInput(f"a criterion has at most {MAX_TEXT} characters", "Say it in one sentence.")
    one = _find(workspace, name)
    with items.lock(workspace.home, one.project):
        before = isc_file.read(one.path)
        after = isc_file.added(before, said, f"by command {now()}", anti=anti)
        listed = after.anti_criteria if anti else after.criteria
        found = next(each for each in listed if each.text.casefold() == said.casefold())
        one = _written(one, before, after)
    action = "unchanged" if after == before else "added"
    return Changed(action, _shown(workspace, one), found, redacted=kinds)


def verify(workspace: Workspace, name: str, criterion: str, *, evidence: str) -> Changed:
    """Mark a criterion as satisfied, with the evidence, which is kept in `verification/`."""
    workspace.need_enabled()
    (said, *_), kinds = notes.without_secrets(workspace, evidence)
    one = _find(workspace, name)
    with items.lock(workspace.home, one.project):
        before = isc_file.read(one.path)
        wanted = before.get(criterion)
        event = f"{one_line(said, 80, DOTS)} (verified {now()})"
        after = isc_file.marked(before, wanted.id, SATISFIED, event)
        file = work_turns.keep_verification(one, after.get(wanted.id), said)
        one = _written(one, before, after)
    return Changed("verified", _shown(workspace, one), after.get(wanted.id), file, kinds)


def close(workspace: Workspace, name: str, *, outcome: str = "", by_agent: bool = False) -> Changed:
    """Close a work item, whatever its criteria say; it keeps them as they are. `outcome` says how it ended."""
    workspace.need_enabled()
    one = _find(workspace, name)
    kinds: tuple[str, ...] = ()
    if outcome:
        (said, *_), kinds = notes.without_secrets(workspace, outcome)
        outcome = one_line(f"{items.BY_AGENT if by_agent else ''}{said}", items.MAX_OUTCOME, DOTS)
    if not one.is_open and outcome in ("", one.outcome):
        return Changed("unchanged", _shown(workspace, one))
    with items.lock(workspace.home, one.project):
        isc, at = isc_file.read(one.path), now()
        ended = replace(one, updated_at=at, outcome=outcome or one.outcome)
        one = work_turns.keep(ended, isc, isc, at, is_closed=True)
    return Changed("closed", _shown(workspace, one), redacted=kinds)


def nest(workspace: Workspace, name: str, parent: str) -> Changed:
    """Put a work item into `children/` of another one."""
    workspace.need_enabled()
    one, above = _find(workspace, name), _find(workspace, parent)
    if one.project != above.project:
        raise BadInput(f"{above.id} belongs to another project ({above.project})", "Give a parent of the same project.")
    if os.path.dirname(os.path.dirname(one.path)) == above.path:
        return Changed("unchanged", _shown(workspace, one))
    with items.lock(workspace.home, one.project):
        return Changed("nested", _shown(workspace, items.nest(one, above)))


def _written(one: Work, before: Criteria, after: Criteria) -> Work:
    """Write the criteria of an item that a person changed. One that is closed stays closed."""
    if after == before:
        return one
    at = now()
    isc_file.write(one.path, isc_file.versioned(before, after, at, one.effort, closed=not one.is_open))
    return items.write(replace(one, updated_at=at))


def _find(workspace: Workspace, name: str) -> Work:
    """Return the item of this project, or else that of an older id of it."""
    own, *older = workspace.project().ids
    try:
        return items.find(workspace.home, own, name.strip())
    except NotFound:
        for project in older:
            with suppress(NotFound):
                return items.find(workspace.home, project, name.strip())
        raise


def _shown(workspace: Workspace, one: Work) -> ShownWork:
    known = {lesson.id: lesson for lesson in lessons.room(workspace.home).all()} if one.learned else {}
    # What was rejected or forgotten meanwhile is told no more.
    said = [known[id].statement for id in one.learned if id in known and known[id].status != "rejected"]
    parts = [(part, tuple(items.names_in(one, part)[-_MAX_SHOWN:])) for part in PARTS]
    return ShownWork(one, isc_file.read(one.path), tuple([part for part in parts if part[1]]), tuple(said))
