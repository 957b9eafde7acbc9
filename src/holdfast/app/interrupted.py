"""What an interrupted command left half-done, the next one finishes or undoes, whichever command that is."""

from __future__ import annotations

import os

from holdfast.agents.editing import plan, record
from holdfast.errors import HoldfastError
from holdfast.memory import leftovers
from holdfast.workspace import Workspace


def repair(workspace: Workspace) -> None:
    """Remove what killed writers left, in the home and beside the agents' files, and finish a move."""
    if not os.path.isdir(workspace.home):
        return
    leftovers.clear(workspace.home)
    try:
        clear_beside_configs(workspace.home)
        if workspace.enabled and os.path.exists(os.path.join(workspace.home, "state", "moving.json")):
            # A command that has nothing to finish need not load how a memory is moved.
            from holdfast.memory import move

            move.finish_interrupted(workspace)
    except HoldfastError as problem:
        workspace.say(f"what was interrupted is not finished yet: {problem}")


def clear_beside_configs(home: str) -> None:
    """Remove what killed installs and uninstalls left beside the files of agents."""
    # An install is on record before its first write and until its last byte is taken out.
    for folder in {os.path.dirname(os.path.realpath(one.path)) for each in record.load(home) for one in each.files}:
        plan.clear_leftovers(folder)
