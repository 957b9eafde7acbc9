"""Refusing with real agents: what would destroy is not run, and the model reads why. Off, it only is written down."""

from __future__ import annotations

import json

from outside.agents import PROGRAMS, Person
from outside.life import DESTRUCTIVE, Life
from outside.loopback import Say

REASON = "Refused by Holdfast, rule rm-recursive"
USUAL = "rm -rf src"


def test_a_destructive_call_is_refused(life: Life) -> None:
    """With refusing on, `rm -rf` of a folder leaves the folder, and the model reads why."""
    assert life.third.code == 0, life.third.err
    assert life.refused
    assert life.third.turns[-1].count(REASON) == 1


def test_otherwise_it_is_only_written_down(life: Life) -> None:
    """As it comes, nothing is refused, and the folder is gone."""
    assert life.first.code == 0, life.first.err
    assert life.destroyed
    assert not any(turn.count(REASON) for turn in life.first.turns)


def test_the_trail_has_each_call_once(life: Life) -> None:
    """What was only seen and what was refused stand in the trail, told by the hook and by the archive, once each."""
    line = DESTRUCTIVE.get(life.agent, USUAL)
    expected = [(life.agent, "rm-recursive", line, decision) for decision in ("blocked", "seen")]
    assert sorted(life.trail) == expected


def test_switched_off_the_hook_that_is_still_there_is_silent(person: Person, holdfast) -> None:
    """Who installed with refusing on and switches it off is refused nothing, and harmless calls never are."""
    person.has("claude-code")
    shell = PROGRAMS["claude-code"].shell
    holdfast("config", "set", "security.block", "all")
    holdfast("install", "claude-code", "--yes")
    person.run("claude-code", "make it", [shell("echo made > made.txt"), Say("Done.")])
    assert (person.folder / "made.txt").exists()
    holdfast("config", "set", "security.block", "off")
    (person.folder / "src").mkdir()
    person.run("claude-code", "tidy up", [shell(USUAL), Say("Done.")])
    assert not (person.folder / "src").exists()
    holdfast("sweep")
    holdfast("harvest", "--all")
    [row] = json.loads(holdfast("security", "--json"))["records"]
    assert (row["agent"], row["rule"], row["text"], row["decision"]) == ("claude-code", "rm-recursive", USUAL, "seen")


def test_uninstalled_no_byte_is_left(person: Person, holdfast) -> None:
    """The hook before a tool goes with the others, also after refusing was switched off."""
    person.has("claude-code")
    before = (person.home / ".claude" / "settings.json").read_bytes()
    holdfast("config", "set", "security.block", "all")
    holdfast("install", "claude-code", "--yes")
    assert "PreToolUse" in (person.home / ".claude" / "settings.json").read_text()
    holdfast("config", "set", "security.block", "off")
    holdfast("uninstall", "claude-code", "--yes")
    holdfast("uninstall", "claude-code", "--verify")
    assert (person.home / ".claude" / "settings.json").read_bytes() == before
