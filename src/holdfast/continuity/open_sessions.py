"""Open sessions: what happens in each is noted while it happens, so that the next start can finish what a kill cut off.

Identity: one file for each session in each project, in `state/open/`, named by a digest of the three; its lines are
JSON, the first says whose it is. Its change time is that of the session's last event. Atomic: a line is added in one
write. May be lost: all of it; what was said stands in the journal and in the buffer. A session that ended stays for a
while, so that one that goes on afterwards has its beginning: for two days at most, and while it is among the newest. A
session without an end in a project where nobody works any more is removed when it was silent for a month
(`inject/shown.py`).

Beside them, `state/focus/` says for each project which agent set the focus itself; without it the focus follows the
person's prompts again. And `state/plans/` says for each buffer which next steps and what left to do stand in it
since when, and which sessions did something else since; without it they count again.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# The kinds of lines that say something about the file itself.
MERGED, CLOSED, PROCESS = "merged", "closed", "process"
# What an agent said itself through its tools. The buffer has it already; the session's entry in the log wants it.
AGREED, STEPS = "agreed", "steps"
# What a turn that was broken off left failing: what a command runs, and what it said, by turns.
FAILING = "failing"
# What the agent offered to choose from when it paused.
OFFERED = "offered"
# The agent ended its turn with an answer: to all of the task, to a part of it, or to something beside it. And the words
# with which an answer ends.
ENDED, WHOLE, LEFT, BESIDE, END = "ended", "-", "+", "=", "end"
# The person only wanted to know something, or said good-bye: what the agent asked is still open.
ASIDE = "aside"
# What a message says stands in the buffer, of the last one that was noted before.
WRITTEN = "written"
# How far the transcript was read.
TRANSCRIPT, READ = "transcript", "read"
# In which worktree of the project it works; nothing for the main one.
WORKTREE = "worktree"
MAX_BYTES = 400_000
_NOT_FOR_THE_BUFFER = (READ, TRANSCRIPT, WORKTREE, "known", PROCESS, MERGED, WRITTEN, AGREED, STEPS, OFFERED, ASIDE)
_CLOSING = 80
_KEPT_SECONDS = 2 * 86_400
# A start opens so many of the newest, and a few of the others; of those that ended so many are kept.
_MAX_LOOKED, _OTHERS, _MAX_KEPT = 32, 8, 64
_PROCESS_LINE = f'\n["{PROCESS}"'.encode()
# What may stand between an agent and its hook for no longer than the hook runs.
_SHELLS = frozenset(("sh", "dash", "bash", "zsh", "fish", "ksh", "env", "timeout", "nice"))
_MAX_SHELLS = 4
_ENDED_STATES = "ZX"
# A hook asks several times, and its parent stays the same.
_agent_of: dict[int, str] = {}


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

    def texts(self, *kinds: str) -> tuple[str, ...]:
        """Return what the lines of these kinds say, each once."""
        return tuple(dict.fromkeys(text for kind, text, _ in self.rows if kind in kinds))

    def read_up_to(self) -> int:
        """Return how far the transcript was read; another file than before is read from its beginning."""
        path, since = "", 0
        for kind, text, _ in self.rows:
            if kind == TRANSCRIPT and text != path:
                path, since = text, 0
            elif kind == READ and text.isdecimal():
                since = int(text)
        return since

    def is_answered(self) -> bool:
        """Whether the agent answered what the person said last."""
        return not any(kind == PROCESS for kind, _, _ in self.since_answered())

    def since_answered(self) -> tuple[tuple[str, str, str], ...]:
        """Return the lines behind the agent's last answer, whether the buffer has them or not."""
        answers = [place + 1 for place, row in enumerate(self.rows) if row[0] == OFFERED]
        return self.rows[answers[-1] if answers else 0 :]

    def since_merged(self) -> tuple[tuple[str, str, str], ...]:
        """Return the lines that came after those that the buffer has."""
        merges = [(place + 1, text) for place, (kind, text, _) in enumerate(self.rows) if kind == MERGED]
        behind, count = merges[-1] if merges else (0, "")
        # Another hook may have noted something while the buffer was written.
        return self.rows[min(int(count), behind) if count.isdecimal() else behind :]

    def unmerged(self) -> tuple[tuple[str, str, str], ...]:
        """Return what the buffer does not have yet, without lines that are not meant for it."""
        return tuple(row for row in self.since_merged() if row[0] not in _NOT_FOR_THE_BUFFER)

    def merged(self) -> tuple[str, str]:
        """Return the line that says that the buffer has all of this."""
        return MERGED, str(len(self.rows))


def path_of(home: str, agent: str, session: str, project: str) -> str:
    """Return the file of a session in a project. A session that goes to another project has another file there."""
    return os.path.join(_folder(home), hash_of(agent, session, project))


def _folder(home: str) -> str:
    return os.path.join(home, "state", "open")


def note(home: str, agent: str, session: str, project: str, at: str, noted: Iterable[tuple[str, str]]) -> None:
    """Add what happened to the session's file, which is made where it is missing."""
    path, whose, new = path_of(home, agent, session, project), (agent, session, project), list(noted)
    if is_closed(path) and began(path)[:10] != at[:10]:
        # It began on another day and ended, so for today's log it begins again, behind what was read of it.
        before = [row for row in map(rows.triple_in, rows.read(path)) if row is not None]
        new = [*{kind: (kind, text) for kind, text, _ in before if kind in (TRANSCRIPT, READ)}.values(), *new]
        files.remove(path)
    if not rows.note(path, whose, at, new, most=MAX_BYTES):
        # A session of days: only that it lives, what the buffer has of it, and that it ends, is still noted.
        os.utime(path)
        rows.note(path, whose, at, [row for row in new if row[0] in (CLOSED, MERGED)])


def beat(path: str) -> None:
    """Note that the session lives, if it is open at all."""
    try:
        os.utime(path)
    except OSError:
        return


def began(path: str) -> str:
    """Return when the session began, or nothing where it is not open."""
    row = rows.triple_in(files.read_if_there(path, 4_096).partition(b"\n")[0])
    return row[2] if row else ""


def is_closed(path: str) -> bool:
    """Whether the last line says that the session ended; most of them do, so it is looked at before all is read."""
    try:
        return _says_closed(files.read_tail(path, _CLOSING)[0])
    except OSError:
        return False


def _says_closed(data: bytes) -> bool:
    return data[-_CLOSING:].rpartition(b"\n[")[2].startswith(b'"closed"')


def source(text: str) -> str:
    """Return the id of an agent or a session as it may stand in brackets behind a sentence."""
    return "".join([letter if letter.isalnum() or letter in "-_.:/" else "-" for letter in text[:80]])


def read(path: str) -> Opened | None:
    """Return what a file says, or None where it says nothing that can be understood."""
    found = rows.session(path, MAX_BYTES * 2)
    if found is None:
        return None
    whose, noted, changed, _ = found
    told = tuple(row for row in noted if row[0] not in (rows.HEAD, CLOSED))
    return Opened(
        *whose,
        began=noted[0][2],
        last=next((at for kind, _, at in reversed(told) if kind != MERGED), noted[0][2]),
        transcript=next((text for kind, text, _ in reversed(told) if kind == TRANSCRIPT), ""),
        closed=noted[-1][0] == CLOSED,
        rows=told,
        path=path,
        changed=changed,
    )


def every(home: str) -> list[Opened]:
    """Return all sessions that left a file, open and closed ones."""
    return [one for path in _paths(home) if (one := read(path)) is not None]


def living(home: str, project: str) -> frozenset[str]:
    """Return the sessions of a project that are open, as the buffer calls them: of very many, the newest."""
    paths = [path for _, path in files.newest_in(_folder(home))[:_MAX_KEPT] if not is_closed(path)]
    every = [rows.whose(files.read_if_there(path, 4_096)) for path in paths]
    return frozenset([source(whose[1]) for whose in every if whose is not None and whose[2] == project])


def at_work(home: str, project: str, agent: str, session: str = "") -> Opened | None:
    """Return the session of an agent in a project: the one of that id, else the open one that was heard of last."""
    named = read(path_of(home, agent, session, project)) if session else None
    found = [one for one in _open(home) if (one.project, one.agent) == (project, agent)] if named is None else []
    return named or max(found, key=lambda one: one.changed, default=None)


def _open(home: str) -> list[Opened]:
    return [one for path in _paths(home) if not is_closed(path) and (one := read(path)) is not None]


def _paths(home: str) -> list[str]:
    folder = _folder(home)
    return [f"{folder}/{name}" for name in files.names_in(folder)]


def left_open(home: str, projects: Iterable[str], seconds: float, resumed: str) -> list[Opened]:
    """Return the sessions of these projects that were left without an end, the one heard of last first.

    They were silent for so long, or their agent runs no more, or it is the one that is resumed. Every start asks this,
    so it opens the newest few: each start had looked at those before they fell behind. Of all others it opens a few
    (`files.few_of`), and removes what ended long ago, or before many others did.
    """
    now, wanted, found = time.time(), frozenset(projects), list[Opened]()
    # Many sessions may be of one process, so what is known of it is kept.
    gone: dict[bytes, bool] = {}
    every = files.newest_in(_folder(home))
    least = every[_MAX_KEPT - 1][0] if len(every) >= _MAX_KEPT else 0.0
    looked = files.few_of(every, _MAX_LOOKED, _OTHERS)
    for changed, path in [*looked, *[one for one in every if one[1] == resumed and one not in looked]]:
        silent = now - changed
        is_kept = silent <= _KEPT_SECONDS and changed >= least
        try:
            data = files.read_head(path, MAX_BYTES * 2)
        except OSError:
            continue
        is_closed = _says_closed(data)
        is_left = not is_closed and (path == resumed or silent > seconds or _is_without_agent(data, gone))
        if not is_left and (is_kept or not is_closed):
            # Most ended or live, so no row of these is taken apart.
            continue
        whose = None if is_closed else rows.whose(data)
        if whose is None:
            if not is_kept:
                files.discard(path)
        elif is_left and whose[2] in wanted:
            found += [one for one in [read(path)] if one is not None]
    return found


def _is_without_agent(data: bytes, gone: dict[bytes, bool]) -> bool:
    """Whether the agent's process is gone. One that only a single hook saw may have been started for that hook."""
    last = data.rfind(_PROCESS_LINE)
    before = data.rfind(_PROCESS_LINE, 0, last) if last > 0 else -1
    if before < 0:
        return False
    # Behind the process stands only the time.
    named, earlier = (data[at : data.find(b'", "', at + len(_PROCESS_LINE))] for at in (last, before))
    if named != earlier:
        return False
    if named not in gone:
        row = rows.triple_in(data[last + 1 :].partition(b"\n")[0])
        gone[named] = row is not None and is_gone(row[1])
    return gone[named]


def agent_process() -> str:
    """Return what names the process of the agent that started this hook; nothing where the system tells nothing."""
    started_by = os.getppid()
    if started_by not in _agent_of:
        _agent_of[started_by] = _agent_above(started_by)
    return _agent_of[started_by]


def _agent_above(process: int) -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid")
        for _ in range(_MAX_SHELLS):
            name, _, parent, start = _process(process)
            if name not in _SHELLS:
                return f"{process} {start} {namespace}"
            process = int(parent)
    except OSError:
        return ""
    return ""


def is_gone(named: str) -> bool:
    """Whether that process certainly runs no more; of one in another container it cannot be said."""
    process, _, rest = named.partition(" ")
    start, _, namespace = rest.partition(" ")
    try:
        if not process.isdigit() or namespace != os.readlink("/proc/self/ns/pid"):
            return False
        _, state, _, now = _process(int(process))
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False
    return now != start or state in _ENDED_STATES


def _process(number: int) -> tuple[str, str, str, str]:
    """Return name, state, parent and start of a process, as the system tells them."""
    text = files.read_head(f"/proc/{number}/stat", 4_096).decode("utf-8", "replace")
    # A name may have any sign in it, also brackets.
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return name, fields[0], fields[1], fields[19]


def note_focus(home: str, project: str, agent: str, at: str) -> None:
    """Note that the agent set the focus of the project itself now; then prompts do not change it in its session."""
    path = _focus_path(home, project)
    files.put(path, f"{at}\t{agent}".encode("utf-8", "replace"), durable=False)


def is_focus_set_by(home: str, project: str, agent: str, since: str) -> bool:
    """Whether that agent set it since then; nobody did where nothing says when the session began."""
    at, _, who = files.read_if_there(_focus_path(home, project), 400).decode("utf-8", "replace").partition("\t")
    return who == agent and bool(since) and at >= since


def _focus_path(home: str, project: str) -> str:
    return os.path.join(home, "state", "focus", hash_of(project))


def plan_path(home: str, page: str) -> str:
    """Return the file that says how long the next steps of a buffer stand already."""
    return os.path.join(home, "state", "plans", hash_of(page))
