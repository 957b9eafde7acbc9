"""Uninstall an agent's adapter: take out exactly what is ours, and prove that nothing of it is left."""

from __future__ import annotations

import os

from holdfast import agents
from holdfast.agents.base import HOOK_FILE, HOOK_PROGRAM, Agent, Change, Place
from holdfast.agents.editing import record
from holdfast.agents.editing.apply import apply as carry_out
from holdfast.agents.editing.apply import remove_empty
from holdfast.agents.editing.plan import NOBODY, plan_uninstall, read
from holdfast.agents.editing.record import EditedFile, Install
from holdfast.app import install
from holdfast.app.install import Plan
from holdfast.base.light_records import dataclass
from holdfast.errors import HoldfastError
from holdfast.patterns import distributed
from holdfast.records import Problem, replace
from holdfast.workspace import Workspace

# What an agent reads as config or instruction, and how deep below its folder.
_READ = (".json", ".jsonc", ".toml", ".md", ".mdc", ".js", ".ts")
_DEEPEST = 3
_LARGEST = 8 * 1024 * 1024
_MARKS = (HOOK_FILE, HOOK_PROGRAM, "holdfast:begin", "<holdfast-memory>")
# Folders of an agent that hold what happened or what others made, not what it is told.
_PASSED_OVER = frozenset(
    ("projects", "sessions", "archived_sessions", "session-state", "logs", "tmp", "docs", "node_modules", "cache")
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an uninstall did to a file; `identical`: it is byte for byte what it was before the install."""

    path: str
    removed: bool
    identical: bool


def plan(workspace: Workspace, name: str, *, scope: str = "user") -> Plan:
    """Return what takes the agent's parts out: exactly where nobody touched a file since, by their tags elsewhere."""
    agent = agents.get(name)
    installs = record.load(workspace.home)
    place = install.remembering(installs, agent, workspace.place(scope))
    known = record.find(installs, Plan(agent, place, ()).where)
    by_tag = {change.path: change for change in plan_uninstall(agent, place)}
    for one in known.files if known else ():
        change = _exact(one, place)
        if change is not None:
            by_tag[one.path] = change
        elif one.path in by_tag and one.created and by_tag[one.path].empty:
            by_tag[one.path] = replace(by_tag[one.path], after=None)
    rules = agent.rules_file(place)
    if rules is not None and known is not None and known.created_rules and rules.path in by_tag:
        change = by_tag[rules.path]
        by_tag[rules.path] = replace(change, after=None) if change.empty else change
    for change in distributed.plan_uninstall(workspace, agent.name, place):
        by_tag.setdefault(change.path, change)
    return Plan(agent, place, tuple(by_tag.values()))


def _exact(known: EditedFile, place: Place) -> Change | None:
    data = read(known.path, place)
    if data is None:
        return None
    untouched, before = record.restored(data, known)
    return Change(known.path, data, before) if untouched else None


def apply(workspace: Workspace, planned: Plan) -> list[Outcome]:
    """Carry the plan out, remove folders that the install made and that are empty, and forget the install."""
    with record.lock(workspace.home):
        installs = record.load(workspace.home)
        known = record.find(installs, planned.where)
        carry_out(list(planned.changes), planned.place)
        remove_empty(list(known.folders) if known else [])
        record.save(workspace.home, [one for one in installs if one.where != planned.where])
    distributed.note_uninstall(workspace, planned.agent.name, planned.place, planned.changes)
    install.note(workspace, "uninstall", planned)
    return [_outcome(change, known) for change in planned.changes]


def _outcome(change: Change, known: Install | None) -> Outcome:
    before = next((one.before for one in known.files if one.path == change.path), "") if known else ""
    identical = change.after is None or record.digest(change.after) == before
    return Outcome(change.path, change.after is None, identical)


def verify(workspace: Workspace, name: str, *, scope: str = "user") -> tuple[list[str], list[Problem]]:
    """Return the files that were searched, and every place of ours that is still in one of them."""
    agent = agents.get(name)
    place = workspace.place(scope)
    searched = sorted(_searched(agent, place))
    left = [problem for path in searched for problem in [*_left_in(path, agent), *_distributed(workspace, path, agent)]]
    try:
        left += [_problem(change.path, 0, "a part of ours") for change in plan_uninstall(agent, place)]
    except HoldfastError as problem:
        left.append(_problem(name, 0, str(problem)))
    return searched, left


def _searched(agent: Agent, place: Place) -> set[str]:
    """Return every file that the agent reads at that place, as far as it is there."""
    found = {part.path for part in agent.parts(place, NOBODY)}
    # Of an install in a project another uninstall takes care; its files are no business of this one.
    in_project = place.scope == "project"
    found |= {one.path for one in agent.memory_files(place) if (one.scope == "project") == in_project}
    rules = agent.rules_file(place)
    found |= {rules.path} if rules is not None else set()
    found |= distributed.places_of(agent, place)
    folder = agent.folder(place)
    for root, folders, names in os.walk(folder):
        depth = root[len(folder) :].count(os.sep)
        folders[:] = [one for one in folders if depth < _DEEPEST and one not in _PASSED_OVER]
        found |= {os.path.join(root, one) for one in names if one.endswith(_READ)}
    return {path for path in found if os.path.isfile(path)}


def _distributed(workspace: Workspace, path: str, agent: Agent) -> list[Problem]:
    """Return the patterns that this agent still reads in a file."""
    ids = distributed.ids_in(path)
    return [
        _problem(path, 0, f"pattern {one}") for one in ids if distributed.is_read_by(workspace, agent.name, path, one)
    ]


def _left_in(path: str, agent: Agent) -> list[Problem]:
    if os.path.getsize(path) > _LARGEST:
        return [_problem(path, 0, "too large to be searched")]
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    return [
        _problem(path, number, next(mark for mark in _MARKS if mark in line))
        for number, line in enumerate(lines, 1)
        if any(mark in line for mark in _MARKS) and _speaks_of(line, agent)
    ]


def _speaks_of(line: str, agent: Agent) -> bool:
    """Whether a line with a mark concerns this agent: hooks of another one, which shares the file, do not."""
    return "--agent" not in line or f"--agent {agent.name}" in line


def _problem(path: str, line: int, text: str) -> Problem:
    return Problem("left", path, text, "Take it out in an editor.", line, "error")
