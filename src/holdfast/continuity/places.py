"""Where the pages of a project stand."""

from __future__ import annotations

import os

from holdfast.records import Scope
from holdfast.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BUFFER = "buffer.md"


class Pages:
    """Where the pages of a project stand: under its id, and in `older` under ids that it had before."""

    def __init__(self, home: str, project: str, aliases: Iterable[str] = ()) -> None:
        root = os.path.join(home, "memory")
        found = [layout.folder_of(Scope("project", owner)) for owner in (project, *aliases)]
        paths = [layout.contained(root, f"{folder}/{BUFFER}") for folder in found]
        self.home = home
        self.buffer, self.older_buffers = paths[0], tuple(paths[1:])
        self.folder, *older = [os.path.dirname(path) for path in paths]
        self.older = tuple(older)
