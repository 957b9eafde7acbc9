"""What goes with a session that is forgotten, store by store, and what another one keeps."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from holdfast.app.erase import forget_sessions
from holdfast.app.forget import forget
from holdfast.app.forget import plan as plan_forget
from holdfast.app.harvest import harvest
from holdfast.errors import HoldfastError
from holdfast.journal import Journal
from holdfast.learning.incidents.model import Incidents
from holdfast.learning.lessons import forget as forget_lessons
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.model import Record
from holdfast.learning.work import criteria, session_log
from holdfast.learning.work import model as work
from holdfast.records import Event
from holdfast.sessions.archive import Archive
from holdfast.sessions.parts import ForgetTarget
from support.archived import said, session, store
from support.learned import complained, learned_in

AT = "2026-05-04T10:00:00Z"


def test_what_was_noted_for_work_items_goes(workspace, home) -> None:
    """The rows of a forgotten session, the person's words among them, are gone; those of another one stay."""
    for id in ("s1", "s2"):
        session_log.note(str(home), ("codex", id, "shop"), AT, [(session_log.PROMPT, f"Move the uploads of {id}")])
    with workspace() as h:
        forget(h, "codex/s1")
    assert [one.session for one in session_log.sessions(str(home))] == ["s2"]
    folder = session_log.folder_of(str(home))
    assert not any(b"uploads of s1" in (home / folder / name).read_bytes() for name in os.listdir(folder))


def told(session: str, kind: str = "prompt", **more: object) -> Event:
    """Return an event of a session."""
    return Event(AT, kind, {"agent": "codex", "session": session, **more})


def test_events_of_the_journal_are_blanked_in_their_place(workspace, home) -> None:
    """Every event of the session is blank, a mark keeps what ranks, and the bytes of all other lines stay in place."""
    journal = Journal(str(home))
    mark = {"memory": ["project", "shop", "vpn"], "rating": "helpful", "note": "the quagga helped"}
    for event in (
        *(told("s1", prompt="a quagga"), told("s2", prompt="a numbat"), told("s1", "stop", answer="quagga")),
        *(told("s1", "mark", **mark), told("s2", "receipt", given=[])),
    ):
        journal.append(event)
    (path,) = (home / "journal").iterdir()
    before = path.read_bytes()
    with workspace() as h:
        forget(h, "codex/s1")
    after = path.read_bytes()
    assert b"quagga" not in after and len(after) == len(before)
    assert [after.split(b"\n")[place] for place in (1, 4)] == [before.split(b"\n")[place] for place in (1, 4)]
    assert [(event.kind, event.data.get("session")) for event in journal.events()] == [
        *(("prompt", "s2"), ("mark", None), ("receipt", "s2"))
    ]
    assert next(journal.events("mark")).data["memory"] == ["project", "shop", "vpn"]


def test_the_audit_trail_says_no_more_what_a_call_was(workspace, home) -> None:
    """A call of the session stays in the trail by its time and rule, without its words; others stay as they were."""
    for id in ("s1", "s2"):
        call = Record(AT, "codex", id, "shop", "Bash", "destructive", "rm", f"rm -r {id}")
        security_trail.add(str(home), call)
    with workspace() as h:
        forget(h, "codex/s1")
    rows = {row.session: row for row in security_trail.read(str(home))}
    assert rows["s1"].text == "" and rows["s1"].rule == "rm" and rows["s2"].text == "rm -r s2"


def test_sub_agents_go_with_their_session(workspace, shop) -> None:
    """The session of a sub-agent is named by the plan and goes with the session that it worked for."""
    with workspace() as h:
        main = store(h, session("s1", shop), said("human", "Look for the quagga."))
        sub = store(h, session("s1.agent-a", shop, is_subagent=True, parent="s1"), said("human", "quagga?"))
        names, steps = plan_forget(h, ("s1",))
        assert names == [main, sub] and [step.target for step in steps[:2]] == names
        forget_sessions(h, tuple(names))
        assert not Archive(h.home).has(main) and not Archive(h.home).has(sub)


def test_a_shared_lesson_says_what_the_other_session_said(workspace, home, shop) -> None:
    """A lesson that two sessions taught is worded anew by the one that is left, with no word or name of the other."""
    with workspace() as h:
        complained(h, shop, "s-1", "you deleted my quagga migration again")
        complained(h, shop, "s-2", "you deleted my migration again", day="2026-05-05")
        harvest(h, everything=True)
        (before,) = [one for one in learned_in(h) if "migration" in one.statement]
        assert before.sessions == 2 and "quagga" in before.statement
        forget_sessions(h, ("some-agent/s-1",))
        (after,) = [one for one in learned_in(h) if "migration" in one.statement]
    assert after.sessions == 1 and after.status == "proposed"
    left = [
        path for path in home.rglob("*") if "quagga" in path.name or (path.is_file() and b"quagga" in path.read_bytes())
    ]
    assert left == []


def test_what_a_person_put_to_an_incident_stays(workspace, home, shop) -> None:
    """A file in the folder of an incident that is not ours stays, the folder loses its words, and it is told."""
    with workspace() as h:
        complained(h, shop, "s-1", "you deleted my quagga migration again")
        harvest(h, everything=True)
        (one,) = Incidents(h.home).all()
        (home / one.path / "mine.txt").write_text("call Kim\n")
        forget_sessions(h, ("some-agent/s-1",))
    (kept,) = (home / "learning" / "failures").rglob("mine.txt")
    assert "quagga" not in str(kept.relative_to(home)) and kept.read_text() == "call Kim\n"
    assert [line for line in workspace.said if "mine.txt" in line and kept.parent.name in line]


def test_what_fails_leaves_the_archive_to_try_again(workspace, home, shop, tmp_path) -> None:
    """Where a page cannot be changed the command fails, says so, and the session is still there to be forgotten."""
    with workspace() as h:
        name = store(h, session("s1", shop), said("human", "Look for the quagga."))
        security_trail.add(h.home, Record(AT, *name.split("/"), "shop", "Bash", "destructive", "rm", "rm -r x"))
        place = home / "security" / "2026-05"
        place.rename(tmp_path / "elsewhere")
        place.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(HoldfastError, match="link"):
            forget_sessions(h, (name,))
        assert Archive(h.home).has(name)
    assert json.loads((tmp_path / "elsewhere" / "security.jsonl").read_text())["text"] == "rm -r x"


def test_what_is_nowhere_is_forgotten_without_a_word(workspace) -> None:
    """Forgetting what is nowhere changes nothing and is no error."""
    with workspace() as h:
        forget(h, "codex/none")
    assert workspace.said == []


def test_the_key_of_a_forgotten_memory_is_written_over_and_longer_keys_are_let_alone(tmp_path):
    """A key goes wherever it is named, in a path and in a row; a memory whose key only has it in it keeps its own."""
    place = tmp_path / "journal" / "2026-11-15.jsonl"
    place.parent.mkdir()
    rows = [
        '{"memory":"run-tests","also":"run-tests-twice"}',
        '{"path":"memories/run-tests.md"}',
        '{"k":"never-run-tests"}',
    ]
    place.write_text("\n".join(rows))
    forget_lessons._erase_key(str(tmp_path), "run-tests")
    first, second, third = place.read_text().split("\n")
    assert first == '{"memory":"forgotten","also":"run-tests-twice"}'
    assert (second, third) == ('{"path":"memories/forgotten.md"}', rows[2])


def test_an_ask_of_another_session_at_the_same_moment_is_not_taken(workspace, home) -> None:
    """What two sessions may have asked within two seconds is not told apart by its time; alone it is."""
    for id, at in (("s1", "10:00:00"), ("s1", "10:00:01"), ("s2", "10:00:00"), ("s1", "10:05:00")):
        Journal(str(home)).append(Event(f"2026-05-04T{at}Z", "prompt", {"agent": "codex", "session": id}))
    with workspace() as h:
        target = ForgetTarget(h, "codex/s1")
    # The other one's ask is dated a second after its hook.
    assert not target.was_at("2026-05-04T10:00:01Z", ("codex/s2",))
    assert target.was_at("2026-05-04T10:05:00Z", ("codex/s2",)) and target.was_at("2026-05-04T10:00:01Z", ())


def test_no_slug_of_it_is_left_in_the_notes_of_another_session(workspace, home) -> None:
    """A session that worked on an item which goes has its id, which is made of the title, in no row any more."""
    new = work.Work("", "Feed the quagga", "shop", created_at=AT, updated_at=AT, sessions=("codex/s1",))
    item = work.make(str(home), new, criteria.added(criteria.Criteria(), "Feed the quagga", f"ask {AT}"))
    told = [(session_log.PROMPT, "Buy hay"), (session_log.WORK, item.id)]
    session_log.note(str(home), ("codex", "s2", "shop"), AT, told)
    with workspace() as h:
        forget(h, "codex/s1")
    (noted,) = session_log.sessions(str(home))
    rows = Path(noted.path).read_text()
    assert noted.work == "" and "quagga" not in rows and "Buy hay" in rows
