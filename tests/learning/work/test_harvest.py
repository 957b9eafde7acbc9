"""Evidence for work items out of archived sessions: what is satisfied by it, what is closed, and in which order."""

from __future__ import annotations

import os
import time

import pytest

from holdfast.app.harvest import harvest
from holdfast.base.light_records import replace
from holdfast.learning.work import criteria, session_log
from holdfast.learning.work import harvest as harvest_work
from holdfast.learning.work import model as work
from holdfast.records import SessionEvent
from holdfast.sessions.archive import Archive
from support.archived import edited, said, session, store
from support.places import SHOP

AT = "2026-05-04T10:00:00Z"


@pytest.fixture
def item(home, workspace):
    """Make a work item of the session s1 with these criteria."""

    def make(
        *texts: str, title: str = "Add the dark mode", created: str = AT, session: str = "some-agent/s1"
    ) -> work.Work:
        isc = criteria.Criteria(ideal=title)
        for text in texts:
            isc = criteria.added(isc, text, "ask")
        new = work.Work("", title, SHOP, sessions=(session,), created_at=created, updated_at=created)
        return work.make(str(home), new, criteria.versioned(criteria.Criteria(), isc, AT, "quick", closed=False))

    return make


def ran(command: str, output: str, at: str = AT) -> SessionEvent:
    """Return a command that was run."""
    given = f'{{"command": "{command}"}}'
    return SessionEvent(0, "tool", at=at, tool="Bash", input=given, output=output, answered=True)


@pytest.fixture
def harvested(workspace, shop):
    """Put the session s1 into the archive and keep what is found for work items; return how much was new."""

    def run(*events: SessionEvent) -> int:
        with workspace() as opened:
            name = store(opened, session("s1", shop), said("human", "Add the dark mode"), *events, index=False)
            archive = Archive(opened.home)
            found = list(harvest_work.harvest(opened, archive.digest(name), list(archive.events(name))))
            return sum(finding.keep() for finding in found)

    return run


def change(path, shop, at: str = AT) -> SessionEvent:
    """Return a change of a file of the shop."""
    return replace(edited(shop / path, shop), at=at)


def read(one: work.Work) -> work.Work:
    """Return the item as it is now."""
    found = work.read(one.path, SHOP)
    assert found is not None
    return found


def test_tests_and_a_commit_close_it(item, harvested, shop):
    """An item whose session is over is completed when tests passed after the change and a commit is about it."""
    one = item("Add the dark mode", "all tests pass")
    commit = ran("git commit -m 'Add the dark mode'", "[main 1a2b3c4] Add the dark mode\n 1 file changed")
    assert harvested(change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s"), commit) == 1
    assert read(one).status == "COMPLETED" and read(one).lineage.files_changed == ("theme.py",)
    assert len(work.names_in(one, "verification")) == 2


def test_harvesting_twice_changes_nothing(item, harvested, shop, home, tree):
    """What was found once is not new the second time, and no byte of the item changes."""
    item("Add the dark mode", "all tests pass")
    events = (change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s"))
    assert harvested(*events) == 1
    before = tree(home / "work")
    assert harvested(*events) == 0 and tree(home / "work") == before


def test_red_tests_leave_it_open(item, harvested, shop):
    """Tests that failed after the change fail the criterion about them, and nothing else is satisfied."""
    one = item("Add the dark mode", "all tests pass")
    harvested(change("theme.py", shop), ran("pytest -q", "2 failed, 10 passed in 0.3s"))
    assert read(one).is_open
    assert [each.status for each in criteria.read(one.path).criteria] == ["PENDING", "FAILED"]


def test_tests_before_the_change_are_none(item, harvested, shop):
    """A run of tests before the last change says nothing about it."""
    one = item("all tests pass")
    harvested(ran("pytest -q", "12 passed in 0.3s"), change("theme.py", shop))
    assert criteria.read(one.path).criteria[0].status == "PENDING"


def test_each_item_of_a_session_has_its_own_evidence(item, harvested, shop):
    """What was committed for the first item is no evidence for the second one."""
    first = item("Add the dark mode", "tests pass")
    later = "2026-05-04T10:30:00Z"
    second = item("Rename the table", "tests pass", title="Rename the table", created=later)
    harvested(
        change("theme.py", shop),
        ran("pytest -q", "12 passed in 0.3s"),
        change("table.py", shop, "2026-05-04T10:40:00Z"),
    )
    assert criteria.read(first.path).criteria[1].status == "SATISFIED"
    assert criteria.read(second.path).criteria[1].status == "PENDING"
    assert read(first).lineage.files_changed == ("theme.py",) and read(second).lineage.files_changed == ("table.py",)


def test_a_living_session_keeps_its_item_open(item, harvested, shop, home):
    """While the session goes on its item gets the evidence and stays open; once it ended, it is closed."""
    one = item("all tests pass")
    whose = ("some-agent", "s1", SHOP)
    session_log.note(str(home), whose, AT, [(session_log.TOOL, "Bash")])
    events = (change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s"))
    harvested(*events)
    assert criteria.read(one.path).is_met() and read(one).is_open
    session_log.note(str(home), whose, AT, [(session_log.ENDED, "")])
    harvested(*events)
    assert not read(one).is_open


def test_an_end_after_the_harvest_closes_it_with_the_next_one(item, workspace, shop, home):
    """A session that was harvested while it lived is not looked at again, yet its item is closed after its end."""
    one = item("all tests pass")
    whose = ("some-agent", "s1", SHOP)
    session_log.note(str(home), whose, AT, [(session_log.WORK, one.id), (session_log.TAKEN, "")])
    with workspace() as opened:
        events = (change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s"))
        store(opened, session("s1", shop), said("human", "Add the dark mode"), *events)
        assert harvest(opened).sessions == 1 and read(one).is_open
        session_log.note(str(home), whose, AT, [(session_log.ENDED, "")])
        assert harvest(opened).unchanged == 1
    assert not read(one).is_open


def test_tests_of_a_later_session_count_for_what_an_earlier_one_changed(item, harvested):
    """A session that changed nothing and ran the tests speaks for an item that has changes, and for no other."""
    begun, untouched = item("all tests pass"), item("all tests pass", title="Rename it", created="2026-05-03T09:00:00Z")
    work.write(replace(begun, lineage=work.Lineage(files_changed=("theme.py",))))
    harvested(ran("pytest -q", "12 passed in 0.3s"))
    assert [criteria.read(one.path).criteria[0].status for one in (begun, untouched)] == ["SATISFIED", "PENDING"]


def test_an_item_that_another_session_took_over_is_not_closed(item, harvested, shop):
    """Only the last session of an item closes it."""
    one = item("all tests pass")
    work.write(replace(read(one), sessions=("some-agent/s1", "other-agent/s2")))
    harvested(change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s"))
    assert read(one).is_open


def test_another_project_is_not_looked_at(harvested, item, shop, home):
    """An item of the same session id in another project stays as it is."""
    isc = criteria.added(criteria.Criteria(), "all tests pass", "ask")
    other = work.Work("", "Other", "other-project", sessions=("some-agent/s1",), created_at=AT, updated_at=AT)
    made = work.make(str(home), other, isc)
    assert harvested(change("theme.py", shop), ran("pytest -q", "12 passed in 0.3s")) == 0
    assert criteria.read(made.path).criteria[0].status == "PENDING"


def test_an_ask_of_an_agent_without_tool_hooks_is_opened_late(harvested, shop, home, workspace):
    """Where hooks told nothing of tools, the files of the digest show that the ask was acted on."""
    home.mkdir(exist_ok=True)
    path = session_log.path_of(str(home), "some-agent", "s1", SHOP)
    asks = '[["Add a dark mode toggle to the settings page", "2026-05-04T10:00:00Z", false]]'
    session_log.note(str(home), ("some-agent", "s1", SHOP), AT, [(session_log.PENDING, asks), (session_log.TAKEN, "")])
    os.utime(path, (time.time() - 4_000,) * 2)
    assert harvested(change("theme.py", shop)) >= 1
    (one,) = work.items(str(home), SHOP)
    assert one.lineage.files_changed == ("theme.py",)
