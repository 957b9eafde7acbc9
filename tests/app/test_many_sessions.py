"""What hooks read and keep is bounded, whatever the home has seen."""

from __future__ import annotations

import os
import sys
import time

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.records import HookCall

AGENT = "claude-code"
DAYS = 86_400


def play(home, folder, number, moment, **told):
    """Run one hook of the session of that number."""
    environment = {"HOLDFAST_SWEEP_AT_SESSION_END": "no", "HOLDFAST_HOOK_BUDGET_MS": "60000", "CLAUDECODE": "1"}
    call = HookCall(AGENT, moment, moment, session=f"session-{number:04d}", folder=str(folder), **told)
    return hook(str(home), agents.get(AGENT), call, environment)


def play_sessions(home, folder, numbers):
    for number in numbers:
        play(home, folder, number, "start", source="startup")
        play(home, folder, number, "prompt", prompt=f"We decided to use queue {number} for the checkout worker.")
        play(home, folder, number, "stop")
        play(home, folder, number, "end")


def calls_of_start(home, folder, number):
    """Return how many functions of Python a start calls, when what it loads is loaded."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        play(home, folder, number, "start", source="startup")
    finally:
        sys.setprofile(None)
    return counted


def test_a_start_does_not_grow_with_the_sessions_of_a_day(home, tmp_path):
    """After three times as many sessions on one day, a start does hardly more than before."""
    play_sessions(home, tmp_path, range(20))
    before = calls_of_start(home, tmp_path, 1000)
    play_sessions(home, tmp_path, range(20, 60))
    assert calls_of_start(home, tmp_path, 1001) < 1.6 * before


def test_what_sessions_leave_in_state_has_an_end(home, tmp_path):
    """Two months later a start removes what hooks kept of sessions, so that the folder does not grow for ever."""
    play_sessions(home, tmp_path, range(30))
    state = os.path.join(home, "state")
    every = [os.path.join(parent, name) for parent, _, names in os.walk(state) for name in names]
    assert len(every) > 100
    long_ago = time.time() - 60 * DAYS
    for path in every:
        os.utime(path, (long_ago, long_ago))
    play(home, tmp_path, 1000, "start", source="startup")
    play(home, tmp_path, 1000, "end")
    left = [path for path in every if os.path.exists(path) and f"{os.sep}locks{os.sep}" not in path]
    assert len(left) < 10, left
