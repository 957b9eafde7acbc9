"""Open sessions: what happened in each of them so far, so that the next start can finish what a killed agent could not.

`noting` writes the files. A session that ended stays for a while, so that one that goes on afterwards has its
beginning.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.light_records import dataclass
from holdfast.continuity import running
from holdfast.continuity.noting import (
    AGREED,
    CLOSED,
    MAX_BYTES,
    MERGED,
    PROCESS,
    READ,
    STEPS,
    TRANSCRIPT,
    WRITTEN,
    folder_of,
    is_closed,
    says_closed,
    source,
)
from holdfast.continuity.noting import path_of as path_of
from holdfast.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SILENT = (READ, TRANSCRIPT, "known", PROCESS, MERGED, WRITTEN, AGREED, STEPS)
_KEPT_SECONDS = 2 * 86_400
_PROCESS_LINE = f'["{PROCESS}"'.encode()


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

    def read_up_to(self) -> int:
        """Return how far the transcript was read; another file than before is read from its beginning."""
        path, since = "", 0
        for kind, text, _ in self.rows:
            if kind == TRANSCRIPT and text != path:
                path, since = text, 0
            elif kind == READ and text.isdecimal():
                since = int(text)
        return since

    def since_merged(self) -> tuple[tuple[str, str, str], ...]:
        """Return the lines that came after those that the buffer has."""
        merges = [(place + 1, text) for place, (kind, text, _) in enumerate(self.rows) if kind == MERGED]
        behind, count = merges[-1] if merges else (0, "")
        # Another hook may have noted something while the buffer was written.
        return self.rows[min(int(count), behind) if count.isdecimal() else behind :]

    def unmerged(self) -> tuple[tuple[str, str, str], ...]:
        """Return what the buffer does not have yet, without lines that are not meant for it."""
        return tuple(row for row in self.since_merged() if row[0] not in _SILENT)

    def merged(self) -> tuple[str, str]:
        """Return the line that says that the buffer has all of this."""
        return MERGED, str(len(self.rows))


def read(path: str) -> Opened | None:
    """Return what a file says, or None where it says nothing that can be understood."""
    try:
        data = files.read(path, MAX_BYTES * 2)
        changed = os.stat(path).st_mtime
    except (NotFound, OSError):
        return None
    whose = rows.whose(data)
    if whose is None:
        return None
    noted = [row for row in map(rows.triple_in, data.split(b"\n")) if row]
    told = [row for row in noted if row[0] not in (rows.HEAD, CLOSED)]
    events = [at for kind, _, at in told if kind != MERGED]
    transcripts = [text for kind, text, _ in told if kind == TRANSCRIPT]
    return Opened(
        *whose,
        began=noted[0][2],
        last=events[-1] if events else noted[0][2],
        transcript=transcripts[-1] if transcripts else "",
        closed=noted[-1][0] == CLOSED,
        rows=tuple(told),
        path=path,
        changed=changed,
    )


def living(home: str, project: str) -> frozenset[str]:
    """Return the sessions of a project that are open, as the buffer calls them."""
    return frozenset(source(one.session) for one in _open(home) if one.project == project)


def at_work(home: str, project: str, agent: str, session: str = "") -> Opened | None:
    """Return the session of an agent in a project: the one of that id, else the open one that was heard of last."""
    named = read(path_of(home, agent, session, project)) if session else None
    found = [one for one in _open(home) if (one.project, one.agent) == (project, agent)] if named is None else []
    return named or max(found, key=lambda one: one.changed, default=None)


def _open(home: str) -> list[Opened]:
    paths = [os.path.join(folder_of(home), name) for name in files.names_in(folder_of(home))]
    return [one for one in map(read, [path for path in paths if not is_closed(path)]) if one is not None]


def left_open(home: str, projects: Iterable[str], seconds: float, resumed: str) -> list[Opened]:
    """Return the sessions of these projects that were left without an end.

    They were silent for so long, or their agent runs no more, or it is the one that is resumed. What ended long ago is
    removed on the way.
    """
    now, wanted = time.time(), frozenset(projects)
    gone: dict[str, bool] = {}
    found = []
    for name in files.names_in(folder_of(home)):
        path = os.path.join(folder_of(home), name)
        try:
            data, changed = _contents(path)
        except OSError:
            continue
        age = now - changed
        if says_closed(data) or (whose := rows.whose(data)) is None:
            _remove_when_old(path, age)
        elif whose[2] in wanted and (path == resumed or age > seconds or _is_without_agent(data, gone)):
            found += [one for one in [read(path)] if one is not None]
    return found


def _contents(path: str) -> tuple[bytes, float]:
    """Return what a file says and when it was changed; there may be many, so each is opened once, and lightly."""
    descriptor = files.open_plain(path)
    try:
        return os.read(descriptor, MAX_BYTES * 2), os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)


def _is_without_agent(data: bytes, gone: dict[str, bool]) -> bool:
    """Whether the agent's process is gone. One that only a single hook saw may have been started for that hook.

    `gone` has what is known of each process: many sessions may be of one.
    """
    # Most files are of sessions that live, so only these lines are read of them.
    lines = [line for line in data.split(b"\n") if line.startswith(_PROCESS_LINE)][-2:]
    seen = [row[1] for row in map(rows.triple_in, lines) if row]
    if len(seen) < 2 or seen[0] != seen[1]:
        return False
    if seen[1] not in gone:
        gone[seen[1]] = running.is_gone(seen[1])
    return gone[seen[1]]


def _remove_when_old(path: str, age: float) -> None:
    if age > _KEPT_SECONDS:
        files.remove(path)
