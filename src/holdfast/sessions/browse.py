"""Sessions of every agent, read back: list, cost, show, pin. Looking is not use.

It also tells what was done in a project: who changed which files, and each day's sessions with what came of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.pending_file import PendingFile
from holdfast.base.terminal import harmless
from holdfast.errors import BadInput, NotFound
from holdfast.language import when
from holdfast.records import Cost, SessionEvent, asdict
from holdfast.sessions import index as session_index
from holdfast.sessions import prices, transcript
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import OUTCOMES, Digest
from holdfast.sessions.raw import RawEvents
from holdfast.store.session_table import BY, FileRow, SessionRow, Spent, Wanted
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from holdfast.store.base import SessionRows

Answer = TypeVar("Answer")

# So much of an id is shown at least, less one.
_MIN_OF_ID = 7
_TOKENS = ("input", "output", "cache_read", "cache_write", "reasoning")
RECENT = "24h"
MAX_CHANGES = 100
MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True)
class ListedSessions:
    """Sessions, the last to end first; `project` is the one that was asked about, empty for all of them.

    `short` has the beginning of each id that no other session has.
    """

    sessions: tuple[SessionRow, ...]
    project: str
    more: bool = False
    pins: frozenset[str] = frozenset()
    short: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CostRow:
    """What a group cost. `told` dollars are the agents' own, `estimated` by the table of prices.

    `unpriced` counts the tokens of models that have no price: what they cost is not in the dollars. `numbers` are the
    sessions that spent something, as the index numbers them.
    """

    group: str
    numbers: frozenset[int]
    cost: Cost
    told: float = 0.0
    estimated: float = 0.0
    unpriced: int = 0

    @property
    def sessions(self) -> int:
        """How many sessions spent something."""
        return len(self.numbers)

    @property
    def dollars(self) -> float:
        """All that is known of what it cost."""
        return self.told + self.estimated


def list_sessions(
    workspace: Workspace,
    *,
    agents: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    outcomes: tuple[str, ...] = (),
    file: str = "",
    branch: str = "",
    subagents: bool = False,
    everywhere: bool = False,
    limit: int = 50,
) -> ListedSessions:
    """Return the sessions of this project, or of all, that are asked for."""
    if not workspace.enabled:
        return ListedSessions((), "")
    wrong = [one for one in outcomes if one not in OUTCOMES]
    if wrong:
        raise BadInput(f"{wrong[0]!a} is not an outcome", f"Use one of {', '.join(OUTCOMES)}.")
    projects = projects_here(workspace, everywhere=everywhere)
    wanted = Wanted(
        *(projects, agents, *span(since, until), outcomes, branch),
        file=in_folder(workspace, file),
        subagents=subagents,
    )
    found, every = ask(workspace, lambda table: (table.find(wanted, limit + 1), table.ids()))
    name, pins = projects[0] if projects else "", Archive(workspace.home).pins()
    # The ids are in order: the letters that two neighbours have in common tell neither of them from the other.
    common = [0, *(len(os.path.commonprefix(pair)) for pair in pairwise(every)), 0]  # noqa: RUF071
    short = {id: id[: max(_MIN_OF_ID, *common[at : at + 2]) + 1] for at, id in enumerate(every)}
    return ListedSessions(tuple(found[:limit]), name, len(found) > limit, pins, short)


def projects_here(workspace: Workspace, *, everywhere: bool) -> tuple[str, ...] | None:
    """Return the project that is meant and its other ids; None for all, also where the folder is no project."""
    if everywhere and workspace.asked_project:
        raise BadInput("a project and everywhere do not go together", "Give --project, or --everywhere, not both.")
    project = None if everywhere else workspace.project_if_any()
    return project.ids if project else None


def span(since: str, until: str) -> tuple[str, str]:
    """Return two times as people write them as the index has them."""
    at = now()
    return when.moment(since, at) if since else "", when.moment(until, at) if until else ""


def in_folder(workspace: Workspace, path: str) -> str:
    """Return a path as seen from the folder of the workspace; a bare name stays one."""
    if not path:
        return ""
    whole = os.path.join(workspace.folder or files.working_folder(), os.path.expanduser(path))
    return os.path.normpath(whole) if os.path.lexists(whole) else path


def ask(workspace: Workspace, question: Callable[[SessionRows], Answer]) -> Answer:
    """Return what the table of sessions answers; it is filled first, where the index was made again."""
    session_index.complete(workspace, Archive(workspace.home))
    return workspace.store.ask(lambda tables: question(tables.sessions))


def ids_beginning(workspace: Workspace, start: str) -> list[str]:
    """Return the ids in the index that begin so; nothing is read or written beside it."""
    if not workspace.enabled:
        return []
    return [id for id in workspace.store.ask(lambda tables: tables.sessions.ids()) if id.startswith(start)]


def cost(workspace: Workspace, *, by: str = "project", since: str = "", until: str = "") -> list[CostRow]:
    """Return what was spent by group: in all projects, or in the one that was named. Days are days of UTC."""
    if not workspace.enabled:
        return []
    if by not in BY:
        raise BadInput(f"cost cannot be summed by {by!a}", f"Use one of {', '.join(BY)}.")
    projects = projects_here(workspace, everywhere=not workspace.asked_project)
    wanted = Wanted(projects, (), *span(since, until))
    found = ask(workspace, lambda table: table.spent(wanted, by))
    table = prices.load(workspace.home)
    groups: dict[str, list[Spent]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    rows = [_cost_row(group, spent, table) for group, spent in groups.items()]
    if by == "day":
        return sorted(rows, key=lambda row: row.group, reverse=True)
    return sorted(rows, key=lambda row: (-row.dollars, -row.cost.output, row.group))


def _cost_row(group: str, spent: Sequence[Spent], table: prices.Prices) -> CostRow:
    estimated, unpriced = 0.0, 0
    for one in spent:
        price = table.of(one.model)
        if price is not None:
            estimated += price.of(one.untold)
        elif not table.is_free(one.model):
            unpriced += sum(getattr(one.untold, name) for name in _TOKENS)
    numbers = frozenset(number for one in spent for number in one.sessions)
    told = sum(one.cost.dollars for one in spent)
    return CostRow(group, numbers, _sum([one.cost for one in spent]), told, estimated, unpriced)


def total(rows: Sequence[CostRow]) -> CostRow:
    """Return the sum of the rows; a session that stands in several counts once."""
    numbers = frozenset().union(*(row.numbers for row in rows))
    return CostRow(
        *("total", numbers, _sum([row.cost for row in rows])),
        *(sum(row.told for row in rows), sum(row.estimated for row in rows), sum(row.unpriced for row in rows)),
    )


def _sum(costs: Sequence[Cost]) -> Cost:
    return Cost(*(sum(getattr(one, name) for one in costs) for name in (*_TOKENS, "dollars")))


def digest_of(workspace: Workspace, text: str) -> Digest:
    """Return the digest of the session that a text means."""
    archive = Archive(workspace.home)
    name = archive.resolve(text, resumed=True)
    try:
        return archive.digest(name)
    except NotFound:
        hint = f"`holdfast sweep` makes it; `holdfast sessions show {name} --raw` shows its events."
        raise NotFound(f"{name} has no digest yet", hint) from None


def events_of(
    workspace: Workspace, text: str, first: int = 0, last: int | None = None, *, earlier: bool = False
) -> Iterator[SessionEvent]:
    """Yield the events of the session that a text means, from one place to another, both included.

    `earlier` are those that it told before its transcript was rewritten shorter.
    """
    archive = Archive(workspace.home)
    if last is not None and last < first:
        raise BadInput(f"{last} is before {first}", "Give --from a place before --to.")
    name = archive.resolve(text, resumed=True)
    if earlier and not archive.has_earlier(name):
        raise NotFound(f"{name} has no earlier, longer version", "Leave out --earlier.")
    return _between(workspace, archive.events(name, earlier=earlier), first, last)


def _between(workspace: Workspace, events: RawEvents, first: int, last: int | None) -> Iterator[SessionEvent]:
    """Yield the events of these places; what of them cannot be read is said and not passed over in silence."""
    for event in events:
        if last is not None and event.place > last:
            return
        if event.place >= first:
            yield event
    if events.problem is not None:
        workspace.say(f"{events.problem.path}: {events.problem.text}. {events.problem.hint}")


def subagents_of(workspace: Workspace, name: str) -> list[SessionRow]:
    """Return the sessions of the sub-agents that worked for a session, the last to end first."""
    own = name.partition("/")[2]
    agent = name.partition("/")[0]
    every = ask(workspace, lambda table: table.find(Wanted(None, (agent,), subagents=True)))
    return [one for one in every if one.parent in (name, own)]


def pin(workspace: Workspace, text: str, *, pinned: bool) -> str:
    """Keep the raw events of a session whatever the budget says, or no longer; return its name."""
    workspace.need_enabled()
    archive = Archive(workspace.home)
    name = archive.resolve(text)
    archive.pin(name) if pinned else archive.unpin(name)
    return name


def shown(
    workspace: Workspace,
    text: str,
    *,
    form: str = "markdown",
    raw: bool = False,
    earlier: bool = False,
    first: int = 0,
    last: int | None = None,
) -> Iterator[str]:
    """Return a session as text, piece by piece: its digest, or with `raw` its events, in one of three forms."""
    if form == "html":
        events = events_of(workspace, text, first, last, earlier=earlier) if raw else None
        return transcript.web_page(digest_of(workspace, text), events)
    if raw:
        events = events_of(workspace, text, first, last, earlier=earlier)
        return transcript.markdown_of(events) if form == "markdown" else _events_json(events)
    digest = digest_of(workspace, text)
    if form == "json":
        return iter((json.dumps(asdict(digest), ensure_ascii=False, indent=2) + "\n",))
    return iter((harmless(transcript.digest_page(digest)),))


def _events_json(events: Iterator[SessionEvent]) -> Iterator[str]:
    """Yield the events as one JSON document, a line each, so that a long session is never held as a whole."""
    yield '{"events": ['
    apart = "\n"
    for event in events:
        yield apart + json.dumps(asdict(event), ensure_ascii=False)
        apart = ",\n"
    yield "\n]}\n"


def save(path: str, pieces: Iterator[str]) -> str:
    """Write the pieces to a file, whole or not at all, and return its path. No link is written through."""
    whole = os.path.abspath(os.path.expanduser(path))
    files.refuse_link(whole)
    pending = PendingFile(os.path.dirname(whole), make_folder=False)
    try:
        pending.write(b"")
        for piece in pieces:
            pending.write(piece.encode("utf-8", "replace"))
        pending.close()
        pending.sync()
        pending.settle(whole)
    finally:
        pending.discard()
    return whole


@dataclass(frozen=True, slots=True)
class Activity:
    """Changes of files, the latest first; `project` is the one that was asked about, empty for all of them."""

    changes: tuple[FileRow, ...]
    project: str
    more: bool = False


def activity(
    workspace: Workspace,
    *,
    path: str = "",
    recent: bool = False,
    agents: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    everywhere: bool = False,
    limit: int = MAX_CHANGES,
) -> Activity:
    """Return the changes of this project's files, or of all; `recent` is the last day in every project."""
    if not workspace.enabled:
        return Activity((), "")
    everywhere = everywhere or (recent and not workspace.asked_project)
    projects = projects_here(workspace, everywhere=everywhere)
    wanted = Wanted(
        projects, agents, *span(since or (RECENT if recent else ""), until), file=in_folder(workspace, path)
    )
    found = ask(workspace, lambda table: table.files(wanted, limit + 1))
    return Activity(tuple(found[:limit]), projects[0] if projects else "", len(found) > limit)


@dataclass(frozen=True, slots=True)
class DoneSession:
    """One session of a day with the files that it changed, the most changed first."""

    session: SessionRow
    files: tuple[FileRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC) and the sessions that ended on it, the last first."""

    day: str
    sessions: tuple[DoneSession, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days, the last first; `project` is the one that was asked about, empty for all of them."""

    days: tuple[Day, ...]
    project: str
    more: bool = False


def timeline(
    workspace: Workspace, *, since: str = "", until: str = "", everywhere: bool = False, limit: int = MAX_SESSIONS
) -> Timeline:
    """Return what was done in this project, or in all; sub-agents work for a session and are not told apart."""
    if not workspace.enabled:
        return Timeline((), "")
    projects = projects_here(workspace, everywhere=everywhere)
    wanted = Wanted(projects, (), *span(since, until), subagents=False)
    found = ask(workspace, lambda table: table.find(wanted, limit + 1))
    shown = found[:limit]
    # A session may have worked elsewhere too: what it changed there is told there.
    changes = Wanted(projects, names=tuple(row.name for row in shown))
    files = ask(workspace, lambda table: table.files(changes)) if shown else []
    by_session: dict[str, list[FileRow]] = {}
    for file in files:
        by_session.setdefault(file.session, []).append(file)
    days: dict[str, list[DoneSession]] = {}
    for row in shown:
        changed = sorted(by_session.get(row.name, ()), key=lambda file: (-file.changes, file.path))
        days.setdefault(row.ended[:10], []).append(DoneSession(row, tuple(changed)))
    told = tuple(Day(day, tuple(sessions)) for day, sessions in days.items())
    return Timeline(told, projects[0] if projects else "", len(found) > limit)
