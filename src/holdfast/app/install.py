"""Connect an agent, and take exactly what is ours out again: plans, what carries them out, and the proof.

What was put where is recorded in `installs.json`. A plugin needs none: it is a folder of its own.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.base import SERVER, Agent, ConfigChange, FoundAgent, Place
from holdfast.agents.editing import record
from holdfast.agents.editing.plan import NOBODY, clear_leftovers, plan_install, plan_uninstall, read, remove_empty
from holdfast.agents.editing.plan import apply as carry_out
from holdfast.agents.editing.record import EditedFile, Install
from holdfast.agents.launcher import HOOK_FILE, HOOK_PROGRAM, Launcher
from holdfast.app.updates import diff_of
from holdfast.base.clock import now
from holdfast.base.package import FOLDER, __version__
from holdfast.errors import HoldfastError, NotFound, Refused
from holdfast.memory import audit, scaffold
from holdfast.patterns import distributed
from holdfast.project.git import upwards
from holdfast.records import Problem, replace
from holdfast.rules.build import named_tools
from holdfast.workspace import Workspace

_MOMENTS = {"start": "session start", "prompt": "every prompt"}
# The kinds of files that an agent reads as config or instructions, and how deep below its folder.
_READ = (".json", ".jsonc", ".toml", ".md", ".mdc", ".js", ".ts")
_DEEPEST = 3
_LARGEST = 8 * 1024 * 1024
_MARKS = (HOOK_FILE, HOOK_PROGRAM, "holdfast:begin", "<holdfast-memory>")
# Folders of an agent that hold what happened or what others made, not what it is told.
_PASSED_OVER = frozenset(
    ("projects", "sessions", "archived_sessions", "session-state", "logs", "tmp", "docs", "node_modules", "cache")
)
SKILL = os.path.join(os.path.dirname(agents.__file__), "skill.md")
_WAY_OUT = "Name a folder that is empty or not there yet."


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """What would be done to which agent where."""

    agent: Agent
    place: Place
    changes: tuple[ConfigChange, ...]

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


@dataclass(frozen=True, slots=True)
class UninstallOutcome:
    """What an uninstall did to a file; `identical`: it is byte for byte what it was before the install."""

    path: str
    removed: bool
    identical: bool


def overview(workspace: Workspace) -> list[Seen]:
    """Return every agent that is known, those that are here first."""
    installs, place = record.load(workspace.home), workspace.place("user")
    # What installs and uninstalls that were killed left beside the files of agents may hold secrets. An install is on
    # record before its first write and until its last byte is taken out.
    for folder in {os.path.dirname(os.path.realpath(one.path)) for install in installs for one in install.files}:
        clear_leftovers(folder)
    seen = []
    here = upwards(os.path.realpath(place.folder))
    for name in agents.names():
        try:
            agent = agents.get(name)
        except NotFound as problem:
            # The package of that adapter is broken; the others are listed all the same.
            workspace.say(str(problem))
            continue
        mine = [one for one in installs if one.agent == agent.name]
        scopes = [one.scope for one in mine if one.scope == "user" or one.folder in here]
        seen.append(Seen(agent, agent.detect(place), tuple(scopes), gets(agent, place)))
    return sorted(seen, key=lambda one: one.found is None)


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


def plan(workspace: Workspace, name: str, *, scope: str = "user", portable: bool = False) -> InstallPlan:
    """Return what is missing for that agent. Where one of its files cannot be used, nothing is changed at all."""
    agent = agents.get(name)
    place = remembering(record.load(workspace.home), agent, workspace.place(scope))
    return InstallPlan(agent, place, tuple(plan_install(agent, place, command_of(workspace, portable=portable))))


def apply(workspace: Workspace, planned: InstallPlan) -> None:
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


def take_up(workspace: Workspace, planned: InstallPlan) -> None:
    """Put an install on record that is in place already, where the home does not know of it."""
    if record.find(record.load(workspace.home), planned.where) is None:
        apply(workspace, planned)


def note(workspace: Workspace, command: str, planned: InstallPlan) -> None:
    """Write down which files of an agent changed, and no byte of them: they may hold secrets."""
    with audit.Act(workspace, command, keep=False) as act:
        for change in planned.changes:
            act.done(change.path, f"{planned.agent.name}, for this {planned.place.scope}")


def _recorded(planned: InstallPlan, earlier: Install | None) -> Install:
    """Return the record of an install as it will be; files that do not change keep theirs."""
    kept = {one.path: one for one in earlier.files} if earlier else {}
    for change in planned.changes:
        kept[change.path] = record.edited_file(change, kept.get(change.path))
    folders, rules = (earlier.folders, earlier.created_rules) if earlier else ((), False)
    return Install(*planned.where, now(), tuple(kept.values()), folders, rules)


def remembering(installs: list[Install], agent: Agent, place: Place) -> Place:
    """Return the place with what an earlier install made there."""
    earlier = record.find(installs, InstallPlan(agent, place, ()).where)
    if earlier is None:
        return place
    return replace(place, made={one.path: one.made for one in earlier.files}, was=_as_they_were(earlier, place))


def _as_they_were(earlier: Install, place: Place) -> dict[str, bytes]:
    """Return what untouched files were before the install."""
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
    rules = workspace.settings.flag("rules.enabled")
    tools = named_tools(workspace) if rules else ()
    return Launcher(os.path.abspath(sys.executable), runner, _program(), home, portable, guards, rules, tools)


def _program() -> tuple[str, ...]:
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "holdfast")
    found = beside if os.access(beside, os.X_OK) else shutil.which("holdfast")
    return (os.path.abspath(found),) if found else (os.path.abspath(sys.executable), "-m", "holdfast")


def diff(changes: tuple[ConfigChange, ...]) -> str:
    """Return the changes as one unified diff, without the secrets of the lines that it shows."""
    return "".join(diff_of(change.path, change.before, change.after) for change in changes)


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
    if is_current(workspace, agent, installed):
        return ""
    return f"{agent.title} was installed before refusing was switched on; run: holdfast install {agent.name}"


def is_current(workspace: Workspace, agent: Agent, installed: Install) -> bool:
    """Whether an install of today, in either form, would change nothing."""
    usual = workspace.place("user")
    place = replace(usual, scope=installed.scope, folder=installed.folder or usual.folder)
    try:
        return any(
            not plan_install(agent, place, command_of(workspace, portable=portable)) for portable in (False, True)
        )
    except HoldfastError:
        return False


def outdated(workspace: Workspace) -> Iterator[tuple[Agent, str, str]]:
    """Yield each agent that is connected otherwise than an install of today would do it, where, and the command."""
    for one in record.load(workspace.home):
        try:
            agent = agents.get(one.agent)
        except HoldfastError:
            continue
        if not is_current(workspace, agent, one):
            way = f"cd {shlex.quote(one.folder)} && " if one.folder else ""
            scope = " --scope project" if one.scope == "project" else ""
            yield agent, one.folder, f"{way}holdfast install {one.agent}{scope}"


def plan_removal(workspace: Workspace, name: str, *, scope: str = "user") -> InstallPlan:
    """Return the edits that remove the agent's parts: untouched files are restored, others lose what has our tags."""
    agent = agents.get(name)
    installs = record.load(workspace.home)
    place = remembering(installs, agent, workspace.place(scope))
    known = record.find(installs, InstallPlan(agent, place, ()).where)
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
    return InstallPlan(agent, place, tuple(by_tag.values()))


def _exact(known: EditedFile, place: Place) -> ConfigChange | None:
    data = read(known.path, place)
    if data is None:
        return None
    untouched, before = record.restored(data, known)
    return ConfigChange(known.path, data, before) if untouched else None


def apply_removal(workspace: Workspace, planned: InstallPlan) -> list[UninstallOutcome]:
    """Carry the plan out, remove folders that the install made and that are empty, and forget the install."""
    with record.lock(workspace.home):
        installs = record.load(workspace.home)
        known = record.find(installs, planned.where)
        carry_out(list(planned.changes), planned.place)
        remove_empty(list(known.folders) if known else [])
        record.save(workspace.home, [one for one in installs if one.where != planned.where])
    distributed.note_uninstall(workspace, planned.agent.name, planned.place, planned.changes)
    note(workspace, "uninstall", planned)
    return [_outcome(change, known) for change in planned.changes]


def forget_install(workspace: Workspace, planned: InstallPlan) -> None:
    """Take an install off the record of which nothing is there: an uninstall was interrupted after its last file."""
    if record.find(record.load(workspace.home), planned.where) is None:
        return
    with record.lock(workspace.home):
        installs = record.load(workspace.home)
        known = record.find(installs, planned.where)
        if known is not None and not planned.changes:
            # An install that was killed before its first file may have left a copy of it, and is not looked at again.
            for one in known.files:
                clear_leftovers(os.path.dirname(os.path.realpath(one.path)))
            remove_empty(list(known.folders))
            record.save(workspace.home, [one for one in installs if one is not known])


def _outcome(change: ConfigChange, known: Install | None) -> UninstallOutcome:
    before = next((one.before for one in known.files if one.path == change.path), "") if known else ""
    identical = change.after is None or record.digest(change.after) == before
    return UninstallOutcome(change.path, change.after is None, identical)


def verify(workspace: Workspace, name: str, *, scope: str = "user") -> tuple[list[str], list[Problem]]:
    """Return the files that were searched, and every place of ours that is still in one of them."""
    agent = agents.get(name)
    place = workspace.place(scope)
    searched = sorted(_searched(agent, place))
    left: list[Problem] = []
    for path in searched:
        left += _left_in(path, agent)
        ids = [one for one in distributed.ids_in(path) if distributed.is_read_by(workspace, agent.name, path, one)]
        left += [_problem(path, 0, f"pattern {one}") for one in ids]
    try:
        left += [_problem(change.path, 0, "a part of Holdfast's") for change in plan_uninstall(agent, place)]
    except HoldfastError as problem:
        left.append(_problem(name, 0, str(problem)))
    return searched, left


def elsewhere(workspace: Workspace, name: str, *, scope: str = "user") -> list[str]:
    """Return what of ours an uninstall leaves on purpose: installs of other places, and trees of memory in projects."""
    here = InstallPlan(agents.get(name), workspace.place(scope), ()).where
    told = []
    for one in record.load(workspace.home):
        if one.agent == name and one.where != here:
            way = f"cd {shlex.quote(one.folder)} && holdfast uninstall {name} --scope project" if one.folder else ""
            told.append(
                f"{name} is connected for {one.folder or 'you everywhere'}: {way or f'holdfast uninstall {name}'}"
            )
    roots = {path for _, path in workspace.registry.known().paths()} | {workspace.place(scope).folder}
    for root in sorted(roots):
        tree = os.path.join(root, "memory")
        if scaffold.is_laid(tree):
            told.append(f"{tree} was laid by Holdfast and stays, because memories may be in it; remove it if you like")
    return told


def _searched(agent: Agent, place: Place) -> set[str]:
    """Return every file that the agent reads at that place, as far as it is there."""
    found = {part.path for part in agent.parts(place, NOBODY)}
    # Installs in projects have their own uninstall; their files are not touched here.
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


def _left_in(path: str, agent: Agent) -> list[Problem]:
    if os.path.getsize(path) > _LARGEST:
        return [_problem(path, 0, "too large to be searched")]
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    return [
        _problem(path, number, next(mark for mark in _MARKS if mark in line))
        for number, line in enumerate(lines, 1)
        # Another agent may share the file; its hooks do not concern this one.
        if any(mark in line for mark in _MARKS) and ("--agent" not in line or f"--agent {agent.name}" in line)
    ]


def _problem(path: str, line: int, text: str) -> Problem:
    return Problem("left", path, text, "Take it out in an editor.", line, "error")


def plan_plugin(workspace: Workspace, name: str, folder: str, *, portable: bool = False) -> InstallPlan:
    """Return the files that the plugin needs and that are not there as they should be."""
    agent = agents.get(name)
    root = os.path.abspath(folder)
    with open(SKILL, encoding="utf-8") as file:
        wanted = agent.plugin(command_of(workspace, portable=portable), __version__, file.read())
    if not wanted:
        known = [one.agent for one in overview(workspace)]
        takes = [one.name for one in known if one.plugin(command_of(workspace), "", "")]
        raise NotFound(
            f"there is no plugin for {agent.title}",
            f"Use `holdfast install {name}`. With plugins: {', '.join(takes)}.",
        )
    _refuse_foreign(root, list(wanted))
    place = Place(root, root, "project", workspace.environment)
    changes = []
    for path, value in wanted.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        whole = os.path.join(root, path)
        changes.append(ConfigChange(whole, read(whole, place), text.encode("utf-8")))
    return InstallPlan(agent, place, tuple(change for change in changes if change.before != change.after))


def apply_plugin(planned: InstallPlan) -> None:
    """Write the files of the plan."""
    carry_out(list(planned.changes), planned.place)


def _refuse_foreign(root: str, paths: list[str]) -> None:
    """Refuse a folder with something in it, unless that is a plugin of ours."""
    if os.path.isfile(root):
        raise Refused(f"{root} is a file", _WAY_OUT)
    inside = os.listdir(root) if os.path.isdir(root) else []
    if inside and not any(_is_manifest(os.path.join(root, path)) for path in paths):
        raise Refused(f"{root} is not empty and holds no plugin of Holdfast's", _WAY_OUT)


def _is_manifest(path: str) -> bool:
    if os.path.basename(path) != "plugin.json":
        return False
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("name") == SERVER
