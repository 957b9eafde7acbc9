"""Marking a folder as a project: a file of its own says which one it is."""

from __future__ import annotations

import os

from holdfast.errors import BadInput, Conflict, NotFound, Refused
from holdfast.project import Search, free_id, inode_row, marker, resolve
from holdfast.project.marker import Marker
from holdfast.project.registry import Known, Registry
from holdfast.records import Project


def mark(folder: str, registry: Registry, *, adopt: bool = False, new: bool = False) -> Project:
    """Write a marker into the folder and remember it; `adopt` accepts one that is there, `new` replaces it.

    The id is the one that the path gave until now, so that what was stored stays readable.
    """
    if adopt and new:
        raise BadInput("adopt and new cannot go together", hint="adopt keeps the marker's id, new makes another")
    known = registry.known()
    place = _markable(folder, known)
    if adopt:
        tag = _adopted(place, known)
    else:
        made = free_id(os.path.basename(place), place, known, fresh=new)
        tag = Marker(made, os.urandom(16).hex())
        # The file goes first: a row without its file would hold the id back from the folder that it names.
        marker.write(place, tag, replace=new)
    registry.append(("marker", tag.id, tag.nonce, place), *inode_row(tag.id, place))
    return resolve(place, registry)


def _markable(folder: str, known: Known) -> str:
    search = Search(folder, known)
    if search.place in (search.home, "/"):
        raise Refused(
            "the home folder and / cannot be marked: every folder below would become one project",
            hint="mark the folder of the project itself",
        )
    if search.by_git():
        raise Refused(
            "the folder is in a git repository, which names the project, so a marker would have no effect",
            hint="set HOLDFAST_PROJECT, or `holdfast project merge`, to give it another id",
        )
    return search.place


def _adopted(place: str, known: Known) -> Marker:
    try:
        tag = marker.read(place)
    except marker.BadMarker as bad:
        raise Conflict(str(bad), hint="`holdfast project mark --new` replaces it") from None
    if tag is None:
        raise NotFound("there is no marker in this folder to adopt", hint="`holdfast project mark` makes one")
    nonce, path = known.markers.get(tag.id, ("", ""))
    if path and path != place and marker.is_at(path, Marker(tag.id, nonce)):
        raise Conflict(
            f"the id {tag.id} belongs to a marked folder that is still there",
            hint="`holdfast project mark --new` makes this folder a project of its own",
        )
    return tag
