"""Whether the memories that a repository brings changed since the last look, and what follows from it.

A withdrawn file is no longer told from the first command, call, prompt or start after the pull. Light, since prompt
hooks ask.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.text import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.workspace import Workspace

_SETS = (("memory", "memories"), ("memory", "data"), (".holdfast", "memory"))
_MAX_ENTRIES = 1_000


def look(workspace: Workspace, root: str) -> bool:
    """Follow what was withdrawn or is trusted, and tell the person once of what waits for their word.

    Return whether the files are others than at the last look.
    """
    tops = [os.path.join(root, *names) for names in _SETS]
    seen = os.path.join(workspace.home, "state", "sets", hash_of(root))
    if not any(map(os.path.isdir, tops)) and not os.path.exists(seen):
        return False
    stamp = hash_of(*[entry for top in tops for entry in _entries(top)]).encode()
    if files.read_if_there(seen) == stamp:
        return False
    # Slow to import, and needed only where the files changed since the last look.
    from holdfast.exchange import repository_set
    from holdfast.journal import notices

    told = repository_set.waiting(workspace)
    if told:
        notices.report(workspace.home, "repository", *told, hint=repository_set.HINT, lasts=True)
    files.put(seen, stamp, durable=False)
    return True


def _entries(folder: str) -> list[str]:
    """Return what tells whether files of a folder and of those in it changed; of very many, the first."""
    found: list[str] = []
    left = [folder]
    while left and len(found) < _MAX_ENTRIES:
        try:
            with os.scandir(left.pop()) as entries:
                for one in entries:
                    state = one.stat(follow_symlinks=False)
                    found.append(f"{one.path} {state.st_mtime_ns} {state.st_size}")
                    if one.is_dir(follow_symlinks=False):
                        left.append(one.path)
                    if len(found) >= _MAX_ENTRIES:
                        break
        except OSError:
            continue
    return sorted(found)
