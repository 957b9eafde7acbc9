"""The texts that make a system run a sweep every so often: units of systemd, a job of launchd, a line of a crontab.

Each has the mark, by which it is found again and which says how often. What a form cannot say is refused.
"""

from __future__ import annotations

import plistlib
import re
from typing import TYPE_CHECKING

from holdfast.agents.base import shell_line
from holdfast.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = "holdfast-sweep"
LABEL = "holdfast.sweep"
# Without two hyphens in a row, which a comment of XML cannot have.
MARK = "written by holdfast schedule: every "
MIN_MINUTES = 5
MAX_MINUTES = 30 * 24 * 60
NICE = 15
# A sweep of years of history at first; the next ones take seconds.
MAX_SECONDS = 3_600
_HOUR, _DAY, _WEEK = 60, 24 * 60, 7 * 24 * 60
_UNITS = {"m": 1, "h": _HOUR, "d": _DAY}
# Away from the full hour, when so many other things start.
_MINUTE, _NIGHT = 17, 3
# What a crontab takes as one command, in the strictest of the programs that read one.
_MAX_LINE = 990


def parse_every(text: str) -> int:
    """Return the minutes that a text such as 30m, 1h or 2d stands for."""
    found = re.fullmatch(r"([0-9]{1,6}) ?([mhd])", text.strip().lower(), re.ASCII)
    minutes = int(found[1]) * _UNITS[found[2]] if found else 0
    if not MIN_MINUTES <= minutes <= MAX_MINUTES:
        raise BadInput(f"{text!a} is no time between two sweeps", "Use 5m to 59m, 1h to 720h, or 1d to 30d.")
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
        # systemd takes no program whose path has one of these, but any argument.
        words = ["/bin/sh", "-c", 'exec "$0" "$@"', *words]
    quoted = ['"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"' for word in words]
    # With the colon no variable is put in, neither in the program's path, where a doubled sign would stay two.
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
