"""The table of standing lessons: derived from the lessons, made again when they change, and never the truth."""

from __future__ import annotations

import os
import time

import pytest

from holdfast.base.clock import iso
from holdfast.learning.lessons import lesson_table
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons.model import Evidence

SHOP = "example.com--acme--shop"
NOW = time.time()


def stamp(days: float) -> str:
    """Return the time so many days ago."""
    return iso(NOW - days * 86_400)


@pytest.fixture
def learn(home):
    """Write down a lesson as learning does, of a status and a project, seen in so many sessions."""

    def make(quote: str, *, status: str = "standing", project: str = SHOP, sessions: int = 1) -> lessons.Lesson:
        room = lessons.Lessons(str(home))
        for number in range(sessions):
            evidence = Evidence(stamp(number), "a", f"s-{number}", "rating", quote)
            one, _ = room.add_evidence(quote, "algorithm", project, evidence)
        return room.change(one, status=status)

    return make


def keys(home, *projects: str) -> list[str]:
    """Return the beginnings of the keys of what stands in these projects, in its order."""
    return [row.key.rpartition("-")[0] for row in lesson_table.standing(str(home), projects, NOW)]


def test_only_what_stands(home, learn):
    """Proposals and rejected lessons are not in it; warnings come last."""
    learn("never touch the changelog", status="warning", sessions=3)
    learn("run migrations before deploys")
    learn("a single complaint about naming", status="proposed")
    learn("whatever the person rejected", status="rejected")
    assert keys(home, SHOP) == ["run-migrations-before-deploys", "never-touch-the-changelog"]


def test_other_projects_stay_out(home, learn):
    """Lessons of a project are for it and its older ids; those without one are for everywhere."""
    learn("lesson about the shop")
    learn("lesson under the older name", project="older")
    learn("lesson about something else", project="other")
    learn("lesson for each and every place", project="")
    assert sorted(keys(home, SHOP, "older")) == [
        "lesson-about-the-shop",
        "lesson-for-each-and-every-place",
        "lesson-under-the-older-name",
    ]
    assert keys(home) == ["lesson-for-each-and-every-place"]


def test_weight_is_that_of_lessons(home, learn):
    """Marks and sessions weigh as they do where lessons are listed, today and later."""
    one = learn("mind the gap between trains", sessions=2)
    room = lessons.Lessons(str(home))
    for rating, days in (("helpful", 10), ("helpful", 200), ("harmful", 100), ("harmful", 0)):
        one = room.mark(one, rating, stamp(days))
    (row,) = lesson_table.standing(str(home), (SHOP,), NOW)
    # The table is made when it is first asked for, which may be long after this file was loaded.
    for at in (row.made, row.made + 45 * 86_400):
        assert lesson_table.weight(row, at) == pytest.approx(lessons.weight(one, iso(at)), abs=1e-3)


def test_a_copy_of_a_session_does_not_count(home, learn):
    """A session that was forked from another has its complaint, with its time, and is none of its own."""
    one = learn("mind the gap between trains", sessions=2)
    copy = Evidence(one.evidence[0].at, "a", "s-fork", "rating", one.evidence[0].quote)
    one, _ = lessons.Lessons(str(home)).add_evidence("...", "algorithm", SHOP, copy)
    (row,) = lesson_table.standing(str(home), (SHOP,), NOW)
    assert row.sessions == one.sessions == 2
    assert len(one.evidence) == 3


def test_a_mark_that_is_no_time_counts_whole(home, learn):
    """What a person wrote into the file in place of a time does not break the table."""
    one = learn("mind the gap between trains")
    lessons.Lessons(str(home)).mark(one, "helpful", "yesterday")
    (row,) = lesson_table.standing(str(home), (SHOP,), NOW)
    assert lesson_table.weight(row, NOW) == pytest.approx(2.0)


def test_the_weightiest_first(home, learn):
    """What came up in more sessions comes before what came up in fewer."""
    learn("seldom seen in any session")
    learn("often seen in many sessions", sessions=4)
    assert keys(home, SHOP) == ["often-seen-in-many-sessions", "seldom-seen-in-any-session"]


def test_it_is_made_again(home, learn):
    """Without the table, with a broken one and after a change, the lessons themselves are read."""
    learn("run migrations before deploys")
    table = home / "state/lessons.tsv"
    assert keys(home, SHOP) == ["run-migrations-before-deploys"]
    good = table.read_bytes()
    table.unlink()
    assert keys(home, SHOP) == ["run-migrations-before-deploys"]
    table.write_bytes(b"\xff\x00nonsense\n" + good.split(b"\n", 1)[1])
    assert keys(home, SHOP) == ["run-migrations-before-deploys"]
    learn("check the tests before a push")
    assert len(keys(home, SHOP)) == 2


def test_it_is_not_made_in_vain(home, learn):
    """While lessons stay as they are the table is read and not written."""
    learn("run migrations before deploys")
    keys(home, SHOP)
    before = os.stat(home / "state/lessons.tsv")
    lesson_table.renew(str(home))
    assert os.stat(home / "state/lessons.tsv").st_ino == before.st_ino


def test_what_is_no_lesson_does_not_stand(home, learn):
    """A file that a person broke, and a link, are passed over; the others stand."""
    one = learn("run migrations before deploys")
    folder = os.path.dirname(one.path)
    with open(os.path.join(folder, "broken.md"), "w") as file:
        file.write("not a lesson")
    os.symlink(one.path, os.path.join(folder, "linked.md"))
    assert keys(home, SHOP) == ["run-migrations-before-deploys"]


def test_nothing_was_learned(home):
    """Where there are no lessons, none stand and no table is made."""
    assert keys(home, SHOP) == []
    assert not home.exists()
