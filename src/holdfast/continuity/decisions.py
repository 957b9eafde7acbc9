"""Decisions of a project: memories of the type `decision`, which `decisions.md` shows.

Whoever stores such a memory decides: `holdfast decide`, `holdfast remember --type decision`, an agent over MCP, or a
row that a person adds to the page. One that is decided here has a number, with which its key begins. What a person
decided only they withdraw or replace; an agent proposes it.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.continuity import views
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange, folders, remember_project, without_secrets
from holdfast.continuity.views import DECISIONS
from holdfast.errors import Conflict, NotFound, TooLarge
from holdfast.memory.proposal_files import same
from holdfast.memory.remember import end, put
from holdfast.records import Draft, Memory, Scope, Stored
from holdfast.store import kinds
from holdfast.workspace import Workspace

MAX_TEXT = 1_000
MAX_BECAUSE = 2_000


def path(workspace: Workspace) -> str:
    """Return the path of the page, whether it is there or not."""
    return os.path.join(folders(workspace)[0], DECISIONS.page)


def listed(workspace: Workspace, *, everything: bool = True) -> tuple[Note, ...]:
    """Return the decisions, with `everything` also those that hold no longer; none where memory is off."""
    if not workspace.enabled:
        return ()
    folders(workspace)
    return tuple(
        note
        for note, _ in views.listed(workspace, DECISIONS, workspace.visible("project"))
        if everything or not note.done
    )


def add(workspace: Workspace, text: str, *, because: str = "", agent: str = "", replaces: str = "") -> NoteChange:
    """Decide; what the decision replaces is superseded by it. The same words again change nothing.

    What an `agent` says in the place of a person's decision is proposed.
    """
    workspace.need_enabled()
    (said, why, by), secrets = without_secrets(workspace, text, because, agent)
    for given, most in ((said, MAX_TEXT), (why, MAX_BECAUSE)):
        if len(given) > most:
            hint = "Say it shorter; details belong into a document or a memory."
            raise TooLarge(f"the text has {len(given):,} characters, and at most {most:,} are kept", hint)
    views.sync(workspace, folders(workspace), convert=True)
    scope = Scope("project", workspace.project().id)
    found = views.noted(workspace, DECISIONS, workspace.visible("project"))
    replaced = _one(found, replaces)[1] if replaces else None
    if replaced and any(one is replaced and note.done for note, one in found):
        raise Conflict(f"{replaces} no longer holds", "Name the one that holds now, or leave it out.")
    told = [(note, kinds.parts(one.body)) for note, one in found if not note.done]
    there = [note for note, (one, reason, _) in told if same(one) == same(said) and same(why) in ("", same(reason))]
    if there and not replaces:
        return NoteChange("unchanged", there[0], path(workspace), secrets)
    stored = decide(workspace, scope, said, why, agent=by, replaces=replaced)
    remember_project(workspace)
    if stored.action == "proposed":
        return NoteChange("proposed", Note(0, stored.proposal, said, why, by, now()[:10]), path(workspace), secrets)
    return _changed(workspace, "added", stored.memory, secrets)


def decide(
    workspace: Workspace,
    scope: Scope,
    said: str,
    why: str,
    *,
    agent: str = "",
    replaces: Memory | None = None,
    at: str = "",
) -> Stored:
    """Store a decision under the next number of its project; `at` is the day of one that was made before."""
    with files.lock_of(workspace.home, f"decide-{scope.owner}"):
        keys = [one.key for one in views.memories(workspace, DECISIONS, (scope,))]
        draft = Draft(
            text=kinds.body_of(said, why),
            scope=scope,
            key=views.next_key(DECISIONS, keys, said),
            type="decision",
            trust="agent" if agent else "user",
            source="mcp" if agent else "cli",
            agent=agent,
            session=workspace.session,
            supersedes=(replaces.key,) if replaces and replaces.scope == scope else (),
        )
        stored = put(workspace, draft)
    if replaces and replaces.scope != scope and stored.action != "proposed":
        # What an earlier id of the project has cannot be superseded from here.
        end(workspace, replaces, agent=agent)
    if at and stored.action == "created":
        workspace.store.change(scope, stored.memory.key, created=f"{at}T00:00:00Z")
    return stored


def withdraw(workspace: Workspace, name: str, *, agent: str = "") -> NoteChange:
    """Strike a decision through, with the day. It stays; an agent's word about a person's is proposed."""
    workspace.need_enabled()
    views.sync(workspace, folders(workspace), convert=True)
    note, memory = _one(views.noted(workspace, DECISIONS, workspace.visible("project")), name)
    if note.done:
        return NoteChange("unchanged", note, path(workspace))
    ended = end(workspace, memory, agent=agent)
    if ended.action == "proposed":
        return NoteChange("proposed", note, path(workspace))
    return _changed(workspace, "withdrawn", memory, ())


def _changed(workspace: Workspace, action: str, memory: Memory, secrets: tuple[str, ...]) -> NoteChange:
    """Bring the page up to date, and return what became of the decision."""
    views.sync(workspace, folders(workspace), convert=True)
    found = views.noted(workspace, DECISIONS, workspace.visible("project"))
    note = next(note for note, one in found if (one.scope, one.key) == (memory.scope, memory.key))
    return NoteChange(action, note, path(workspace), secrets)


def _one(found: list[tuple[Note, Memory]], name: str) -> tuple[Note, Memory]:
    """Return the decision of that id or key."""
    wanted = name.strip().casefold()
    named = [(note, one) for note, one in found if wanted and wanted in (note.id.casefold(), one.key)]
    # Two memories of one number are named by their keys, the first of them by its number.
    if not named and wanted:
        named = [(note, one) for note, one in found if one.key.startswith(f"{wanted}-")]
    if len(named) > 1:
        keys = ", ".join(one.key for _, one in named)
        raise Conflict(f"{len(named)} decisions are called {name[:40]!a}: {keys}", "Give the key.")
    if not named:
        raise NotFound(f"there is no decision {name[:40]!a}", "`holdfast decide --all` lists them; each has its id.")
    return named[0]
