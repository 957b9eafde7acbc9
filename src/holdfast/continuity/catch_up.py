"""A page for a person who comes back: where a project stands, what was done in it, and what waits.

As Markdown it is about a screen and a half, and what is not there is not said. What was said in sessions is data: no
text of it can open markup of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.base.clock import now
from holdfast.base.text import count, one_line
from holdfast.continuity import log
from holdfast.continuity.buffer import WorkingState
from holdfast.continuity.log import DECIDING, LogEntry, decided, entries
from holdfast.continuity.resume import ToldPages
from holdfast.errors import HoldfastError
from holdfast.language import when
from holdfast.privacy.fence import without_secrets
from holdfast.sessions.archive import Archive
from holdfast.sessions.browse import ask, projects_here, span
from holdfast.sessions.facts import Digest
from holdfast.sessions.transcript import code, plain
from holdfast.store.session_table import SessionRow, Wanted
from holdfast.workspace import Workspace

# Without a time it is the week that ended with the last session: who was away longer still wants to know that one.
SPAN = "7d"
MAX_SESSIONS = 200
# So many of the last sessions are looked at closely.
_DIGESTS = 30
_MAX_FILES = 200
_WENT_WRONG = ("failure", "abandoned", "partial", "cut off")
_NOT_ENDED = ("repeated", "left")
_DAYS = 60
# How many of each are shown on the page.
_MAX = {"sessions": 10, "decisions": 6, "failed": 6, "next_steps": 5, "open_threads": 4, "todos": 8, "files": 6}
_MADE = 2
_MAX_LINE = 160


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A decision, when it was made, and why where somebody said so."""

    text: str
    at: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class OpenTodo:
    """An open check box of the project's list: its id and what it says."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class FileChanges:
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
    decisions: tuple[PastDecision, ...] = ()
    failed: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    todos: tuple[OpenTodo, ...] = ()
    files: tuple[FileChanges, ...] = ()
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
    pages = ToldPages(workspace)
    start = _start(workspace, projects, pages, since)
    rows = ask(workspace, lambda table: table.find(Wanted(projects, (), start, subagents=False), MAX_SESSIONS + 1))
    logged = _logged(pages, start, rows)
    every = sorted([*rows, *map(_row, logged)], key=lambda row: row.ended, reverse=True)
    shown = every[:MAX_SESSIONS]
    state, digests = pages.state(), _digests(workspace, shown[:_DIGESTS])
    changes = Counter(path for entry in logged for path in entry.files)
    for file in ask(workspace, lambda table: table.files(Wanted(projects, (), start))):
        changes[file.path] += file.changes
    tried = [text for entry in logged for text in entry.failed]
    return CatchUp(
        project=projects[0] if projects else "",
        since=start,
        focus="".join(_clean(pages, [state.focus])),
        updated=state.updated,
        by=state.by,
        sessions=tuple(shown),
        agents=_most(Counter(row.agent for row in shown)),
        decisions=_decisions(pages, state, digests, logged, start),
        failed=_clean(pages, dict.fromkeys([*_failed(shown, digests), *tried])),
        open_threads=_clean(pages, state.open_threads),
        next_steps=_clean(pages, pages.next_steps()),
        todos=tuple(OpenTodo(one.id, without_secrets(one.text)) for one in pages.todos()),
        files=tuple(FileChanges(*one) for one in _most(changes)[:_MAX_FILES]),
        more=len(every) > MAX_SESSIONS,
    )


def _start(workspace: Workspace, projects: tuple[str, ...], pages: ToldPages, since: str) -> str:
    if since:
        return span(since, "")[0]
    last = ask(workspace, lambda table: table.find(Wanted(projects, subagents=False), 1))
    days = [f"{day}T23:59:59Z" for folder in pages.folders for day in log.days(folder)[:1] if day <= now()[:10]]
    ends = [min(now(), end) for end in (*(row.ended for row in last), *days) if end]
    return when.moment(SPAN, max(ends, default=now()))


def _logged(pages: ToldPages, start: str, rows: Iterable[SessionRow]) -> list[LogEntry]:
    """Return the sessions that only the daily logs tell of, because no sweep has read them yet."""
    known = {(row.agent, row.id) for row in rows}
    days = [(folder, day) for folder in pages.folders for day in log.days(folder)[:_DAYS] if day >= start[:10]]
    found = []
    for folder, day in days:
        try:
            found += [one for one in entries(folder, day)[0] if (one.agent, one.session) not in known]
        except HoldfastError:
            continue
    return found


def _row(entry: LogEntry) -> SessionRow:
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


def _clean(pages: ToldPages, texts: Iterable[str]) -> tuple[str, ...]:
    """Return what may be shown of what the pages say: nothing that was forgotten, and no secret."""
    return tuple(map(without_secrets, pages.kept(texts)))


def _digests(workspace: Workspace, rows: Iterable[SessionRow]) -> list[Digest]:
    """Return the digests of these sessions; one that is missing or broken is passed over."""
    archive, found = Archive(workspace.home), list[Digest]()
    for row in rows:
        try:
            found.append(archive.digest(row.name))
        except HoldfastError:
            continue
    return found


def _most(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _decisions(
    pages: ToldPages, state: WorkingState, digests: Iterable[Digest], logged: Iterable[LogEntry], start: str
) -> tuple[PastDecision, ...]:
    """Return what was decided, each once: those of the page first, then what was said, the newest first."""
    page = [one for one in reversed(pages.decisions()) if one.at >= start[:10] or not one.at]
    said = [
        *(PastDecision(one.text, one.at, one.because) for one in page),
        *(PastDecision(one.text, one.at) for one in reversed(state.said) if one.kind in DECIDING),
        *(PastDecision(text) for text in reversed(state.decisions)),
        *(PastDecision(one.text, one.at) for each in digests for one in reversed(each.said) if one.kind == "decision"),
        *(PastDecision(text, entry.began) for entry in logged for text in reversed(decided(entry))),
    ]
    by_words: dict[str, PastDecision] = {}
    for one in said:
        by_words.setdefault(" ".join(one.text.casefold().split()).rstrip("."), one)
    kept = [one for one in by_words.values() if pages.kept([one.text])]
    return tuple(PastDecision(without_secrets(one.text), one.at, without_secrets(one.because)) for one in kept)


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


def markdown(found: CatchUp) -> str:
    """Return it as a page of Markdown."""
    who = ", ".join(f"{plain(agent)} ({number})" for agent, number in found.agents)
    number = count(len(found.sessions), "session") if found.sessions else "no session"
    opening = f"Since {found.since[:10]}: {'more than ' if found.more else ''}{number}{f', by {who}' if who else ''}."
    decided = [
        f"{one.at[:10]} ".lstrip() + _short(one.text) + (f", because {_short(one.because)}" if one.because else "")
        for one in found.decisions
    ]
    parts = {
        "Where it stands": _stands(found),
        "Done": _sessions(found.sessions),
        "Decided": _some("decisions", decided),
        "Failed or left unfinished": _some("failed", list(map(_short, found.failed))),
        "Open": _some("open_threads", list(map(_short, found.open_threads))),
        "Next": _some("next_steps", list(map(_short, found.next_steps))),
        "To do": _some("todos", [f"{_short(one.text)} ({one.id})" for one in found.todos]),
    }
    sections = [f"# {plain(found.project)}\n\n{opening}"]
    sections += [
        f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) for title, lines in parts.items() if lines
    ]
    files = [f"{code(file.path)} ({file.changes})" for file in found.files]
    if files:
        more = f" and {len(files) - _MAX['files']} more" if len(files) > _MAX["files"] else ""
        sections.append(f"## Files most changed\n\n{', '.join(files[: _MAX['files']])}{more}")
    return "\n\n".join(sections) + "\n"


def _stands(found: CatchUp) -> list[str]:
    stamp = ", ".join(part for part in (_to_the_minute(found.updated), plain(found.by)) if part)
    lines = [f"Focus: {_short(found.focus)}{f' ({stamp})' if stamp else ''}"] if found.focus else []
    for last in ([row for row in found.sessions if row.title] or found.sessions)[:1]:
        ended = _to_the_minute(last.ended)
        lines.append(f"Last session: {_title(last)} ({_outcome(last)}{plain(last.agent)}, {ended})")
    return lines


def _to_the_minute(at: str) -> str:
    """Return a stored time as people read it, and say that it is UTC."""
    return f"{at[:16].replace('T', ' ')} UTC" if len(at) >= len("2026-11-01T10:00") else at


def _sessions(rows: Sequence[SessionRow]) -> list[str]:
    """Return what sessions did; those that say nothing are only counted."""
    ended = [row for row in rows if row.outcome != "abandoned"]
    told = [row for row in ended if row.title or row.commits or row.pull_requests]
    silent = f"and {count(len(ended) - len(told), 'session')} without a title" if len(ended) > len(told) else ""
    return [*_some("sessions", [_session(row) for row in told]), *([silent] if silent else [])]


def _session(row: SessionRow) -> str:
    made = [*row.commits, *row.pull_requests]
    more = f" and {len(made) - _MADE} more" if len(made) > _MADE else ""
    told = f"; made {', '.join(map(_short, made[:_MADE]))}{more}" if made else ""
    return f"{row.ended[:10]} {_title(row)} ({_outcome(row)}{plain(row.agent)}){told}"


def _title(row: SessionRow) -> str:
    return _short(row.title) or "a session without a title"


def _outcome(row: SessionRow) -> str:
    """Return how a session ended, with a comma, where somebody can tell."""
    return "" if row.outcome == "unknown" else f"{row.outcome}, "


def _short(text: str) -> str:
    return plain(one_line(text, _MAX_LINE))


def _some(name: str, entries: Sequence[str]) -> list[str]:
    """Return the first entries, and how many there are besides."""
    most = _MAX[name]
    return [*entries[:most], *([f"and {len(entries) - most} more"] if len(entries) > most else [])]
