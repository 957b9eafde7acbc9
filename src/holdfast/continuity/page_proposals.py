"""Proposals of the kind `page`: an entry for a project's MEMORY.md, which approving puts into its section.

The id of one stands for its section, what names it and the value that may change; to strike a row through is another
one than to add it. Rejecting what the page does not have rejects it under every value; rejecting a change of what is
there rejects that one value. A proposal is outdated when its decision or its to-do is another now, as their own pages
have it: `distil` takes it back, and approving it is refused. What a person edited is their word, and stays.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.continuity import page, pages
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.distil_rules import (
    DECISIONS,
    GAPS,
    FoundDecision,
    KnownTodo,
    Material,
    is_struck,
    outdated,
    row_of,
)
from holdfast.continuity.note_tables import REPLACED, WITHDRAWN, Note
from holdfast.continuity.page import PageEntry
from holdfast.errors import BrokenFile, HoldfastError, Refused, ScopeUnknown
from holdfast.memory.proposal_files import id_of
from holdfast.memory.proposals import Kind
from holdfast.privacy import redact
from holdfast.privacy.fence import harmless_line
from holdfast.records import Proposal, Scope
from holdfast.store import layout
from holdfast.workspace import Workspace

KIND = "page"
_STRUCK = "\nstruck through"


class PageKind(Kind):
    """An approved entry stands on the page of its project."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Put the entry into the page, and return the name of the page."""
        entry = entry_of(proposal)
        check_text(proposal.text)
        page.put(_folders(workspace, proposal.scope), without_secrets(entry))
        return page.PAGE

    def statement(self, proposal: Proposal) -> str:
        """Return what names the entry."""
        return entry_of(proposal).name

    def id_now(self, proposal: Proposal) -> str:
        """Return the id of what the proposal says now, as it may have been edited since."""
        return id_now(proposal)

    def check_holds(self, workspace: Workspace, proposal: Proposal) -> None:
        """Refuse an entry whose decision or to-do came to an end since it was found."""
        folders = _folders(workspace, proposal.scope)
        section = entry_of(proposal).section
        holding, ended = decisions(folders) if section == DECISIONS else ([], [])
        todos = pages.todos(folders) if section == GAPS else ()
        tasks = tuple(KnownTodo(clean(todo.text), todo.done) for todo in todos)
        material = Material(now()[:10], (), tuple(holding), tuple(ended), tasks, page.read(folders))
        if why := why_outdated(proposal, material):
            raise Refused(why, f"`holdfast distil` takes it back; or: holdfast proposals reject {proposal.id}")

    def files(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the page."""
        return (f"memory/{layout.folder_of(proposal.scope)}/{page.PAGE}",)

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Return the ids that must not come back; what would strike a row through comes back under another one."""
        try:
            entry = entry_of(proposal)
            is_new = page.standing(page.read(_folders(workspace, proposal.scope)), entry) == "new"
        except HoldfastError:
            return []
        return [base_id(proposal.scope, entry)] if is_new and not is_struck(entry) else []


def entry_of(proposal: Proposal) -> PageEntry:
    """Return the entry that a proposal holds; BrokenFile says what is wrong with it."""
    if proposal.scope.kind != "project":
        raise BrokenFile(f"{proposal.id} is for a page, and only a project has one", "Give it the scope project.")
    return page.read_entry(proposal.text)


def id_for(scope: Scope, entry: PageEntry) -> str:
    """Return the id of the proposal of an entry."""
    return id_of(scope, page.identity(entry) + (_STRUCK if is_struck(entry) else ""))


def id_now(proposal: Proposal) -> str:
    """Return the id of what the proposal says now, as it may have been edited since."""
    try:
        return id_for(proposal.scope, entry_of(proposal))
    except BrokenFile:
        return id_of(proposal.scope, proposal.text)


def base_id(scope: Scope, entry: PageEntry) -> str:
    """Return what stands for the entry under every value."""
    return id_of(scope, page.identity(entry, with_value=False) + "\nunder any value")


def why_outdated(proposal: Proposal, material: Material) -> str:
    """Return why a proposal for the page is true no longer, or nothing."""
    try:
        entry = entry_of(proposal)
    except BrokenFile:
        return ""
    return outdated(entry, proposal.evidence, material) if id_for(proposal.scope, entry) == proposal.id else ""


def decisions(folders: tuple[str, ...]) -> tuple[list[FoundDecision], list[FoundDecision]]:
    """Return the decisions that hold, and those that hold no longer and were not made again."""
    every = [_of_note(note) for note in pages.notes(folders, pages.DECISION)]
    named = [(row_of(one).words, one) for one in every]
    ended = {name for name, one in named if one.ended}
    holding = {name for name, one in named if not one.ended}
    return (
        [replace(one, again=name in ended) for name, one in named if not one.ended],
        [one for name, one in named if one.ended and name not in holding],
    )


def _of_note(note: Note) -> FoundDecision:
    how = f"{REPLACED} {note.replaced_by}" if note.replaced_by else WITHDRAWN
    ended = f"{how} {note.ended}".strip() if note.done else ""
    return FoundDecision(note.at, clean(note.text), clean(note.because), f"decisions.md {note.id}".strip(), ended)


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Return the text as it would stand on the page: one line without secrets, also those that only one line makes."""
    return redact.redact(harmless_line(redact.redact(text)[0]))[0] if text else ""


def without_secrets(entry: PageEntry) -> PageEntry:
    """Return the entry with secrets taken out, also those that only became whole as one line."""
    return page.made(entry.section, *map(clean, entry.cells))


def _folders(workspace: Workspace, scope: Scope) -> tuple[str, ...]:
    """Return the folder of the project, and those of its earlier ids where it is the one that we stand in."""
    try:
        project = workspace.project()
    except ScopeUnknown:
        project = None
    aliases = project.aliases if project and project.id == scope.owner else ()
    return ProjectPages(workspace.home, scope.owner, aliases).folders
