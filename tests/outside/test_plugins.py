"""The plugins bring hooks, server and skill without a change to any settings, and a real agent loads them."""

from __future__ import annotations

import secrets
import subprocess
from pathlib import Path

from outside.agents import PROGRAMS, Person
from outside.loopback import Call, Say
from outside.reading import events, given_once

CONTENT = "The goods lift of the warehouse is out of order on Mondays."


def _fact(holdfast) -> str:
    mark = secrets.token_hex(8)
    holdfast("remember", "--scope", "global", f"The person likes to be called by the code name {mark}.")
    return mark


def _plugin(person: Person, holdfast, agent: str) -> Path:
    folder = person.home / "plug ins" / agent
    holdfast("plugin", agent, "--out", str(folder))
    return folder


def test_claude_code_loads_the_plugin_for_one_session(person: Person, holdfast) -> None:
    """With --plugin-dir the fact arrives and the server stores, while the settings keep every byte."""
    person.has("claude-code")
    mark, folder = _fact(holdfast), _plugin(person, holdfast, "claude-code")
    settings = (person.home / ".claude" / "settings.json").read_bytes()
    wait = PROGRAMS["claude-code"].shell("sleep 1")
    call = Call("mcp__plugin_holdfast_holdfast__memory_store", {"content": CONTENT}, meanwhile=wait)
    ran = person.run("claude-code", "store something", [call, Say("stored")], "--plugin-dir", str(folder))
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], [])
    assert given_once(ran.first, mark)
    assert any("holdfast-memory" in text and "skill" in text.lower() for text in ran.first.texts)
    assert "goods lift" in holdfast("list")
    assert (person.home / ".claude" / "settings.json").read_bytes() == settings
    assert {"start", "prompt", "stop", "end"} <= {event["kind"] for event in events(person.home)}
    ran = person.run("claude-code", "say hello")
    assert ran.first.count(mark) == 0


def test_a_plugin_beside_an_install_gives_nothing_twice(person: Person, holdfast) -> None:
    """Where the hooks stand in the settings and in a plugin too, each event counts once."""
    person.has("claude-code")
    mark, folder = _fact(holdfast), _plugin(person, holdfast, "claude-code")
    holdfast("install", "claude-code", "--yes")
    ran = person.run("claude-code", "say hello", [], "--plugin-dir", str(folder))
    assert given_once(ran.first, mark)
    told = [(event["native"], event.get("source")) for event in events(person.home) if "native" in event]
    assert len(told) == len(set(told))


def test_codex_takes_the_plugin_from_its_marketplace(person: Person, holdfast) -> None:
    """Codex adds the marketplace and the plugin by its own commands; the fact arrives and the server stores."""
    person.has("codex")
    mark, folder = _fact(holdfast), _plugin(person, holdfast, "codex")
    program = PROGRAMS["codex"].command(person.programs)[0]
    for words in (["marketplace", "add", str(folder)], ["add", "holdfast@holdfast"]):
        subprocess.run(
            [program, "plugin", *words],
            env=person.environment("codex"),
            cwd=person.folder,
            capture_output=True,
            check=True,
            timeout=300,
        )
    call = PROGRAMS["codex"].tool("memory_store", {"content": CONTENT})
    ran = person.run("codex", "store something", [*call, Say("stored")])
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], [])
    assert given_once(ran.first, mark)
    assert "goods lift" in holdfast("list")
