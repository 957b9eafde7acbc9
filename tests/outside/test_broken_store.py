"""The store is missing, locked or broken: the agent still answers, about as fast as without Holdfast."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outside.agents import Person
from outside.loopback import Say

ANSWER = "seventeen plus four is twenty-one"
# The time from the start of the agent to its first request may grow by half of it and this many seconds: some agents
# wait a moment for the MCP server, which is a second of Python. A hook that waited for its own timeout would take five.
GRACE_SECONDS = 3
TRIES = 3


@contextmanager
def _missing(home: Path) -> Iterator[None]:
    shutil.rmtree(home)
    yield


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    connection = sqlite3.connect(home / "index.db", isolation_level=None)
    # In WAL mode readers pass an exclusive transaction; in this mode nobody does.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.close()


@contextmanager
def _broken(home: Path) -> Iterator[None]:
    for path in home.glob("index.db*"):
        path.write_bytes(b"this is no database\n" * 400)
    (home / "config.toml").write_text("not = [ toml")
    shutil.rmtree(home / "state", ignore_errors=True)
    (home / "state").write_text("a file where a folder should be")
    yield


TROUBLES = {"missing": _missing, "locked": _locked, "broken": _broken}


def _answered(person: Person, agent: str) -> float:
    """Let the agent answer a question and return how long it took to ask the model."""
    ran = person.run(agent, "what is seventeen plus four?", [Say(ANSWER)])
    assert (ran.code, ran.left_behind) == (0, [])
    assert ANSWER in ran.out
    return ran.until_asked


@pytest.mark.parametrize("trouble", TROUBLES)
def test_the_agent_answers_as_fast_as_without_us(person: Person, agent: str, trouble: str, holdfast) -> None:
    """With a store that cannot be used the agent ends well, prints the model's answer and asks it without delay."""
    most = _answered(person, agent) * 1.5 + GRACE_SECONDS
    holdfast("remember", "--scope", "global", "The person likes British English.")
    holdfast("install", agent, "--yes")
    with TROUBLES[trouble](person.home / ".holdfast"):
        # Other programs on this machine may make one try slow.
        tries = (_answered(person, agent) for _ in range(TRIES))
        assert any(seconds <= most for seconds in tries), f"never within {most:.1f} seconds"
