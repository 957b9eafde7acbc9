"""The whole way of a pattern with real agents: seen in two, approved, handed out, received, measured, taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outside.agents import PROGRAMS, Person, Ran
from outside.loopback import Call, Say
from outside.reading import fences, hook_log

TOGETHER = ("claude-code", "codex")
FAILING = "python3 report.py --month"
SAID = "The report needs its data first: run make_data.py, then report.py."
RULES = "# House rules\n\nKeep it short.\n"


@pytest.fixture
def reporter(person: Person, holdfast) -> Person:
    """A person with three agents, rules of their own, and a report that fails for want of a module."""
    (person.folder / "report.py").write_text("import till_data\n")
    (person.folder / "AGENTS.md").write_text(RULES)
    for agent in (*TOGETHER, "gemini-cli"):
        person.has(agent)
        holdfast("install", agent, "--yes")
    return person


def run(person: Person, agent: str, prompt: str, *lines: str) -> Ran:
    """Run a session in which the agent runs these command lines."""
    steps: list[Say | Call] = [PROGRAMS[agent].shell(line) for line in lines]
    ran = person.run(agent, prompt, [*steps, Say("That is how it is.")])
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], []), (ran.out[-2000:], ran.err[-2000:])
    return ran


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, with what is in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def told_by(person: Person) -> list[str]:
    """Return the memories of Holdfast that say it."""
    memories = contents(person.home / ".holdfast" / "memory")
    return [name for name, text in memories.items() if SAID.encode() in text]


def seen_together(person: Person, holdfast) -> str:
    """Let the command fail with both agents, look for patterns, and return the ID of the only one."""
    for agent in (*TOGETHER, TOGETHER[0]):
        run(person, agent, "make the report of this month", FAILING)
    assert json.loads(holdfast("sweep", "--json"))["ingested"] == 3
    report = json.loads(holdfast("patterns", "--json"))
    [found] = [one for one in report["patterns"] if one["kind"] == "failed-command"]
    assert (found["cross_agent"], found["agents"], len(found["sessions"])) == (True, list(TOGETHER), 3)
    assert {quote["agent"] for quote in found["evidence"]} == set(TOGETHER)
    assert all("till_data" in quote["text"] and quote["line"] > 0 for quote in found["evidence"]), found["evidence"]
    assert report["patterns"][0] == found and "CROSS-AGENT" in holdfast("patterns")
    return str(found["id"])


def hand_out(holdfast, name: str) -> None:
    """Approve the pattern, and hand it out as a lesson and as a rule."""
    holdfast("patterns", "approve", name, "--statement", SAID)
    holdfast("patterns", "distribute", name, "--to", "lesson", "--yes")
    rules = ("--to", "rules", "--agent", "codex", "--agent", "gemini-cli")
    plan = json.loads(holdfast("patterns", "distribute", name, *rules, "--dry-run", "--json"))
    assert sorted(Path(one["path"]).name for one in plan["changes"]) == ["AGENTS.md", "GEMINI.md"]
    holdfast("patterns", "distribute", name, *rules, "--yes")


def sides(holdfast, name: str) -> tuple[int, float, int, float]:
    """Return how many sessions there were before and since, and in which share of them it came."""
    [followed] = json.loads(holdfast("measure", "--pattern", name, "--json"))["patterns"]
    assert (followed["verdict"], followed["given"], followed["tokens"] > 0) == ("too little data", 2, True)
    [one] = [one for one in followed["estimates"] if one["measure"] == "sessions with it"]
    return one["sessions_before"], one["before"], one["sessions_after"], one["after"]


def test_a_failure_of_two_agents_is_handed_to_a_third_and_taken_back(reporter: Person, holdfast) -> None:
    """Seen in two agents, it reaches a third and the first; what recurs is counted; withdrawn it is gone."""
    before = contents(reporter.folder)
    name = seen_together(reporter, holdfast)
    hand_out(holdfast, name)
    third = run(reporter, "gemini-cli", "make the report of this month", FAILING)
    assert (third.first.count(SAID), sum(SAID in block for block in fences(third.first))) == (2, 1)
    again = run(reporter, "claude-code", "good morning")
    assert (again.first.count(SAID), sum(SAID in block for block in fences(again.first))) == (1, 1)
    holdfast("sweep")
    assert sides(holdfast, name) == (3, 1.0, 2, 0.5)
    assert told_by(reporter)
    holdfast("patterns", "withdraw", name, "--yes")
    assert (contents(reporter.folder), told_by(reporter)) == (before, [])
    assert run(reporter, "gemini-cli", "hello").first.count(SAID) == 0
    assert hook_log(reporter.home) == ""
