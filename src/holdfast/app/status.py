"""Status: what the home holds, where we are, and which agents are here; `up` prepares it and says what to do next."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from holdfast.agents import SILENT
from holdfast.app import inbox, install
from holdfast.app.harvest_backlog import waiting as left_to_learn
from holdfast.base import clock, files, rows
from holdfast.base.text import count
from holdfast.errors import HoldfastError
from holdfast.journal import Journal, hook_log, notices
from holdfast.memory import init
from holdfast.records import MOMENTS, asdict
from holdfast.sessions.browse import ask
from holdfast.workspace import Workspace

_LOW_SPACE = 100_000_000
# So many of the newest days of the journal are looked through for what an agent told, and so much of the hooks' log.
_MAX_DAYS = 60
_MAX_LOG = 1 << 18
# Hook times are of these days; a busy week is told by its newest rows.
TIMED_DAYS = 7
_MAX_TIMED_ROWS = 20_000
_MAX_TIMED_BYTES = 1 << 24
# A row as the journal writes it: it begins with its time and its moment, and ends with how long the hook took. What
# stands between may be long, and reading it would take several times as long.
_ROW_HEAD = re.compile(rb'\{"at": "([^"]*)", "kind": "([^"]*)"')
_ROW_END = re.compile(rb', "ms": +([0-9]+(?:\.[0-9]+)?)\}\n')


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent that is here or connected: in which scopes, when a hook of it was last heard from, and its sessions.

    `ignored` is when another program last ran its hooks, which stay silent then; `untrusted` names the events whose
    hooks the agent does not run until the person trusts them.
    """

    name: str
    title: str
    can_connect: bool
    connected: tuple[str, ...]
    heard: str
    ignored: str
    untrusted: tuple[str, ...]
    sessions: int
    last_session: str


@dataclass(frozen=True, slots=True)
class HookTimes:
    """How long the hooks of one moment took, in milliseconds: half of them at most `p50`, 95 of 100 at most `p95`."""

    moment: str
    count: int
    p50: float
    p95: float
    longest: float


def agents(workspace: Workspace) -> list[AgentState]:
    """Return the agents that are on this machine or connected, the last heard from first."""
    seen = [one for one in install.overview(workspace) if one.found or one.installed]
    heard = _heard(workspace.journal, {one.agent.name for one in seen})
    # The hooks' log has when those of an agent last stayed silent because another program ran them.
    lines = (files.read_if_there(hook_log.path(workspace.home)) or b"")[-_MAX_LOG:].decode("utf-8", "replace")
    silent = [line.split() for line in lines.splitlines() if line.endswith(SILENT)]
    ignored = {words[1]: words[0] for words in silent if len(words) > 2}
    table = ask(workspace, lambda table: table.totals("agent")) if workspace.enabled else []
    sessions = {name: (number, last) for name, number, last in table}
    found = [
        AgentState(
            one.agent.name,
            one.agent.title,
            bool(one.agent.events),
            one.installed,
            heard.get(one.agent.name, ""),
            ignored.get(one.agent.name, ""),
            one.agent.untrusted(workspace.place(one.installed[0])) if one.installed else (),
            *sessions.get(one.agent.name, (0, "")),
        )
        for one in seen
    ]
    return sorted(found, key=lambda one: (one.heard, bool(one.connected), one.last_session), reverse=True)


def _heard(journal: Journal, names: set[str]) -> dict[str, str]:
    """Return when a hook of each agent last told something, by the journal; of others there is nothing."""
    found: dict[str, str] = {}
    for day in journal.days()[: -_MAX_DAYS - 1 : -1]:
        missing = names - set(found)
        data = files.read(os.path.join(journal.folder, day)) if missing else b""
        found.update({name: at for name in missing if (at := _last_told(data, name))})
    return found


def _last_told(data: bytes, agent: str) -> str:
    """Return the time of the last event of an agent's hook in a file of the journal."""
    wanted = f'"agent": "{agent}"'.encode()
    place = data.rfind(wanted)
    while place >= 0:
        start = data.rfind(b"\n", 0, place) + 1
        event = rows.object_in(data[start:].partition(b"\n")[0], sys.maxsize) or {}
        if event.get("agent") == agent and event.get("kind") in MOMENTS:
            return str(event.get("at", ""))
        place = data.rfind(wanted, 0, start)
    return ""


def hook_times(journal: Journal) -> list[HookTimes]:
    """Return how long the hooks of the last week took, by moment; a hook that was cut short has no time."""
    since = clock.iso(time.time() - TIMED_DAYS * clock.DAY_SECONDS)
    room, left = _MAX_TIMED_BYTES, _MAX_TIMED_ROWS
    took: dict[bytes, list[float]] = defaultdict(list)
    for day in reversed(journal.days()):
        if day < since[:10] or not room or not left:
            break
        data, _ = files.read_tail(os.path.join(journal.folder, day), room)
        ends = list(_ROW_END.finditer(data))[-left:]
        room, left = room - len(data), left - len(ends)
        for end in ends:
            head = _ROW_HEAD.match(data, data.rfind(b"\n", 0, end.start()) + 1)
            milliseconds = float(end[1])
            if head and milliseconds and head[1] >= since.encode():
                took[head[2]].append(milliseconds)
    found = []
    for moment in MOMENTS:
        if times := sorted(took[moment.encode()]):
            p50, p95 = (times[-(-len(times) * share // 100) - 1] for share in (50, 95))
            found.append(HookTimes(moment, len(times), p50, p95, times[-1]))
    return found


def status(workspace: Workspace) -> dict[str, Any]:
    """Return home, project, counts and sizes; nothing is made or changed by looking."""
    if workspace.enabled:
        workspace.refresh(None)
    groups = workspace.store.groups() if workspace.enabled else []
    states = agents(workspace)
    waiting = Counter(one.source for one in inbox.inbox(workspace))
    unseen = notices.unseen(workspace.home)
    return {
        "home": workspace.home,
        "exists": os.path.isdir(workspace.home),
        "enabled": workspace.enabled,
        "project": _project(workspace),
        "memories": sum(group.memories for group in groups),
        "bytes": sum(group.size for group in groups),
        "scopes": [
            {
                "scope": group.scope.kind,
                "owner": group.scope.owner,
                "memories": group.memories,
                "bytes": group.size,
                "updated": group.updated,
            }
            for group in groups
        ],
        "problems": len(workspace.store.problems()) if workspace.enabled else 0,
        "notices": [{**asdict(one), "line": one.line()} for one in (*of_disk(workspace.home), *unseen)],
        "proposals": waiting["proposal"],
        "patterns": waiting["pattern"],
        "sessions": sum(one.sessions for one in states),
        "to_learn": asdict(left_to_learn(workspace.home)),
        "agents": [asdict(one) for one in states],
        "hooks": [asdict(one) for one in hook_times(workspace.journal)],
    }


def of_disk(home: str) -> list[notices.Notice]:
    """Return that the home cannot be written, or has hardly any space: as it is now, for then no notice is kept."""
    place, at = home, clock.now()
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    if not os.access(place, os.W_OK) or os.statvfs(place).f_flag & os.ST_RDONLY:
        hint = "Set HOLDFAST_HOME to a folder you can write."
        return [notices.Notice("read-only", "it cannot be written", hint, "error", (place,), 1, at, at, lasts=True)]
    if shutil.disk_usage(place).free < _LOW_SPACE:
        hint, text = "Free some space.", "less than 100 MB is free"
        return [notices.Notice("space", text, hint, "warning", (place,), 1, at, at, lasts=True)]
    return []


def _project(workspace: Workspace) -> dict[str, Any]:
    try:
        project = workspace.project()
    except HoldfastError as problem:
        return {"id": "", "rule": "", "reason": str(problem), "notes": []}
    return {"id": project.id, "rule": project.rule, "reason": project.reason, "notes": list(project.notes)}


def up(workspace: Workspace) -> dict[str, Any]:
    """Prepare the home and return its status with one line for each thing to do next."""
    steps = init.plan(workspace)
    init.apply(workspace, steps)
    found = status(workspace)
    history = [] if found["sessions"] or not workspace.enabled else _history(workspace)
    return {**found, "prepared": len(steps), "next": history + _next_steps(found)}


def _history(workspace: Workspace) -> list[str]:
    """Return the step that takes in what agents wrote before Holdfast was here."""
    # Only the first `up` waits for this.
    from holdfast.sessions.budget import sized
    from holdfast.sessions.cursors import Cursors, Where, look

    there = look(Cursors(workspace.home, "", keep=False), workspace.environment, "", Where()).changed
    size = f"{count(len(there), 'transcript')}, {sized(sum(one.stamp.size for one in there))}"
    return [f"Take in what your agents wrote so far ({size}): holdfast sweep"] if there else []


def _next_steps(found: dict[str, Any]) -> list[str]:
    has_project = found["project"]["id"]
    store = 'holdfast remember "..."' if has_project else 'holdfast remember --scope global "..."'
    steps = [f"Store something: {store}", "Find it again: holdfast recall WORDS"]
    if not found["memories"]:
        steps.insert(0, "See a short story in a throw-away home: holdfast demo")
    for one in found["agents"]:
        if one["can_connect"] and not one["connected"]:
            steps.append(f"Connect {one['title']}: holdfast install {one['name']}")
    if found["proposals"]:
        waits = "1 proposal waits" if found["proposals"] == 1 else f"{found['proposals']} proposals wait"
        steps.append(f"{waits} for your decision: holdfast proposals review")
    if found["patterns"]:
        steps.append(f"What recurs waits for your decision ({found['patterns']}): holdfast patterns review")
    if found["problems"]:
        steps.append("Some files need a look: holdfast lint")
    if not has_project:
        steps.append("Memories of a project are stored from inside its folder: cd there first")
    return steps
