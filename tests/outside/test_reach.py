"""The session of the MCP server, as real agents tell it."""

from __future__ import annotations

import pytest

from outside.agents import PROGRAMS, Person
from outside.loopback import Say
from outside.reading import events

NAMES = ("claude-code", "codex", "gemini-cli", "opencode")


@pytest.mark.parametrize("name", NAMES)
def test_what_holds_for_this_session_is_stored_for_this_session(person: Person, holdfast, name: str) -> None:
    """An agent stores for the scope session through its MCP server, and it is the session that its hooks tell of."""
    person.has(name)
    holdfast("install", name, "--yes")
    call = PROGRAMS[name].tool("memory_store", {"content": "The test port is 5433.", "scope": "session", "key": "port"})
    ran = person.run(name, "store something", [*call, Say("stored")])
    assert ran.code == 0
    told = {event["session"] for event in events(person.home) if "native" in event}
    stored = [path.parts[-3] for path in (person.home / ".holdfast" / "memory" / "sessions").rglob("port.md")]
    assert len(stored) == 1 and stored[0] in told
