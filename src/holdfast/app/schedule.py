"""Let the system run a sweep every so often: a plan of what is written, what carries it out, and what is there now.

A person has one schedule. Where another way was used before, the plan takes that one away.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from holdfast import agents
from holdfast.agents.base import Change, Place, shell_line
from holdfast.agents.editing.apply import apply as carry_out
from holdfast.agents.editing.plan import read
from holdfast.app import install
from holdfast.app import schedule_forms as forms
from holdfast.base.light_records import dataclass, replace
from holdfast.errors import BadInput, Conflict, NotFound, Refused, StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.workspace import Workspace

WAYS = ("systemd", "launchd", "cron")
CRONTAB = "crontab"
_TIMER = f"{forms.UNIT}.timer"
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Call:
    """A command that makes the system take notice: whether it ran, and what it said where it failed."""

    words: tuple[str, ...]
    ran: bool = False
    said: str = ""

    @property
    def line(self) -> str:
        """The command as a person types it."""
        return shell_line(list(self.words))


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A schedule that is there: its way, where it stands, how often, and whether the system runs it."""

    way: str
    path: str
    every: str
    active: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written and removed, what the system is told before and after, and where the files are."""

    way: str
    every: str
    changes: tuple[Change, ...]
    first: tuple[Call, ...]
    then: tuple[Call, ...]
    place: Place


def plan(workspace: Workspace, *, way: str = "", every: str = "1h") -> Plan:
    """Return what is missing for a sweep every so often. A file of our name that is not ours is refused."""
    way = way or usual_way(workspace)
    minutes = forms.parse_every(every)
    place = workspace.place("user")
    wanted = _wanted(workspace, place, way, minutes)
    changes = [_change(path, data, place) for path, data in wanted.items()]
    if way == "cron":
        table = _crontab(workspace)
        changes.append(
            Change(CRONTAB, table, forms.cron_table(table or b"", forms.cron_line(_words(workspace), minutes)))
        )
    changes = [change for change in changes if change.before != change.after]
    others = [_removal(workspace, place, other) for other in WAYS if other != way]
    first, then = _told_after(workspace, way, place, changes)
    return Plan(
        way,
        forms.spelled(minutes),
        (*changes, *(change for one in others for change in one.changes)),
        (*first, *(call for one in others for call in one.first)),
        (*then, *(call for one in others for call in one.then)),
        place,
    )


def plan_removal(workspace: Workspace) -> Plan:
    """Return what takes every schedule of ours away, and nothing else."""
    place = workspace.place("user")
    found = [_removal(workspace, place, way) for way in WAYS]
    return Plan(
        "",
        "",
        tuple(change for one in found for change in one.changes),
        tuple(call for one in found for call in one.first),
        tuple(call for one in found for call in one.then),
        place,
    )


def apply(workspace: Workspace, planned: Plan) -> tuple[Call, ...]:
    """Carry the plan out and return each command with whether it ran; what did not run is for the person to type."""
    first = [_run(workspace, call) for call in planned.first]
    table = next((change for change in planned.changes if change.path == CRONTAB), None)
    if table is not None and _crontab(workspace) != table.before:
        raise Conflict("the crontab was changed meanwhile", "Look at the plan again. Nothing was changed.")
    carry_out([change for change in planned.changes if change.path != CRONTAB], planned.place)
    _remove_dead_link(planned.place)
    if table is not None:
        _write_crontab(workspace, table.after or b"")
    return (*first, *(_run(workspace, call) for call in planned.then))


def _remove_dead_link(place: Place) -> None:
    """Take away what enabled a timer that is gone; systemctl does it, where it answers."""
    link = os.path.join(os.path.dirname(_paths(place, "systemd")[0]), "timers.target.wants", _TIMER)
    if os.path.islink(link) and not os.path.exists(link):
        os.unlink(link)


def status(workspace: Workspace) -> list[Scheduled]:
    """Return the schedules that are there."""
    place = workspace.place("user")
    found = []
    for way in ("systemd", "launchd"):
        path = _paths(place, way)[-1]
        every = forms.every_of(read(path, place) or b"")
        if every:
            found.append(Scheduled(way, path, every, _active(workspace, way)))
    if every := forms.every_of(_our_crontab(workspace)):
        found.append(Scheduled("cron", CRONTAB, every, "yes"))
    return found


def usual_way(workspace: Workspace) -> str:
    """Return what fits this system."""
    if sys.platform == "darwin":
        return "launchd"
    if _answers(workspace, "systemd"):
        return "systemd"
    if _which(workspace, "crontab"):
        return "cron"
    hint = "Use --with systemd to write its files anyway, or run `holdfast sweep` by a scheduler of your own."
    raise BadInput("neither systemd nor a crontab answers here", hint)


def _wanted(workspace: Workspace, place: Place, way: str, minutes: int) -> dict[str, bytes]:
    words = _words(workspace)
    paths = _paths(place, way)
    if way == "systemd":
        return dict(zip(paths, (forms.systemd_service(words, minutes), forms.systemd_timer(minutes)), strict=True))
    if way == "launchd":
        return {paths[0]: forms.launchd_job(words, minutes)}
    return {}


def _words(workspace: Workspace) -> list[str]:
    """Return the command; it names the home and the places of sessions: a scheduler knows no variable of a shell."""
    moved = {name for agent in agents.names() for name in _moved_by(agent) if workspace.environment.get(name)}
    told = [f"{name}={workspace.environment[name]}" for name in sorted(moved)]
    return [
        *(["/usr/bin/env", *told] if told else []),
        *(*install.command_of(workspace).program, "--home", workspace.home, "sweep", "--quiet"),
    ]


def _moved_by(agent: str) -> tuple[str, ...]:
    try:
        return agents.get(agent).moved_by
    except NotFound:
        # An adapter of another package that cannot be loaded; doctor says so.
        return ()


def _paths(place: Place, way: str) -> list[str]:
    if way == "systemd":
        config = place.environment.get("XDG_CONFIG_HOME") or os.path.join(place.home, ".config")
        return [os.path.join(config, "systemd", "user", f"{forms.UNIT}.{kind}") for kind in ("service", "timer")]
    if way == "launchd":
        return [os.path.join(place.home, "Library", "LaunchAgents", f"{forms.LABEL}.plist")]
    return []


def _change(path: str, after: bytes | None, place: Place) -> Change:
    before = read(path, place)
    if before is not None and not forms.every_of(before):
        raise Refused(f"{path} was not written by `holdfast schedule`", "Move it away. Nothing was changed.")
    return Change(path, before, after)


def _removal(workspace: Workspace, place: Place, way: str) -> Plan:
    """Return what takes away what is ours of one way; files of others with our name are left alone."""
    paths = [path for path in _paths(place, way) if forms.every_of(read(path, place) or b"")]
    changes = [_change(path, None, place) for path in paths]
    if way == "cron" and (table := _our_crontab(workspace)):
        changes.append(Change(CRONTAB, table, forms.cron_table(table, b"") or None))
    first, then = _stopping(way, paths)
    return Plan(way, "", tuple(changes), first, then, place)


def _stopping(way: str, paths: list[str]) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
    if paths and way == "systemd":
        return (_systemctl("disable", "--now", _TIMER),), (_systemctl("daemon-reload"),)
    if paths and way == "launchd":
        return (Call(("launchctl", "bootout", f"{_domain()}/{forms.LABEL}")),), ()
    return (), ()


def _told_after(
    workspace: Workspace, way: str, place: Place, changes: list[Change]
) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
    """Return what the system is told before and after the files changed, so that it runs what they say."""
    was_there = any(change.before is not None for change in changes)
    if not changes and _active(workspace, way) != "no":
        return (), ()
    if way == "systemd":
        start = _systemctl("restart", _TIMER) if was_there else _systemctl("enable", "--now", _TIMER)
        return (), (_systemctl("daemon-reload"), start)
    if way == "launchd":
        stop = (Call(("launchctl", "bootout", f"{_domain()}/{forms.LABEL}")),) if was_there else ()
        return stop, (Call(("launchctl", "bootstrap", _domain(), _paths(place, way)[0])),)
    return (), ()


def _systemctl(*words: str) -> Call:
    return Call(("systemctl", "--user", *words))


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _active(workspace: Workspace, way: str) -> str:
    """Return whether the system runs what is there: yes, no, or unknown where it does not answer."""
    if way == "cron":
        return "yes"
    if not _answers(workspace, way):
        return "unknown"
    asked = {
        "systemd": ("systemctl", "--user", "is-active", _TIMER),
        "launchd": ("launchctl", "print", f"{_domain()}/{forms.LABEL}"),
    }
    return "yes" if _ended(workspace, asked[way]).returncode == 0 else "no"


def _answers(workspace: Workspace, way: str) -> bool:
    """Whether the system's scheduler can be talked to: in a container or over sudo there may be none."""
    asked = {
        "systemd": ("systemctl", "--user", "show", "--property=Version"),
        "launchd": ("launchctl", "print", _domain()),
    }[way]
    return bool(_which(workspace, asked[0])) and _ended(workspace, asked).returncode == 0


def _run(workspace: Workspace, call: Call) -> Call:
    if not _answers(workspace, "launchd" if call.words[0] == "launchctl" else "systemd"):
        return call
    ended = _ended(workspace, call.words)
    said = ended.stderr.decode("utf-8", "replace").strip()
    return replace(call, ran=ended.returncode == 0, said="" if ended.returncode == 0 else said)


def _crontab(workspace: Workspace) -> bytes | None:
    """Return the person's table, or None where there is none."""
    if not _which(workspace, "crontab"):
        raise StoreUnavailable("there is no program crontab here", "Install cron, or use --with systemd.")
    ended = _ended(workspace, ("crontab", "-l"))
    if ended.returncode == 0:
        return ended.stdout
    if b"no crontab" in ended.stderr.lower():
        return None
    why = ended.stderr.decode("utf-8", "replace").strip()
    raise StoreUnavailable(f"crontab -l failed: {why}", "See what `crontab -l` says.")


def _our_crontab(workspace: Workspace) -> bytes:
    """Return the person's table where a line of it is ours; nothing where none is, or where none may be used."""
    try:
        table = _crontab(workspace) or b""
    except StoreUnavailable:
        return b""
    return table if forms.every_of(table) else b""


def _write_crontab(workspace: Workspace, table: bytes) -> None:
    ended = _ended(workspace, ("crontab", "-"), table) if table else _ended(workspace, ("crontab", "-r"))
    if ended.returncode:
        why = ended.stderr.decode("utf-8", "replace").strip()
        raise StoreUnavailable(f"the crontab was not taken: {why}", "See what `crontab -l` says now.")


def _which(workspace: Workspace, program: str) -> str:
    return shutil.which(program, path=workspace.environment.get("PATH", "")) or ""


def _ended(workspace: Workspace, words: tuple[str, ...], data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command of the system, in plain English, and return how it ended."""
    program = _which(workspace, words[0])
    environment = {**workspace.environment, "LC_ALL": "C"}
    try:
        return subprocess.run(
            [program or words[0], *words[1:]],
            input=data,
            env=environment,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return subprocess.CompletedProcess(words, 127, b"", str(problem).encode())
