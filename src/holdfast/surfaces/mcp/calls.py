"""Calls: each runs in a thread of its own with a workspace of its own, and none can hold up the server.

A call that takes too long is given up: its sender gets an error, the thread may end when it likes.
"""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import BadId, HoldfastError, NotFound, ScopeUnknown, StoreBusy

T = TypeVar("T")
_AT_ONCE = 4
# What errors advise is written for the command line; these say the same for an agent.
_HINTS: dict[type[HoldfastError], str] = {
    NotFound: "memory_recall finds text and, with titles, the keys, project_notes lists its ids.",
    ScopeUnknown: "What holds for today's work stands in working_state; what lasts has the scope project; only what"
    " holds everywhere is global. The person can name a scope: HOLDFAST_PROJECT, HOLDFAST_SESSION, HOLDFAST_PROFILE.",
    BadId: "The id comes from the environment of this server; let the person correct it.",
}


class Calls:
    """The calls that are under way."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._room = threading.Semaphore(_AT_ONCE)
        self._lock = threading.Lock()
        # How many threads are at work, those that were given up among them.
        self.running = 0

    def run(self, work: Callable[[], T], most: float | None = None) -> T:
        """Return what the work returns, or raise StoreBusy where it takes too long, waiting for its turn included."""
        seconds = self.seconds if most is None else min(most, self.seconds)
        until = time.monotonic() + seconds
        told: list[T] = []
        failed: list[Exception] = []
        ended = threading.Event()

        def counted() -> None:
            try:
                told.append(work())
            except Exception as problem:
                failed.append(problem)
            finally:
                with self._lock:
                    self.running -= 1
                self._room.release()
                ended.set()

        if self._room.acquire(timeout=seconds):
            with self._lock:
                self.running += 1
            threading.Thread(target=counted, name="call", daemon=True).start()
            ended.wait(max(0.0, until - time.monotonic()))
        if failed:
            raise failed[0]
        if not told:
            text = f"the memory did not answer within {'a second' if seconds == 1 else f'{seconds:g} seconds'}"
            raise StoreBusy(text, "Go on without it; another program may be holding it. Try again later.")
        return told[0]


def words(problem: Exception) -> str:
    """Return what went wrong and the way out, for the agent to read; a fault of ours only by its kind."""
    if isinstance(problem, HoldfastError):
        hint = _HINTS.get(type(problem), problem.hint)
        text = str(problem).rstrip(".")
        return f"{text[:1].upper()}{text[1:]}. {hint}".strip()
    if isinstance(problem, sqlite3.Error):
        return "The index cannot be used. The person can rebuild it with `holdfast doctor --fix`."
    if isinstance(problem, OSError):
        return f"The memory cannot be used: {problem.strerror or 'the system refused'}. Go on without it."
    tell_fault(problem)
    return f"Something unexpected failed ({type(problem).__name__}). Go on without memory."


def tell_fault(problem: Exception) -> None:
    """Say on standard error where something failed, without the values that were at hand."""
    # Loaded where something failed, which is seldom.
    import traceback

    frames = traceback.extract_tb(problem.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    say(f"{type(problem).__name__} at {where}")


def say(text: str) -> None:
    """Tell the person something; agents keep the standard error of a server in a log."""
    sys.stderr.write(f"holdfast mcp: {text}\n")
    sys.stderr.flush()
