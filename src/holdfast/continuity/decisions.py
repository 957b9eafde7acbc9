"""Decisions and lessons: memories of these types, which `decisions.md` and `lessons.md` of a project show.

Whoever stores such a memory decides, or teaches: `holdfast decide` and `lesson`, `holdfast remember --type`, an agent
over MCP, or a row that a person adds to the page. One that is written down here has a number, with which its key
begins. What is the person's only they withdraw or replace; an agent proposes it. A lesson may hold for a profile, or
everywhere, and then no page shows it.
"""

from __future__ import annotations

import os
from contextlib import suppress

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.continuity import pages, views
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange, folders, path_of, remember_project, without_secrets
from holdfast.continuity.views import DECISIONS, MemoryView
from holdfast.errors import Conflict, NotFound, ScopeUnknown, TooLarge
from holdfast.memory.proposal_files import same
from holdfast.memory.remember import end, put
from holdfast.records import Draft, Memory, Scope, Stored
from holdfast.store import kinds
from holdfast.workspace import Workspace


def path(workspace: Workspace, view: MemoryView = DECISIONS) -> str:
    """Return the path of the page, whether it is there or not."""
    return path_of(workspace, view.page)


def listed(workspace: Workspace, *, everything: bool = True, view: MemoryView = DECISIONS) -> tuple[Note, ...]:
    """Return the decisions of the project, or the lessons that hold here; with `everything` also what held once.

    None where memory is off.
    """
    if not workspace.enabled:
        return ()
    if view is DECISIONS:
        folders(workspace)
    found = views.listed(workspace, view, _scopes(workspace, view))
    return tuple(note for note, _ in found if everything or not note.done)


def add(
    workspace: Workspace,
    text: str,
    *,
    because: str = "",
    agent: str = "",
    source: str = "",
    replaces: str = "",
    scope: str = "project",
    view: MemoryView = DECISIONS,
) -> NoteChange:
    """Write a decision or lesson down; what it replaces is superseded by it. The same words again change nothing;
    what somebody else said in these words is the person's when they say it.

    What an `agent` says in the place of something of the person's is proposed.
    """
    agent = agent or workspace.speaker
    workspace.need_enabled()
    (said, why, by), secrets = without_secrets(workspace, text, because, agent or source)
    for given, most in ((said, pages.MAX_TEXT), (why, pages.MAX_BECAUSE)):
        if len(given) > most:
            hint = "Say it more briefly; details belong in a document or a memory."
            raise TooLarge(f"the text has {len(given):,} characters, and at most {most:,} are kept", hint)
    if scope == "project":
        folders(workspace)
    where = workspace.scope(scope)
    _sync(workspace, where)
    found = views.noted(workspace, view, _scopes(workspace, view))
    replaced = _one(found, view, replaces)[1] if replaces else None
    if replaced and not any(one is replaced and not note.done for note, one in found):
        raise Conflict(f"{replaces} no longer holds", "Name the one that holds now, or leave it out.")
    holds = [(note, one) for note, one in found if not note.done and one.scope == where and not replaces]
    for note, one in holds:
        is_theirs = agent or one.trust == "user"
        if is_theirs and _says(one, said, why):
            return NoteChange("unchanged", note, _shown_in(workspace, view, one), secrets)
        if not is_theirs and _says(one, said):
            # What somebody else said, and the person says now, is theirs, with their reason.
            _, reason, rest = kinds.parts(one.body)
            mine = put(workspace, Draft(kinds.body_of(said, why or reason, rest), one.scope, key=one.key)).memory
            return _changed(workspace, view, "confirmed", mine, secrets)
    names = {"agent": by} if agent else {"source": by}
    stored = decide(workspace, where, said, why, replaces=replaced, view=view, **names)
    if where.kind == "project":
        remember_project(workspace)
    if stored.action == "proposed":
        note = Note(0, stored.proposal, said, why, by, now()[:10])
        return NoteChange("proposed", note, _shown_in(workspace, view, stored.memory), secrets)
    return _changed(workspace, view, "added", stored.memory, secrets)


def decide(
    workspace: Workspace,
    scope: Scope,
    said: str,
    why: str,
    *,
    agent: str = "",
    source: str = "",
    replaces: Memory | None = None,
    at: str = "",
    view: MemoryView = DECISIONS,
) -> Stored:
    """Store a decision or lesson, in a project under its next number; `at` is the day of one that was made before."""
    with files.lock_of(workspace.home, f"{view.type}-{scope.owner or scope.kind}"):
        every = views.memories(workspace, view, (scope,))
        draft = Draft(
            text=kinds.body_of(said, why),
            scope=scope,
            key=views.next_key(view, every, said) if scope.kind == "project" else None,
            type=view.type,
            trust="agent" if agent else "user",
            source=source or ("mcp" if agent else "cli"),
            agent=agent,
            session=workspace.session,
            supersedes=(replaces.key,) if replaces and replaces.scope == scope else (),
        )
        stored = put(workspace, draft)
    if replaces and replaces.scope != scope and stored.action != "proposed":
        # What an earlier id of the project has cannot be superseded from here.
        end(workspace, replaces, agent=agent, source=source)
    if at and stored.action == "created":
        workspace.store.change(scope, stored.memory.key, created=f"{at}T00:00:00Z")
    return stored


def withdraw(workspace: Workspace, name: str, *, agent: str = "", view: MemoryView = DECISIONS) -> NoteChange:
    """Strike a decision or lesson through, with the day. It stays; an agent's word about a person's is proposed."""
    workspace.need_enabled()
    note, memory = named(workspace, name, view)
    if note.done:
        return NoteChange("unchanged", note, _shown_in(workspace, view, memory))
    ended = end(workspace, memory, agent=agent or workspace.speaker)
    if ended.action == "proposed":
        return NoteChange("proposed", note, _shown_in(workspace, view, memory))
    return _changed(workspace, view, "withdrawn", memory, ())


def named(workspace: Workspace, name: str, view: MemoryView) -> tuple[Note, Memory]:
    """Return the decision or lesson of that id or key, with its memory; what people wrote into the page counts."""
    with suppress(ScopeUnknown):
        _sync(workspace, workspace.scope("project"))
    return _one(views.noted(workspace, view, _scopes(workspace, view)), view, name)


def _scopes(workspace: Workspace, view: MemoryView) -> tuple[Scope, ...]:
    """Return where what a view shows may hold here: only its project has a page, but lessons hold elsewhere, too."""
    return workspace.visible("project") if view is DECISIONS else workspace.visible()


def _sync(workspace: Workspace, scope: Scope) -> None:
    if scope.kind == "project":
        views.sync(workspace, folders(workspace), convert=True)


def _changed(
    workspace: Workspace, view: MemoryView, action: str, memory: Memory, secrets: tuple[str, ...]
) -> NoteChange:
    """Bring the page up to date, and return what became of the decision or lesson."""
    _sync(workspace, memory.scope)
    found = views.noted(workspace, view, _scopes(workspace, view))
    note = next(note for note, one in found if (one.scope, one.key) == (memory.scope, memory.key))
    return NoteChange(action, note, _shown_in(workspace, view, memory), secrets)


def _shown_in(workspace: Workspace, view: MemoryView, memory: Memory) -> str:
    """Return the page that shows a memory, or where there is none its own file."""
    if memory.scope.kind == "project":
        return path(workspace, view)
    return os.path.join(workspace.home, "memory", memory.path)


def _says(memory: Memory, said: str, why: str = "") -> bool:
    statement, reason, _ = kinds.parts(memory.body)
    return same(statement) == same(said) and same(why) in ("", same(reason))


def _one(found: list[tuple[Note, Memory]], view: MemoryView, name: str) -> tuple[Note, Memory]:
    """Return the decision or lesson of that id or key."""
    wanted = name.strip().casefold()
    known = [(note, one) for note, one in found if wanted and wanted == note.id.casefold()]
    known = known or [(note, one) for note, one in found if wanted and wanted == one.key]
    # Two memories of one number are named by their keys, the first of them by its number.
    if not known and wanted:
        known = [(note, one) for note, one in found if one.key.startswith(f"{wanted}-")]
    if len(known) > 1:
        keys = ", ".join(f"{one.scope}/{one.key}" for _, one in known)
        raise Conflict(f"{len(known)} {view.type}s are called {name[:40]!a}: {keys}", "Give the key.")
    if not known:
        hint = f"`holdfast {'decide' if view is DECISIONS else view.type} --all` lists them; each has its id."
        raise NotFound(f"there is no {view.type} {name[:40]!a}", hint)
    return known[0]
