"""Which files and folders of agents we made for patterns, `patterns/placed.json`: only these are ours to remove.

It is written whole and durably, before a file is made. Where it is lost, a file that we emptied stays, empty.
"""

from __future__ import annotations

import json
import os

from holdfast.base import files
from holdfast.base.light_records import dataclass
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE = ("patterns", "placed.json")
_MAX = 4 * 1_048_576


@dataclass(frozen=True, slots=True)
class Placed:
    """Files and folders that were not there before us."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def read(home: str) -> Placed:
    """Return what we made; a record that cannot be read says that we made nothing."""
    try:
        told = json.loads(files.read(os.path.join(home, *PLACE), _MAX))
        return Placed(*(frozenset(map(str, told.get(name, ()))) for name in ("files", "folders")))
    except (HoldfastError, ValueError, TypeError, AttributeError):
        return Placed()


def made(home: str, paths: Iterable[str] = (), folders: Iterable[str] = ()) -> None:
    """Note files and folders that we make."""
    there = read(home)
    _write(home, there, Placed(there.files | set(paths), there.folders | set(folders)))


def gone(home: str) -> None:
    """Drop from the record what is not there any more."""
    there = read(home)
    kept = (frozenset(path for path in several if os.path.lexists(path)) for several in (there.files, there.folders))
    _write(home, there, Placed(*kept))


def _write(home: str, before: Placed, after: Placed) -> None:
    if after == before:
        return
    path = os.path.join(home, *PLACE)
    files.refuse_links(home, PLACE[0])
    files.make_folder(os.path.dirname(path))
    told = {"version": 1, "files": sorted(after.files), "folders": sorted(after.folders)}
    files.write(path, json.dumps(told, indent=2).encode() + b"\n")
