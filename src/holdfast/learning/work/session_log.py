"""What happened in a session that its work items do not have yet, so that a hook need only add a line.

Identity: one file for each session in each project, in `state/work/`, named by a digest of the three; its lines are
JSON rows of a kind, a text and a time. Atomic: rows are added in one write. May be lost: all of it; what was written
into the work items stays, and they say which sessions worked on them. A file ends two days after its last row, when a
start of its project or else a sweep took in what it has; one with nothing more to tell also when many are newer.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of
from holdfast.continuity import open_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "work"
# What the person said, what was called, changed, run and planned; then what the file says about itself.
PROMPT, TOOL, FILE, RUN, PASSED = "prompt", "tool", "file", "run", "passed"
PLAN, AGENT, OUTPUT = "plan", "agent", "output"
WORK, PENDING, TAKEN, ENDED = "work", "pending", "taken", "ended"
# The last of these was written by earlier versions.
_OF_ITSELF = (WORK, PENDING, TAKEN, ENDED, "read")
MAX_BYTES = 300_000
_REWRITE_BYTES = 16_000
# So long after a session's last row the harvest behind it has had its time, and another session may finish its work.
LEFT_SECONDS = 600
# A session that was silent for so long works on nothing; another one may go on with its item.
SILENT_SECONDS = 1_800
# A session that has nothing more to tell is kept for so long.
KEPT_SECONDS = 2 * 86_400
# A start opens so many of the newest, and a few of the others; of those with nothing more to tell so many are kept.
_MAX_LOOKED, _OTHERS, _MAX_KEPT = 32, 8, 64
_WORK_ROW = b'\n["work", "'
_ENDED_ROW = f'["{ENDED}"'.encode()
_WITHOUT_ACTS = tuple([f'["{kind}"'.encode() for kind in (*_OF_ITSELF, PROMPT)])


@dataclass(frozen=True, slots=True)
class Noted:
    """A session's rows. `work` is the item that it works on, `pending` what was asked and not begun.

    `rows` are those that no work item has yet; `is_new`: none were taken into one since the file was made.
    """

    agent: str
    session: str
    project: str
    work: str
    pending: str
    rows: tuple[rows.Triple, ...]
    ended: bool
    last: str
    path: str
    changed: float
    is_new: bool
    size: int = 0


def folder_of(home: str) -> str:
    """Return where the rows of all sessions are."""
    return os.path.join(home, "state", FOLDER)


def path_of(home: str, agent: str, session: str, project: str) -> str:
    """Return the file of a session in a project."""
    return os.path.join(folder_of(home), hash_of(agent, session, project))


def note(home: str, whose: rows.Triple, at: str, noted: Iterable[tuple[str, str]]) -> None:
    """Add rows to the file of a session; `whose` is agent, session and project. One that is full takes no more."""
    rows.note(path_of(home, *whose), whose, at, noted, most=MAX_BYTES)


def is_waiting(path: str, *, for_change: bool) -> bool:
    """Whether the person said something that nobody looked at yet, or asked for something that a change would begin."""
    data = files.read_if_there(path, MAX_BYTES * 2)
    if data.rfind(b'\n["prompt"') > data.rfind(b'\n["taken"'):
        return True
    return for_change and data.rfind(b'\n["pending", "[[') > data.rfind(b'\n["pending", "",')


def left(home: str, projects: tuple[str, ...], *, own: str) -> list[Noted]:
    """Return the sessions of these projects, without the own one, that are over and left rows, an item or an old file.

    Every start asks this, so what was written to lately is not opened, of the rest a few are (`files.few_of`), and rows
    are parsed only of those. What has nothing more to tell and many newer ones beside it is removed on the way.
    """
    now, found = time.time(), list[Noted]()
    every = files.newest_in(folder_of(home))
    least = every[_MAX_KEPT - 1][0] if len(every) >= _MAX_KEPT else 0.0
    silent = [one for one in every if one[1] != own and now - one[0] > LEFT_SECONDS]
    for changed, path in files.few_of(silent, _MAX_LOOKED, _OTHERS):
        age = now - changed
        data = files.read_if_there(path, MAX_BYTES * 2)
        has_more = _has_more(data)
        ended = data.rstrip().rpartition(b"\n")[2].startswith(_ENDED_ROW)
        if not has_more and (age > KEPT_SECONDS or (ended and changed < least)):
            files.discard(path)
            continue
        whose = rows.whose(data) if has_more else None
        if whose is not None and whose[2] in projects and _is_over(home, whose, age, ended=ended):
            found += [one for one in [read(path)] if one is not None]
    return found


def is_over(home: str, noted: Noted) -> bool:
    """Whether a session ended or was silent for long, or was closed for another reason: its agent runs no more."""
    whose = noted.agent, noted.session, noted.project
    return _is_over(home, whose, time.time() - noted.changed, ended=noted.ended)


def _is_over(home: str, whose: rows.Triple, age: float, *, ended: bool) -> bool:
    return ended or age > SILENT_SECONDS or open_sessions.is_closed(open_sessions.path_of(home, *whose))


def _has_more(data: bytes) -> bool:
    """Whether the file has an item, or tells what was done since it was taken in; what was only asked makes none."""
    last = data.rfind(_WORK_ROW)
    if last >= 0 and data[last + len(_WORK_ROW) :][:1] != b'"':
        return True
    # The first of these lines says whose the file is, or that all before it was taken in.
    _, *behind = data[max(data.rfind(b'\n["taken"'), 0) :].lstrip(b"\n").split(b"\n")
    return any(line and not line.startswith(_WITHOUT_ACTS) for line in behind)


def read(path: str) -> Noted | None:
    """Return what a file says, or None where there is none or it cannot be understood."""
    found = rows.session(path, MAX_BYTES * 2)
    if found is None:
        return None
    whose, noted, changed, size = found
    taken = max([place for place, row in enumerate(noted) if row[0] == TAKEN], default=0)
    return Noted(
        *whose,
        work=_latest(noted, WORK),
        pending=_latest(noted, PENDING),
        rows=tuple([row for row in noted[taken + 1 :] if row[0] not in _OF_ITSELF]),
        ended=noted[-1][0] == ENDED,
        last=noted[-1][2],
        path=path,
        changed=changed,
        is_new=not taken,
        size=size,
    )


def taken(home: str, noted: Noted, at: str, *, work: str, pending: str) -> None:
    """Note that the rows so far are in the work items, and on which one the session works now."""
    whose = noted.agent, noted.session, noted.project
    own = [(WORK, work), (PENDING, pending), (TAKEN, "")]
    own += [(ENDED, "")] if noted.ended else []
    # What another hook added meanwhile must stay.
    anew = noted.size > _REWRITE_BYTES and os.path.exists(noted.path) and os.stat(noted.path).st_size == noted.size
    rows.note(noted.path, whose, at, own, most=MAX_BYTES, anew=anew)


def moved(home: str, noted: Noted, work: str) -> None:
    """Note that the item on which a session works has another id now."""
    own = [(WORK, work), *([(ENDED, "")] if noted.ended else [])]
    note(home, (noted.agent, noted.session, noted.project), noted.last, own)


def sessions(home: str) -> list[Noted]:
    """Return the rows of every session that has a file."""
    folder = folder_of(home)
    return [one for name in files.names_in(folder) if (one := read(f"{folder}/{name}")) is not None]


def _latest(noted: list[rows.Triple], kind: str) -> str:
    return next((text for each, text, _ in reversed(noted) if each == kind), "")
