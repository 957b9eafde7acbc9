"""Let the system run a sweep every so often: a plan of what is written, what carries it out, and what is there now.

A person has one schedule. Where another way was used before, the plan takes that one away. Each text that is written,
a unit of systemd, a job of launchd or a line of a crontab, has the mark by which it is found again and which says how
often. What a form cannot say is refused.
"""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from holdfast import agents
from holdfast.agents.base import ConfigChange, Place
from holdfast.agents.editing.plan import apply as carry_out
from holdfast.agents.editing.plan import read
from holdfast.agents.launcher import shell_line
from holdfast.app import install
from holdfast.errors import BadInput, Conflict, NotFound, Refused, StoreUnavailable
from holdfast.workspace import Workspace

WAYS = ("systemd", "launchd", "cron")
CRONTAB = "crontab"
UNIT = "holdfast-sweep"
LABEL = "holdfast.sweep"
# No two hyphens in a row: an XML comment cannot hold them.
MARK = "written by holdfast schedule: every "
MIN_MINUTES = 5
MAX_MINUTES = 30 * 24 * 60
NICE = 15
# A sweep of years of history at first; the next ones take seconds.
MAX_SECONDS = 3_600
_HOUR, _DAY, _WEEK = 60, 24 * 60, 7 * 24 * 60
_UNITS = {"m": 1, "h": _HOUR, "d": _DAY}
# Not on the hour, when so many other jobs start.
_MINUTE, _NIGHT = 17, 3
# The longest command that every cron accepts.
_MAX_LINE = 990
_TIMER = f"{UNIT}.timer"
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SystemCall:
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
    """An existing schedule: its kind, its place, how often it runs, and whether the system runs it."""

    way: str
    path: str
    every: str
    active: str


@dataclass(frozen=True, slots=True)
class SchedulePlan:
    """What would be written and removed, which commands run before and after, and where the files are."""

    way: str
    every: str
    changes: tuple[ConfigChange, ...]
    first: tuple[SystemCall, ...]
    then: tuple[SystemCall, ...]
    place: Place


def plan(workspace: Workspace, *, way: str = "", every: str = "1h") -> SchedulePlan:
    """Return what is missing for a sweep every so often. A file of our name that is not ours is refused."""
    way = way or usual_way(workspace)
    minutes = parse_every(every)
    place = workspace.place("user")
    wanted = _wanted(workspace, place, way, minutes)
    changes = [_change(path, data, place) for path, data in wanted.items()]
    if way == "cron":
        table = _crontab(workspace)
        changes.append(ConfigChange(CRONTAB, table, cron_table(table or b"", cron_line(_words(workspace), minutes))))
    changes = [change for change in changes if change.before != change.after]
    first, then = _told_after(workspace, way, place, changes)
    own = SchedulePlan(way, spelled(minutes), tuple(changes), first, then, place)
    return _together(own, *(_removal(workspace, place, other) for other in WAYS if other != way))


def plan_removal(workspace: Workspace) -> SchedulePlan:
    """Return what takes every schedule of ours away, and nothing else."""
    place = workspace.place("user")
    return _together(SchedulePlan("", "", (), (), (), place), *(_removal(workspace, place, way) for way in WAYS))


def _together(own: SchedulePlan, *others: SchedulePlan) -> SchedulePlan:
    plans = own, *others
    return replace(
        own,
        changes=tuple(change for one in plans for change in one.changes),
        first=tuple(call for one in plans for call in one.first),
        then=tuple(call for one in plans for call in one.then),
    )


def apply(workspace: Workspace, planned: SchedulePlan) -> tuple[SystemCall, ...]:
    """Carry the plan out and return each command with whether it ran; what did not run is for the person to type."""
    first = [_run(workspace, call) for call in planned.first]
    table = next((change for change in planned.changes if change.path == CRONTAB), None)
    if table is not None and _crontab(workspace) != table.before:
        raise Conflict("the crontab was changed meanwhile", "Look at the plan again. Nothing was changed.")
    carry_out([change for change in planned.changes if change.path != CRONTAB], planned.place)
    # The link that enabled a timer which is gone; where systemctl works, it removes the link itself.
    link = os.path.join(os.path.dirname(_paths(planned.place, "systemd")[0]), "timers.target.wants", _TIMER)
    if os.path.islink(link) and not os.path.exists(link):
        os.unlink(link)
    if table is not None:
        ended = _ended(workspace, ("crontab", "-" if table.after else "-r"), table.after or b"")
        if ended.returncode:
            why = ended.stderr.decode("utf-8", "replace").strip()
            raise StoreUnavailable(f"the crontab was not taken: {why}", "See what `crontab -l` says now.")
    return (*first, *(_run(workspace, call) for call in planned.then))


def status(workspace: Workspace) -> list[Scheduled]:
    """Return the schedules that are there."""
    place = workspace.place("user")
    found = []
    for way in ("systemd", "launchd"):
        path = _paths(place, way)[-1]
        every = every_of(read(path, place) or b"")
        if every:
            found.append(Scheduled(way, path, every, _active(workspace, way)))
    if every := every_of(_our_crontab(workspace)):
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
    raise BadInput("neither systemd nor cron is available here", hint)


def _wanted(workspace: Workspace, place: Place, way: str, minutes: int) -> dict[str, bytes]:
    words = _words(workspace)
    paths = _paths(place, way)
    if way == "systemd":
        return dict(zip(paths, (systemd_service(words, minutes), systemd_timer(minutes)), strict=True))
    if way == "launchd":
        return {paths[0]: launchd_job(words, minutes)}
    return {}


def _words(workspace: Workspace) -> list[str]:
    """Return the command; it names the home and the places of sessions: a scheduler knows no variable of a shell."""
    moved: set[str] = set()
    for agent in agents.names():
        # An adapter of another package that cannot be loaded moves nothing; doctor says so.
        with suppress(NotFound):
            moved.update(agents.get(agent).moved_by)
    told = [f"{name}={workspace.environment[name]}" for name in sorted(moved) if workspace.environment.get(name)]
    return [
        *(["/usr/bin/env", *told] if told else []),
        *(*install.command_of(workspace).program, "--home", workspace.home, "sweep", "--quiet"),
    ]


def _paths(place: Place, way: str) -> list[str]:
    if way == "systemd":
        config = place.environment.get("XDG_CONFIG_HOME") or os.path.join(place.home, ".config")
        return [os.path.join(config, "systemd", "user", f"{UNIT}.{kind}") for kind in ("service", "timer")]
    if way == "launchd":
        return [os.path.join(place.home, "Library", "LaunchAgents", f"{LABEL}.plist")]
    return []


def _change(path: str, after: bytes | None, place: Place) -> ConfigChange:
    before = read(path, place)
    if before is not None and not every_of(before):
        raise Refused(f"{path} was not written by `holdfast schedule`", "Move it away. Nothing was changed.")
    return ConfigChange(path, before, after)


def _removal(workspace: Workspace, place: Place, way: str) -> SchedulePlan:
    """Return what takes away what is ours of one way; files of others with our name are left alone."""
    paths = [path for path in _paths(place, way) if every_of(read(path, place) or b"")]
    changes = [_change(path, None, place) for path in paths]
    if way == "cron" and (table := _our_crontab(workspace)):
        changes.append(ConfigChange(CRONTAB, table, cron_table(table, b"") or None))
    first, then = _stopping(way, paths)
    return SchedulePlan(way, "", tuple(changes), first, then, place)


def _stopping(way: str, paths: list[str]) -> tuple[tuple[SystemCall, ...], tuple[SystemCall, ...]]:
    if paths and way == "systemd":
        return (_systemctl("disable", "--now", _TIMER),), (_systemctl("daemon-reload"),)
    if paths and way == "launchd":
        return (SystemCall(("launchctl", "bootout", f"{_domain()}/{LABEL}")),), ()
    return (), ()


def _told_after(
    workspace: Workspace, way: str, place: Place, changes: list[ConfigChange]
) -> tuple[tuple[SystemCall, ...], tuple[SystemCall, ...]]:
    """Return the commands for before and after the change of the files, so that the system runs what they say."""
    was_there = any(change.before is not None for change in changes)
    if not changes and _active(workspace, way) != "no":
        return (), ()
    if way == "systemd":
        start = _systemctl("restart", _TIMER) if was_there else _systemctl("enable", "--now", _TIMER)
        return (), (_systemctl("daemon-reload"), start)
    if way == "launchd":
        stop = (SystemCall(("launchctl", "bootout", f"{_domain()}/{LABEL}")),) if was_there else ()
        return stop, (SystemCall(("launchctl", "bootstrap", _domain(), _paths(place, way)[0])),)
    return (), ()


def _systemctl(*words: str) -> SystemCall:
    return SystemCall(("systemctl", "--user", *words))


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
        "launchd": ("launchctl", "print", f"{_domain()}/{LABEL}"),
    }
    return "yes" if _ended(workspace, asked[way]).returncode == 0 else "no"


def _answers(workspace: Workspace, way: str) -> bool:
    """Whether the system's scheduler can be talked to: in a container or over sudo there may be none."""
    asked = {
        "systemd": ("systemctl", "--user", "show", "--property=Version"),
        "launchd": ("launchctl", "print", _domain()),
    }[way]
    return bool(_which(workspace, asked[0])) and _ended(workspace, asked).returncode == 0


def _run(workspace: Workspace, call: SystemCall) -> SystemCall:
    if not _answers(workspace, "launchd" if call.words[0] == "launchctl" else "systemd"):
        return call
    ended = _ended(workspace, call.words)
    said = ended.stderr.decode("utf-8", "replace").strip()
    return replace(call, ran=ended.returncode == 0, said="" if ended.returncode == 0 else said)


def _crontab(workspace: Workspace) -> bytes | None:
    """Return the person's crontab, or None where there is none."""
    if not _which(workspace, "crontab"):
        raise StoreUnavailable("crontab is not installed", "Install cron, or use --with systemd.")
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
    return table if every_of(table) else b""


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


def parse_every(text: str) -> int:
    """Return the minutes that a text such as 30m, 1h or 2d stands for."""
    found = re.fullmatch(r"([0-9]{1,6}) ?([mhd])", text.strip().lower(), re.ASCII)
    minutes = int(found[1]) * _UNITS[found[2]] if found else 0
    if not MIN_MINUTES <= minutes <= MAX_MINUTES:
        raise BadInput(f"{text!a} is not an interval between sweeps", "Use 5m to 59m, 1h to 720h, or 1d to 30d.")
    return minutes


def spelled(minutes: int) -> str:
    """Return minutes as people type them."""
    unit, size = next((unit, size) for unit, size in (("d", _DAY), ("h", _HOUR), ("m", 1)) if minutes % size == 0)
    return f"{minutes // size}{unit}"


def every_of(data: bytes) -> str:
    """Return how often a text of ours says, or nothing where it is not ours."""
    found = re.search(re.escape(MARK).encode() + rb"([0-9]+[mhd])", data)
    return found[1].decode() if found else ""


def systemd_service(words: Sequence[str], minutes: int) -> bytes:
    """Return the unit that sweeps once, standing back for everything else."""
    return f"""# {MARK}{spelled(minutes)}
[Unit]
Description=Holdfast reads the sessions of your coding agents

[Service]
Type=oneshot
ExecStart={systemd_command(words)}
Nice={NICE}
IOSchedulingClass=idle
TimeoutStartSec={MAX_SECONDS}
""".encode()


def systemd_timer(minutes: int) -> bytes:
    """Return the unit that starts the other one, some minutes after a login and then every so often."""
    return f"""# {MARK}{spelled(minutes)}
[Unit]
Description=Holdfast reads the sessions of your coding agents every {spelled(minutes)}

[Timer]
OnStartupSec={MIN_MINUTES}min
OnUnitActiveSec={minutes}min

[Install]
WantedBy=timers.target
""".encode()


def systemd_command(words: Sequence[str]) -> str:
    """Return the words as the value of ExecStart, which reads them back as exactly these."""
    _refuse_control(words)
    if any(sign in words[0] for sign in "\"'\\"):
        # systemd rejects a program whose path has one of these, but takes them in arguments.
        words = ["/bin/sh", "-c", 'exec "$0" "$@"', *words]
    quoted = ['"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"' for word in words]
    # The colon switches off variables, also in the program's path, where a doubled `$` would stay double.
    return (":" if any("$" in word for word in words) else "") + " ".join(quoted)


def launchd_job(words: Sequence[str], minutes: int) -> bytes:
    """Return the job as a property list."""
    _refuse_control(words)
    job = {
        "Label": LABEL,
        "ProgramArguments": list(words),
        "StartInterval": minutes * 60,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": NICE,
    }
    mark = f"<!-- {MARK}{spelled(minutes)} -->".encode()
    return plistlib.dumps(job).replace(b'<plist version="1.0">', mark + b'\n<plist version="1.0">', 1)


def cron_line(words: Sequence[str], minutes: int) -> bytes:
    """Return the line of a crontab, which hands the words to a shell."""
    _refuse_control(words)
    command = shell_line(["nice", "-n", str(NICE), *words])
    if "\\%" in command:
        raise BadInput(
            "a path with a backslash before a per cent sign cannot stand in a crontab", "Use --with systemd."
        )
    line = f"{cron_time(minutes)} {command} >/dev/null 2>&1 # {MARK}{spelled(minutes)}".replace("%", "\\%")
    if len(line.encode()) > _MAX_LINE:
        raise BadInput("the command is too long for a crontab", "Use --with systemd, or a home with a shorter path.")
    return line.encode() + b"\n"


def cron_time(minutes: int) -> str:
    """Return when a crontab runs it; it knows only parts of an hour, of a day, or of a week."""
    if minutes < _HOUR and _HOUR % minutes == 0:
        return f"*/{minutes} * * * *"
    if minutes == _HOUR:
        return f"{_MINUTE} * * * *"
    if minutes < _DAY and minutes % _HOUR == 0 and _DAY % minutes == 0:
        return f"{_MINUTE} */{minutes // _HOUR} * * *"
    if minutes == _DAY:
        return f"{_MINUTE} {_NIGHT} * * *"
    if minutes == _WEEK:
        return f"{_MINUTE} {_NIGHT} * * 0"
    hint = "Use 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h, 1d or 7d."
    raise BadInput(f"a crontab cannot say every {spelled(minutes)}", hint)


def cron_table(table: bytes, line: bytes) -> bytes:
    """Return the table with our line in the place of the one before, or at its end; without a line ours goes."""
    rows = table.splitlines(keepends=True)
    ours = [number for number, row in enumerate(rows) if MARK.encode() in row]
    if not ours:
        return table + (b"\n" if table and line and not table.endswith(b"\n") else b"") + line
    kept = [line if number == ours[0] else row for number, row in enumerate(rows) if number not in ours[1:]]
    return b"".join(kept)


def _refuse_control(words: Sequence[str]) -> None:
    for word in words:
        if not word.isprintable():
            raise BadInput(f"{word!a} has a character that no schedule can hold", "Use a home with a plain path.")
