"""Which files were changed, by whom and when."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.sessions.browse import activity
from support.archived import edited, said, session, store


def paths(found) -> list[str]:
    """Return the paths of changes."""
    return [change.path for change in found.changes]


def test_changes_of_this_project(workspace, shop, cli) -> None:
    """Each change says file, agent, session, time and how often, the last first; a path narrows it."""
    with workspace() as h:
        events = [edited(shop / "src" / "a.py", shop)] * 2
        store(h, session("one", shop), said("human", "Begin."), *events, edited(shop / "b.py", shop))
        store(h, session("two", shop, "other-agent", "2026-05-06"), edited(shop / "b.py", shop))
        found = activity(h)
        assert paths(found)[0] == "b.py" and sorted(paths(found)[1:]) == ["b.py", "src/a.py"]
        assert [(one.session, one.changes) for one in activity(h, path="a.py").changes] == [("some-agent/one", 2)]
        assert paths(activity(h, path=str(shop / "src"))) == ["src/a.py"]
        assert paths(activity(h, path="other.py")) == []
        assert paths(activity(h, agents=("other-agent",))) == ["b.py"]
        assert paths(activity(h, since="2026-05-05")) == ["b.py"]
    lines = cli("activity", "b.py").out.splitlines()
    assert len(lines) == 2 and "other-agent" in lines[0] and "b.py" in lines[0]


def test_recent_is_the_last_day_in_every_project(workspace, shop, repository) -> None:
    """What was changed within 24 hours is shown whatever its project, and nothing older."""
    bakery = repository("bakery")
    with workspace() as h:
        store(h, session("old", shop), edited(shop / "old.py", shop))
        store(h, session("new", bakery, day=now()[:10]), edited(bakery / "new.py", bakery))
        assert paths(activity(h)) == ["old.py"]
        assert set(paths(activity(h, recent=True))) <= {"new.py"}
        assert sorted(paths(activity(h, everywhere=True))) == ["new.py", "old.py"]


def test_a_file_belongs_to_the_project_that_it_lies_in(workspace, shop, repository) -> None:
    """A session that changes a file of another project is seen there too."""
    bakery = repository("bakery")
    with workspace() as h:
        store(h, session("both", shop), edited(shop / "here.py", shop), edited(bakery / "there.py", bakery))
        assert paths(activity(h)) == ["here.py"]
    with workspace(folder=str(bakery)) as h:
        assert paths(activity(h)) == ["there.py"]
