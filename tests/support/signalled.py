"""Sessions that are known by their signals, for tests about patterns."""

from __future__ import annotations

from pathlib import Path

from holdfast.base.text import hash_of
from holdfast.patterns import signal_files
from holdfast.patterns.signal_files import Signal, Signals
from holdfast.sessions import names

NPM = "npm: missing script tst please run"
PYTEST = "pytest: 'no_module' not found here today"
MAKE = "make: no rule target lint stop"


def signalled(home: Path, agent: str, session: str, *signatures: str, kind: str = "failed-command", **more) -> None:
    """Give a session a signal for each signature."""
    day = f"2026-10-{10 + len(session) % 10:02}T08:00:00Z"
    told = {"agent": agent, "session": session, "project": "shop", "at": day, "line": 7}
    found = tuple(Signal(kind, each, **{**told, "text": f"it said {each}", **more}) for each in signatures)
    stems = names.stem_of(agent), names.stem_of(session)
    before = signal_files.read(str(home), *stems)
    kept = (*(before.signals if before is not None else ()), *found)
    signal_files.put(str(home), Signals(agent, session, signals=kept))


def failing(signature: str) -> str:
    """Return the id of the pattern of a failing command with that signature."""
    return hash_of("failed-command", signature, "", length=10)


def three(home: Path, *signatures: str, agents: tuple[str, ...] = ("codex", "grok"), name: str = "s", **more) -> None:
    """Give three sessions, of these agents in turn, a signal for each signature."""
    for number in range(3):
        signalled(home, agents[number % len(agents)], f"{name}{number}", *signatures, **more)
