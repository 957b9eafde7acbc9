"""A real compaction of Claude Code: the state is written down before and handed back after."""

from __future__ import annotations

import secrets

from outside.agents import PROGRAMS, Person
from outside.loopback import Say
from outside.reading import events, fences, given_once

SUMMARY = "<analysis>It is short.</analysis><summary>The person wanted a look around.</summary>"


def test_what_was_known_is_handed_back_after_a_compaction(person: Person, holdfast) -> None:
    """The compaction is recorded before and after, and the next turn has the fact and the last prompt once more."""
    person.has("claude-code")
    holdfast("install", "claude-code", "--yes")
    mark, task = secrets.token_hex(8), secrets.token_hex(8)
    holdfast("remember", "--scope", "global", f"The person likes to be called by the code name {mark}.")
    looks = [PROGRAMS["claude-code"].shell(f"echo look {number}") for number in range(5)]
    ask = f"look around for {task}, but do not change the public function names"
    ran = person.run("claude-code", ask, [*looks, Say("I looked around.")])
    assert [turn.count(mark) for turn in ran.turns] == [1] * 6
    session = events(person.home)[0]["session"]
    ran = person.run("claude-code", "/compact", [Say(SUMMARY)], "--resume", session)
    assert ran.code == 0
    told = [(event["kind"], event.get("source")) for event in events(person.home)]
    assert told.index(("compact", "manual")) < told.index(("start", "compact")) < told.index(("compacted", "manual"))
    [compact] = [event for event in events(person.home) if event["kind"] == "compact"]
    assert task in compact["last_prompt"]
    ran = person.run("claude-code", "go on", [Say("on")], "--resume", session)
    assert given_once(ran.first, mark)
    assert sum(ask in block for block in fences(ran.first)) == 1
