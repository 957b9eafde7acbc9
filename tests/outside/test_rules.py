"""Rules, fixes and facts at the moment of action, with real agents: one session shows them, the next what is stale."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from holdfast import agents
from holdfast.language.failures import fingerprint
from holdfast.learning.fixes import model as fixes
from holdfast.workspace import Workspace
from outside.agents import PROGRAMS, Person, Ran
from outside.conftest import command_line
from outside.loopback import Model, Request, Say
from outside.reading import events, hook_log
from support.places import make_repository
from support.sampling import LONG

RULE = "Never `git push` without asking me first."
GUIDE = "The sales report is in cents, as the tax office wants it."
PUSH, READ, FAILING = "git push -q origin HEAD:main", "make sales", "python3 report.py"
BESIDE = "git push -q origin HEAD:topic"
ERROR = "ModuleNotFoundError: No module named 'till_data'"
FACT = "The sum of an order is made by `total` in src/cart.py, in cents."
HELD, WORKED, STALE = "Held by Holdfast", "what worked then", ": verify first]"
# Agents whose next session is played in a short run, too.
COME_AGAIN = ("claude-code", "codex")


@dataclass
class Day:
    """What a day's work showed: the session and the next one, and what the remote had at each request."""

    agent: str
    home: Path
    ran: Ran
    refs: list[str]
    after: Ran | None

    def new(self, words: str) -> list[int]:
        """Return how often words came anew with each request of the session."""
        counts = [0, *(turn.count(words) for turn in self.ran.turns)]
        return [now - before for before, now in pairwise(counts)]


def git(folder: Path, *words: str) -> str:
    """Run git and return what it printed."""
    who = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def working_person(person: Person, agent: str) -> None:
    """Let the person have a project with a remote, two rules, a fix from before and a fact about the code."""
    holdfast = command_line(person)
    person.has(agent)
    (person.folder / "src").mkdir()
    (person.folder / "src" / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
    (person.folder / "report.py").write_text("import till_data\n")
    (person.folder / "Makefile").write_text("sales:\n\t@echo 4200\n")
    git(person.folder.parent, "init", "-q", "--bare", "remote.git")
    git(person.folder, "init", "-q")
    git(person.folder, "remote", "set-url", "--push", "origin", str(person.folder.parent / "remote.git"))
    git(person.folder, "add", "-A")
    git(person.folder, "commit", "-qm", "Begin")
    # An agent that takes nothing at its start reads a rules file, which a project has of its own.
    where = () if "start" in agents.get(agent).injects else ("--scope", "project")
    holdfast("install", agent, "--yes", *where)
    holdfast("remember", RULE)
    holdfast("remember", GUIDE, "--when", READ)
    holdfast("remember", FACT)
    home = str(person.home / ".holdfast")
    with Workspace(home, folder=str(person.folder), environment=person.environment()) as workspace:
        project = workspace.project().id
    steps = ("ran `cp sample_data.py till_data.py`",)
    whose = "codex", "s0", project, "2026-05-01T10:00:00Z"
    fixes.add(home, fixes.Fix(fingerprint(FAILING, ERROR), FAILING, ERROR, steps, *whose, id="f1"))


@pytest.fixture(scope="module", params=list(PROGRAMS))
def day(request: pytest.FixtureRequest, installed: Path, tmp_path_factory) -> Iterator[Day]:
    """A person's day with one agent, played once for all tests that look at it."""
    home, agent, refs = tmp_path_factory.mktemp("day"), request.param, []
    with Model() as model:
        person = Person(home, make_repository(home / "code", "shop"), installed, model)
        working_person(person, agent)

        def look(_: Request) -> None:
            refs.append(git(home / "code" / "remote.git", "for-each-ref"))

        changing = "printf 'def total(prices):\\n    return round(sum(prices))\\n' > src/cart.py"
        lines = (PUSH, PUSH, READ, READ, FAILING, FAILING, changing)
        steps = [replace(PROGRAMS[agent].shell(line), before=look) for line in lines]
        # The first answer makes two pushes, before the reason of either could be read.
        steps[0] = replace(steps[0], beside=(PROGRAMS[agent].shell(BESIDE),))
        ran = person.run(agent, "work on it", [*steps, Say("Done.")])
        assert (ran.code, ran.missing) == (0, []), (ran.out[-2000:], ran.err[-2000:])
        # The end of a session starts a sweep, which this person's hooks leave to them.
        command_line(person)("sweep")
        again = LONG or agent in COME_AGAIN
        yield Day(agent, home, ran, refs, person.run(agent, "say hello", [Say("Hello.")]) if again else None)


def test_the_pushes_of_one_answer_are_held_and_the_repeated_one_goes_through(day: Day) -> None:
    """They did not run: the remote has nothing; the reason has the person's words; the same call again is made."""
    assert day.refs[:2] == ["", ""]
    assert "refs/heads/main" in day.refs[2] and "topic" not in day.refs[2]
    assert day.new(HELD)[:3] == [0, 2, 0] and sum(day.new(HELD)) == 2
    reasons = [text for text in day.ran.turns[1].texts if HELD in text]
    assert len(reasons) == 2 and all(RULE in reason and "goes through" in reason for reason in reasons)


def test_a_rule_that_guides_comes_with_the_result_once(day: Day) -> None:
    """It is in the request that has the first result, and does not come again with the second."""
    assert day.new(GUIDE)[2:5] == [0, 1, 0]


def test_the_fix_is_there_in_the_turn_of_the_failure(day: Day) -> None:
    """The request that tells the failure has what worked before, and the same failure does not bring it again."""
    assert day.new(WORKED)[4:7] == [0, 1, 0]
    assert any("cp sample_data.py till_data.py" in text for text in day.ran.turns[5].texts)


@pytest.mark.parametrize("day", ["opencode"], indirect=True)
def test_opencode_tells_of_a_command_that_ends_badly(day: Day) -> None:
    """Its bash completes whatever the command's exit was; a bad one is told to the hook, with what was printed."""
    told = [event for event in events(day.home) if event["kind"] == "tool-failed"]
    # The two pushes that were held come first; the calls that ended well are not told.
    assert ["till_data" in str(event) for event in told] == [False, False, True, True], told


def test_a_fact_about_code_that_was_changed_comes_with_its_warning(day: Day) -> None:
    """The next session is told the fact, and that the code it names has changed since."""
    assert day.ran.turns[0].count(STALE) == 0
    if day.after is None:
        pytest.skip("a long run")
    told = [text for text in day.after.turns[0].texts if FACT in text]
    assert told and all(STALE in text for text in told), told


def test_every_hook_wrote_how_long_it_took(day: Day) -> None:
    """Each line of the journal that a hook wrote has its milliseconds, and what was told has its receipt."""
    told = events(day.home)
    assert all(row["ms"] > 0 for row in told if row["kind"] not in ("receipt", "use"))
    given = [row[4] for event in told if event["kind"] == "receipt" for row in event["given"]]
    assert sum("held" in why for why in given) == 2 and sum("the same failure" in why for why in given) == 1
    assert hook_log(day.home) == ""
