"""Whether what waits for the page of a project is still so: its decisions and to-dos as their own pages have them now.

`distil` takes back what is not, and approving it is refused. What a person edited is their word, and stays.
"""

from __future__ import annotations

import os
from functools import lru_cache

from holdfast.base.clock import now
from holdfast.base.light_records import replace
from holdfast.continuity import page, page_proposals, pages, region
from holdfast.continuity.distil import DECISIONS, GAPS, Decided, Material, Task, is_struck, outdated, row_of
from holdfast.continuity.note_tables import REPLACED, WITHDRAWN
from holdfast.continuity.notes import folders
from holdfast.errors import BrokenFile, ScopeUnknown
from holdfast.memory.proposal_files import id_of
from holdfast.privacy import redact
from holdfast.store import layout
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.note_tables import Note
    from holdfast.continuity.page import Entry
    from holdfast.records import Proposal, Scope

_STRUCK = "\nstruck through"


def why_outdated(proposal: Proposal, material: Material) -> str:
    """Return why a proposal for the page is true no longer, or nothing."""
    try:
        entry = page_proposals.entry_of(proposal)
    except BrokenFile:
        return ""
    return outdated(entry, proposal.evidence, material) if id_now(proposal) == proposal.id else ""


def strikes(proposal: Proposal) -> bool:
    """Whether a proposal for the page would strike a row through."""
    try:
        return is_struck(page_proposals.entry_of(proposal))
    except BrokenFile:
        return False


def id_for(scope: Scope, entry: Entry) -> str:
    """Return the id of the proposal of an entry; to strike a row through is another one than to add it."""
    return id_of(scope, page.identity(entry) + _STRUCK) if is_struck(entry) else page_proposals.id_for(scope, entry)


def id_now(proposal: Proposal) -> str:
    """Return the id of what a proposal for the page says now, as it may have been edited since."""
    try:
        entry = page_proposals.entry_of(proposal)
    except BrokenFile:
        return page_proposals.id_now(proposal)
    return id_for(proposal.scope, entry)


def material_for(workspace: Workspace, proposal: Proposal) -> Material:
    """Return what the pages of a project say now about the entry of a proposal; others than it needs are not read."""
    own, older = _folders(workspace, proposal.scope)
    section = page_proposals.entry_of(proposal).section
    holding, ended = decisions(own, older) if section == DECISIONS else ([], [])
    todos = pages.todos(own, older) if section == GAPS else ()
    return Material(
        now()[:10],
        decided=tuple(holding),
        ended=tuple(ended),
        tasks=tuple(Task(clean(todo.text), todo.done) for todo in todos),
        page=page.read(own, older),
    )


def _folders(workspace: Workspace, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the folder of the project, and those of its earlier ids where it is the one that we stand in."""
    try:
        if workspace.project().id == scope.owner:
            return folders(workspace)
    except ScopeUnknown:
        pass
    root = os.path.join(workspace.home, "memory")
    return os.path.dirname(layout.contained(root, f"{layout.folder_of(scope)}/{page.PAGE}")), ()


def decisions(folder: str, older: tuple[str, ...]) -> tuple[list[Decided], list[Decided]]:
    """Return the decisions that hold, and those that hold no longer and were not made again."""
    every = [_of_note(note) for note in pages.notes(folder, pages.DECISION, older)]
    named = [(page.plain(row_of(one).name), one) for one in every]
    ended = {name for name, one in named if one.ended}
    holding = {name for name, one in named if not one.ended}
    return (
        [replace(one, again=name in ended) for name, one in named if not one.ended],
        [one for name, one in named if one.ended and name not in holding],
    )


def _of_note(note: Note) -> Decided:
    how = f"{REPLACED} {note.replaced_by}" if note.replaced_by else WITHDRAWN
    return Decided(
        note.at,
        clean(note.text),
        clean(note.because),
        f"decisions.md {note.id}".strip(),
        f"{how} {note.ended}".strip() if note.done else "",
    )


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Return the text as it would stand on the page: one line without secrets, also those that only one line makes."""
    return redact.redact(region.one_line(redact.redact(text)[0]))[0]
