"""Distilling with the help of real agents: tools off, no trace of ours or theirs, and only proposals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.base.clock import now
from outside.agents import PROGRAMS, Person, processes_of
from outside.loopback import Model, Request, Say
from outside.reading import events

PROJECT = "example.com--acme--shop"
DECIDED = "Keep the orders in Postgres"
WORDED = {"section": "State", "Topic": "What it is", "State": "A shop that keeps its orders in Postgres."}
LINKED = {"section": "Key files", "File": "src/evil.py", "About": "not in the data"}


class Worded(Model):
    """A model that answers whatever it is asked with one text."""

    text = ""

    def answer(self, request: Request) -> Say:
        """Keep the request and say the text."""
        self.requests.append(request)
        return Say(self.text)


@pytest.fixture
def model() -> Iterator[Worded]:
    """A model on loopback that says what a test gives it."""
    with Worded() as one:
        yield one


@pytest.fixture(params=["claude-code", "codex"])
def agent(request: pytest.FixtureRequest, person: Person, holdfast) -> str:
    """An agent that the person uses, with our hooks and server in its config."""
    person.has(request.param)
    holdfast("install", request.param, "--yes")
    return request.param


def on_path(person: Person, agent: str) -> dict[str, str]:
    """Return the person's environment with the agent's program on the PATH, as an install puts it there."""
    program = PROGRAMS[agent].command(person.programs)[0]
    folder = person.home / "bin"
    folder.mkdir(exist_ok=True)
    link = folder / Path(program).name
    if not link.exists():
        link.symlink_to(program)
    # As it is where another session of that agent runs the command.
    environment = {**person.environment(agent), "CLAUDECODE": "1"}
    return {**environment, "PATH": f"{folder}:{environment['PATH']}"}


def distil(person: Person, agent: str, *options: str) -> dict:
    """Run `holdfast distil` with the help of the agent, by the name of its program, and return its JSON."""
    wish = Path(PROGRAMS[agent].command(person.programs)[0]).name
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", *options, "distil", "--with", wish, "--json"],
        cwd=person.folder,
        env=on_path(person, agent),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "tokens to" in done.stderr
    return json.loads(done.stdout)


def noted(person: Person) -> None:
    """Put a decision into today's log that nobody made with `decide` yet, so that it is proposed."""
    folder = person.home / ".holdfast" / "memory" / "projects" / PROJECT / "log"
    folder.mkdir(parents=True, mode=0o700)
    (folder / f"{now()[:10]}.md").write_text(f"# Log\n\n## Notes\n\n- decision: {DECIDED} because we know it\n")


def files_of(person: Person) -> set[str]:
    """Return every file in the person's home but ours and the agents' own caches."""
    return {str(path) for path in person.home.rglob("*.jsonl") if ".holdfast" not in path.parts}


def test_a_real_agent_words_a_proposal(person: Person, agent: str, holdfast, model: Worded) -> None:
    """Its answer becomes a proposal, a path not in the data is dropped, and no hook or transcript knows of it.

    What was decided already goes to it as data and is not proposed; what only the log says is both.
    """
    noted(person)
    holdfast("decide", "Ship on Fridays", "--because", "the till is closed")
    model.text = json.dumps({"entries": [WORDED, LINKED]})
    told = distil(person, agent)
    assert told["help"]["failed"] == "", told
    assert (told["help"]["by"], told["help"]["sent"], told["help"]["answered"]) == (agent, 100, 10)
    assert len(told["help"]["dropped"]) == 1 and "src/evil.py" in told["help"]["dropped"][0]
    assert sorted(one["title"] for one in told["proposals"]) == [f"Decisions: {DECIDED}", "State: What it is"]
    [asked] = [request for request in model.requests if request.count(DECIDED)]
    assert asked.count("Ship on Fridays; because: the till is closed")
    # What one of them keeps can ask the person, and nothing else; nobody is there to be asked.
    assert asked.tools <= {"request_user_input"}
    assert events(person.home) == [] and files_of(person) == set()
    assert processes_of(person.home, set()) == {}
    [ours] = [one for one in told["proposals"] if one["agent"]]
    holdfast("proposals", "approve", ours["id"])
    page = next((person.home / ".holdfast" / "memory" / "projects").glob("*/MEMORY.md")).read_text()
    assert "| What it is | A shop that keeps its orders in Postgres. |" in page


def test_an_answer_of_another_form_leaves_the_plain_result(person: Person, agent: str, model: Worded) -> None:
    """A model that chats instead of answering brings nothing, the reason is told, and the plain proposals stay."""
    noted(person)
    model.text = "Sure! Here are some thoughts."
    told = distil(person, agent)
    assert "not JSON" in told["help"]["failed"] and told["help"]["spent_today"] == 110
    assert [one["title"] for one in told["proposals"]] == [f"Decisions: {DECIDED}"]


def test_over_the_cap_nobody_is_asked(person: Person, agent: str, model: Worded) -> None:
    """Where the day's tokens do not suffice, no request leaves, and the plain proposals are there."""
    noted(person)
    told = distil(person, agent, "--set", "distil.daily_tokens=100")
    assert "distil.daily_tokens" in told["help"]["failed"] and model.requests == []
    assert [one["title"] for one in told["proposals"]] == [f"Decisions: {DECIDED}"]
