"""The forms of a distributed pattern that are not files of agents: a memory, a lesson, a warning on a failure.

Each form is stored, looked at and taken out. A memory or a lesson that somebody else wrote, or that was edited since,
is not ours: it is a Conflict, unless the words in it may be lost with `force`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from holdfast.base.clock import now
from holdfast.base.text import cut
from holdfast.errors import BadInput, Conflict, NotFound
from holdfast.learning.fixes import warnings
from holdfast.learning.fixes.warnings import Warned
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.memory import audit
from holdfast.memory.remember import put
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.privacy import fence, redact
from holdfast.records import Draft, Memory
from holdfast.workspace import Workspace

SOURCE = "patterns"
FORMS = ("memory", "lesson", "warning")
MAX_WARNING = 360
_HINT = "Change it by hand, or lose it with --force. Nothing was changed."


def text_of(entry: CatalogueEntry) -> str:
    """Return what agents are told: without secrets, hidden letters, our own marks and what could pass for a command."""
    return fence.safe(fence.stripped(entry.statement), lambda text: redact.redact(text)[0]).strip()


def line_of(text: str) -> str:
    """Return a text on one line, as clean as what agents are told."""
    return " ".join(fence.safe(fence.stripped(text), lambda one: redact.redact(one)[0]).split())


def key_of(entry: CatalogueEntry) -> str:
    """Return the key of the memory of a pattern."""
    return f"pattern-{entry.id}"[:60]


def where_of(entry: CatalogueEntry, to: str) -> str:
    """Return what names the form in its scope; for a lesson that is known when it is stored."""
    if to == "warning":
        if not entry.fingerprints:
            raise BadInput(f"{entry.id} is not about a command that fails", "Distribute it as rules or as a memory.")
        return entry.fingerprints[0]
    return key_of(entry) if to == "memory" else ""


def state_of(workspace: Workspace, entry: CatalogueEntry, target: Target) -> Literal["missing", "old", "there"]:
    """Return whether the form is there, and whether it says what the entry says now."""
    if target.to == "memory":
        memory = _memory(workspace, entry, target)
        is_there, is_same = memory is not None, memory is not None and memory.body.strip() == text_of(entry)
    elif target.to == "lesson":
        lesson = _lesson(workspace, target)
        is_there = lesson is not None
        is_same = lesson is not None and lesson.statement == lesson_standing.cleaned(text_of(entry))
    else:
        owner = target.held_in.owner
        own = {one for one in warnings.read(workspace.home) if (one.id, one.project) == (entry.id, owner)}
        is_there, is_same = bool(own), own == set(_warnings(entry, target))
    return "there" if is_same else "old" if is_there else "missing"


def check(workspace: Workspace, entry: CatalogueEntry, target: Target, known: set[str], *, force: bool = False) -> None:
    """Refuse to touch what is not ours; `known` is everything that the entry ever told."""
    if target.to == "memory":
        memory = _memory(workspace, entry, target)
        if memory is not None and memory.source != SOURCE:
            raise Conflict(
                f"the memory {memory.scope}/{memory.key} was not written by Holdfast", "Rename it. Nothing was changed."
            )
        if memory is not None and memory.body.strip() not in known and not force:
            raise Conflict(f"the memory {memory.scope}/{memory.key} was edited since", _HINT)
    if target.to == "lesson" and target.where:
        _check_lesson(workspace, target, known, force=force)
    elif target.to == "lesson":
        like = lessons.room(workspace.home).like(target.held_in.owner, _evidence(entry))
        if like is None or lesson_standing.as_it_is(workspace, like).status not in ("standing", "warning"):
            return
        # It may stand by us, though no target says so: a run that stored it may have been killed then.
        stated = any((one.agent, one.session) == (SOURCE, entry.id) for one in like.evidence)
        if not stated or _recurred(like):
            raise Conflict(f"the lesson {like.id} says it already", f"holdfast lesson show {like.id}")


def _check_lesson(workspace: Workspace, target: Target, known: set[str], *, force: bool) -> None:
    lesson = _lesson(workspace, target)
    memory = lesson_standing.memory_of(workspace, lesson) if lesson is not None else None
    if lesson is None or memory is None or force or lesson.status == "warning":
        return
    if memory.source == lesson_standing.SOURCE and memory.body not in map(lesson_standing.cleaned, known):
        raise Conflict(f"the lesson {memory.scope}/{memory.key} was edited since", _HINT)


def store(workspace: Workspace, entry: CatalogueEntry, target: Target) -> Target:
    """Store the form, or bring it up to date; return the target with what names it."""
    if target.to == "memory":
        draft = Draft(
            text=text_of(entry),
            scope=target.held_in,
            key=key_of(entry),
            title=entry.title,
            type="feedback",
            tags=("pattern", entry.kind),
            source=SOURCE,
        )
        with audit.Act(workspace, "distribute") as act:
            stored = put(workspace, draft)
            act.done(f"{stored.memory.scope}/{stored.memory.key}", f"pattern {entry.id}")
        return target
    if target.to == "warning":
        warnings.put(workspace.home, entry.id, target.held_in.owner, _warnings(entry, target))
        return target
    if target.where and state_of(workspace, entry, target) != "missing":
        take_out(workspace, entry, target)
    lesson = lesson_standing.stated(workspace, target.held_in.owner, _evidence(entry))
    return replace(target, where=lesson.id)


def take_out(workspace: Workspace, entry: CatalogueEntry, target: Target) -> None:
    """Take the form out; where it is gone already nothing happens."""
    if target.to == "warning":
        warnings.put(workspace.home, entry.id, target.held_in.owner, ())
    elif target.to == "memory":
        memory = _memory(workspace, entry, target)
        if memory is not None and memory.source == SOURCE:
            with audit.Act(workspace, "withdraw") as act:
                workspace.store.remove(memory.scope, memory.key, forget=False)
                act.done(f"{memory.scope}/{memory.key}", f"pattern {entry.id}")
    else:
        lesson = _lesson(workspace, target)
        if lesson is not None and not _recurred(lesson):
            lesson_standing.end(workspace, lesson)


def _evidence(entry: CatalogueEntry) -> Evidence:
    return Evidence(now(), SOURCE, entry.id, "stated", text_of(entry))


def _memory(workspace: Workspace, entry: CatalogueEntry, target: Target) -> Memory | None:
    scope = target.held_in
    workspace.refresh_once(scope)
    try:
        return workspace.store.get(scope, target.where or key_of(entry))
    except NotFound:
        return None


def _lesson(workspace: Workspace, target: Target) -> Lesson | None:
    """Return the lesson of a target as long as it stands."""
    found = [one for one in lesson_standing.every(workspace) if target.where and one.id == target.where]
    return found[0] if found and found[0].status in ("standing", "warning") else None


def _recurred(lesson: Lesson) -> bool:
    """Whether sessions taught the lesson without us often enough that it stands by itself."""
    others = {(one.agent, one.session) for one in lesson.evidence if one.agent != SOURCE}
    return len(others) >= lessons.RECURS


def _warnings(entry: CatalogueEntry, target: Target) -> list[Warned]:
    text = cut(line_of(f"{entry.title.rstrip('.')}: {entry.statement}"), MAX_WARNING)
    return [Warned(entry.id, one, target.held_in.owner, text) for one in entry.fingerprints]
