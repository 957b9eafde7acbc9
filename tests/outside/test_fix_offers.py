"""Fixes with the real agents and no sweep: what their transcripts tell at a pause is enough to keep and offer one."""

from __future__ import annotations

import pytest

from holdfast.learning.fixes import model as fixes
from outside.agents import PROGRAMS, Person, Ran
from outside.loopback import Call, Say
from outside.reading import fences, hook_log
from support.sampling import some

FAILING = "python3 report.py"
MENDING = "cp sample_data.py till_data.py"
AGENTS = ("claude-code", "codex", "gemini-cli")


@pytest.fixture
def worker(person: Person, holdfast) -> Person:
    """A person whose report fails until a file is there, and whose hooks start no sweep."""
    (person.folder / "report.py").write_text("import till_data\n\nprint('sold')\n")
    (person.folder / "sample_data.py").write_text("sold = 1\n")
    for agent in AGENTS:
        person.has(agent)
        holdfast("install", agent, "--yes")
    return person


def run(person: Person, agent: str, prompt: str, lines: tuple[str, ...]) -> Ran:
    """Run one turn in which the agent runs these command lines."""
    steps: list[Say | Call] = [PROGRAMS[agent].shell(line) for line in lines]
    ran = person.run(agent, prompt, [*steps, Say("That is how it is.")])
    assert (ran.code, ran.missing) == (0, []), (ran.out[-2000:], ran.err[-2000:])
    return ran


@pytest.mark.parametrize(
    ("finder", "other"), some([("codex", "gemini-cli"), ("gemini-cli", "codex"), ("claude-code", "codex")], 2)
)
def test_a_fix_is_kept_and_offered_without_a_sweep(worker: Person, finder: str, other: str) -> None:
    """A fix is kept when its session pauses, and told with the same failure in another agent, in that very turn."""
    run(worker, finder, "run the report", (FAILING, MENDING, FAILING))
    (fix,) = fixes.read(str(worker.home / ".holdfast"))
    assert (fix.agent, fix.steps) == (finder, (f"ran `{MENDING}`",))
    (worker.folder / "till_data.py").unlink()
    ran = run(worker, other, "run the report", (FAILING,))
    told = "\n".join(fences(ran.turns[-1]))
    assert f"failed in the same way before; what worked then ({finder}," in told and MENDING in told, told
    assert hook_log(worker.home) == ""
