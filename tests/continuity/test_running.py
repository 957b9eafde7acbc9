"""Whether an agent still runs: its process, past the shells between it and the hook."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.continuity import running

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/pid").exists(), reason="this system tells nothing of processes")
TELL = "from holdfast.continuity import running; print(running.agent())"


def test_a_hook_knows_its_agent_past_a_shell():
    """A process that was started by a shell of ours names us, and we are not gone."""
    shell = ["sh", "-c", f'"{sys.executable}" -c "{TELL}"; true']
    named = subprocess.run(shell, capture_output=True, text=True, check=True).stdout.strip()
    assert named.split(" ")[0] == str(os.getpid())
    assert not running.is_gone(named)


def test_a_killed_process_is_gone():
    """What runs is not gone; what was killed is, also before its parent asked how it ended."""
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {TELL!r}]); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        named = agent.stdout.readline().decode().strip()
        assert named.startswith(f"{agent.pid} ") and not running.is_gone(named)
        agent.kill()
        os.waitid(os.P_PID, agent.pid, os.WEXITED | os.WNOWAIT)
        assert running.is_gone(named)
        agent.wait()
        assert running.is_gone(named)


def test_another_process_with_the_number_is_not_the_agent():
    """A number that was given again names another process; the agent is gone."""
    room = os.readlink("/proc/self/ns/pid")
    assert running.is_gone(f"{os.getpid()} 1 {room}")


@pytest.mark.parametrize("named", ["", "1", "x 1 pid:[1]", "999999999 1 pid:[1]"])
def test_what_cannot_be_known_is_not_gone(named):
    """Of a process in another container, and of what names none, nobody can tell."""
    assert not running.is_gone(named)
