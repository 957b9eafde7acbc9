"""Proposals of the kind `page`: an entry for a project's MEMORY.md, which approving puts into its section.

An entry of the section Decisions is for no page: approving it makes a memory of the type `decision`, as `decide` does.

The id of one stands for its section, what names it and the value that may change. Rejecting what the page does not have
rejects it under every value; rejecting a change of what is there rejects that one value. A proposal is outdated when
its decision came to an end or its to-do is another now: `distil` takes it back, and approving it is refused. What a
person edited is their word, and stays.
"""

from __future__ import annotations

from functools import lru_cache

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.continuity import decisions, page, pages, region, views
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.check_boxes import unattributed
from holdfast.continuity.distil_rules import (
    DECISIONS,
    GAPS,
    FoundDecision,
    KnownTodo,
    Material,
    outdated,
    row_of,
)
from holdfast.continuity.note_tables import REPLACED, Note
from holdfast.continuity.page import PageEntry
from holdfast.errors import BrokenFile, HoldfastError, Refused
from holdfast.memory.proposal_files import id_of
from holdfast.memory.proposals import Kind
from holdfast.privacy import redact
from holdfast.privacy.fence import harmless_line
from holdfast.records import Proposal, Scope
from holdfast.store import kinds, layout
from holdfast.workspace import Workspace

KIND = "page"


class PageKind(Kind):
    """An approved entry stands on the page of its project."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Put the entry into the page and return the name of the page; of a decision, the key."""
        entry = without_secrets(entry_of(proposal))
        check_text(proposal.text)
        if entry.section == DECISIONS:
            at, text, because = entry.cells
            return decisions.decide(workspace, proposal.scope, kinds.tidied(text), because, at=at).memory.key
        page.put(_folders(workspace, proposal.scope), entry)
        return region.PAGE

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
        holding, ended = decided(workspace, (proposal.scope,)) if section == DECISIONS else ([], [])
        todos = pages.todos(folders) if section == GAPS else ()
        tasks = tuple(KnownTodo(clean(todo.text), todo.done) for todo in todos)
        material = Material(now()[:10], (), tuple(holding), tuple(ended), (), tasks, page.read(folders))
        if why := why_outdated(proposal, material):
            raise Refused(why, f"`holdfast distil` takes it back; or: holdfast proposals reject {proposal.id}")

    def files(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the page that changes."""
        if entry_of(proposal).section == DECISIONS:
            return (f"memory/{layout.folder_of(proposal.scope)}/{views.DECISIONS.page}",)
        return (f"memory/{layout.folder_of(proposal.scope)}/{region.PAGE}",)

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Return the ids that must not come back."""
        try:
            entry = entry_of(proposal)
            is_new = page.standing(page.read(_folders(workspace, proposal.scope)), entry) == "new"
        except HoldfastError:
            return []
        return [base_id(proposal.scope, entry)] if is_new else []


def entry_of(proposal: Proposal) -> PageEntry:
    """Return the entry that a proposal holds; BrokenFile says what is wrong with it."""
    if proposal.scope.kind != "project":
        raise BrokenFile(f"{proposal.id} is for a page, and only a project has one", "Give it the scope project.")
    return page.read_entry(proposal.text)


def id_for(scope: Scope, entry: PageEntry) -> str:
    """Return the id of the proposal of an entry."""
    return id_of(scope, page.identity(entry))


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


def decided(workspace: Workspace, scopes: tuple[Scope, ...]) -> tuple[list[FoundDecision], list[FoundDecision]]:
    """Return the decisions that hold, and those that hold no longer and were not made again."""
    every = [_of_note(note) for note, _ in views.listed(workspace, views.DECISIONS, scopes)]
    holding = {row_of(one).words for one in every if not one.ended}
    over = [one for one in every if one.ended and row_of(one).words not in holding]
    return [one for one in every if not one.ended], over


def _of_note(note: Note) -> FoundDecision:
    how = f"{REPLACED} {note.replaced_by}" if note.replaced_by else kinds.WITHDRAWN
    ended = f"{how} {note.ended}".strip() if note.done else ""
    return FoundDecision(note.at, clean(unattributed(note.text)), clean(note.because), f"decisions.md {note.id}", ended)


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Return the text as it would stand on the page: one line without secrets, also those that only one line makes."""
    return redact.redact(harmless_line(redact.redact(text)[0]))[0] if text else ""


def without_secrets(entry: PageEntry) -> PageEntry:
    """Return the entry with secrets taken out, also those that only became whole as one line."""
    return page.made(entry.section, *map(clean, entry.cells))


def _folders(workspace: Workspace, scope: Scope) -> tuple[str, ...]:
    """Return the folder of the project, and those of its earlier ids where it is the one that we stand in."""
    project = workspace.project_if_any()
    aliases = project.aliases if project and project.id == scope.owner else ()
    return ProjectPages(workspace.home, scope.owner, aliases).folders
