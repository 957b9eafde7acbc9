"""What is brought up to date when a command or a call has done its work: index pages, and then rules files.

Also what an interrupted command left half-done: the next one finishes or undoes it, whichever command that is.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.memory import index_pages
from holdfast.workspace import Workspace


def finish(workspace: Workspace) -> None:
    """Write each index.md that is behind, and the rules files of agents whose hooks cannot hand memories over."""
    if write_pages(workspace):
        # What the store holds back, such as a write-ahead log, is on the disk before somebody reads it.
        workspace.close()
        # Only a change needs it, and every command would wait for what it loads.
        from holdfast.inject import publish

        publish.refresh(workspace)


def repair(workspace: Workspace, *, reads: bool = False) -> None:
    """Remove what killed writers left half-written in the home, and finish a move that was killed.

    A command that `reads` leaves out the folders of memory that it does not look at, of which there may be many.
    """
    for path in files.leftovers(workspace.home, ("archive", "memory" if reads else "memories")):
        if files.is_of_dead(path):
            files.discard(path)
    if workspace.enabled and os.path.exists(os.path.join(workspace.home, "state", "moving.json")):
        # A command that has nothing to finish need not load how a memory is moved.
        from holdfast.memory import move

        try:
            move.finish_interrupted(workspace)
        except HoldfastError as problem:
            workspace.say(f"a move that was interrupted is not finished yet: {problem}")


def write_pages(workspace: Workspace) -> bool:
    """Write each index.md that is older than what its folder holds; return whether one changed."""
    if not workspace.is_open:
        return False
    changed = False
    if workspace.enabled:
        try:
            changed = index_pages.bring_up_to_date(workspace)
        except HoldfastError as problem:
            workspace.say(f"an index.md is not up to date: {problem}")
    workspace.say_notes()
    return changed
