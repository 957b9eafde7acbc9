"""An agent's own memory kept alike, and sealed sessions, with the real programs."""

from __future__ import annotations

import secrets

import pytest

from holdfast import agents
from holdfast.agents.base import Place
from outside.agents import EVERY, PROGRAMS, Person
from outside.loopback import Say
from outside.reading import events
from support.sampling import LONG

pytestmark = pytest.mark.skipif(not LONG, reason="these run in `make test-long`")


@pytest.mark.parametrize("which", ["claude-code", "gemini-cli"])
def test_what_is_known_is_read_from_its_own_memory_and_what_it_adds_is_proposed(person: Person, holdfast, which):
    """The block of its memory file is in the request once; a line that the agent writes there comes back once."""
    person.has(which)
    known, noted = secrets.token_hex(8), secrets.token_hex(8)
    holdfast("remember", f"The ferry to the island leaves from pier {known}.")
    place = Place(scope="user", home=str(person.home), folder=str(person.folder), environment={})
    holdfast("native", "keep", which)
    assert person.run(which, "hello").first.count(known) == 1
    # Where the agent keeps it may have changed with its first session.
    path = person.home / agents.get(which).own_memory(place)
    steps = [EVERY[which].shell(f"echo '- The parcel code of the depot is {noted}.' >> {path}"), Say("noted")]
    ran = person.run(which, "hello", steps)
    assert (ran.code, ran.first.count(known)) == (0, 1), ran.err[-3000:]
    assert noted in path.read_text()
    for _ in "ab":
        holdfast("sweep")
        told = holdfast("proposals")
        assert told.count(noted) == 1 and known not in told


@pytest.mark.parametrize("which", list(PROGRAMS))
def test_a_sealed_session_is_given_nothing_and_leaves_nothing(person: Person, holdfast, which):
    """With hooks installed it is told no memory, no event has its words, and no sweep takes it in."""
    person.has(which)
    known, said = secrets.token_hex(8), secrets.token_hex(8)
    holdfast("remember", f"The ferry to the island leaves from pier {known}.")
    holdfast("install", which, "--yes")
    person.more["HOLDFAST_SEALED"] = "1"
    ran = person.run(which, f"Remember: our deploys always go through the host {said}.", [Say("done")])
    assert (ran.code, ran.first.count(known)) == (0, 0), ran.err[-3000:]
    person.more.clear()
    holdfast("sweep")
    assert said not in holdfast("sessions")
    assert [event for event in events(person.home) if said in str(event)] == []
    kept = [
        path for path in (person.home / ".holdfast").rglob("*") if path.is_file() and said.encode() in path.read_bytes()
    ]
    assert kept == []
