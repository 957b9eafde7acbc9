"""What a work item loses when one of its sessions is forgotten, and what stays in it."""

from __future__ import annotations

import os
import time

import pytest

from holdfast.app import forget as forget_session
from holdfast.app.hook import record
from holdfast.base.light_records import replace
from holdfast.learning.work import criteria, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import turns as work_turns
from learning.work.hooks.asks import ASK, OTHER, isc_of
from support.places import SHOP

FIRST = "Add a quagga toggle to the settings page, make sure tests pass and don't touch quagga.py"
SECOND = "Add a numbat sound to the toggle of the settings page, make sure tests pass"


@pytest.fixture
def talks(told, shop):
    """A session asks for something and its agent changes a file, as the journal has it, too."""

    def talk(text: str, session: str, file: str) -> None:
        record(told("UserPromptSubmit", session, prompt=text))
        given = {"file_path": str(shop / file)}
        record(told("PostToolUse", session, tool_name="Edit", tool_input=given))
        told("Stop", session)

    return talk


@pytest.fixture
def forgets(workspace):
    """Forget a session of the agent, and return what was said to stay."""

    def forget(session: str) -> list[str]:
        with workspace() as h:
            forget_session.forget(h, f"claude-code/{session}")
        return workspace.said

    return forget


def planned(workspace, session: str) -> list[tuple[str, str]]:
    """Return acts and targets of the plan that are about work items."""
    with workspace() as h:
        steps = [change.step for change in forget_session.changes(h, f"claude-code/{session}")]
    return [(step.act, step.target) for step in steps if step.target.startswith("work/")]


def words_below(folder) -> str:
    """Return every name and every text below a folder."""
    paths = list(folder.rglob("*"))
    return "\n".join([str(path.relative_to(folder)) for path in paths] + [p.read_text() for p in paths if p.is_file()])


@pytest.fixture
def shared(talks, home, told):
    """An item that one session began and that another one went on with."""
    talks(FIRST, "s1", "settings.py")
    told("SessionEnd", "s1")
    talks(SECOND, "s2", "sound.py")
    (one,) = work.items(str(home), SHOP)
    assert one.sessions == ("claude-code/s1", "claude-code/s2")
    return one


def test_an_item_of_one_session_goes_with_it(talks, forgets, found, home):
    """What only the forgotten session made is gone as a whole; the item of another session is as it was."""
    talks(FIRST, "s1", "settings.py")
    talks(OTHER, "s2", "customers.sql")
    other = next(one for one in found() if one.sessions == ("claude-code/s2",))
    before = words_below(home / other.path)
    forgets("s1")
    assert [one.id for one in found()] == [other.id] and words_below(home / other.path) == before
    assert "quagga" not in words_below(home / "work")


def test_a_shared_item_keeps_what_the_other_session_did(shared, forgets, found, home, workspace):
    """Of an item of two sessions the asks, criteria, files and title of the other one stay, and those of one go."""
    assert planned(workspace, "s1") == [("redact", os.path.relpath(shared.path, home))]
    forgets("s1")
    (one,) = found()
    assert one.sessions == ("claude-code/s2",) and "quagga" not in words_below(home / "work")
    assert "numbat" in one.title and "numbat" in one.id
    assert one.lineage.files_changed == ("sound.py",) and "numbat" in words_below(home / "work")
    assert all("quagga" not in each.text for each in isc_of(one).criteria) and isc_of(one).criteria


def test_the_other_session_goes_on_with_the_renamed_item(shared, forgets, talks, found):
    """A session whose item got another id goes on with that, and makes no second one."""
    forgets("s1")
    talks("Now make the numbat sound of the second toggle louder, too", "s2", "sound.py")
    assert len(found()) == 1


def test_the_second_session_forgotten_leaves_the_first(shared, forgets, found, home):
    """When the later session is forgotten, title and asks of the first one stay and nothing of the later one does."""
    forgets("s2")
    (one,) = found()
    assert one.id == shared.id and one.title == shared.title and "numbat" not in words_below(home / "work")
    assert one.lineage.files_changed == ("settings.py",) and "quagga" in words_below(home / "work")


def test_what_a_person_wrote_stays_and_is_told(talks, forgets, found, home, workspace):
    """A file, a line of META.yaml and a line in an ask that a person wrote stay, the rest goes, and it is said."""
    talks(FIRST, "s1", "settings.py")
    folder = home / found()[0].path
    (folder / "notes.md").write_text("Ask Kim about the colours.\n")
    (ask,) = (folder / "items").iterdir()
    ask.write_text(ask.read_text() + "I also want it blue.\n")
    with (folder / "META.yaml").open("a") as file:
        file.write("customer: Kim\n")
    said = forgets("s1")
    (one,) = found()
    left = words_below(home / "work")
    assert "quagga" not in left and one.sessions == () and "customer: Kim" in left
    assert "Ask Kim about the colours." in left and "I also want it blue." in left
    assert [line for line in said if "notes.md" in line and one.id in line] and [
        line for line in said if "META" in line
    ]


def test_what_was_added_by_command_stays(talks, forgets, found, cli, home):
    """What somebody added or verified by command is theirs: it stays in the item of a forgotten session."""
    talks(FIRST, "s1", "settings.py")
    assert cli("work", "criterion", found()[0].id, "The colour is blue").code == 0
    assert cli("work", "verify", found()[0].id, "c1", "--evidence", "Kim saw it on Monday").code == 0
    forgets("s1")
    (one,) = found()
    assert [each.text for each in isc_of(one).criteria] == ["The colour is blue"]
    left = words_below(home / one.path)
    assert "Kim saw it on Monday" in left and "quagga" not in left


def test_an_item_in_a_forgotten_one_stays(talks, forgets, found, cli):
    """An item of another session that lies in one that goes stays, and so does the folder around it, without words."""
    talks(FIRST, "s1", "settings.py")
    talks(OTHER, "s2", "customers.sql")
    inner = next(one for one in found() if one.sessions == ("claude-code/s2",))
    outer = next(one for one in found() if one.sessions == ("claude-code/s1",))
    assert cli("work", "nest", inner.id, outer.id).code == 0
    forgets("s1")
    titles = {one.id: one.parent for one in found()}
    assert inner.id in titles and titles[inner.id] in titles and "quagga" not in str(titles)


def test_what_cannot_be_finished_keeps_nobody_waiting(talks, home):
    """A start that has time for two goes on behind those that stay open, until the one that is met has its turn."""
    for number in range(12):
        talks(f"{ASK} {'abcdefghijkl'[number] * 7}", f"t{number}", f"file{number}.py")
    left = session_log.sessions(str(home))
    for noted in left:
        os.utime(noted.path, (time.time() - 4_000,) * 2)
    met = work.find(str(home), SHOP, left[-1].work)
    isc = isc_of(met)
    criteria.write(met.path, replace(isc, criteria=tuple(replace(one, status="SATISFIED") for one in isc.criteria)))
    closed = [
        work_turns.finish_left(str(home), session_log.left(str(home), (SHOP,), own=""), "2026-11-15T10:00:00Z")
        for _ in range(6)
    ]
    assert sum(closed) == 1 and not work.find(str(home), SHOP, met.id).is_open
