"""`/sessions`, `/receipts`, `/projects`, `/status` and `/doctor`: what was done and given, and how things stand."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from holdfast.app import doctor as checking
from holdfast.app import project as projects
from holdfast.app.status import AgentState, HookTimes, status
from holdfast.inject.receipts import receipts
from holdfast.records import Problem, Scope
from holdfast.session_records import Cost
from holdfast.sessions import browse
from holdfast.sessions import search as session_search
from holdfast.sessions.facts import Digest
from holdfast.store.session_table import FileRow
from holdfast.surfaces.web.api.endpoints import ApiCall, endpoint
from holdfast.surfaces.web.api.shapes import (
    EventList,
    EventsAsked,
    FilesAsked,
    FoundInSessions,
    LeftOut,
    PassageShape,
    ReceiptList,
    ReceiptsAsked,
    ReceiptShape,
    SaidAsked,
    SeenFrom,
    SessionList,
    SessionsAsked,
    TimelineAsked,
    Words,
    given,
    given_memory,
    parts_of,
    shape,
)


class CostAsked(SeenFrom):
    """By what is summed, and over which time."""

    by: Literal["project", "agent", "day", "model"] = "project"
    since: Words = ""
    until: Words = ""


class CostView(Struct, frozen=True, kw_only=True):
    """What a group cost: `told` dollars are the agents' own, `estimated` by prices; `unpriced` tokens in neither."""

    group: str
    sessions: int
    cost: Cost
    dollars: float
    told: float
    estimated: float
    unpriced: int


class CostList(Struct, frozen=True):
    """What sessions cost, by group."""

    rows: list[CostView]


class TimelineDays(Struct, frozen=True):
    """Days, the last first; `more` says that there are others before."""

    days: list[browse.Day]
    more: bool


class ChangedFiles(Struct, frozen=True):
    """Files that sessions changed, the last change first; `more` says that there are others before."""

    files: list[FileRow]
    more: bool


class ProjectList(Struct, frozen=True):
    """Every project that is known, the last to change first."""

    projects: list[projects.KnownProject]


class ScopeCount(Struct, frozen=True, kw_only=True):
    """How much a scope holds."""

    scope: str
    owner: str
    memories: int
    bytes: int
    updated: str


class NoticeView(Struct, frozen=True, kw_only=True):
    """What was lost, skipped or could not be done, and the way out."""

    kind: str
    line: str
    hint: str
    severity: str
    last: str


class HomeStatus(Struct, frozen=True, kw_only=True):
    """How things stand: counts, sizes, agents, and what happened while nobody looked."""

    home: str
    enabled: bool
    memories: int
    bytes: int
    proposals: int
    patterns: int
    problems: int
    sessions: int
    scopes: list[ScopeCount]
    agents: list[AgentState]
    hooks: list[HookTimes]
    notices: list[NoticeView]


if TYPE_CHECKING:
    FindingShape = Struct
else:
    FindingShape = shape("FindingShape", Problem)


class FindingList(Struct, frozen=True):
    """What doctor finds."""

    problems: list[FindingShape]


@endpoint("GET", "/sessions")
def list_sessions(call: ApiCall, asked: SessionsAsked) -> SessionList:
    """List the sessions of a project, the last to end first."""
    found = browse.list_sessions(call.workspace, **asked.choices(), limit=asked.end + 1)
    return SessionList(*asked.part(found.sessions))


@endpoint("GET", "/sessions/search")
def search_sessions(call: ApiCall, asked: SaidAsked) -> FoundInSessions:
    """Find what was said and done in the sessions of a project, best first, with each part of the score."""
    found = session_search.search(call.workspace, asked.q, **asked.choices(), limit=asked.limit, explain=True)
    return FoundInSessions([given(hit, PassageShape, parts=parts_of(hit.parts)) for hit in found.hits])


@endpoint("GET", "/sessions/cost")
def cost(call: ApiCall, asked: CostAsked) -> CostList:
    """Sum what sessions cost: of one project where one is named, else of all."""
    return CostList([given(row, CostView) for row in browse.cost(call.workspace, **asked.choices())])


@endpoint("GET", "/sessions/timeline")
def timeline(call: ApiCall, asked: TimelineAsked) -> TimelineDays:
    """Show what was done in a project day by day: each session with its commits and the files that it changed."""
    found = browse.timeline(call.workspace, **asked.choices(), limit=asked.limit)
    return TimelineDays(list(found.days), found.more)


@endpoint("GET", "/sessions/files")
def changed_files(call: ApiCall, asked: FilesAsked) -> ChangedFiles:
    """List the files that sessions changed, the last change first: by whom, when, how often."""
    found = browse.activity(call.workspace, **asked.choices(), limit=asked.limit)
    return ChangedFiles(list(found.changes), found.more)


@endpoint("GET", "/sessions/{agent}/{id}")
def show_session(call: ApiCall, asked: SeenFrom, agent: str, id: str) -> Digest:
    """Show the digest of a session: what was asked, done, changed and said, how it ended, and what it cost."""
    digest = browse.digest_of(call.workspace, f"{agent}/{id}")
    call.need_to_see(digest.session.project, "session")
    return digest


@endpoint("GET", "/sessions/{agent}/{id}/events")
def events(call: ApiCall, asked: EventsAsked, agent: str, id: str) -> EventList:
    """Show what happened in a session, event by event."""
    name = f"{agent}/{id}"
    if call.principal.projects is not None:
        call.need_to_see(browse.digest_of(call.workspace, name).session.project, "session")
    found = list(islice(browse.events_of(call.workspace, name, asked.first), asked.limit + 1))
    return EventList(found[: asked.limit], found[-1].place if len(found) > asked.limit else None)


@endpoint("GET", "/receipts")
def list_receipts(call: ApiCall, asked: ReceiptsAsked) -> ReceiptList:
    """List what sessions were given, newest first: each memory, why, at what cost, and what was left out."""
    found = receipts(call.workspace, asked.of_session)
    if call.principal.projects is not None:
        own = {scope.owner for scope in call.workspace.visible("project")}
        events = (one for kind in ("start", "prompt") for one in call.workspace.journal.events(kind))
        here = {one.data.get("session") for one in events if one.data.get("project") in own}
        found = [one for one in found if one.session and one.session in here]
    part, more = asked.part(found)
    shown = [
        given(
            one,
            ReceiptShape,
            given=[given_memory(each.scope, each.key, each.why, each.tokens) for each in one.given],
            left_out=[LeftOut(name, why) for name, why in one.left_out],
        )
        for one in part
    ]
    return ReceiptList(shown, more)


@endpoint("GET", "/projects")
def list_projects(call: ApiCall, asked: SeenFrom) -> ProjectList:
    """List the projects that are known, the last to change first."""
    found = [one for one in projects.known(call.workspace) if call.may_see(Scope("project", one.id))]
    return ProjectList(found)


@endpoint("GET", "/status")
def show_status(call: ApiCall, asked: SeenFrom) -> HomeStatus:
    """Show how things stand: counts and sizes, agents, and what happened while nobody looked."""
    call.need_whole_home()
    return msgspec.convert(status(call.workspace), HomeStatus)


@endpoint("GET", "/doctor")
def doctor(call: ApiCall, asked: SeenFrom) -> FindingList:
    """Check the installation, the home and the connected agents."""
    call.need_whole_home()
    return FindingList([given(one, FindingShape) for one in checking.doctor(call.workspace)])
