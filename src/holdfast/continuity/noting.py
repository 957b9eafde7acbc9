"""What happens in a session, noted in a file of its own while it happens; `opened` reads those files.

Identity: one file for each session in each project, in `state/open/`, named by a digest of the three; its lines are
JSON, the first says whose it is. Its change time is that of the session's last event. Atomic: a line is added in one
write. May be lost: all of it; what was said stands in the journal and in the buffer.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.digests import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "open"
# The kinds of lines that say something about the file itself.
MERGED, CLOSED, PROCESS = "merged", "closed", "process"
# What an agent said itself through its tools. The buffer has it already; the session's entry in the log wants it.
AGREED, STEPS = "agreed", "steps"
# What a message says stands in the buffer, of the last one that was noted before.
WRITTEN = "written"
# How far the transcript was read.
TRANSCRIPT, READ = "transcript", "read"
# Only a message with one of these words may say that something is done (`finished.py`); most prompts have none.
DONE_WORDS = frozenset(("done", "finished", "fixed", "shipped", "completed", "erledigt", "fertig", "behoben"))
MAX_BYTES = 400_000
_CLOSING = 80


def folder_of(home: str) -> str:
    """Return where the open sessions of a home are."""
    return os.path.join(home, "state", FOLDER)


def path_of(home: str, agent: str, session: str, project: str) -> str:
    """Return the file of a session in a project. A session that goes to another project has another file there."""
    return os.path.join(folder_of(home), short(agent, session, project))


def note(home: str, agent: str, session: str, project: str, at: str, noted: Iterable[tuple[str, str]]) -> None:
    """Add what happened to the session's file, which is made where it is missing."""
    path, whose = path_of(home, agent, session, project), (agent, session, project)
    noted = list(noted)
    if is_closed(path) and began(path)[:10] != at[:10]:
        # It began on another day and ended, so for today's log it begins anew, behind what was read of it.
        noted = [*_read_so_far(path), *noted]
        files.remove(path)
    if not rows.note(path, whose, at, noted, most=MAX_BYTES):
        # A session of days: only that it lives, what the buffer has of it, and that it ends, is still noted.
        os.utime(path)
        rows.note(path, whose, at, [row for row in noted if row[0] in (CLOSED, MERGED)])


def began(path: str) -> str:
    """Return when the session began, or nothing where it is not open."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            row = rows.triple_in(file.readline(4_096).rstrip("\n"))
    except OSError:
        return ""
    return row[2] if row else ""


def _read_so_far(path: str) -> list[tuple[str, str]]:
    """Return the rows that say which transcript was read and how far: what stands before was done another day."""
    found = [row for row in map(rows.triple_in, rows.read(path)) if row is not None]
    return list({kind: (kind, text) for kind, text, _ in found if kind in (TRANSCRIPT, READ)}.values())


def beat(path: str) -> None:
    """Note that the session lives, if it is open at all."""
    try:
        os.utime(path)
    except OSError:
        return


def source(text: str) -> str:
    """Return the id of an agent or a session as it may stand in brackets behind a sentence."""
    return "".join([letter if letter.isalnum() or letter in "-_.:/" else "-" for letter in text[:80]])


def is_closed(path: str) -> bool:
    """Whether the last line says that the session ended; most of them do, so it is looked at before all is read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _CLOSING))
            return says_closed(file.read(_CLOSING))
    except OSError:
        return False


def says_closed(data: bytes) -> bool:
    """Whether the last of these lines says that the session ended."""
    return data[-_CLOSING:].rpartition(b"\n[")[2].startswith(b'"closed"')
