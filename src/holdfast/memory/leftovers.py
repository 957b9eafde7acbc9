"""What writers that were killed left half-written in a home. Nothing of it was acknowledged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.base import files

if TYPE_CHECKING:
    from collections.abc import Iterator

# Folders that may be large: a sweep clears the first, and whoever looks at memories the other.
_PASSED_OVER = frozenset(("archive", "memories"))


def leftovers(home: str) -> Iterator[str]:
    """Return the temporary files of the home, outside of the large folders. No link is followed."""
    folders = [home]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            if entry.name.startswith(files.TEMPORARY) and entry.is_file(follow_symlinks=False):
                yield entry.path
            elif entry.name[0] != "." and entry.name not in _PASSED_OVER and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def clear(home: str) -> int:
    """Remove what processes that no longer run left, and return how many files that were."""
    left = [path for path in leftovers(home) if files.is_of_dead(path)]
    for path in left:
        files.discard(path)
    return len(left)
