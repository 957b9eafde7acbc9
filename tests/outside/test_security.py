"""Refusing with real agents: what would destroy is not run, and the model reads why. Off, it only is written down."""

from __future__ import annotations

import json

import pytest

from outside.agents import PROGRAMS, Person, Ran
from outside.loopback import Say
from outside.reading import hook_log

# Those whose hooks can refuse a call.
AGENTS = ("claude-code", "codex", "gemini-cli", "opencode", "grok")
REASON = "Refused by Holdfast, rule rm-recursive"
# One of them refuses `rm -f` itself, where nobody can be asked.
LINES = {"codex": "rm -r src"}
USUAL = "rm -rf src"


def destroys(person: Person, agent: str) -> Ran:
    """Let the agent remove a folder of the project."""
    (person.folder / "src").mkdir()
    (person.folder / "src" / "cart.py").write_text("total = 0\n")
    return person.run(agent, "tidy up", [PROGRAMS[agent].shell(LINES.get(agent, USUAL)), Say("Done.")])


def trail(holdfast) -> list[tuple[str, str, str, str]]:
    """Return the audit trail of the project, after the archive was looked through as well."""
    holdfast("sweep")
    holdfast("harvest", "--all")
    rows = json.loads(holdfast("security", "--json"))["records"]
    return [(row["agent"], row["rule"], row["text"], row["decision"]) for row in rows]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_destructive_call_is_refused(person: Person, holdfast, agent: str) -> None:
    """With refusing on, `rm -rf` of a folder leaves the folder, the model reads why, and the trail has it once."""
    person.has(agent)
    holdfast("config", "set", "security.block", "destructive")
    holdfast("install", agent, "--yes")
    ran = destroys(person, agent)
    assert ran.code == 0, ran.err
    assert (person.folder / "src" / "cart.py").exists()
    assert ran.turns[-1].count(REASON) == 1
    assert trail(holdfast) == [(agent, "rm-recursive", LINES.get(agent, USUAL), "blocked")]
    assert hook_log(person.home) == ""


@pytest.mark.parametrize("agent", AGENTS)
def test_otherwise_it_is_only_written_down(person: Person, holdfast, agent: str) -> None:
    """As it comes, nothing is refused: the folder is gone, and the trail has the call once."""
    person.has(agent)
    holdfast("install", agent, "--yes")
    ran = destroys(person, agent)
    assert ran.code == 0, ran.err
    assert not (person.folder / "src").exists()
    assert not any(turn.count(REASON) for turn in ran.turns)
    assert trail(holdfast) == [(agent, "rm-recursive", LINES.get(agent, USUAL), "seen")]


def test_switched_off_the_hook_that_is_still_there_is_silent(person: Person, holdfast) -> None:
    """Who installed with refusing on and switches it off is refused nothing, and harmless calls never are."""
    person.has("claude-code")
    holdfast("config", "set", "security.block", "all")
    holdfast("install", "claude-code", "--yes")
    person.run("claude-code", "make it", [PROGRAMS["claude-code"].shell("echo made > made.txt"), Say("Done.")])
    assert (person.folder / "made.txt").exists()
    holdfast("config", "set", "security.block", "off")
    destroys(person, "claude-code")
    assert not (person.folder / "src").exists()
    assert trail(holdfast) == [("claude-code", "rm-recursive", USUAL, "seen")]


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
