"""The way from what was rated to what is learned, over the archive of every agent and project."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from holdfast.app import proposals
from holdfast.app.erase import forget_memory as forget
from holdfast.app.erase import forget_sessions
from holdfast.app.harvest import RECENT, Bounds, harvest
from holdfast.app.harvest_backlog import Waiting, waiting
from holdfast.app.sweep import sweep
from holdfast.base import clock, rows
from holdfast.errors import NotFound
from holdfast.learning.incidents.model import CONTEXT, TRANSCRIPT, Incidents
from holdfast.learning.said import judgements
from holdfast.memory import proposals as offered
from holdfast.memory.proposal_files import Proposals
from holdfast.records import Filter, Scope
from holdfast.sessions.index import waiting_passages
from sessions.making import answer, human, ran
from support.archived import said, session, store
from support.learned import DELETED, REMOVED, SHOP, complained, learned_in, rated, talked
from support.swept import line, transcript
from support.swept import write as write_transcript

PROJECT = Scope("project", SHOP)


def memories(h):
    """Return the memories of the shop."""
    h.refresh((PROJECT,))
    return list(h.store.find(Filter((PROJECT,))))


def kinds(done) -> list[str]:
    """Return the kinds of what was new, without those of other parts."""
    return sorted(one.kind for one in done.found if one.kind in ("lesson", "incident"))


def test_the_whole_way(workspace, shop) -> None:
    """A 2 makes an incident and a proposal; the same from another agent makes it stand as a memory of the project."""
    with workspace() as h:
        complained(h, shop)
        assert kinds(harvest(h)) == ["incident", "lesson"]
        (waiting,) = offered.waiting(h)[0]
        assert (waiting.kind, waiting.type, waiting.scope, waiting.tags) == (
            "lesson",
            "lesson",
            PROJECT,
            ("learned", "system"),
        )
        assert waiting.text == f'Do not do this again: "{DELETED}".'
        assert memories(h) == []
        complained(h, shop, "s-2", REMOVED, rating=1, agent="other-agent", day="2026-05-06")
        assert kinds(harvest(h)) == ["incident", "lesson"]
        (memory,) = memories(h)
        assert offered.waiting(h)[0] == []
    assert (memory.type, memory.trust, memory.source) == ("lesson", "derived", "learning")
    assert memory.body == waiting.text and memory.tags == ("learned", "system")
    (lesson,) = learned_in(h)
    assert (lesson.status, lesson.sessions, lesson.key) == ("standing", 2, memory.key)
    assert len(Incidents(h.home).all()) == 2


def test_harvesting_again_adds_nothing_also_without_state(workspace, shop, home, tree) -> None:
    """A second harvest, one by name, and one after state/ was deleted leave every byte that counts as it is."""
    with workspace() as h:
        name = complained(h, shop)
        complained(h, shop, "s-2", REMOVED, day="2026-05-06")
        harvest(h)
    before = {path: what for path, what in tree(home).items() if not path.startswith("state")}
    with workspace() as h:
        assert harvest(h).unchanged == 2
        again = harvest(h, session=name)
        assert (again.sessions, again.found) == (1, ()) and again.known >= 2
    shutil.rmtree(home / "state")
    with workspace() as h:
        assert harvest(h).found == ()
    assert {path: what for path, what in tree(home).items() if not path.startswith("state")} == before


def test_six_sessions_of_chatter_leave_nothing(workspace, shop, home) -> None:
    """Neutral talk, tests that fail and are mended, and thanks are no lesson and no incident."""
    with workspace() as h:
        for number in range(6):
            events = (
                human("Add a test for the cart, please."),
                ran("pytest -q", "1 failed\nE   AssertionError: assert 1 == 2", failed=True),
                answer("Lesson: always look at the fixture before the test."),
                ran("pytest -q", "1 passed"),
                human("Thanks. Now the same for the till."),
                answer("Done."),
            )
            talked(h, shop, f"s-{number}", *events, day=f"2026-05-0{number + 1}")
        assert kinds(harvest(h)) == []
        assert offered.waiting(h)[0] == [] and memories(h) == [] and learned_in(h) == []
    assert not (home / "learning" / "failures").exists()


def test_a_project_keeps_its_lessons_to_itself(workspace, shop, repository) -> None:
    """The same complaint in two projects is two proposals, and neither stands."""
    till = repository("till")
    with workspace() as h:
        complained(h, shop)
        at = "2026-05-06T10:30:00Z"
        name = talked(
            h, till, "s-2", human("Clean up"), answer(), said("human", f"2 - {DELETED}", at, till), day="2026-05-06"
        )
        rated(h, name, 2, DELETED, at, "example.com--acme--till")
        harvest(h)
        assert sorted(one.scope.owner for one in offered.waiting(h)[0]) == [SHOP, SHOP.replace("shop", "till")]
        assert [one.status for one in learned_in(h)] == ["proposed", "proposed"] and memories(h) == []


def test_without_a_project_a_lesson_stands_only_by_approval(workspace, shop, tmp_path) -> None:
    """It recurs and stays a proposal; approved, it is a memory for everywhere."""
    with workspace() as h:
        for number in (1, 2):
            at = f"2026-05-0{number}T10:30:00Z"
            told = session(f"s-{number}", "", day=f"2026-05-0{number}")
            name = store(h, told, human("Clean up"), answer(), said("human", f"2 - {DELETED}", at))
            rated(h, name, 2, DELETED, at, "")
        harvest(h)
        (waiting,) = offered.waiting(h)[0]
        assert waiting.scope == Scope("global") and learned_in(h)[0].sessions == 2
        (decision,) = proposals.approve(h, (waiting.id,))
        assert h.store.get(Scope("global"), decision.key).trust == "user"


def test_what_was_rejected_does_not_come_back(workspace, shop) -> None:
    """A rejection holds against another wording in another session, and against a lost state/."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (waiting,) = offered.waiting(h)[0]
        proposals.reject(h, (waiting.id,))
        assert learned_in(h)[0].status == "rejected"
        complained(h, shop, "s-2", REMOVED, day="2026-05-06")
        shutil.rmtree(os.path.join(h.home, "state"))
        harvest(h)
        assert offered.waiting(h)[0] == [] and memories(h) == []
        os.unlink(learned_in(h)[0].path)
        harvest(h, session="s-1")
        assert offered.waiting(h)[0] == [] and learned_in(h)[0].status == "rejected"


def test_what_was_forgotten_does_not_come_back(workspace, shop) -> None:
    """A standing lesson whose memory a person forgot stays forgotten when it recurs once more."""
    with workspace() as h:
        complained(h, shop)
        complained(h, shop, "s-2", REMOVED, day="2026-05-06")
        harvest(h)
        forget(h, memories(h)[0].key)
        complained(h, shop, "s-3", DELETED, day="2026-05-08")
        harvest(h)
        assert memories(h) == [] and learned_in(h)[0].status == "rejected"


def test_the_newest_sessions_are_taken_unless_all_are_wanted(workspace, shop) -> None:
    """By default the last ten are looked at; --all does the rest; one that changed is looked at again."""
    with workspace() as h:
        for number in range(RECENT + 2):
            talked(h, shop, f"s-{number}", human("Mend the till"), answer(), day=f"2026-05-{number + 1:02}")
        assert harvest(h).sessions == RECENT
        done = harvest(h, everything=True)
        assert (done.sessions, done.unchanged) == (2, RECENT)
        rated(h, "some-agent/s-3", 3, "you broke the login page", "2026-05-04T12:00:00Z")
        assert kinds(harvest(h, everything=True)) == ["incident", "lesson"]


def test_a_dry_run_shows_and_writes_nothing(workspace, shop, home, tree) -> None:
    """What would be kept is told, and every byte stays."""
    with workspace() as h:
        complained(h, shop)
    before = tree(home)
    with workspace() as h:
        done = harvest(h, dry_run=True)
        assert {"lesson", "incident"} <= {one.kind for one in done.found} and done.dry_run
    assert tree(home) == before


def test_a_finder_that_fails_takes_nothing_else_away(workspace, shop, monkeypatch) -> None:
    """Its trouble is a problem; the others go on, and the session is looked at again next time."""
    with workspace() as h:
        complained(h, shop)
        path = os.path.join(h.home, "learning", "failures")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(h.home, path)
        done = harvest(h)
        assert "lesson" in kinds(done) and [one.kind for one in done.problems] == ["harvest"]
        os.unlink(path)
        assert kinds(harvest(h)) == ["incident"]


def test_no_session_no_harvest(workspace, shop) -> None:
    """A session that the archive does not have is named, and an empty home is no error."""
    with workspace() as h:
        assert harvest(h).sessions == 0
        with pytest.raises(NotFound):
            harvest(h, session="nobody")


def test_switched_off_a_sweep_learns_nothing(workspace, machine, home) -> None:
    """With learning.enabled off a sweep only takes sessions in; with memory off a harvest does nothing, either."""
    lines = [
        line("one", 0, "user", "Hello"),
        line("one", 1, "assistant", "Hello."),
        line("one", 2, "user", f"2 - {DELETED}"),
    ]
    write_transcript(transcript(machine, "one"), lines)
    with workspace(flags={"learning.enabled": "false"}) as h:
        swept = sweep(h)
        assert (swept.ingested, swept.learned) == (1, 0)
    assert not (home / "proposals").exists() and not (home / "learning").exists()
    with workspace(flags={"enabled": "false"}) as h:
        assert harvest(h).sessions == 0


def test_a_sweep_learns_from_what_it_takes_in(workspace, machine, home) -> None:
    """A transcript with a low rating becomes an incident and a proposal within the sweep."""
    said_now = (
        ("user", "Clean the project up, please."),
        ("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm migrations/7.py"}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]),
        ("assistant", [{"type": "text", "text": "I cleaned up."}]),
        ("user", f"2 - {DELETED}"),
        ("assistant", [{"type": "text", "text": "I am sorry."}]),
    )
    lines = [line("one", place, kind, content) for place, (kind, content) in enumerate(said_now)]
    write_transcript(transcript(machine, "one"), lines)
    with workspace() as h:
        swept = sweep(h)
        assert swept.learned >= 2 and swept.problems == ()
        assert [one.kind for one in offered.waiting(h)[0]] == ["lesson"]
    (one,) = Incidents(str(home)).all()
    assert "rm migrations/7.py" in open_text(os.path.join(one.path, CONTEXT))


def test_what_was_taken_in_is_told_before_it_is_learned_from(workspace, machine, monkeypatch) -> None:
    """All can be found before the first session is learned from; who is stopped there has the next sweep go on."""
    words = [("user", "Clean the project up."), ("assistant", [{"type": "text", "text": "Done."}]), ("user", "9/10")]
    write_transcript(transcript(machine, "one"), [line("one", at, *one) for at, one in enumerate(words)])
    found: list[object] = []

    def stop(what: str, done: int, sessions: int, seconds: float) -> None:
        found.append((what, done, sessions))
        raise KeyboardInterrupt

    with workspace() as h:
        with pytest.raises(KeyboardInterrupt):
            sweep(h, taken_in=lambda swept: found.append((swept.ingested, waiting_passages(h))), learning=stop)
        assert found == [(1, 0), ("learning", 0, 1)]
        assert waiting(h.home).sessions == 1
        swept = sweep(h)
        assert (swept.ingested, swept.learned) == (0, 1) and waiting(h.home) == Waiting()
        # Where nothing is new and nothing waits, no session is looked at: there may be very many.
        assert sweep(h, learning=stop).learned == 0


def test_what_the_judge_read_before_it_was_stopped_is_kept(workspace, shop, home, monkeypatch) -> None:
    """Whoever stops it in the middle of a session loses no more than it was reading just then."""
    monkeypatch.setattr(judgements, "_TOGETHER", 2)
    read, today = judgements.judge_all, clock.iso(time.time())[:10]
    asked = [said("human", f"Never use tool {at}, use make.", f"{today}T10:0{at}:00Z", shop) for at in range(6)]
    turns: list[int] = []

    def stopped(messages):
        turns.append(len(messages))
        if len(turns) == 3:
            raise KeyboardInterrupt
        return read(messages)

    with workspace() as h:
        store(h, session("s-1", shop, day=today), *asked)
        with monkeypatch.context() as patched:
            patched.setattr(judgements, "judge_all", stopped)
            with pytest.raises(KeyboardInterrupt):
                harvest(h, everything=True)
        assert len(rows.read(judgements.path_of(str(home)))) == 4
        assert waiting(h.home) == Waiting(0, 1)
        assert harvest(h, everything=True).unjudged == 0
        assert len(rows.read(judgements.path_of(str(home)))) == 6


def test_a_sweep_says_how_much_was_learned(cli, machine, shop) -> None:
    """A transcript with a rating is told of in one line with where to look; one of talk is not."""
    talk = [line("one", 0, "user", "Hello"), line("one", 1, "assistant", [{"type": "text", "text": "Hello."}])]
    write_transcript(transcript(machine, "one"), talk)
    assert "learned" not in cli("sweep").out
    write_transcript(transcript(machine, "two"), [*talk, line("two", 2, "user", "9/10, clean and quick")])
    assert "1 thing learned: see holdfast rate, lesson, work" in cli("sweep").out


def open_text(path: str) -> str:
    """Return what a file says."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_the_budget_of_incidents_holds(workspace, shop) -> None:
    """A harvest that makes incidents keeps them within `learning.incident_bytes`, and every CONTEXT.md stays."""
    with workspace(flags={"learning.incident_bytes": "40000"}) as h:
        for number in range(12):
            loud = ran("make", "x" * 5_000)
            complained(
                h, shop, f"s-{number}", f"you broke part{number} again", day=f"2026-05-{number + 1:02}", calls=(loud,)
            )
        done = harvest(h, everything=True)
        left = Incidents(h.home).all()
        assert len(left) == 12 and sum(one.size for one in left) <= 40_000
        assert done.dropped and all(step.target.endswith(TRANSCRIPT) for step in done.dropped[:3])


def test_a_forgotten_session_takes_along_what_was_learned_from_it_alone(workspace, shop, home) -> None:
    """Its incident, its proposed lesson, the proposal and the words of its rating go with it."""
    with workspace() as h:
        name = complained(h, shop)
        harvest(h)
        forget_sessions(h, (name,))
    assert Incidents(str(home)).all() == [] and learned_in(h) == [] and Proposals(str(home)).ids() == []
    assert DELETED not in open_text(str(home / "learning" / "signals" / "ratings.jsonl"))


def test_the_command_tells_what_is_new(cli, workspace, shop) -> None:
    """It lists each finding, counts what is known, prints JSON, and refuses two wishes at once."""
    with workspace() as h:
        complained(h, shop)
    told = cli("harvest", "--dry-run", "--json").json
    assert {"lesson", "incident"} <= {one["kind"] for one in told["found"]} and told["dry_run"]
    ended = cli("harvest")
    assert f"some-agent/s-1  2026-05-04  incident 2026-05-04-103000_{DELETED.replace(' ', '-')}" in ended.out
    assert "1 session looked at: 3 new findings" in ended.err
    assert cli("harvest", "--all", "--recent", "3").code == 2


def test_what_the_judge_has_no_time_for_waits_and_is_told(workspace, shop, cli) -> None:
    """The judge reads the newest sessions for a while; status says what is left, and the next harvest goes on."""
    today = clock.iso(time.time())[:10]
    with workspace() as h:
        for number in range(3):
            asked = said("human", f"From now on never use tool {number}, use make.", f"{today}T10:0{number}:00Z", shop)
            store(h, session(f"s-{number}", shop, day=today), asked)
        assert harvest(h, everything=True, names=(), bounds=Bounds(1e-9, 1e-9)).waiting == 3
        assert "3 sessions and 2 sessions for the judge, about 1 min" in cli("status").out
        done = harvest(h, everything=True, names=())
        assert (done.sessions, done.waiting, done.unjudged) == (3, 0, 0)
        assert "proposal" in {one.kind for one in done.found}
        assert "to learn from" not in cli("status").out
        assert harvest(h, everything=True).found == ()
