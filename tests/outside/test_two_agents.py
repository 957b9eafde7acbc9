"""All agents are installed at once. Some read the config of others; still each event is recorded and injected once."""

from __future__ import annotations

import secrets
from collections import Counter

from outside.agents import PROGRAMS, Person
from outside.reading import events, given_once, hook_log

# What happens in a session of one prompt, whichever agent it is; some tell more.
LEAST = {"start", "prompt", "stop"}


def test_each_event_is_recorded_once_and_injected_once(person: Person, agent: str, holdfast) -> None:
    """A session of one agent leaves events of that agent alone, none of them twice, and is given a fact once."""
    for other in PROGRAMS:
        person.has(other)
        holdfast("install", other, "--yes")
    mark = secrets.token_hex(8)
    holdfast("remember", "--scope", "global", f"The person likes to be called by the code name {mark}.")
    ran = person.run(agent, "say hello")
    assert ran.code == 0
    assert given_once(ran.first, mark)
    told = [event for event in events(person.home) if "native" in event]
    assert {event["agent"] for event in told} == {agent}
    assert len({event["session"] for event in told}) == 1
    assert {event["kind"] for event in told} >= LEAST
    twice = [what for what, count in Counter((e["native"], e.get("source")) for e in told).items() if count > 1]
    assert twice == []


def test_an_agent_that_runs_the_hooks_of_another_gets_silence(person: Person, holdfast) -> None:
    """Grok does run the hooks of Claude Code, and they see that it is not their agent."""
    for name in ("claude-code", "grok"):
        person.has(name)
    holdfast("install", "claude-code", "--yes")
    holdfast("remember", "--scope", "global", f"The code name is {(mark := secrets.token_hex(8))}.")
    ran = person.run("grok", "say hello")
    assert ran.code == 0
    assert ran.first.count(mark) == 0
    assert [event for event in events(person.home) if "native" in event] == []
    assert "claude-code UserPromptSubmit" in hook_log(person.home)
