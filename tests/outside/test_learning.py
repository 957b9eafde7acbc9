"""Learning with the real agents: what a person complained about, fixed or began reaches the next session of another.

Nothing but the hooks is at work here: what they keep, and the sweep that they set going. Only chatter is swept at once.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from holdfast.learning.lessons.model import Lesson, Lessons
from holdfast.learning.work import criteria
from holdfast.learning.work.model import Work, items
from outside.agents import PROGRAMS, Person, Ran
from outside.loopback import Call, Say
from outside.reading import events, fences, hook_log
from support.sampling import some

AGENTS = ("claude-code", "codex")
OTHER = {"claude-code": "codex", "codex": "claude-code"}
PROJECT = "example.com--acme--shop"
DELETED = "you deleted my migration again"
QUOTE = f'Do not do this again: "{DELETED}".'
TEST = """import cart
import unittest


class CartTest(unittest.TestCase):
    def test_rate(self):
        self.assertEqual(cart.rate(), 10)
"""
DONE = Say("I cleaned it up.")
# What is talked about and asked for, and none of it says how well the agent did.
CHATTER = (
    ("hello", "Hello."),
    ("what does the till do?", "It counts the money."),
    ("which of the two files has the prices in it?", "The first one."),
    ("thanks", "You are welcome."),
    ("show me the list of files, please", "There are three."),
    ("8 files were changed yesterday, who did that?", "A colleague."),
)


@pytest.fixture
def learner(person: Person, holdfast) -> Person:
    """A person who uses both agents with Holdfast, each session followed by a sweep."""
    person.sweeps = True
    holdfast("config", "set", "sweep.least_minutes", "0")
    for agent in AGENTS:
        person.has(agent)
        holdfast("install", agent, "--yes")
    return person


def went_well(ran: Ran) -> Ran:
    """Return a run of an agent that ended as it should."""
    assert (ran.code, ran.missing, ran.left_behind) == (0, [], []), (ran.out[-2000:], ran.err[-2000:])
    return ran


def begin(person: Person, agent: str, prompt: str, *steps: Say | Call) -> Ran:
    """Run the first turn of a session."""
    return went_well(person.run(agent, prompt, steps))


def go_on(person: Person, agent: str, prompt: str, *steps: Say | Call, session: str = "") -> Ran:
    """Run another turn of a session, of the last one unless another is named."""
    session = session or last_session(person)
    options = ("--resume", session) if agent == "claude-code" else ("resume", session)
    return went_well(person.run(agent, prompt, steps, *options))


def last_session(person: Person) -> str:
    """Return the session of the last prompt."""
    return [event["session"] for event in events(person.home) if event["kind"] == "prompt"][-1]


def complain(person: Person, agent: str, words: str) -> str:
    """Let the agent remove a migration and the person complain in the next turn; return the session."""
    doomed = person.folder / "migrations" / "0007_cart.py"
    doomed.parent.mkdir(exist_ok=True)
    doomed.write_text("steps = []\n")
    person.sweeps = False
    begin(person, agent, "clean the project up, please", shell(agent, f"rm {doomed.parent.name}/{doomed.name}"), DONE)
    assert not doomed.exists()
    person.sweeps = True
    go_on(person, agent, words, Say("I am sorry."))
    return last_session(person)


def shell(agent: str, line: str) -> Call:
    """Return the call by which that agent runs a command."""
    return PROGRAMS[agent].shell(line)


def store(person: Person) -> Path:
    """Return the home of Holdfast."""
    return person.home / ".holdfast"


def learned(person: Person) -> list[Lesson]:
    """Return every lesson, whatever its status."""
    return Lessons(str(store(person))).all()


def ratings(person: Person) -> list[dict]:
    """Return every row of a rating."""
    path = store(person) / "learning" / "signals" / "ratings.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def incidents(person: Person) -> list[Path]:
    """Return the folders of incidents."""
    return sorted((store(person) / "learning" / "failures").glob("*/*"))


def works(person: Person) -> list[Work]:
    """Return every work item of the project."""
    return items(str(store(person)), PROJECT)


def told(ran: Ran, words: str) -> bool:
    """Whether the model got these words within a fence."""
    return any(words in block for block in fences(ran.turns[-1]))


@pytest.mark.parametrize("is_lost", some([False, True], 1), ids=lambda is_lost: "state lost" if is_lost else "as it is")
def test_a_complaint_of_two_sessions_reaches_the_third(learner: Person, holdfast, is_lost: bool) -> None:
    """Rated 2 with one agent and 1 with the other, the lesson stands: the third session and an old one get it.

    The same comes of it when state/ is deleted between the sessions.
    """

    def lose() -> None:
        if is_lost:
            shutil.rmtree(store(learner) / "state")

    first = complain(learner, "claude-code", f"2 - {DELETED}")
    assert [(row["rating"], row["comment"], row["session"]) for row in ratings(learner)] == [(2, DELETED, first)]
    check_incident(learner, first)
    [proposal] = json.loads(holdfast("proposals", "--json"))["proposals"]
    assert (proposal["kind"], proposal["text"]) == ("lesson", QUOTE)
    lose()
    complain(learner, "codex", "1 - you removed the migration again!")
    [lesson] = learned(learner)
    assert (lesson.status, lesson.sessions, lesson.statement) == ("standing", 2, QUOTE)
    assert json.loads(holdfast("proposals", "--json"))["proposals"] == []
    assert len(incidents(learner)) == len(ratings(learner)) == 2
    lose()
    # What is told now is known already.
    learner.sweeps = False
    assert told(begin(learner, "claude-code", "good morning", Say("hello")), DELETED)
    lose()
    assert told(go_on(learner, "claude-code", "now clean up the migrations", DONE, session=first), QUOTE)
    assert hook_log(learner.home) == ""


def check_incident(person: Person, session: str) -> None:
    """There is one incident, with its four files, and they say what happened."""
    [folder] = incidents(person)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("CONTEXT.md", "sentiment.json", "tool-calls.json", "transcript.jsonl")
    ]
    text = (folder / "CONTEXT.md").read_text()
    assert "## Likely cause\n\n`rm migrations/0007_cart.py`" in text and f"claude-code/{session}" in text
    lines = (folder / "transcript.jsonl").read_text().splitlines()
    assert {"human", "tool", "assistant"} <= {json.loads(line)["role"] for line in lines}


def test_chatter_leaves_nothing(learner: Person, holdfast) -> None:
    """Sessions of neutral talk, with looking around, leave no rating, work item, lesson, incident or proposal."""
    learner.sweeps = False
    chatter = some(CHATTER, 4)
    for number, (prompt, answer) in enumerate(chatter):
        agent = AGENTS[number % 2]
        begin(learner, agent, prompt, shell(agent, "ls"), Say(answer))
    swept = json.loads(holdfast("sweep", "--json"))
    assert (swept["ingested"], swept["learned"], swept["problems"]) == (len(chatter), 0, [])
    assert len({event["session"] for event in events(learner.home) if event["kind"] == "prompt"}) == len(chatter)
    assert (ratings(learner), works(learner), learned(learner), incidents(learner)) == ([], [], [], [])
    assert json.loads(holdfast("proposals", "--json"))["proposals"] == []


def test_work_goes_on_with_the_other_agent_and_is_closed_by_evidence(learner: Person) -> None:
    """An ask that changes a file opens a work item; the next session goes on with it, and evidence closes it.

    No start is told of it: it was made of a prompt, and would only echo that.
    """
    (learner.folder / "test_cart.py").write_text(TEST)
    ask = "Add a discount of ten percent to the cart in cart.py, and make sure that the tests pass."
    write = Call("Write", {"file_path": str(learner.folder / "cart.py"), "content": "rate = 10\n"})
    begin(learner, "claude-code", ask, write, Say("There is a rate now."))
    [item] = works(learner)
    assert (item.status, item.source) == ("ACTIVE", "AUTO"), item
    assert (item.lineage.files_changed, item.lineage.tools_used) == (("cart.py",), ("Write",))
    made = [shell("codex", "echo 'def rate(): return 10' > cart.py"), shell("codex", "python3 -m unittest")]
    ran = begin(learner, "codex", "continue", *made, Say("The tests pass."))
    assert not told(ran, item.id), fences(ran.first)
    assert statuses(learner) == ["PENDING", "SATISFIED"]
    session = last_session(learner)
    learner.sweeps = False
    ran = begin(learner, "claude-code", "good morning", Say("hello"))
    assert not told(ran, item.id), fences(ran.first)
    learner.sweeps = True
    go_on(learner, "codex", "it works now", Say("Good."), session=session)
    [item] = works(learner)
    assert [name.partition("/")[0] for name in item.sessions] == ["claude-code", "codex"]
    assert (item.status, statuses(learner)) == ("COMPLETED", ["SATISFIED", "SATISFIED"])


def statuses(person: Person) -> list[str]:
    """Return how far each criterion of the only work item is."""
    [item] = works(person)
    return [one.status for one in criteria.read(item.path).criteria]


@pytest.mark.parametrize("finder", some(AGENTS, 1))
def test_a_fix_of_one_agent_is_offered_to_the_other(learner: Person, finder: str) -> None:
    """What put a failed command right with one agent comes with the same failure in the other, in that very turn."""
    (learner.folder / "report.py").write_text("import till_data\n\nprint('sold')\n")
    (learner.folder / "sample_data.py").write_text("sold = 1\n")
    made = learner.folder / "till_data.py"
    call = "python3 report.py"
    lines = (call, f"cp sample_data.py {made.name}", call)
    begin(learner, finder, "run the report", *[shell(finder, line) for line in lines], Say("It works."))
    made.unlink()
    learner.sweeps, other = False, OTHER[finder]
    ran = begin(learner, other, "run the report", shell(other, call), Say("I try that."))
    assert told(ran, f"failed in the same way before; what worked then ({finder},"), fences(ran.turns[-1])
    assert told(ran, lines[1])


def test_no_other_project_hears_of_a_lesson(learner: Person, holdfast, repository) -> None:
    """A lesson that stands reaches start and prompt of its own project, and no request of another one."""
    learner.sweeps, words = False, "Keep every migration that was ever released."
    holdfast("lesson", "add", words)
    assert told(begin(learner, "codex", "which migration may go?", Say("none")), words)
    learner.folder = repository("till")
    for agent in AGENTS:
        ran = begin(learner, agent, "which migration may go, and which was released?", Say("all"))
        assert ran.first.count(words) == 0
