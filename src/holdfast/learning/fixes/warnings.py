"""Warnings: what a hook says when a failure occurs that an approved pattern is about, `patterns/warnings.jsonl`.

Identity: a row has the id of its pattern, a fingerprint of a failure and a project; an empty one is everywhere. The
file is rewritten whole and durably, under a lock. A hook reads it only after a failure, so nothing heavy is imported.
A row that cannot be read is passed over, and dropped with the next change.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps
from holdfast.errors import HoldfastError, TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE = ("patterns", "warnings.jsonl")
MAX_ROWS = 1_000
_MAX_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Warned:
    """What is said when a failure of that fingerprint occurs in a project, or with an empty one anywhere."""

    id: str
    fingerprint: str
    project: str
    text: str


def read(home: str) -> list[Warned]:
    """Return every warning that holds; none where the file cannot be read."""
    try:
        lines = rows.read(os.path.join(home, *PLACE), _MAX_BYTES)
    except HoldfastError:
        return []
    return [one for line in lines if (one := _row(line)) is not None]


def lookup(home: str, projects: Iterable[str], fingerprints: Iterable[str]) -> dict[str, str]:
    """Return what is said about these failures in these projects, by fingerprint."""
    wanted, known = {"", *projects}, set(fingerprints)
    return {one.fingerprint: one.text for one in read(home) if one.project in wanted and one.fingerprint in known}


def put(home: str, id: str, project: str, warnings: Iterable[Warned]) -> None:
    """Let these be all the warnings of a pattern in a project; none takes them away."""
    path = os.path.join(home, *PLACE)
    with files.lock_of(home, "warnings"):
        before = read(home)
        after = [*(one for one in before if (one.id, one.project) != (id, project)), *warnings]
        if after == before:
            return
        if len(after) > MAX_ROWS:
            raise TooLarge(f"there are {MAX_ROWS:,} warnings already", "Withdraw some of them.")
        files.refuse_links(home, PLACE[0])
        if not after:
            files.remove(path)
            return
        files.make_folder(os.path.dirname(path))
        plain = [
            {"id": one.id, "fingerprint": one.fingerprint, "project": one.project, "text": one.text} for one in after
        ]
        files.write(path, "".join(dumps(one) + "\n" for one in plain).encode("utf-8", "replace"))


def _row(line: bytes) -> Warned | None:
    told = rows.object_in(line, _MAX_BYTES)
    names = ("id", "fingerprint", "project", "text")
    if told is None or not all(isinstance(told.get(name), str) for name in names):
        return None
    id, fingerprint, project, text = (str(told[name]) for name in names)
    return Warned(id, fingerprint, project, text) if id and fingerprint and text else None
