"""Connect an agent: the plan, what carries it out, and in `installs.json` the record of what was put where."""

from __future__ import annotations

import difflib
import os
import shutil
import sys

from holdfast import agents
from holdfast.agents.base import Agent, Change, FoundAgent, Launcher, Place
from holdfast.agents.editing import record
from holdfast.agents.editing.apply import apply as carry_out
from holdfast.agents.editing.plan import plan_install, read
from holdfast.agents.editing.record import Install
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass, replace
from holdfast.base.package import FOLDER
from holdfast.errors import HoldfastError, NotFound
from holdfast.memory import audit
from holdfast.privacy.redact import redact
from holdfast.project.git import upwards
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOMENTS = {"start": "session start", "prompt": "every prompt"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done to which agent where."""

    agent: Agent
    place: Place
    changes: tuple[Change, ...]

    @property
    def where(self) -> tuple[str, str, str]:
        """What makes this install another than the next: agent, scope, and the folder of a project."""
        return self.agent.name, self.place.scope, self.place.folder if self.place.scope == "project" else ""


@dataclass(frozen=True, slots=True)
class Seen:
    """An agent as `holdfast install` lists it: where it is, the scopes it is installed in, and what it gets."""

    agent: Agent
    found: FoundAgent | None
    installed: tuple[str, ...]
    gets: tuple[str, ...]


def overview(workspace: Workspace) -> list[Seen]:
    """Return every agent that is known, those that are here first."""
    installs, place = record.load(workspace.home), workspace.place("user")
    seen = []
    for agent in _loadable(workspace):
        scopes = [one.scope for one in installs if one.agent == agent.name and _concerns(one, place)]
        seen.append(Seen(agent, agent.detect(place), tuple(scopes), gets(agent, place)))
    return sorted(seen, key=lambda one: one.found is None)


def _loadable(workspace: Workspace) -> Iterator[Agent]:
    """Yield every agent; one whose package is broken is only said."""
    for name in agents.names():
        try:
            yield agents.get(name)
        except NotFound as problem:
            workspace.say(str(problem))


def _concerns(install: Install, place: Place) -> bool:
    return install.scope == "user" or install.folder in upwards(os.path.realpath(place.folder))


def gets(agent: Agent, place: Place) -> tuple[str, ...]:
    """Return in words what the agent gets; one without hooks is only read."""
    if not agent.events:
        return ("its sessions are read, without an install",)
    said = [f"memories at {_MOMENTS[moment]}" for moment in ("start", "prompt") if moment in agent.injects]
    if agent.rules_file(place) is not None:
        said.append("memories in a rules file")
    if not agent.keeps_memory:
        said.append("the scaffold in its workspace")
    return (*said, "hooks", "the MCP server")


def plan(workspace: Workspace, name: str, *, scope: str = "user", portable: bool = False) -> Plan:
    """Return what is missing for that agent. Where one of its files cannot be used, nothing is changed at all."""
    agent = agents.get(name)
    place = remembering(record.load(workspace.home), agent, workspace.place(scope))
    return Plan(agent, place, tuple(plan_install(agent, place, command_of(workspace, portable=portable))))


def apply(workspace: Workspace, planned: Plan) -> None:
    """Carry the plan out. The record comes first: whatever happens then, an uninstall knows what to look for."""
    with record.lock(workspace.home):
        before = record.load(workspace.home)
        others = [one for one in before if one.where != planned.where]
        install = _recorded(planned, record.find(before, planned.where))
        record.save(workspace.home, [*others, install])
        try:
            folders = carry_out(list(planned.changes), planned.place)
        except BaseException:
            record.save(workspace.home, before)
            raise
        made = tuple(sorted({*install.folders, *folders}))
        record.save(workspace.home, [*others, replace(install, folders=made)])
    note(workspace, "install", planned)


def note(workspace: Workspace, command: str, planned: Plan) -> None:
    """Write down which files of an agent changed, and no byte of them: they may hold secrets."""
    with audit.Act(workspace, command, keep=False) as act:
        for change in planned.changes:
            act.done(change.path, f"{planned.agent.name}, for this {planned.place.scope}")


def _recorded(planned: Plan, earlier: Install | None) -> Install:
    """Return the record of an install as it will be; files that do not change keep theirs."""
    kept = {one.path: one for one in earlier.files} if earlier else {}
    for change in planned.changes:
        kept[change.path] = record.edited_file(change, kept.get(change.path))
    folders, rules = (earlier.folders, earlier.created_rules) if earlier else ((), False)
    return Install(*planned.where, now(), tuple(kept.values()), folders, rules)


def remembering(installs: list[Install], agent: Agent, place: Place) -> Place:
    """Return the place with what an earlier install made there."""
    earlier = record.find(installs, Plan(agent, place, ()).where)
    if earlier is None:
        return place
    return replace(place, made={one.path: one.made for one in earlier.files}, was=_as_they_were(earlier, place))


def _as_they_were(earlier: Install, place: Place) -> dict[str, bytes]:
    """Return the files that nobody touched since an install as they were before it."""
    found = {}
    for one in earlier.files:
        data = read(one.path, place)
        untouched, before = record.restored(data, one) if data is not None else (False, None)
        if untouched:
            found[one.path] = before or b""
    return found


def command_of(workspace: Workspace, *, portable: bool = False) -> Launcher:
    """Return how configs call this installation. What is portable names no folder of this person's, nor the home."""
    runner = os.path.join(FOLDER, "surfaces", "hook", "run.py")
    usual = os.path.join(workspace.place("user").home, ".holdfast")
    home = "" if portable or usual == workspace.home else workspace.home
    guards = workspace.settings.text("security.block") != "off"
    return Launcher(os.path.abspath(sys.executable), runner, _program(), home, portable, guards)


def _program() -> tuple[str, ...]:
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "holdfast")
    found = beside if os.access(beside, os.X_OK) else shutil.which("holdfast")
    return (os.path.abspath(found),) if found else (os.path.abspath(sys.executable), "-m", "holdfast")


def diff(changes: tuple[Change, ...]) -> str:
    """Return the changes as one unified diff, without the secrets of the lines that it shows."""
    shown: list[str] = []
    for change in changes:
        old, new = ("/dev/null" if data is None else change.path for data in (change.before, change.after))
        shown += difflib.unified_diff(_lines(change.before), _lines(change.after), old, new, n=2)
    return "".join(redact(line)[0] for line in shown)


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def unguarded(workspace: Workspace) -> list[str]:
    """Return why calls are not refused although that is switched on, for each installed agent where it is so."""
    if not workspace.enabled or workspace.settings.text("security.block") == "off":
        return []
    found = {why: None for one in record.load(workspace.home) if (why := _why_not(workspace, one))}
    return list(found)


def _why_not(workspace: Workspace, installed: Install) -> str:
    try:
        agent = agents.get(installed.agent)
    except HoldfastError:
        return ""
    if not agent.guard:
        return f"{agent.title} cannot be told to refuse a call"
    if any(_is_whole(workspace, agent, installed, portable) for portable in (False, True)):
        return ""
    return f"{agent.title} was installed before refusing was switched on; run: holdfast install {agent.name}"


def _is_whole(workspace: Workspace, agent: Agent, installed: Install, portable: bool) -> bool:
    """Whether an install of today would change nothing, and so has the event before a tool."""
    usual = workspace.place("user")
    place = replace(usual, scope=installed.scope, folder=installed.folder or usual.folder)
    try:
        return not plan_install(agent, place, command_of(workspace, portable=portable))
    except HoldfastError:
        return False
