"""The end of a session starts one sweep behind the hook: detached, low in priority, bounded, and not too often."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdfast.sessions.archive import Archive

from .conftest import RUNNER

PROC = Path("/proc")
linux = pytest.mark.skipif(not (PROC / "self" / "fd").exists(), reason="only Linux shows a process as files")
SWEEPS = {"HOLDFAST_SWEEP_AT_SESSION_END": "yes"}
BOUND = 600
BEHIND = str(Path(RUNNER).with_name("background.py"))


def running(home: Path) -> list[int]:
    """Return the numbers of the sweeps behind a hook that run for this home."""
    found = []
    for entry in PROC.iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if str(home).encode() in words and any(word.endswith(b"background.py") for word in words):
            found.append(int(entry.name))
    return found


def until(condition, seconds: float = BOUND):
    """Wait until the condition gives something, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.01)
    return condition()


class Watch:
    """Notes every sweep behind a hook of one home, from its beginning on: some may be over when a test asks."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.seen: set[int] = set()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self.over.wait(0.1):
            self.seen.update(running(self.home))

    def started(self) -> int:
        """Return how many were started so far."""
        self.seen.update(running(self.home))
        return len(self.seen)


@pytest.fixture
def watch(home):
    """A watch that runs during the test."""
    one = Watch(home)
    one.thread.start()
    yield one
    one.over.set()
    one.thread.join()


@pytest.fixture(autouse=True)
def no_sweep_left(home):
    """After every test the sweeps that it started come to their end by themselves."""
    yield
    if PROC.exists():
        assert until(lambda: not running(home))


@pytest.fixture
def ends(hook, home):
    """End a session; what the agent gives its hook can be added."""
    home.mkdir(mode=0o700, exist_ok=True)

    def make(session: str = "s1", event: str = "SessionEnd", **environment: str):
        return hook(event, session, reason="other", environment={**SWEEPS, **environment})

    return make


def status_of(process: int) -> dict[str, str]:
    """Return what the system says of a process."""
    lines = (PROC / str(process) / "status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@linux
def test_the_sweep_goes_its_own_way(ends, home):
    """It has a session of its own, nothing on its standard streams, no other descriptor and a low priority."""
    answer = ends()
    assert (answer.code, answer.out, answer.err) == (0, b"", b"")
    (process,) = until(lambda: running(home))
    assert until(lambda: os.getpriority(os.PRIO_PROCESS, process) >= 10)
    assert os.getsid(process) == process
    assert status_of(process)["PPid"] != str(os.getpid())
    open_ones = {entry.name: os.readlink(entry) for entry in (PROC / str(process) / "fd").iterdir()}
    assert open_ones == dict.fromkeys(("0", "1", "2"), os.devnull)
    assert until(lambda: os.readlink(PROC / str(process) / "cwd") == str(home))
    words = (PROC / str(process) / "cmdline").read_bytes().split(b"\0")
    assert words[-4:-1] == [str(home).encode(), b"60", b"claude-code"]


@linux
def test_an_agent_that_waits_for_a_descriptor_is_not_kept(hook, home, watch):
    """What the agent left open for its hook is closed when the hook ends, though the sweep goes on."""
    home.mkdir(mode=0o700)
    read, write = os.pipe()
    ended = subprocess.run(
        hook.command("SessionEnd"),
        input=b"{}",
        pass_fds=(write,),
        env=hook.environment(**SWEEPS),
        capture_output=True,
        check=False,
    )
    os.close(write)
    assert ended.returncode == 0
    assert select.select([read], [], [], 0.5)[0] == [read], "the sweep holds what the agent waits for"
    assert os.read(read, 1) == b"" and watch.started() == 1
    os.close(read)


@linux
def test_the_next_end_starts_none_for_some_minutes(ends, home, watch):
    """Within sweep.least_minutes one start is enough; with 0 minutes each end starts one."""
    # A sweep that finds another at work is over at once, so the note of its start tells of it.
    started = home / "state" / "sweep-started"
    ends("s1")
    first = started.stat().st_mtime_ns
    ends("s2")
    assert watch.started() == 1 and started.stat().st_mtime_ns == first
    ends("s3", HOLDFAST_SWEEP_LEAST_MINUTES="0")
    assert started.stat().st_mtime_ns > first


@linux
def test_of_sessions_that_end_at_once_one_starts_a_sweep(hook, home, watch):
    """Several hooks that run at the same time start one sweep together."""
    home.mkdir(mode=0o700)
    hooks = [
        subprocess.Popen(hook.command("SessionEnd"), stdin=subprocess.PIPE, env=hook.environment(**SWEEPS))
        for _ in range(6)
    ]
    for number, process in enumerate(hooks):
        process.communicate(json.dumps({"session_id": f"s{number}", "cwd": str(hook.folder)}).encode())
    assert [process.returncode for process in hooks] == [0] * 6
    assert len(hook.events("end")) == 6 and watch.started() == 1 and hook.log() == []


@linux
def test_a_start_long_ago_or_in_the_future_does_not_count(ends, home, watch):
    """A stamp that is older than the minutes is none, nor one that a wrong clock left in the future."""
    for seconds in (-180, 3_600):
        ends(f"s{seconds}", HOLDFAST_SWEEP_LEAST_MINUTES="2")
        stamp = home / "state" / "sweep-started"
        os.utime(stamp, (time.time() + seconds,) * 2)
    ends("s9")
    assert watch.started() == 3


@linux
@pytest.mark.parametrize("off", ["HOLDFAST_SWEEP_AT_SESSION_END", "HOLDFAST_ENABLED"])
def test_what_is_switched_off_starts_nothing(ends, home, watch, off):
    """Without memory, or with sweep.at_session_end off, no sweep starts and no stamp is left."""
    ends(**{off: "no"})
    assert watch.started() == 0 and not (home / "state" / "sweep-started").exists()


@linux
@pytest.mark.parametrize(
    ("agent", "event", "host", "starts"),
    [
        ("claude-code", "Stop", {}, False),
        ("kiro", "stop", {}, True),
        ("opencode", "session.idle", {}, True),
        ("opencode", "session.deleted", {}, False),
        ("codex", "SessionEnd", {}, True),
    ],
)
def test_an_agent_that_tells_no_end_is_swept_at_its_pauses(hook, home, watch, agent, event, host, starts):
    """The sweep starts when the agent's sessions settle: at their end, or at a pause where it tells of no end."""
    home.mkdir(mode=0o700)
    hook(event, "s1", agent, environment={**SWEEPS, **host})
    assert watch.started() == starts


@linux
def test_a_sweep_that_cannot_start_is_a_line_in_the_log(hook, home, watch):
    """Where no process can be started the event is recorded, the agent notices nothing, and the log says why."""
    home.mkdir(mode=0o700)
    (home / "state" / "sweep-started").mkdir(parents=True)
    answer = hook("SessionEnd", environment={**SWEEPS, "HOLDFAST_SWEEP_LEAST_MINUTES": "0"})
    assert (answer.code, answer.out, answer.err) == (0, b"", b"")
    assert len(hook.events("end")) == 1 and "sweep-started" in hook.log()[0]
    assert watch.started() == 0


def test_the_end_brings_the_session_into_the_archive(hook, home, machine):
    """Nothing but the hook runs, as an install writes it, and the session is soon in the archive with its digest."""
    home.mkdir(mode=0o700)
    said = {"role": "user", "content": "please look after the parcel"}
    line = {"type": "user", "uuid": "u-1", "sessionId": "s-1", "cwd": str(hook.folder), "message": said}
    folder = machine / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    (folder / "s-1.jsonl").write_text(json.dumps({**line, "timestamp": "2026-03-01T10:00:00.000Z"}) + "\n")
    command = [sys.executable, *hook.command("SessionEnd")[1:]]
    told = json.dumps({"session_id": "s-1", "cwd": str(hook.folder), "reason": "other"}).encode()
    subprocess.run(command, input=told, env=hook.environment(**SWEEPS), cwd=hook.folder, check=True)
    archive = Archive(str(home))
    assert until(lambda: [entry.name for entry in archive.entries() if entry.analysed]) == ["claude-code/s-1"]
    assert [event.text for event in archive.events("claude-code/s-1")] == ["please look after the parcel"]


def test_the_program_behind_runs_the_sweep(home, hook):
    """What the hook starts is the command `sweep` of this very package; an agent that is not known is an error."""
    home.mkdir(mode=0o700)
    command = [sys.executable, "-I", BEHIND, str(home), "60"]
    assert subprocess.run([*command, "claude-code"], capture_output=True, timeout=300, check=True).stdout == b""
    ended = subprocess.run([*command, "nobody"], capture_output=True, timeout=300, check=False)
    assert ended.returncode == 3 and b"there is no agent" in ended.stderr


def test_a_sweep_that_does_not_end_is_ended(home):
    """Long after its time is over the system ends the process, wherever it is."""
    home.mkdir(mode=0o700)
    change = f"import runpy; main = runpy.run_path({BEHIND!r})['main']; main.__globals__.update(PAUSE=30, GRACE=0)"
    ended = subprocess.run(
        [sys.executable, "-I", "-c", f"{change}; main({str(home)!r}, '1', 'claude-code')"], timeout=300, check=False
    )
    assert ended.returncode == -signal.SIGALRM
