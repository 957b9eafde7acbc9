"""What the outside tests share: the real programs, the model on loopback, and a person who uses both with Holdfast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from outside import programs
from outside.agents import PROGRAMS, Person
from outside.life import TROUBLES, Life, live
from outside.loopback import Model
from support.command_line import environment_of, play
from support.places import make_repository
from support.sampling import LONG


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test in this folder, so that nobody forgets."""
    for item in items:
        if item.nodeid.startswith("tests/outside/"):
            item.add_marker(pytest.mark.outside)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def installed() -> Path:
    """The folder with the programs; without npm or a way to its registry the test is skipped."""
    try:
        return programs.install()
    except programs.NotHere as problem:
        pytest.skip(f"the outside programs cannot be installed: {problem}")


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback."""
    with Model() as one:
        yield one


@pytest.fixture
def person(machine: Path, repository, installed: Path, model: Model) -> Person:
    """A person who stands in a repository and has the agents' programs, but no config of any of them yet."""
    return Person(machine, repository("shop"), installed, model)


@pytest.fixture(params=list(PROGRAMS))
def agent(request: pytest.FixtureRequest, person: Person) -> str:
    """The name of an agent that the person uses already; each test runs with each of the five."""
    person.has(request.param)
    return request.param


@pytest.fixture
def holdfast(person: Person):
    """Run the command line as this person, and return its standard output."""
    return command_line(person)


def command_line(person: Person) -> Callable[..., str]:
    """Return what runs a command line as this person."""

    def run(*words: str, stdin: str = "") -> str:
        with environment_of(person.environment(), person.folder):
            ended = play(*words, stdin=stdin)
        assert ended.code == 0, f"holdfast {' '.join(words)}: {ended}"
        return ended.out

    return run


@pytest.fixture(scope="session", params=list(PROGRAMS))
def life(request: pytest.FixtureRequest, installed: Path, tmp_path_factory) -> Iterator[Life]:
    """The life of a person with one agent, played once for all tests that look at it."""
    home = tmp_path_factory.mktemp("life")
    with Model() as one:
        person = Person(home, make_repository(home / "code", "shop"), installed, one)
        yield live(person, request.param, command_line(person), troubles_of(request.param))


def troubles_of(agent: str) -> tuple[str, ...]:
    """Return what goes wrong in a life: everything in the long run, else one thing with each agent but the first."""
    if LONG or agent == next(iter(PROGRAMS)):
        return tuple(TROUBLES)
    return (list(TROUBLES)[list(PROGRAMS).index(agent) % len(TROUBLES)],)
