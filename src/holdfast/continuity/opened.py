"""Open sessions: what happened in each of them so far, so that the next start can finish what a killed agent could not.

Identity: one file for each session in each project, in `state/open/`, named by a digest of the three; its lines are
JSON, the first says whose it is. Its change time is that of the session's last event. Atomic: a line is added in one
write. May be lost: all of it; what was said stands in the journal and in the buffer. A session that ended stays for a
while, so that one that goes on afterwards has its beginning.
"""

from __future__ import annotations

import os
import time

from holdfast.continuity import running
from holdfast.digests import short
from holdfast.errors import NotFound
from holdfast.light import dataclass
from holdfast.plain_json import dumps, loads
from holdfast.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "open"
# The kinds of lines that say something about the file itself.
MERGED, CLOSED, PROCESS, _HEAD = "merged", "closed", "process", "head"
_SILENT = ("read", "transcript", "known", PROCESS)
MOST_BYTES = 400_000
_KEPT_SECONDS = 2 * 86_400
_CLOSING = 80


@dataclass(frozen=True, slots=True)
class Opened:
    """One session as far as it was told. `rows` are its lines: a kind and what it says, oldest first."""

    agent: str
    session: str
    project: str
    began: str
    last: str
    transcript: str
    closed: bool
    rows: tuple[tuple[str, str, str], ...]
    path: str
    changed: float

    def texts(self, kind: str) -> tuple[str, ...]:
        """Return what the lines of a kind say, each once."""
        return tuple(dict.fromkeys(text for each, text, _ in self.rows if each == kind))

    def unmerged(self) -> tuple[tuple[str, str, str], ...]:
        """Return the lines that the buffer does not have yet."""
        last = max((place for place, row in enumerate(self.rows) if row[0] == MERGED), default=-1)
        return tuple(row for row in self.rows[last + 1 :] if row[0] not in _SILENT)


def folder_of(home: str) -> str:
    """Return where the open sessions of a home are."""
    return os.path.join(home, "state", FOLDER)


def path_of(home: str, agent: str, session: str, project: str) -> str:
    """Return the file of a session in a project. A session that goes to another project has another file there."""
    return os.path.join(folder_of(home), short(agent, session, project))


def note(home: str, agent: str, session: str, project: str, at: str, rows: Iterable[tuple[str, str]]) -> None:
    """Add what happened to the session's file, which is made where it is missing."""
    path = path_of(home, agent, session, project)
    size = _size(path)
    if size >= 0 and _is_closed(path) and time.strftime("%Y-%m-%d", time.gmtime(_changed(path))) != at[:10]:
        # It ended on another day, so for today's log it begins anew.
        files.remove(path)
        size = -1
    lines = [dumps([kind, text, at]) for kind, text in rows]
    if size < 0:
        files.make_folder(folder_of(home))
        lines.insert(0, dumps([_HEAD, dumps([agent, session, project]), at]))
    elif size > MOST_BYTES:
        # A session of days: only that it lives, and that it ends, is still noted.
        lines = [line for line in lines if line.startswith(f'["{CLOSED}"')]
        os.utime(path)
    if lines:
        files.append(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"), durable=False)


def began(path: str) -> str:
    """Return when the session began, or nothing where it is not open."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            row = _row(file.readline(4_096).rstrip("\n"))
    except OSError:
        return ""
    return row[2] if row else ""


def beat(path: str) -> None:
    """Note that the session lives, if it is open at all."""
    try:
        os.utime(path)
    except OSError:
        return


def read(path: str) -> Opened | None:
    """Return what a file says, or None where it says nothing that can be understood."""
    try:
        data = files.read(path, MOST_BYTES * 2)
        changed = os.stat(path).st_mtime
    except (NotFound, OSError):
        return None
    rows = [row for row in map(_row, data.decode("utf-8", "replace").split("\n")) if row]
    whose = _whose(rows)
    if whose is None:
        return None
    told = [row for row in rows if row[0] not in (_HEAD, CLOSED)]
    events = [at for kind, _, at in told if kind != MERGED]
    transcripts = [text for kind, text, _ in told if kind == "transcript"]
    return Opened(
        *whose,
        began=rows[0][2],
        last=events[-1] if events else rows[0][2],
        transcript=transcripts[-1] if transcripts else "",
        closed=rows[-1][0] == CLOSED,
        rows=tuple(told),
        path=path,
        changed=changed,
    )


def living(home: str, project: str) -> frozenset[str]:
    """Return the sessions of a project that are open, as the buffer calls them."""
    paths = [os.path.join(folder_of(home), name) for name in _names(folder_of(home))]
    found = [read(path) for path in paths if not _is_closed(path)]
    return frozenset(source(one.session) for one in found if one is not None and one.project == project)


def source(text: str) -> str:
    """Return the id of an agent or a session as it may stand in brackets behind a sentence."""
    return "".join([letter if letter.isalnum() or letter in "-_.:/" else "-" for letter in text[:80]])


def left_open(home: str, projects: Iterable[str], seconds: float, resumed: str) -> list[Opened]:
    """Return the sessions of these projects that were left without an end.

    They were silent for so long, or their agent runs no more, or it is the one that is resumed. What ended long ago is
    removed on the way.
    """
    now, wanted = time.time(), frozenset(projects)
    found = []
    for name in _names(folder_of(home)):
        path = os.path.join(folder_of(home), name)
        age = now - _changed(path)
        if _is_closed(path) or (one := read(path)) is None:
            _remove_when_old(path, age)
        elif one.project in wanted and (path == resumed or age > seconds or _is_without_agent(one)):
            found.append(one)
    return found


def _is_without_agent(one: Opened) -> bool:
    """Whether the agent's process is gone. One that only a single hook saw may have been started for that hook."""
    seen = [text for kind, text, _ in one.rows if kind == PROCESS]
    return len(seen) > 1 and seen[-1] == seen[-2] and running.is_gone(seen[-1])


def _is_closed(path: str) -> bool:
    """Whether the last line says that the session ended; most of them do, so it is looked at before all is read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _CLOSING))
            return file.read(_CLOSING).rpartition(b"\n[")[2].startswith(b'"closed"')
    except OSError:
        return False


def _remove_when_old(path: str, age: float) -> None:
    if age > _KEPT_SECONDS:
        files.remove(path)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return time.time()


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        return []


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def _row(line: str) -> tuple[str, str, str] | None:
    try:
        value = loads(line) if line else None
    except ValueError:
        return None
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value):
        return value[0], value[1], value[2]
    return None


def _whose(rows: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    if not rows or rows[0][0] != _HEAD:
        return None
    try:
        value = loads(rows[0][1])
    except ValueError:
        return None
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value):
        return value[0], value[1], value[2]
    return None
