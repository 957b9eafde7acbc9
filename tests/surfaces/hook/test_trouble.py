"""Whatever happens to the home, the agent goes on: exit 0, silence, one line in the log, no process left behind."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys

import pytest

from holdfast import agents
from holdfast.app.hook import hook as run_hook
from holdfast.errors import StoreUnavailable

ROOT = os.geteuid() == 0


def calm(answer) -> bool:
    """Whether the agent noticed nothing."""
    return (answer.code, answer.out, answer.err) == (0, b"", b"")


def test_without_a_home_nothing_is_made(hook, home):
    """Where memory was never set up the hook says nothing and leaves no trace."""
    assert calm(hook.start()) and calm(hook.prompt("how do we deploy?"))
    assert not home.exists()


def test_without_an_index_events_are_still_recorded(hook, remember, home):
    """An index that is missing costs the answer, not the record."""
    remember("Deploys need the VPN.")
    for path in home.glob("index.db*"):
        path.unlink()
    assert calm(hook.start()) and calm(hook.prompt("how do we deploy?"))
    assert [event["kind"] for event in hook.events()] == ["start", "prompt"]
    assert len(hook.log()) == 2 and "reindex" not in hook.log()[0]
    assert not (home / "index.db").exists()


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 500])
def test_a_broken_index_is_left_to_others(hook, remember, home, damage):
    """An index that cannot be read costs the answer, and the hook does not try to repair it."""
    remember("Deploys need the VPN.")
    for path in home.glob("index.db-*"):
        path.unlink()
    (home / "index.db").write_bytes(damage)
    assert calm(hook.start())
    assert (home / "index.db").read_bytes() == damage
    assert len(hook.events("start")) == 1 and len(hook.log()) == 1


def test_a_locked_index_does_not_keep_the_agent_waiting(hook, remember, home):
    """While another process holds the index for itself the hook does not wait for it: it records the event and ends."""
    remember("Deploys need the VPN.")
    other = sqlite3.connect(home / "index.db", isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    try:
        assert calm(hook.prompt("how do I deploy through the VPN?"))
    finally:
        other.close()
    assert len(hook.events("prompt")) == 1 and "locked" in hook.log()[0]


def test_a_writer_does_not_disturb_a_reader(hook, remember, home):
    """While another process writes to the index, prompts are answered from what was there before."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook("Stop")
    other = sqlite3.connect(home / "index.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert "Ask Kim" in hook.prompt("how do I deploy through the VPN?").text
    finally:
        other.close()


def test_a_bad_setting_is_logged(hook, remember, home):
    """A config.toml that cannot be used ends in the log, not in the agent's window."""
    remember("Deploys need the VPN.")
    (home / "config.toml").write_text("recall.limit = [[[")
    assert calm(hook.start())
    assert "BadSetting" in hook.log()[0]


def test_an_unknown_setting_costs_a_line_in_the_log(hook, remember, home):
    """The memory is handed over as ever; the log says so once, and once more when the lines change."""
    remember("Deploys need the VPN.")
    (home / "config.toml").write_text("[recall]\nlimt = 3\n")
    assert b"VPN" in hook.start().out and hook.prompt("hello").code == 0
    assert len(hook.log()) == 1 and "there is no setting 'recall.limt'" in hook.log()[0]
    (home / "config.toml").write_text("[recall]\nlimet = 3\n")
    hook.prompt("hello again")
    assert len(hook.log()) == 2 and "recall.limet" in hook.log()[1]


def test_a_hook_whose_time_is_over_records_and_gets_out(hook, remember, workspace, monkeypatch):
    """When the time of hook.budget_ms is used up the event is in the journal, and nothing is answered."""
    remember("Deploys need the VPN.")
    adapter = agents.get("claude-code")
    call = adapter.read_hook_input("SessionStart", {"session_id": "s1", "cwd": str(hook.folder)}, {})
    monkeypatch.setenv("HOLDFAST_HOOK_BUDGET_MS", "50")
    clock = iter([0.0, *[9.0] * 1_000])
    monkeypatch.setattr("holdfast.parts.time.monotonic", lambda: next(clock))
    with pytest.raises(StoreUnavailable):
        run_hook(str(hook.home), adapter, call, os.environ)
    assert len(hook.events("start")) == 1 and hook.events("receipt") == []


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_silent(hook, remember, home):
    """In a home without permission to write the hook ends with 0 and prints nothing."""
    remember("Deploys need the VPN.")
    modes = {path: path.stat().st_mode for path in [home, *home.rglob("*")]}
    for path in modes:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert calm(hook.start()) and calm(hook.prompt("how do we deploy?"))
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.fixture
def disk(home):
    """A small disk of its own in the place of the home; only root can mount one."""
    home.mkdir(mode=0o700)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(home)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("mounting needs root")
    yield home
    subprocess.run(["umount", "-l", str(home)], check=True)


def test_a_full_disk_costs_the_record_and_not_the_session(disk, hook, remember):
    """On a full disk the hook ends with 0 and prints nothing; what was recorded before stays whole."""
    remember("Deploys need the VPN.")
    hook("Stop")
    with open(disk / "ballast", "wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    for _ in range(20):
        assert calm(hook("Stop", last_assistant_message="word " * 700))
    (disk / "ballast").unlink()
    hook("Stop")
    written = b"".join(path.read_bytes() for path in (disk / "journal").iterdir())
    whole = [line for line in written.splitlines() if line.endswith(b"}")]
    assert len([json.loads(line) for line in whole]) >= 2
    assert written.endswith(b"}\n")


def test_a_read_only_disk_keeps_no_memory_from_the_agent(disk, hook, remember):
    """On a disk that is mounted read-only the hook gives what it has, and says that nothing is kept."""
    remember("Deploys need the VPN.")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    started = hook.start()
    assert started.code == 0 and "VPN" in started.text and "cannot write" in started.text
    assert hook.prompt("how do we deploy?").code == 0
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def test_a_hook_that_is_killed_leaves_the_journal_whole(hook, remember):
    """Hooks killed at any moment leave only whole lines behind, and the next hook works."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook.start()
    (journal,) = hook.home.glob("journal/*.jsonl")
    written = hook.killed("deploy through the VPN, number ", "killed", journal, kills=25)
    assert len(written[-1]) > len(written[0])
    assert "Ask Kim" in hook.prompt("how do I deploy through the VPN?", session="after").text
    hook.events()


def crowd(hook, count: int, told: dict[str, object], event: str = "SessionStart") -> list[bytes]:
    """Run several hooks of one event at once and return their outputs."""
    data = json.dumps({"cwd": str(hook.folder), **told}).encode()
    running = [
        subprocess.Popen(
            hook.command(event), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hook.environment(), cwd=hook.folder
        )
        for _ in range(count)
    ]
    for process in running:
        process.stdin.write(data)
        process.stdin.close()
    outputs = []
    for process in running:
        outputs.append(process.stdout.read())
        process.stdout.close()
        assert process.wait() == 0
    return outputs


def test_two_hooks_of_one_event_record_and_inject_once(hook, remember):
    """An event that reaches several hooks at the same time is recorded once and injected once."""
    remember("Deploys need the VPN.")
    outputs = crowd(hook, 6, {"session_id": "s1", "source": "startup", "transcript_path": "/nowhere/s1.jsonl"})
    assert sum(b"VPN" in out for out in outputs) == 1
    assert len(hook.events("start")) == len(hook.events("receipt")) == 1


def test_two_prompts_at_once_show_a_memory_once(hook, remember):
    """Two events of one session that run at the same time do not both hand over the same memory."""
    remember("Deploys need the VPN. Ask Kim for access.")
    data = [{"session_id": "s1", "prompt": "how do I deploy through the VPN?", "prompt_id": str(n)} for n in range(4)]
    running = [
        subprocess.Popen(
            hook.command("UserPromptSubmit"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=hook.environment(),
            cwd=hook.folder,
        )
        for _ in data
    ]
    outputs = [
        process.communicate(json.dumps({"cwd": str(hook.folder), **told}).encode())[0]
        for process, told in zip(running, data, strict=True)
    ]
    assert sum(b"Ask Kim" in out for out in outputs) == 1
    assert len(hook.events("prompt")) == 4


def test_a_hook_starts_no_process(hook, remember, tmp_path):
    """A hook forks nothing and runs nothing, but for the sweep at the end: the record of the process says so."""
    remember("Deploys need the VPN. Ask Kim for access.")
    script = tmp_path / "watch.py"
    script.write_text(
        "import os, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda name, details: started.append(name) if name.startswith(('os.fork', 'os.exec', "
        "'os.posix_spawn', 'os.system', 'subprocess')) else None)\n"
        f"sys.argv[0] = __file__ = {hook.command('x')[4]!r}\n"
        "leave = os._exit\n"
        "os._exit = lambda code: (print('STARTED', started, file=sys.stderr, flush=True), leave(code))\n"
        "exec(compile(open(__file__).read(), __file__, 'exec'))\n"
    )
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop"):
        told = {"session_id": "s1", "cwd": str(hook.folder), "prompt": "deploy through the VPN"}
        ended = subprocess.run(
            [sys.executable, str(script), event, "--agent", "claude-code", "--home", str(hook.home)],
            input=json.dumps(told).encode(),
            capture_output=True,
            env=hook.environment(HOLDFAST_SWEEP_AT_SESSION_END="yes"),
            check=True,
        )
        assert b"STARTED []" in ended.stderr, ended.stderr
