"""What one agent stores through the MCP server reaches the next session of another."""

from __future__ import annotations

import secrets

import pytest

from outside.agents import PROGRAMS, Person
from outside.loopback import Say
from outside.reading import given_once

NAMES = list(PROGRAMS)


def _stored(person: Person, agent: str) -> str:
    """Let the agent store a fact about the project in a session, and return the word that gives it away."""
    mark = secrets.token_hex(8)
    content = f"The release train of this shop leaves from platform {mark}."
    call = PROGRAMS[agent].tool("memory_store", {"content": content})
    ran = person.run(agent, "store something", [*call, Say("stored")])
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], [])
    return mark


@pytest.mark.parametrize(("agent", "other"), list(zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)), indirect=["agent"])
def test_what_an_agent_stores_reaches_a_different_agent(person: Person, agent: str, other: str, holdfast) -> None:
    """An agent calls memory_store in its session, and the next session of another agent is given that once."""
    person.has(other)
    holdfast("install", agent, "--yes")
    for scope in ("user", "project"):
        holdfast("install", other, "--scope", scope, "--yes")
    mark = _stored(person, agent)
    assert mark in holdfast("list")
    ran = person.run(other, "say hello")
    assert ran.code == 0
    assert given_once(ran.first, mark)


def test_an_install_for_the_project_too_does_not_hide_the_server(person: Person, agent: str, holdfast) -> None:
    """Installed for the person and for the project, the agent still reaches the server."""
    for scope in ("user", "project"):
        holdfast("install", agent, "--scope", scope, "--yes")
    assert _stored(person, agent) in holdfast("list")
