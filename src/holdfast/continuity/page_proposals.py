"""Proposals of the kind `page`: an entry for a project's MEMORY.md, which approving puts into its section.

The id of one stands for its section, what names it and the value that may change. Rejecting what the page does not have
rejects it under every value; rejecting a change of what is there rejects that one value.
"""

from __future__ import annotations

import os

from holdfast.continuity import page, region
from holdfast.errors import BrokenFile, HoldfastError, ScopeUnknown
from holdfast.memory.proposal_files import id_of
from holdfast.privacy import redact
from holdfast.records import Proposal, Scope
from holdfast.store import layout
from holdfast.workspace import Workspace, check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.page import Entry

KIND = "page"


def keep(workspace: Workspace, proposal: Proposal) -> str:
    """Put the entry of an approved proposal into the page of its project, and return the name of the page."""
    entry = entry_of(proposal)
    check_text(proposal.text)
    own, older = _folders(workspace, proposal.scope)
    page.put(own, without_secrets(entry), older)
    return page.PAGE


def entry_of(proposal: Proposal) -> Entry:
    """Return the entry that a proposal holds; BrokenFile says what is wrong with it."""
    if proposal.scope.kind != "project":
        raise BrokenFile(f"{proposal.id} is for a page, and only a project has one", "Give it the scope project.")
    return page.read_entry(proposal.text)


def statement(proposal: Proposal) -> str:
    """Return what the proposal says, to be looked up among what was forgotten."""
    return entry_of(proposal).name


def id_now(proposal: Proposal) -> str:
    """Return the id of what the proposal says now, as it may have been edited since."""
    try:
        return id_for(proposal.scope, entry_of(proposal))
    except BrokenFile:
        return id_of(proposal.scope, proposal.text)


def ids_to_reject(workspace: Workspace, proposal: Proposal) -> list[str]:
    """Return the ids that must not come back when this proposal is rejected."""
    try:
        entry = entry_of(proposal)
        own, older = _folders(workspace, proposal.scope)
        is_new = page.standing(page.read(own, older), entry) == "new"
    except HoldfastError:
        return []
    return [base_id(proposal.scope, entry)] if is_new else []


def id_for(scope: Scope, entry: Entry) -> str:
    """Return the id of the proposal of an entry."""
    return id_of(scope, page.identity(entry))


def base_id(scope: Scope, entry: Entry) -> str:
    """Return what stands for the entry under every value."""
    return id_of(scope, page.identity(entry, with_value=False) + "\nunder any value")


def without_secrets(entry: Entry) -> Entry:
    """Return the entry with secrets taken out, also those that only became whole as one line."""
    cells = [redact.redact(region.one_line(redact.redact(cell)[0]))[0] if cell else "" for cell in entry.cells]
    return page.made(entry.section, *cells)


def _folders(workspace: Workspace, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the folder of the project, and those of its earlier ids where it is the one that we stand in."""
    try:
        project = workspace.project()
    except ScopeUnknown:
        project = None
    aliases = project.aliases if project and project.id == scope.owner else ()
    found = [layout.folder_of(Scope("project", owner)) for owner in (scope.owner, *aliases)]
    root = workspace.store.tree.root
    own, *older = [os.path.dirname(layout.contained(root, f"{folder}/{page.PAGE}")) for folder in found]
    return own, tuple(older)
