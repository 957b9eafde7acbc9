"""What is brought up to date when a command or a call has done its work: index pages, and then rules files."""

from __future__ import annotations

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
