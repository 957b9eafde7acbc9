"""What is brought up to date when a command or a call has done its work: index pages, and then rules files.

Also what an interrupted command left half-done: the next one finishes or undoes it, whichever command that is.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.memory import index_pages
from holdfast.store import last_look
from holdfast.workspace import Workspace


def finish(workspace: Workspace) -> None:
    """Write each index.md that is behind, and the rules files of agents whose hooks cannot hand memories over."""
    if write_pages(workspace):
        _note_what_was_seen(workspace)
        # What the store holds back, such as a write-ahead log, is on the disk before somebody reads it.
        workspace.close()
        if workspace.settings.flag("recall.meaning"):
            # Without it the first prompts of a new home would find what they ask for by its words alone.
            from holdfast.recall.vectors import make_few

            make_few(workspace.home, lambda: False)
        if workspace.has_installs:
            # Only a change needs this import, which would slow every command down.
            from holdfast.inject import publish

            publish.refresh(workspace)


def _note_what_was_seen(workspace: Workspace) -> None:
    """Spare the next session a look at what this run wrote itself, and hooks the search for the rules in it."""
    from holdfast.rules.build import build

    for scope in filter(None, workspace.seen):
        last_look.note(workspace.home, scope)
        # Where this fails, the next hook does it.
        with suppress(HoldfastError):
            build(workspace, scope, seen=True)
    if workspace.store.has_tree and not workspace.store.is_temporary:
        with suppress(HoldfastError, sqlite3.Error):
            workspace.store.tree.note_own_writes()


def repair(workspace: Workspace, *, reads: bool = False) -> None:
    """Remove what killed writers left half-written in the home, and finish a move or an undo that was killed.

    A command that `reads` leaves out the folders of memory that it does not look at, of which there may be many.
    """
    for path in files.leftovers(workspace.home, ("archive", "memory" if reads else "memories")):
        if files.is_of_dead(path):
            files.discard(path)
    begun = files.names_in(os.path.join(workspace.home, "state"), "ing.json") if workspace.enabled else []
    # A command that has nothing to finish need not load how it is done.
    for name, what in (("moving.json", "a move"), ("undoing.json", "an undo")):
        if name in begun:
            from holdfast.app import updates
            from holdfast.memory import move

            try:
                (move if name == "moving.json" else updates).finish_interrupted(workspace)
            except HoldfastError as problem:
                workspace.say(f"{what} that was interrupted is not finished yet: {problem}")


def see(workspace: Workspace) -> None:
    """Adopt what a person wrote into a table of the project's pages that shows memories; drop what a team withdrew."""
    if not workspace.has_home:
        return
    # A folder without a project has nothing to adopt; what could not be read is reported when a session starts.
    with suppress(HoldfastError, OSError):
        if workspace.enabled and workspace.has_decided_sets:
            from holdfast.app import repository_sets

            repository_sets.look(workspace, workspace.project().root)
    try:
        folders = _folders(workspace) if workspace.enabled and os.path.isdir(workspace.home) else []
        if any(_may_be_behind(workspace.home, folder) for folder in folders):
            # Every command would wait for what this loads.
            from holdfast.continuity import views

            behind = [folder for folder in folders if views.is_behind(workspace.home, folder)]
            views.sync(workspace, behind)
            for folder in folders if not behind else ():
                last_look.note_read(workspace.home, os.path.join(folder, "MEMORY.md"))
    except HoldfastError as problem:
        workspace.say(f"what was written into a page is not adopted: {problem}")


def _may_be_behind(home: str, folder: str) -> bool:
    """Whether a page that shows memories was written after what was noted about it."""
    noted = files.written_at(os.path.join(home, "state", "views", f"{os.path.basename(folder)}.json"))
    return any(files.written_at(os.path.join(folder, page)) > noted for page in last_look.PAGES)


def _folders(workspace: Workspace) -> list[str]:
    try:
        owners = [scope.owner for scope in workspace.visible("project")]
    except HoldfastError:
        return []
    return [os.path.join(workspace.home, "memory", "projects", owner) for owner in owners]


def _write_views(workspace: Workspace) -> None:
    """Write the tables of memories in the folders of projects that hold something new."""
    if workspace.store.is_temporary or not workspace.store.has_tree:
        return
    changed = {
        folder.split("/")[1] for folder in workspace.store.tree.stale_folders() if folder.startswith("projects/")
    }
    if changed:
        from holdfast.continuity import views

        views.sync(workspace, [os.path.join(workspace.home, "memory", "projects", name) for name in sorted(changed)])


def write_pages(workspace: Workspace) -> bool:
    """Write each index.md and each table of memories that is older than what it shows; return whether one changed."""
    if not workspace.is_open:
        return False
    changed = False
    if workspace.enabled:
        try:
            _write_views(workspace)
            changed = index_pages.bring_up_to_date(workspace)
        except HoldfastError as problem:
            workspace.say(f"a page is not up to date: {problem}")
    workspace.say_notes()
    return changed
