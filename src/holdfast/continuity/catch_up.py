"""A page for a person who comes back: where a project stands, what was done in it, and what waits."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.continuity import log
from holdfast.continuity.log import DECIDING, decided, entries
from holdfast.continuity.resume import Pages
from holdfast.errors import HoldfastError
from holdfast.language import when
from holdfast.privacy.kept import without_secrets
from holdfast.sessions.archive import Archive
from holdfast.sessions.browse import ask, projects_here, span
from holdfast.store.session_table import SessionRow, Wanted
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.continuity.buffer import State
    from holdfast.continuity.log import Entry
    from holdfast.sessions.facts import Digest
    from holdfast.store.base import SessionRows

# Without a time it is the week that ended with the last session: who was away longer still wants to know that one.
SPAN = "7d"
MAX_SESSIONS = 200
# So many of the last sessions are looked at closely.
_DIGESTS = 30
_MAX_FILES = 200
_WENT_WRONG = ("failure", "abandoned", "partial", "cut off")
_NOT_ENDED = ("repeated", "left")
_DAYS = 60


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, when it was made, and why where somebody said so."""

    text: str
    at: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """An open check box of the project's list: its id and what it says."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A file, and how often it was changed."""

    path: str
    changes: int


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What there is to know of a project since a time. `sessions` are those since then, the last first.

    `agents` counts the sessions of each; `failed` is what went wrong and was not put right, the latest first.
    """

    project: str
    since: str
    focus: str = ""
    updated: str = ""
    by: str = ""
    sessions: tuple[SessionRow, ...] = ()
    agents: tuple[tuple[str, int], ...] = ()
    decisions: tuple[Decided, ...] = ()
    failed: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    todos: tuple[Task, ...] = ()
    files: tuple[Changed, ...] = ()
    more: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known."""
        return not any(
            getattr(self, name) for name in self.__slots__ if name not in ("project", "since", "updated", "by")
        )


def catch_up(workspace: Workspace, *, since: str = "") -> CatchUp:
    """Return what a person wants to know who comes back to this project; looking changes nothing."""
    if not workspace.enabled:
        return CatchUp("", "")
    workspace.project()
    projects = projects_here(workspace, everywhere=False) or ()
    pages = Pages(workspace)
    start = _start(workspace, projects, pages, since)
    rows = ask(workspace, lambda table: table.find(Wanted(projects, (), start, subagents=False), MAX_SESSIONS + 1))
    logged = _logged(pages, start, rows)
    every = sorted([*rows, *(_row(entry) for entry in logged)], key=lambda row: row.ended, reverse=True)
    shown = every[:MAX_SESSIONS]
    state = pages.state()
    digests = _digests(workspace, shown[:_DIGESTS])
    return CatchUp(
        project=projects[0] if projects else "",
        since=start,
        focus="".join(_clean(pages, [state.focus])),
        updated=state.updated,
        by=state.by,
        sessions=tuple(shown),
        agents=_agents(shown),
        decisions=_decisions(pages, state, digests, logged, start),
        failed=_clean(pages, dict.fromkeys([*_failed(shown, digests), *_tried(logged)])),
        open_threads=_clean(pages, state.open_threads),
        next_steps=_clean(pages, pages.next_steps()),
        todos=tuple(Task(one.id, without_secrets(one.text)) for one in pages.todos()),
        files=ask(workspace, lambda table: _files(table, Wanted(projects, (), start), logged)),
        more=len(every) > MAX_SESSIONS,
    )


def _start(workspace: Workspace, projects: tuple[str, ...], pages: Pages, since: str) -> str:
    if since:
        return span(since, "")[0]
    last = ask(workspace, lambda table: table.find(Wanted(projects, subagents=False), 1))
    days = [f"{day}T23:59:59Z" for folder in pages.folders() for day in log.days(folder)[:1] if day <= now()[:10]]
    ends = [min(now(), end) for end in (*(row.ended for row in last), *days) if end]
    return when.moment(SPAN, max(ends, default=now()))


def _logged(pages: Pages, start: str, rows: Iterable[SessionRow]) -> list[Entry]:
    """Return the sessions that only the daily logs tell of, because no sweep has read them yet."""
    known = {(row.agent, row.id) for row in rows}
    days = [(folder, day) for folder in pages.folders() for day in log.days(folder)[:_DAYS] if day >= start[:10]]
    found = []
    for folder, day in days:
        try:
            found += [one for one in entries(folder, day)[0] if (one.agent, one.session) not in known]
        except HoldfastError:
            continue
    return found


def _row(entry: Entry) -> SessionRow:
    return SessionRow(
        name=f"{entry.agent}/{entry.session}",
        agent=entry.agent,
        id=entry.session,
        title=without_secrets(entry.title),
        started=entry.began,
        ended=entry.ended or entry.began,
        outcome=entry.outcome or "unknown",
        files=len(entry.files),
    )


def _clean(pages: Pages, texts: Iterable[str]) -> tuple[str, ...]:
    """Return what may be shown of what the pages say: nothing that was forgotten, and no secret."""
    return tuple(without_secrets(text) for text in pages.kept(texts))


def _digests(workspace: Workspace, rows: Iterable[SessionRow]) -> list[Digest]:
    """Return the digests of these sessions; one that is missing or broken is passed over."""
    archive = Archive(workspace.home)
    found = []
    for row in rows:
        try:
            found.append(archive.digest(row.name))
        except HoldfastError:
            continue
    return found


def _agents(rows: Iterable[SessionRow]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.agent] = counts.get(row.agent, 0) + 1
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _decisions(
    pages: Pages, state: State, digests: Iterable[Digest], logged: Iterable[Entry], start: str
) -> tuple[Decided, ...]:
    """Return what was decided, each once: those of the page first, then what was said, the newest first."""
    found = [Decided(one.text, one.at, one.because) for one in pages.decisions() if one.at >= start[:10] or not one.at]
    said = [Decided(one.text, one.at) for one in reversed(state.said) if one.kind in DECIDING]
    said += [Decided(text) for text in reversed(state.decisions)]
    said += [Decided(one.text, one.at) for digest in digests for one in reversed(digest.said) if one.kind == "decision"]
    said += [Decided(text, entry.began) for entry in logged for text in reversed(decided(entry))]
    by_words: dict[str, Decided] = {}
    for one in (*reversed(found), *said):
        by_words.setdefault(" ".join(one.text.casefold().split()).rstrip("."), one)
    kept = [one for one in by_words.values() if pages.kept([one.text])]
    return tuple(Decided(without_secrets(one.text), one.at, without_secrets(one.because)) for one in kept)


def _failed(rows: Iterable[SessionRow], digests: Iterable[Digest]) -> list[str]:
    """Return the sessions that did not end well, the checks that failed to the last, and errors that stayed."""
    found = []
    by_name = {digest.session.name: digest for digest in digests}
    for row in rows:
        digest = by_name.get(row.name)
        if row.outcome in _WENT_WRONG:
            found.append(f"{row.title or row.id}: {row.outcome}")
        if digest is None or row.outcome == "success":
            continue
        checks = {run.text: run.kind for run in digest.checks if run.result == "failed"}
        found += [f"{kind} failed: {text}" for text, kind in checks.items()]
        stayed = [one for one in digest.troubles if one.ended in _NOT_ENDED and one.about not in checks]
        found += [f"{one.about}: {one.text}" for one in stayed]
    return found


def _tried(logged: Iterable[Entry]) -> list[str]:
    return [text for entry in logged for text in entry.failed]


def _files(table: SessionRows, wanted: Wanted, logged: Iterable[Entry]) -> tuple[Changed, ...]:
    changes: dict[str, int] = {}
    for file in table.files(wanted):
        changes[file.path] = changes.get(file.path, 0) + file.changes
    for path in (path for entry in logged for path in entry.files):
        changes[path] = changes.get(path, 0) + 1
    most = sorted(changes.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Changed(path, count) for path, count in most[:_MAX_FILES])
