"""Fixes: what was done until a failed command worked, offered when it fails again."""

from __future__ import annotations

import os

from holdfast.base.digests import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun

# Where the failures of open sessions stand, below the home.
FOLDER = ("state", "failures")


def path_of(run: HookRun) -> str:
    """Return the file of this session's failures in this project; nothing where there is no project."""
    project = run.project()
    return os.path.join(run.home, *FOLDER, short(run.call.agent, run.session, project.id)) if project else ""
