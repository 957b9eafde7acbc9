"""Which lessons stand, and what weighs them: a table in `state/`, so that a session's start need not read every lesson.

Derived: `state/lessons.tsv` has a row for each lesson that stands or warns, and above them what the folders of lessons
looked like. Whoever writes a lesson changes its folder, and then the table is made again. It may be lost at any time.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

from holdfast.base import clock, files
from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

PLACE = ("state", "lessons.tsv")
STANDS = ("standing", "warning")
_FOLDERS = (os.path.join("learning", "algorithm"), os.path.join("learning", "system"))
_MAX_READ = 1_048_576
_COLUMNS = 6
# As `model` has them, which is too heavy for a hook; a test holds them together.
_EVIDENCE, _APART, _TOLD = "\n## Evidence", " · ", 5
_HARM = 4.0
_HALF_LIFE_SECONDS = 90 * 86_400.0


@dataclass(frozen=True, slots=True)
class Row:
    """A lesson that stands: its project (empty: everywhere), the key of its memory, and what weighs it.

    `marks` is what its marks weighed at the time `made`; all of them fade alike.
    """

    project: str
    key: str
    status: str
    sessions: int
    marks: float
    made: float


def standing(home: str, projects: Collection[str], at: float) -> list[Row]:
    """Return the lessons that stand in a project of these ids or everywhere, the weightiest first, warnings last."""
    rows = [row for row in _rows(home) if not row.project or row.project in projects]
    return sorted(rows, key=lambda row: (row.status != "standing", -weight(row, at), row.key))


def weight(row: Row, at: float) -> float:
    """Return what a lesson weighs at a time."""
    return row.marks * _half(at - row.made) + row.sessions


def renew(home: str) -> None:
    """Make the table again if the lessons changed since it was made."""
    _rows(home)


def _half(seconds: float) -> float:
    return float(0.5 ** (max(0.0, seconds) / _HALF_LIFE_SECONDS))


def _rows(home: str) -> list[Row]:
    folders = _month_folders(home)
    if not folders:
        return []
    path = os.path.join(home, *PLACE)
    # The time of a folder tells whether a file was written in it.
    mark = hash_of(*[f"{folder} {os.lstat(folder).st_mtime_ns}" for folder in folders])
    head, *lines = files.read_if_there(path).decode("utf-8", "replace").split("\n")
    if head != mark:
        lines = _made(folders)
        try:
            files.make_folder(os.path.dirname(path))
            files.write(path, "\n".join([mark, *lines]).encode("utf-8", "replace"), durable=False)
        except (HoldfastError, OSError):
            # It is made again the next time.
            pass
    return [row for line in lines if (row := _row(line)) is not None]


def _month_folders(home: str) -> list[str]:
    """Return the folders that lessons lie in. No link is followed."""
    found = []
    for folder in _FOLDERS:
        base = os.path.join(home, folder)
        try:
            names = sorted(os.listdir(base)) if files.is_plain_folder(base) else []
        except OSError:
            names = []
        found += [path for name in names if files.is_plain_folder(path := os.path.join(base, name))]
    return found


def _made(folders: list[str]) -> list[str]:
    """Return the rows of every lesson that stands; what cannot be read as one does not."""
    lines, now = [], time.time()
    for folder in folders:
        for name in files.names_in(folder, ".md"):
            try:
                text = files.read(os.path.join(folder, name), _MAX_READ)
            except HoldfastError:
                continue
            row = _told(text.decode("utf-8", "replace"), now)
            lines += [row] if row else []
    return lines


def _told(text: str, now: float) -> str:
    """Return the row of one lesson, nothing where it does not stand. Its own reader is too heavy for a hook."""
    # Mostly the table is there, and a hook reads no lesson.
    from holdfast.store import front_matter

    document = front_matter.parse(text)
    given = front_matter.values(document)[0]
    project, key, status = (given.get(name, "") for name in ("project", "key", "status"))
    if not (isinstance(project, str) and isinstance(key, str) and key and status in STANDS):
        return ""
    marks = _marks(given.get("helpful", ()), now) - _HARM * _marks(given.get("harmful", ()), now)
    return "\t".join((project, key, str(status), str(_sessions(document.body)), f"{marks:.6f}", f"{now:.0f}"))


def _marks(given: str | tuple[str, ...], now: float) -> float:
    """Return what marks of one kind weigh now; one whose time nobody can read weighs whole."""
    times = (given,) if isinstance(given, str) else given
    return sum([_half(now - then) if (then := clock.seconds(one)) > 0 else 1.0 for one in times if one])


def _sessions(body: str) -> int:
    """Return in how many distinct sessions a lesson occurred; a copy of a session is none of its own."""
    lines = body.partition(_EVIDENCE)[2].split("\n")
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for head, quote in pairwise(lines):
        told = head[2:].split(_APART)
        if head.startswith("- ") and quote.startswith("  > ") and len(told) == _TOLD:
            found.setdefault((told[0], quote), (told[2], told[3]))
    return len(set(found.values()))


def _row(line: str) -> Row | None:
    told = line.split("\t")
    if len(told) != _COLUMNS or told[2] not in STANDS:
        return None
    try:
        return Row(told[0], told[1], told[2], int(told[3]), float(told[4]), float(told[5]))
    except ValueError:
        return None
