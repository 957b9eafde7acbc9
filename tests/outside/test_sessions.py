"""Sessions that the real agents wrote are read into the archive: by a sweep, and by the hook alone when they end."""

from __future__ import annotations

import pytest

from holdfast.records import SessionEvent
from holdfast.session_records import Session
from holdfast.sessions.archive import Archive
from outside.agents import Person
from outside.life import FACT, Life
from outside.loopback import Say
from outside.reading import OPEN

PROJECT = "example.com--acme--shop"


def archived(life: Life, prompt: str) -> tuple[Archive, Session, list[SessionEvent]]:
    """Return the archive, the session in which a person said this, and its events."""
    archive = Archive(str(life.archive))
    for entry in archive.entries():
        told = list(archive.events(entry.name))
        # One of the agents puts a prompt of several words into quotes itself.
        if [event.text.strip('"') for event in told if event.role == "human"] == [prompt]:
            return archive, archive.session(entry.name), told
    raise AssertionError(f"no session in which {prompt!r} was said, and nothing else")


def check(life: Life, session: Session, told: list[SessionEvent]) -> None:
    """The session is whole, and nothing that we handed over counts as said by the person."""
    assert (session.agent, session.malformed, session.project) == (life.agent, 0, PROJECT)
    assert not any(FACT in event.text or OPEN in event.text for event in told if event.role not in ("ours", "injected"))


def test_a_sweep_reads_what_a_real_agent_wrote(life: Life) -> None:
    """Prompt, answer, project, model, tokens and digest are in the archive, and a second sweep does nothing."""
    swept, again = life.swept
    assert (swept["malformed"], swept["problems"], swept["waiting"]) == (0, [], 0)
    assert swept["ingested"] == swept["analysed"] >= 1
    assert again["ingested"] == 0 and again["skipped_unchanged"] == again["discovered"]
    prompt = f"please look after the parcel {life.marks.prompt}"
    archive, session, told = archived(life, prompt)
    check(life, session, told)
    assert any(life.marks.answer in event.text for event in told if event.role == "assistant")
    # The model on loopback says so for each of the four turns.
    assert session.models and (session.cost.input, session.cost.output) == (400, 40)
    digest = archive.digest(session.name)
    assert digest.session.name == session.name and digest.first_ask is not None and prompt in digest.first_ask.text
    assert (digest.calls, digest.failed_calls) == (3, 1)


def test_calls_are_joined_with_their_results(life: Life) -> None:
    """Each call has its result, and only the one that failed is told as failed."""
    _, _, told = archived(life, f"please look after the parcel {life.marks.prompt}")
    calls = [event for event in told if event.role == "tool"]
    [good] = [event for event in calls if f"echo found-{life.marks.good}" in event.input]
    [bad] = [event for event in calls if f"cat nowhere-{life.marks.bad}" in event.input]
    assert f"found-{life.marks.good}" in good.output and "No such file" in bad.output
    assert (good.failed, bad.failed, good.answered, bad.answered) == (False, True, True, True)


def test_the_hook_alone_brings_a_session_into_the_archive(life: Life) -> None:
    """With hooks and without any command the session is in the archive soon after it ended, and no process is left."""
    assert (life.second.code, life.second.missing, life.second.left_behind) == (0, [], [])
    assert {event["kind"] for event in life.told} >= {"stop"}
    _, session, told = archived(life, "store something")
    check(life, session, told)
    assert any(life.marks.stored in event.input for event in told if event.role == "tool")


@pytest.mark.parametrize("agent", ["claude-code"], indirect=True)
def test_a_fork_counts_nothing_twice(person: Person, agent: str, holdfast) -> None:
    """A real fork has a copy of what was said before in its file; the archive has it once, and what it cost once."""
    person.run(agent, "look after the first parcel", [Say("the first is here")])
    person.run(agent, "look after the second parcel", [Say("the second is here")], "--continue", "--fork-session")
    holdfast("sweep")
    archive = Archive(str(person.home / ".holdfast"))
    told = {entry.name: archive.session(entry.name) for entry in archive.entries()}
    said = {name: [event.text for event in archive.events(name) if event.role == "human"] for name in told}
    assert sorted(said.values()) == [["look after the first parcel"], ["look after the second parcel"]]
    assert [session.cost.input for session in told.values()] == [100, 100]
    [fork] = [session for session in told.values() if session.parent]
    assert f"{agent}/{fork.parent}" in told
