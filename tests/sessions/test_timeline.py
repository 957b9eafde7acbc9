"""What was done, day by day."""

from __future__ import annotations

import json

from holdfast.records import SessionEvent
from holdfast.sessions.browse import timeline
from support.archived import edited, said, session, store


def committed(subject: str, folder) -> SessionEvent:
    """Return a commit that a tool call made."""
    given = json.dumps({"command": f'git commit -m "{subject}"'})
    output = f"[main 1234567] {subject}\n 1 file changed"
    return SessionEvent(0, "tool", tool="Bash", input=given, output=output, folder=str(folder), answered=True)


def test_days_with_their_sessions(workspace, shop, cli) -> None:
    """Each day has its sessions with commits and files, the last day first; sub-agents are not told apart."""
    with workspace() as h:
        store(h, session("one", shop, title="First"), said("human", "Begin."), edited(shop / "a.py", shop))
        store(
            *(h, session("two", shop, day="2026-05-07", title="Second"), said("human", "Go on.")),
            committed("Add the second", shop),
        )
        found = timeline(h)
        assert [day.day for day in found.days] == ["2026-05-07", "2026-05-04"]
        assert found.days[0].sessions[0].session.commits == ("Add the second",)
        assert [file.path for file in found.days[1].sessions[0].files] == ["a.py"]
        assert [day.day for day in timeline(h, since="2026-05-05").days] == ["2026-05-07"]
        assert timeline(h, limit=1).more
    out = cli("timeline").out
    assert "2026-05-07" in out and "commit: Add the second" in out and "files: a.py" in out
    assert cli("timeline", "--json").json["days"][1]["sessions"][0]["changed"][0]["path"] == "a.py"


def test_another_project_by_its_name(workspace, shop, repository, cli) -> None:
    """The timeline of a project that is named has its sessions and no others."""
    with workspace() as h:
        store(h, session("one", shop, title="Mine"), said("human", "Begin."))
        store(h, session("two", repository("bakery"), title="Theirs"), said("human", "Begin."))
    assert "Theirs" not in cli("timeline").out
    assert "Mine" not in (out := cli("timeline", "example.com--acme--bakery").out) and "Theirs" in out
    assert "Mine" in (out := cli("timeline", "--everywhere").out) and "Theirs" in out


def test_files_of_another_project_are_told_there(workspace, shop, repository) -> None:
    """A session that also worked elsewhere shows here only what it changed here."""
    bakery = repository("bakery")
    with workspace() as h:
        changes = (edited(shop / "a.py", shop), edited(bakery / "bread.py", bakery))
        store(h, session("one", shop, title="Both"), said("human", "Begin."), *changes)
        [day] = timeline(h).days
        assert [file.path for file in day.sessions[0].files] == ["a.py"]
        [day] = timeline(h, everywhere=True).days
        assert len(day.sessions[0].files) == 2
