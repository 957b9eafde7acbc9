"""The marker file: an opt-in name tag for a folder that has no git.

Identity: the id and a nonce. A marker is believed only when the registry has the same nonce for its id, so a
marker that came with somebody else's files is worth nothing until the person adopts it. Atomic: it is made
whole or not at all, mode 0600, and never through a symbolic link. What may be lost: nothing; without it the
path names the folder again.
"""

from __future__ import annotations

import errno
import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.errors import Conflict
from holdfast.project.git import upwards
from holdfast.project.ids import is_hex, is_id, printable

NAME = ".holdfast-project"
LIMIT = 4096
_HEADER = "# Holdfast knows this folder by this file. It moves with the folder; see `holdfast project`."


class BadMarker(Exception):
    """A marker that cannot be read as one; the text is a note for the person."""


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker file says."""

    id: str
    nonce: str


def find(folder: str, home: str) -> str | None:
    """Return the nearest folder, from this one up, that has a marker; the home folder and `/` never count."""
    for place in upwards(folder):
        if place in (home, "/"):
            return None
        if os.path.lexists(os.path.join(place, NAME)):
            return place
    return None


def read(folder: str) -> Marker | None:
    """Return the marker of a folder, None if it has none; BadMarker if what is there is no marker."""
    path = os.path.join(folder, NAME)
    try:
        data = files.read_head(path, LIMIT + 1, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        why = "it is a symbolic link" if error.errno == errno.ELOOP else str(error.strerror).lower()
        raise BadMarker(f"{printable(path)} is not used: {why}") from None
    marker = _parsed(data) if len(data) <= LIMIT else None
    if marker is None:
        why = "it is too large" if len(data) > LIMIT else "it cannot be read as a marker"
        raise BadMarker(f"{printable(path)} is not used: {why}")
    return marker


def is_at(folder: str, marker: Marker) -> bool:
    """Tell whether the folder has this very marker."""
    try:
        return read(folder) == marker
    except BadMarker:
        return False


def write(folder: str, marker: Marker, *, replace: bool) -> None:
    """Put the marker into the folder; Conflict if one is there and `replace` is not set."""
    path = os.path.join(folder, NAME)
    text = f"{_HEADER}\nid: {marker.id}\nnonce: {marker.nonce}\ncreated: {now()}\n"
    try:
        (files.replace if replace else files.create)(path, text.encode())
    except FileExistsError:
        raise Conflict(
            f"{printable(path)} is there already",
            hint="`holdfast project` explains it; `holdfast project mark` has --new and --adopt",
        ) from None
    except OSError as error:
        raise files.unavailable(error, printable(path), in_home=False) from error


def _parsed(data: bytes) -> Marker | None:
    fields: dict[str, str] = {}
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        return None
    for line in lines:
        name, colon, value = line.partition(":")
        if line.startswith("#") or not line.strip():
            continue
        if not colon or name in fields:
            return None
        fields[name] = value.strip(" \t\r")
    marker = Marker(fields.get("id", ""), fields.get("nonce", ""))
    return marker if is_id(marker.id) and is_hex(marker.nonce, 32) else None
