"""A schedule: the plan as a diff, what each system is given, and that a removal takes out exactly what is ours."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.app import schedule as forms
from holdfast.errors import BadInput

ODD = ["/opt/my tools/100%/hold$fast", "--home", '/data/it\'s a "home"/x%y\\z', "sweep", "--quiet"]
TABLE = b"MAILTO=me\n# mine, 50 % \xff\n*/5 * * * * true \\% x\r\n\n@daily  backup\n"
CRONTAB = """#!/bin/sh
table="$(dirname "$0")/table"
case "$1" in
-l) [ -f "$table" ] || { echo "no crontab for me" >&2; exit 1; }; cat "$table" ;;
-r) rm "$table" ;;
-) cat > "$table" ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
here="$(dirname "$0")"
echo "$@" >> "$here/asked"
[ "$2" = is-active ] && { [ -f "$here/active" ]; exit; }
case "$*" in *enable\\ --now*) touch "$here/active" ;; *disable*) rm -f "$here/active" ;; esac
[ ! -f "$here/silent" ]
"""


@pytest.fixture
def bin(tmp_path, monkeypatch) -> Path:
    """A folder for programs that comes first on the PATH, behind it only what the small scripts themselves need."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "rm", "dirname", "touch"):
        (folder / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def program(folder: Path, name: str, text: str) -> None:
    """Put a program there."""
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def systemctl(bin) -> Path:
    """A system whose systemd answers; what it was asked stands in the file that is returned."""
    program(bin, "systemctl", SYSTEMCTL)
    return bin / "asked"


@pytest.fixture
def crontab(bin) -> Path:
    """A system with cron; the person's table is the file that is returned."""
    program(bin, "crontab", CRONTAB)
    return bin / "table"


def units(machine: Path) -> list[Path]:
    """Return the paths of the two units."""
    return [machine / ".config" / "systemd" / "user" / f"holdfast-sweep.{kind}" for kind in ("service", "timer")]


def asked(log: Path) -> list[str]:
    """Return what systemctl was told, without the questions."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in lines if "show" not in line and "is-active" not in line]


def test_the_plan_is_a_diff_and_changes_nothing(cli, machine, systemctl, tree) -> None:
    """`--dry-run` shows each file and each command, and nothing is written or told."""
    before = tree(machine)
    ended = cli("schedule", "--dry-run")
    assert ended.code == 0 and tree(machine) == before and asked(systemctl) == []
    assert all(f"+++ {path}" in ended.out for path in units(machine))
    assert "+OnUnitActiveSec=60min" in ended.out and "enable --now holdfast-sweep.timer" in ended.err
    assert cli("schedule").code == 6 and tree(machine) == before


def test_a_timer_is_written_and_started(cli, machine, systemctl) -> None:
    """systemd gets a service of low priority and a timer, and is told; a second time there is nothing to do."""
    ended = cli("schedule", "--every", "2h", "--yes")
    assert ended.code == 0 and "every 2h, by systemd" in ended.out and ended.err == ""
    service, timer = (path.read_text() for path in units(machine))
    for line in ("Type=oneshot", "Nice=15", "IOSchedulingClass=idle", "TimeoutStartSec=3600"):
        assert line in service.splitlines()
    assert f'"--home" "{machine}/.holdfast" "sweep" "--quiet"' in service and "OnUnitActiveSec=120min" in timer
    assert asked(systemctl) == ["--user daemon-reload", "--user enable --now holdfast-sweep.timer"]
    again = cli("schedule", "--every", "2h", "--yes")
    assert again.code == 0 and again.out == "" and "nothing to do" in again.err
    assert [path.stat().st_mode & 0o777 for path in units(machine)] == [0o600, 0o600]


def test_another_time_replaces_the_one_before(cli, machine, systemctl) -> None:
    """With another --every the units change and the timer is started anew."""
    cli("schedule", "--yes")
    assert cli("schedule", "--every", "30m", "--yes").code == 0
    assert "OnUnitActiveSec=30min" in units(machine)[1].read_text()
    assert asked(systemctl)[-1] == "--user restart holdfast-sweep.timer"


def test_a_removal_takes_out_exactly_what_is_ours(cli, machine, systemctl, tree) -> None:
    """After --remove the timer is stopped and both units are gone, and a unit of somebody else is as it was."""
    other = units(machine)[0].with_name("other.service")
    other.parent.mkdir(parents=True)
    other.write_text("[Service]\nExecStart=/bin/true\n")
    before = tree(machine / ".config")
    cli("schedule", "--yes")
    ended = cli("schedule", "--remove", "--yes")
    assert ended.code == 0 and tree(machine / ".config") == before
    assert asked(systemctl)[-2:] == ["--user disable --now holdfast-sweep.timer", "--user daemon-reload"]
    assert "nothing to do" in cli("schedule", "--remove", "--yes").err


def test_without_an_answer_the_person_is_told_what_to_type(cli, machine, bin) -> None:
    """Where systemctl does not answer, the files are written and the commands are named, not run."""
    program(bin, "systemctl", SYSTEMCTL)
    (bin / "silent").touch()
    ended = cli("schedule", "--with", "systemd", "--yes")
    assert ended.code == 0 and all(path.exists() for path in units(machine))
    assert "now run: systemctl --user enable --now holdfast-sweep.timer" in ended.err and asked(bin / "asked") == []
    assert "whether it runs is not known" in cli("schedule", "--status").out
    link = units(machine)[1].parent / "timers.target.wants" / "holdfast-sweep.timer"
    link.parent.mkdir()
    link.symlink_to(units(machine)[1])
    assert cli("schedule", "--remove", "--yes").code == 0
    assert not os.path.lexists(link) and not units(machine)[0].exists()


def test_a_unit_of_our_name_that_is_not_ours_is_refused(cli, machine, systemctl) -> None:
    """A file that somebody else wrote is neither overwritten nor removed."""
    units(machine)[0].parent.mkdir(parents=True)
    units(machine)[0].write_text("[Service]\nExecStart=/bin/true\n")
    ended = cli("schedule", "--yes")
    assert ended.code == 6 and "was not written by" in ended.err and not units(machine)[1].exists()
    assert cli("schedule", "--remove", "--yes").code == 0 and units(machine)[0].exists()


def test_the_config_folder_is_where_the_variable_says(cli, machine, systemctl, monkeypatch) -> None:
    """XDG_CONFIG_HOME moves the units."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(machine / "conf"))
    assert cli("schedule", "--yes").code == 0
    assert (machine / "conf" / "systemd" / "user" / "holdfast-sweep.timer").exists() and not units(machine)[1].exists()


def test_sessions_that_were_moved_are_swept_too(cli, machine, systemctl, monkeypatch) -> None:
    """A variable of the shell that moves an agent's sessions stands in the command, because no scheduler has it."""
    monkeypatch.setenv("CODEX_HOME", str(machine / "else where"))
    assert cli("schedule", "--yes").code == 0
    start = next(line for line in units(machine)[0].read_text().splitlines() if line.startswith("ExecStart="))
    assert start.startswith(f'ExecStart="/usr/bin/env" "CODEX_HOME={machine}/else where" ')


def test_a_crontab_keeps_every_foreign_byte(cli, crontab) -> None:
    """Our line is added at the end of the table and taken out again; the rest stays byte for byte."""
    crontab.write_bytes(TABLE)
    ended = cli("schedule", "--every", "15m", "--yes")
    assert ended.code == 0 and "by cron" in ended.out
    table = crontab.read_bytes()
    assert table.startswith(TABLE) and table.count(b"\n") == TABLE.count(b"\n") + 1
    assert table[len(TABLE) :].startswith(b"*/15 * * * * nice -n 15 ")
    crontab.write_bytes(table + b"@hourly added later\n")
    assert cli("schedule", "--every", "1d", "--yes").code == 0
    assert crontab.read_bytes().count(b"holdfast schedule") == 1 and b"\n17 3 * * * nice" in crontab.read_bytes()
    assert cli("schedule", "--remove", "--yes").code == 0
    assert crontab.read_bytes() == TABLE + b"@hourly added later\n"


def test_a_crontab_that_was_not_there_is_gone_again(cli, crontab) -> None:
    """A person who had no table has none after the removal."""
    assert cli("schedule", "--with", "cron", "--yes").code == 0 and crontab.exists()
    assert "cron     every 1h" in cli("schedule", "--status").out
    assert cli("schedule", "--remove", "--yes").code == 0 and not crontab.exists()


def test_a_crontab_that_cannot_be_read_is_left_alone(cli, bin) -> None:
    """An error of crontab is not taken for an empty table."""
    program(bin, "crontab", "#!/bin/sh\necho 'you are not allowed to use this program' >&2\nexit 1\n")
    ended = cli("schedule", "--with", "cron", "--yes")
    assert ended.code == 5 and "not allowed" in ended.err
    assert cli("schedule", "--with", "systemd", "--yes").code == 0
    assert cli("schedule", "--status").code == cli("schedule", "--remove", "--yes").code == 0


def test_there_is_one_schedule(cli, machine, systemctl, crontab) -> None:
    """Going over to another way takes the one before away."""
    cli("schedule", "--with", "cron", "--yes")
    assert cli("schedule", "--with", "systemd", "--yes").code == 0 and not crontab.exists()
    assert [one["way"] for one in cli("schedule", "--status", "--json").json["scheduled"]] == ["systemd"]
    cli("schedule", "--with", "cron", "--yes")
    assert not units(machine)[0].exists() and crontab.exists()


def test_a_launchd_job_is_a_property_list(cli, machine, bin) -> None:
    """launchd gets the same words with an interval in seconds, and --remove takes the file away."""
    ended = cli("schedule", "--with", "launchd", "--every", "30m", "--yes")
    path = machine / "Library" / "LaunchAgents" / "holdfast.sweep.plist"
    job = plistlib.loads(path.read_bytes())
    assert job["StartInterval"] == 1800 and job["Label"] == "holdfast.sweep" and job["LowPriorityIO"] is True
    assert job["ProgramArguments"][-4:] == ["--home", str(machine / ".holdfast"), "sweep", "--quiet"]
    assert "launchctl bootstrap gui/" in ended.err
    assert cli("schedule", "--remove", "--yes").code == 0 and not path.exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="there it is launchd")
def test_without_a_scheduler_the_way_out_is_named(cli, bin) -> None:
    """Where nothing answers the command says what there is to do, and writes nothing."""
    ended = cli("schedule", "--yes")
    assert ended.code == 2 and "--with systemd" in ended.err


@pytest.mark.parametrize("text", ["", "1", "4m", "31d", "1 hour", "-1h", "1w", "0h", "١h"])
def test_a_time_that_is_none_is_refused(text) -> None:
    """Only 5 minutes to 30 days, in minutes, hours or days."""
    with pytest.raises(BadInput):
        forms.parse_every(text)


@pytest.mark.parametrize(("text", "minutes"), [("5m", 5), ("90m", 90), ("1h", 60), ("24h", 1440), ("30d", 43_200)])
def test_a_time_is_read(text, minutes) -> None:
    """Minutes, hours and days, and what was written is read again."""
    assert forms.parse_every(text) == minutes == forms.parse_every(forms.spelled(minutes))
    assert forms.every_of(forms.systemd_timer(minutes)) == forms.spelled(minutes)


@pytest.mark.parametrize("minutes", [7, 45, 90, 5 * 60, 2 * 1440])
def test_what_a_crontab_cannot_say_is_refused(minutes) -> None:
    """A time that does not divide the hour or the day is refused, and the hint has those that do."""
    with pytest.raises(BadInput, match="crontab cannot say") as caught:
        forms.cron_line(["holdfast"], minutes)
    for text in caught.value.hint.removeprefix("Use ").rstrip(".").replace(" or ", ", ").split(", "):
        assert forms.cron_time(forms.parse_every(text))


def cron_runs(line: bytes, folder: Path) -> list[str]:
    """Return the words that a program gets when a shell runs the command of a line as cron hands it over."""
    command = line.decode().rstrip("\n").split(" ", 5)[5].replace("\\%", "%")
    assert "%" not in line.decode().replace("\\%", "")
    program(folder, "nice", '#!/bin/sh\nshift 2\nprintf "%s\\0" "$@" > "$(dirname "$0")/words"\n')
    subprocess.run(["sh", "-c", command], env={"PATH": f"{folder}:{os.environ['PATH']}"}, check=True)
    return (folder / "words").read_text().rstrip("\0").split("\0")


def test_odd_paths_reach_the_program_through_cron(tmp_path) -> None:
    """Spaces, quotes, dollars and per cent signs come out of cron and the shell as they were."""
    words = [word.replace("\\z", "z") for word in ODD]
    assert cron_runs(forms.cron_line(words, 60), tmp_path) == words


def test_odd_paths_stand_in_a_unit() -> None:
    """What systemd reads back, by its rules for quotes, specifiers and variables, are the same words."""
    told = forms.systemd_command(ODD)
    assert told.startswith(":")
    assert [word.replace("%%", "%") for word in shlex.split(told[1:])] == ODD
    assert not forms.systemd_command(["/bin/holdfast", "sweep"]).startswith(":")


def test_odd_paths_stand_in_a_property_list() -> None:
    """A property list gives back the same words."""
    assert plistlib.loads(forms.launchd_job(ODD, 60))["ProgramArguments"] == ODD


def test_a_line_break_is_refused_everywhere() -> None:
    """No form can hold a control character, so a path with one is refused and never cut."""
    for form in (forms.systemd_service, forms.launchd_job, forms.cron_line):
        with pytest.raises(BadInput):
            form(["/opt/a\nb", "sweep"], 60)
    with pytest.raises(BadInput):
        forms.cron_line(["/opt/a\\%b"], 60)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
@pytest.mark.parametrize("name", ["plain", "with space", "100%", "a$b", 'q"uo\\te', "it's"])
def test_systemd_itself_takes_the_units(tmp_path, name) -> None:
    """systemd-analyze finds no fault, and finds the program under its odd path."""
    tool = tmp_path / name / "holdfast"
    tool.parent.mkdir()
    program(tool.parent, "holdfast", "#!/bin/sh\n")
    paths = [tmp_path / f"holdfast-sweep.{kind}" for kind in ("service", "timer")]
    paths[0].write_bytes(forms.systemd_service([str(tool), "--home", str(tool.parent), "sweep"], 60))
    paths[1].write_bytes(forms.systemd_timer(60))
    command = ["systemd-analyze", "verify", "--user", "--man=no", *map(str, paths)]
    ended = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}, check=False
    )
    faults = [line for line in ended.stderr.splitlines() if "holdfast" in line]
    assert faults == [] and ended.returncode == 0, ended.stderr
