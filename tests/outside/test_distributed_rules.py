"""What is distributed as a rule or a skill is read by the real agents, once, and not any more when it is withdrawn."""

from __future__ import annotations

import secrets

import pytest

from holdfast.workspace import Workspace
from outside.agents import PROGRAMS, Person
from support.distributing import approved


def _approve(person: Person, id: str, title: str, statement: str) -> None:
    with Workspace(str(person.home / ".holdfast")) as workspace:
        approved(workspace, id, statement, title=title)


def test_a_rule_is_in_the_request_once(person: Person, agent: str, holdfast) -> None:
    """One of the project and one of everywhere stand in the first request once each, and are gone when withdrawn."""
    marks = {"aaaaaaaaaa": secrets.token_hex(8), "bbbbbbbbbb": secrets.token_hex(8)}
    for (id, mark), scope in zip(marks.items(), ("project", "global"), strict=True):
        _approve(person, id, "The tests have a name", f"The tests of this house are called {mark}.")
        holdfast("patterns", "distribute", id, "--to", "rules", "--agent", agent, "--scope", scope, "--yes")
    ran = person.run(agent, "say hello")
    assert ran.code == 0
    assert {mark: ran.first.count(mark) for mark in marks.values()} == dict.fromkeys(marks.values(), 1)
    for id in marks:
        holdfast("patterns", "withdraw", id, "--yes")
    ran = person.run(agent, "say hello")
    assert [ran.first.count(mark) for mark in marks.values()] == [0, 0]


@pytest.mark.parametrize("scope", ["project", "global"])
def test_a_skill_is_offered_to_the_model(person: Person, agent: str, holdfast, scope: str) -> None:
    """The model reads the description of the skill, and not any more when it is withdrawn."""
    mark = secrets.token_hex(8)
    _approve(person, "aaaaaaaaaa", f"How the tests named {mark} are run", "Run them with `make test`.")
    holdfast("patterns", "distribute", "aaaa", "--to", "skill", "--agent", agent, "--scope", scope, "--yes")
    assert person.run(agent, "say hello").first.count(mark) == 1
    holdfast("patterns", "withdraw", "aaaa", "--yes")
    assert person.run(agent, "say hello").first.count(mark) == 0


def test_five_agents_share_what_they_can(person: Person, holdfast) -> None:
    """Handed to all at once, each agent that reads the shared file alone has it once."""
    mark = secrets.token_hex(8)
    for name in PROGRAMS:
        person.has(name)
    _approve(person, "aaaaaaaaaa", "The tests have a name", f"The tests of this house are called {mark}.")
    holdfast("patterns", "distribute", "aaaa", "--to", "rules", *(f"--agent={name}" for name in PROGRAMS), "--yes")
    counts = {name: person.run(name, "say hello").first.count(mark) for name in PROGRAMS}
    assert counts == {**dict.fromkeys(PROGRAMS, 1), "grok": 2}
