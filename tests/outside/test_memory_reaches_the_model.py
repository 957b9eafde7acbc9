"""What was remembered reaches the model of every agent: once, within the fence, and harmless."""

from __future__ import annotations

from outside.life import ORDER, Life
from outside.reading import fences, given_once


def test_what_was_remembered_is_in_the_request_once_and_fenced(life: Life) -> None:
    """A fact of the person and one of the project, stored after the install, stand in the first request once each."""
    for ran in (life.first, life.second):
        assert (ran.code, ran.left_behind) == (0, [])
        assert given_once(ran.first, life.marks.personal)
    assert given_once(life.second.first, life.marks.shared)
    assert all(request.count(life.marks.shared) <= 1 for request in life.second.requests)


def test_what_the_person_said_stands_as_theirs(life: Life) -> None:
    """The fact of the person is in the fence that says it is theirs, and no key, date or scope stands beside it."""
    [block] = [block for block in fences(life.second.first) if life.marks.personal in block]
    assert "From the person you work for" in block
    [line] = [line for line in block.split("\n") if life.marks.personal in line]
    assert line.startswith("- The person likes") and "[global]" not in line


def test_what_was_handed_over_is_not_taken_for_something_said(life: Life) -> None:
    """No event has what the agent was given."""
    assert not any(life.marks.shared in str(event) for event in life.told)


def test_a_prompt_brings_what_the_start_had_no_room_for(life: Life) -> None:
    """An old memory does not fit into the start of a session, but comes with the prompt that needs it, once."""
    if "prompt" not in life.injects:
        # Its hooks cannot hand over anything.
        return
    assert given_once(life.third.first, life.marks.ferry)
    starts = [block for block in fences(life.third.first) if "Note " in block]
    assert starts and not any(life.marks.ferry in block for block in starts)


def test_a_hostile_memory_arrives_fenced_neutralised_and_redacted(life: Life) -> None:
    """Our closing tag, an order to ignore the rules, and a secret that a hand wrote into a file do no harm."""
    ran, mark = life.second, life.marks.hostile
    assert not any(life.marks.secret in text for request in ran.requests for text in request.texts)
    [block] = [block for block in fences(ran.first) if mark in block]
    assert ran.first.count(mark) == 1
    assert ORDER in block
    for tag in ("<system-reminder", "&lt;system-reminder", "</", "&lt;/"):
        assert tag not in block


def test_what_was_forgotten_does_not_come_back(life: Life) -> None:
    """A memory that was forgotten is in no request any more, and no hook noted any trouble."""
    assert life.third.code == 0
    assert all(request.count(life.marks.personal) == 0 for request in life.third.requests)
    assert life.log == ""
