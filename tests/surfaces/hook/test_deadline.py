"""A hook has one deadline: whoever holds what it needs, it waits no longer than that, and says what it has by then."""

from __future__ import annotations

import fcntl
import itertools
import os
import sqlite3
import time

import pytest

from holdfast import agents
from holdfast.app.hook import hook as run_hook
from holdfast.errors import HoldfastError

BUDGET_SECONDS = 1.0
MOMENTS = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Remember: the till is in the cellar. 2/10, you broke the tests again!"},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_response": "gone"},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "make: *** no rule"},
    "PreCompact": {},
    "Stop": {"last_assistant_message": "Done. Next: renew the certificate."},
    "SubagentStop": {"agent_id": "a1", "last_assistant_message": "It is in the cellar."},
    "SessionEnd": {},
}


class Clock:
    """A clock that goes on only while somebody waits."""

    def __init__(self) -> None:
        self.slept = 0.0

    def monotonic(self) -> float:
        return 1_000.0 + self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """Take the place of the clock that waiting is measured by."""
    made = Clock()
    monkeypatch.setattr(time, "monotonic", made.monotonic)
    monkeypatch.setattr(time, "sleep", made.sleep)
    return made


@pytest.fixture
def call(hook, monkeypatch):
    """Run a hook in this process, and return what it prints."""
    number = itertools.count()
    monkeypatch.setenv("HOLDFAST_SWEEP_AT_SESSION_END", "no")

    def play(event: str, session: str = "s1", **told: object) -> str:
        about = {"session_id": session, "cwd": str(hook.folder), "prompt_id": f"q{next(number)}"}
        adapter = agents.get("claude-code")
        read = adapter.read_hook_input(event, {**about, **MOMENTS[event], **told}, {})
        try:
            return run_hook(str(hook.home), adapter, read, os.environ)
        except (HoldfastError, sqlite3.Error):
            # What the process would log.
            return ""

    return play


@pytest.fixture
def held(home):
    """Hold every lock that was ever taken in the home, as another process would that is stuck."""
    taken: list[int] = []

    def hold() -> None:
        for path in (*home.glob("state/locks/*"), *home.glob("state/shown/*"), home / "projects.tsv"):
            taken.append(os.open(path, os.O_RDWR))
            fcntl.flock(taken[-1], fcntl.LOCK_EX)

    yield hold
    for descriptor in taken:
        os.close(descriptor)


def held_index(home, how: str) -> sqlite3.Connection:
    """Return a connection that holds the index, for writing or all to itself."""
    other = sqlite3.connect(home / "index.db", isolation_level=None)
    if how == "EXCLUSIVE":
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute(f"BEGIN {how}")
    return other


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
def test_what_is_to_be_remembered_is_durable_while_another_holds_the_index(hook, remember, call, clock, home, how):
    """The memory is a file before the agent goes on, the wait is bounded, and the index has it when it is free."""
    remember("Deploys need the VPN.")
    other = held_index(home, how)
    try:
        call("UserPromptSubmit", prompt="Remember: the till is in the cellar.")
    finally:
        other.close()
    assert clock.slept <= BUDGET_SECONDS / 2
    (path,) = home.glob("memory/projects/*/memories/*till*.md")
    assert "the till is in the cellar" in path.read_text().lower()
    assert "cellar" in call("SessionStart", session="s2")


def test_who_holds_a_key_costs_no_memory(hook, remember, call, clock, home):
    """What is to be remembered gets another key where a stuck process holds the one that it would have."""
    remember("The till is in the cellar, they say.")
    (lock,) = home.glob("state/locks/key-*")
    with lock.open("r+") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        call("UserPromptSubmit", prompt="Remember: the till is in the cellar now.")
    bodies = [path.read_text() for path in home.glob("memory/projects/*/memories/*.md")]
    assert sum("The till is in the cellar now." in body for body in bodies) == 1 and len(bodies) == 2


def test_every_lock_that_is_held_costs_a_bounded_wait_in_all(hook, remember, call, clock, held, home):
    """With every lock of the home held, each moment of a session is recorded and waits less than half its time."""
    remember("Deploys need the VPN.")
    for event in MOMENTS:
        call(event, "before")
    held()
    other = held_index(home, "IMMEDIATE")
    recorded = len(hook.events())
    try:
        for event in MOMENTS:
            clock.slept = 0.0
            call(event, "before")
            assert clock.slept <= BUDGET_SECONDS / 2, event
    finally:
        other.close()
    assert len([one for one in hook.events()[recorded:] if one["kind"] != "receipt"]) == len(MOMENTS)


def test_a_hook_whose_parts_took_their_time_says_what_it_has(hook, remember, call, clock, monkeypatch):
    """Where the parts took all of their time, a start still tells the memories."""
    remember("Deploys need the VPN.")
    monkeypatch.setattr("holdfast.app.hook.effects_of", lambda run: clock.sleep(BUDGET_SECONDS + 0.5) or [])
    assert "VPN" in call("SessionStart")


def test_what_was_found_when_the_time_is_over_is_told(hook, remember, call, clock, monkeypatch):
    """A prompt whose time is over while meaning is asked for gets what its words have found."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook("Stop")
    from holdfast.recall.embed import Model

    encode = Model.encode
    monkeypatch.setattr("holdfast.store.read_only_index._STEPS", 1)
    monkeypatch.setattr(Model, "encode", lambda *args, **named: clock.sleep(9) or encode(*args, **named))
    assert "Ask Kim" in call("UserPromptSubmit", prompt="how do I deploy through the VPN?")
