"""Sessions as tests write them: a few words a line instead of records."""

from __future__ import annotations

import json

from holdfast.records import Session, SessionEvent, replace
from holdfast.sessions.digest import Digest, digest

SESSION = Session("some-agent", "s-1", folder="/home/ann/shop", models=("claude-opus-4-5",), source="/logs/s-1.jsonl")


def human(text: str) -> SessionEvent:
    """Return what a person said."""
    return SessionEvent(0, "human", text, "2026-05-04T10:00:00.000Z")


def answer(text: str = "Done.") -> SessionEvent:
    """Return what the agent said."""
    return SessionEvent(0, "assistant", text)


def ran(command: str, output: str = "", failed: bool = False, tool: str = "Bash") -> SessionEvent:
    """Return a run of a shell command with its result."""
    given = json.dumps({"command": command})
    return SessionEvent(0, "tool", tool=tool, input=given, output=output, failed=failed, answered=True)


def edited(path: str, output: str = "ok", failed: bool = False, tool: str = "Edit") -> SessionEvent:
    """Return a change of a file."""
    given = json.dumps({"file_path": path, "new_string": "x = 1"})
    event = SessionEvent(0, "tool", tool=tool, input=given, output=output, failed=failed, answered=True)
    return replace(event, folder="/home/ann/shop")


def numbered(*events: SessionEvent) -> list[SessionEvent]:
    """Return the events with their places and lines in the source."""
    return [replace(event, place=place, line=10 * place + 1) for place, event in enumerate(events)]


def digested(*events: SessionEvent, session: Session = SESSION) -> Digest:
    """Return the digest of a session with these events."""
    return digest(session, numbered(*events))
