"""What was put where: pieces into a text, and the record of an install, as values and as JSON.

A text without our pieces is what it was, byte for byte. For each file the record has the places of our bytes and two
digests, before and after, so that an uninstall gives the file back as it was. It never has a copy of the file: that may
hold keys.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import msgspec

from holdfast.agents import INSTALLS
from holdfast.agents.base import ConfigChange
from holdfast.base import files
from holdfast.errors import BrokenFile

Keys = tuple[str, ...]
Span = tuple[int, int]


class Insertions:
    """A text and the places of our pieces in it, as start and length in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans: list[Span] = []

    def insert(self, at: int, piece: str) -> None:
        """Put a piece in; one that lands in or at the end of an earlier piece becomes part of it."""
        self.text = self.text[:at] + piece + self.text[at:]
        spans, taken = [], False
        for start, length in self._spans:
            if not taken and start < at <= start + length:
                spans.append((start, length + len(piece)))
                taken = True
            else:
                spans.append((start + len(piece), length) if at <= start else (start, length))
        if not taken:
            spans.append((at, len(piece)))
        self._spans = sorted(spans)

    def spans(self) -> tuple[Span, ...]:
        """Return the places of our pieces as start and length in bytes of UTF-8."""
        return tuple(
            (len(self.text[:start].encode("utf-8")), len(self.text[start : start + length].encode("utf-8")))
            for start, length in self._spans
        )


def without(data: bytes, spans: Iterable[Span]) -> bytes:
    """Return the bytes without those at the places."""
    for start, length in sorted(spans, reverse=True):
        data = data[:start] + data[start + length :]
    return data


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One file that an install changed; `created`: it was not there before."""

    path: str
    created: bool
    before: str
    after: str
    spans: tuple[tuple[int, int], ...]
    made: tuple[Keys, ...]


@dataclass(frozen=True, slots=True)
class Install:
    """One agent at one place: its files, the folders that were made, and whether its rules file was."""

    agent: str
    scope: str
    folder: str
    at: str
    files: tuple[EditedFile, ...] = ()
    folders: tuple[str, ...] = ()
    created_rules: bool = False

    @property
    def where(self) -> tuple[str, str, str]:
        """What makes this install another than the next."""
        return self.agent, self.scope, self.folder


class _Record(msgspec.Struct):
    """The record of all installs."""

    installs: tuple[Install, ...]


def digest(data: bytes) -> str:
    """Return what tells whether a file still has exactly these bytes."""
    return hashlib.sha256(data).hexdigest()


def edited_file(change: ConfigChange, earlier: EditedFile | None) -> EditedFile:
    """Return the record of a change, with what an earlier one knew of the file."""
    after = change.after or b""
    base = without(after, change.spans)
    # A file that holds nothing but ours is ours to remove, unless it is known to have been there, empty, before.
    only_ours = not base and bool(change.before) if earlier is None else earlier.created
    created = change.before is None or only_ours
    made = tuple(dict.fromkeys([*change.made, *(earlier.made if earlier else ())]))
    return EditedFile(change.path, created, digest(base), digest(after), change.spans, made)


def restored(data: bytes, record: EditedFile) -> tuple[bool, bytes | None]:
    """Return whether nobody touched the file since, and what it was before: None is no file."""
    if digest(data) != record.after:
        return False, data
    base = without(data, record.spans)
    return digest(base) == record.before, None if record.created and not base.strip() else base


def dumps(installs: list[Install]) -> str:
    """Return the record as JSON."""
    return json.dumps({"version": 1, "installs": [asdict(one) for one in installs]}, indent=2) + "\n"


def loads(text: str | bytes) -> list[Install]:
    """Return the record of a JSON text, without what another version added; ValueError where it is not one."""
    return list(msgspec.convert(json.loads(text), _Record).installs)


def lock(home: str) -> files.Lock:
    """Return the lock of the record, in a home that is made where it is missing."""
    return files.lock_of(home, "installs")


def load(home: str, name: str = INSTALLS) -> list[Install]:
    """Return what is installed; without a record nothing is."""
    path = os.path.join(home, name)
    data = files.read_if_there(path)
    try:
        return loads(data) if data else []
    except ValueError as problem:
        hint = "Move it away: an uninstall then finds what Holdfast wrote by its tags."
        raise BrokenFile(f"{path} cannot be read: {problem}", hint) from problem


def save(home: str, installs: list[Install], name: str = INSTALLS) -> None:
    """Write the record; without an install there is none."""
    path = os.path.join(home, name)
    if installs:
        files.write(path, dumps(installs).encode())
    else:
        files.remove(path)


def find(installs: list[Install], where: tuple[str, str, str]) -> Install | None:
    """Return the install of that agent, scope and folder."""
    return next((one for one in installs if one.where == where), None)
