"""A sweep over an agent that another package adds, and that does everything wrong: it takes only its own away."""

from __future__ import annotations

import sys

import pytest

from holdfast.sessions.archive import Archive
from support.swept import leftovers, sweep_into, talk, transcript, write

ADDED = """
from holdfast.agents.base import Agent
from holdfast.agents.reading.base import Reading
from holdfast.records import SessionEvent

class Told(Reading):
    agent = "dummy"

    def __iter__(self):
        yield SessionEvent(0, "human", "Hello")
        yield from self.more()
        self.held.given = 2

    def more(self):
        MORE

class Dummy(Agent):
    name = "dummy"

    def find_sessions(self, place):
        FIND

    def read_session(self, path):
        if not path.endswith(".dummy"):
            return None
        READ
"""
GOOD = {
    "FIND": 'yield place.home + "/one.dummy"',
    "READ": 'told = Told(path); told.facts["id"] = "one"; return iter([told])',
    "MORE": 'yield SessionEvent(1, "assistant", "Hi")',
}


@pytest.fixture
def dummy(tmp_path, monkeypatch):
    """Install a package that adds an agent, with one of its methods replaced by other lines."""

    def install(**wrong: str) -> None:
        site = tmp_path / "site"
        info = site / "holdfast_dummy-1.0.dist-info"
        info.mkdir(parents=True)
        text = ADDED
        for name, lines in {**GOOD, **wrong}.items():
            text = text.replace(name, lines)
        (site / "holdfast_dummy.py").write_text(text)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: holdfast-dummy\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[holdfast.agents]\ndummy = holdfast_dummy:Dummy\n")
        monkeypatch.syspath_prepend(str(site))

    yield install
    sys.modules.pop("holdfast_dummy", None)


@pytest.fixture
def person(tmp_path):
    """A person with a transcript of that agent, and one of another."""
    write(tmp_path / "one.dummy", b"whatever it writes", at=1_790_000_000)
    write(transcript(tmp_path, "other"), talk("other", 1), at=1_790_000_001)
    return tmp_path


def test_an_added_agent_is_swept_like_any_other(dummy, person):
    """Its sessions stand in the archive under its own name."""
    dummy()
    assert sweep_into(person / "home", person).ingested == 2
    assert Archive(str(person / "home")).session("dummy/one").events == 2


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"FIND": 'raise RuntimeError("no")'}, "agent"),
        ({"FIND": 'yield place.home + "/one.dummy"; raise OSError("no")'}, "agent"),
        ({"READ": 'raise RuntimeError("no")'}, "unread"),
        ({"READ": 'raise PermissionError(13, "Permission denied")'}, "unreadable"),
        ({"READ": "return iter([None])"}, "unread"),
        ({"MORE": 'raise KeyError("no")'}, "unread"),
        ({"MORE": 'yield SessionEvent(1, "human", 5)'}, "unread"),
        ({"MORE": "yield 5"}, "unread"),
        ({"MORE": 'raise OSError(5, "Input/output error")'}, "unreadable"),
    ],
)
def test_what_it_does_wrong_is_a_problem_of_its_own(dummy, person, wrong, kind):
    """The problem says where, nothing of the session is stored but by an agent that only stopped looking, and the
    other agent is swept."""
    dummy(**wrong)
    found = sweep_into(person / "home", person)
    [problem] = found.problems
    assert (problem.kind, problem.severity) == (kind, "error")
    assert problem.path in ("dummy", str(person / "one.dummy"))
    archive = Archive(str(person / "home"))
    assert archive.has("claude-code/other")
    assert archive.has("dummy/one") == ("yield" in wrong.get("FIND", ""))
    assert leftovers(person / "home") == []


def test_a_digest_that_fails_is_a_problem_and_the_events_stay(dummy, person):
    """A session that cannot be digested is stored all the same, and counts as not analysed."""
    dummy(MORE='yield SessionEvent(1, "human", "When?", at=5)')
    found = sweep_into(person / "home", person)
    assert [(problem.kind, problem.path) for problem in found.problems] == [("digest", "dummy/one")]
    assert (found.ingested, found.analysed) == (2, 1)
    entries = {entry.name: entry for entry in Archive(str(person / "home")).entries()}
    assert not entries["dummy/one"].analysed
    assert entries["dummy/one"].raw_bytes > 0
