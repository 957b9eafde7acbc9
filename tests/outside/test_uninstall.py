"""After an uninstall every file is as it was, byte for byte, and the agent runs as before."""

from __future__ import annotations

from pathlib import Path

from outside.agents import PROGRAMS, Person
from outside.loopback import Request
from outside.reading import OPEN, events

SCOPES = ("user", "project")


def _files(*folders: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and bytes of every file but those of Holdfast itself."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): (path.stat().st_mode, path.read_bytes()) for path in paths if ".holdfast" not in path.parts}


def _is_without_us(request: Request) -> bool:
    return not any(OPEN in text for text in request.texts) and not any("memory_store" in one for one in request.tools)


def test_an_uninstall_gives_back_every_byte(person: Person, agent: str, holdfast) -> None:
    """Install and uninstall in both scopes leave the home and the project as the agent's first run had left them."""
    person.run(agent, "say hello")
    before = _files(person.home)
    holdfast("remember", "--scope", "global", "The person likes British English.")
    for scope in SCOPES:
        holdfast("install", agent, "--scope", scope, "--yes")
    assert _files(person.home) != before
    for scope in SCOPES:
        holdfast("uninstall", agent, "--scope", scope, "--verify", "--yes")
    assert _files(person.home) == before


def test_the_agent_runs_as_before(person: Person, agent: str, holdfast) -> None:
    """After a session with Holdfast and an uninstall the agent offers the same tools and tells us nothing any more."""
    before = person.run(agent, "say hello").first
    assert _is_without_us(before)
    # On its first run the agent may have added something of its own.
    configs = [person.home / name for name in PROGRAMS[agent].files]
    contents = [path.read_bytes() for path in configs]
    holdfast("remember", "--scope", "global", "The person likes British English.")
    holdfast("install", agent, "--yes")
    assert not _is_without_us(person.run(agent, "say hello").first)
    holdfast("uninstall", agent, "--verify", "--yes")
    assert [path.read_bytes() for path in configs] == contents
    count = len(events(person.home))
    ran = person.run(agent, "say hello")
    assert ran.code == 0
    assert _is_without_us(ran.first)
    assert ran.first.tools == before.tools
    assert len(events(person.home)) == count
