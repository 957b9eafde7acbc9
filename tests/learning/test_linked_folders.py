"""Links in the place of folders, and names that lead elsewhere: nothing is written there."""

from __future__ import annotations

import os

import pytest

from holdfast.errors import BrokenFile, HoldfastError, Refused
from holdfast.language.ratings import Rating
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix
from holdfast.learning.lessons import model as lessons
from holdfast.learning.ratings import model as signals
from holdfast.learning.work import model as work
from holdfast.learning.work.criteria import Criteria
from holdfast.learning.work.model import Work
from holdfast.memory.proposal_files import Proposals
from holdfast.records import Proposal, Scope

AT = "2026-05-04T10:15:00Z"
RATING = Rating(AT, 8, "explicit", "codex", "s1", "shop", "", 1.0, "8", "r1")
FIX = Fix("f1", "make", "no rule", ("edited Makefile",), "codex", "s1", "shop", AT, id="x1")


@pytest.fixture
def outside(tmp_path):
    """A folder that is not the home's."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("linked", ["learning", "learning/signals"])
@pytest.mark.parametrize("write", [lambda home: signals.add(home, RATING), lambda home: fixes.add(home, FIX)])
def test_signals_are_not_written_through_a_linked_folder(home, outside, linked, write) -> None:
    """Neither a rating nor a fix is written where `learning` or `learning/signals` is a link."""
    place = home / linked
    place.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(outside, place)
    with pytest.raises(Refused):
        write(str(home))
    assert os.listdir(outside) == []


@pytest.mark.parametrize("room", [signals, fixes])
def test_forgetting_writes_through_no_linked_folder(home, outside, room) -> None:
    """What a linked folder leads to is not rewritten when a session is forgotten."""
    signals.add(str(home), RATING)
    fixes.add(str(home), FIX)
    (home / "learning").rename(outside / "learning")
    os.symlink(outside / "learning", home / "learning")
    with pytest.raises(Refused):
        room.forget(str(home), "codex", "s1")
    assert signals.read(str(home)) == [RATING]


def test_a_work_item_that_is_a_link_is_not_found(home, outside) -> None:
    """A whole id whose folder leads elsewhere names no work item, so nobody writes there."""
    made = work.make(str(home), Work("", "Move the uploads", "shop", created_at=AT, updated_at=AT), Criteria())
    os.rename(made.path, outside / made.id)
    os.symlink(outside / made.id, made.path)
    with pytest.raises(HoldfastError):
        work.find(str(home), "shop", made.id)


def test_a_refused_nesting_leaves_the_item_as_it_was(home, outside) -> None:
    """Where `children` of the parent is a link, the child neither moves nor says that it has a parent."""
    parent = work.make(str(home), Work("", "Uploads", "shop", created_at=AT, updated_at=AT), Criteria())
    child = work.make(str(home), Work("", "Links", "shop", created_at=AT, updated_at=AT), Criteria())
    os.symlink(outside, os.path.join(parent.path, "children"))
    with pytest.raises(Refused):
        work.nest(child, parent)
    assert work.find(str(home), "shop", child.id).parent == "" and os.listdir(outside) == []


@pytest.mark.parametrize("name", ["../../x.md", "/x.md", "..", "a/../../x.md"])
def test_a_file_of_a_work_item_lies_in_its_folder(home, tmp_path, name) -> None:
    """A name that leads out of the folder of the item is refused."""
    made = work.make(str(home), Work("", "Uploads", "shop", created_at=AT, updated_at=AT), Criteria())
    with pytest.raises(Refused):
        work.put(made, "agents", name, "text")
    assert not list(tmp_path.rglob("x.md"))


@pytest.mark.parametrize("field", ["id: ../../x", "id: /x", "id: l1\nproject: ../x"])
def test_a_lesson_whose_id_or_project_is_a_path_is_broken(field) -> None:
    """Files are named after both, so a file of a lesson that says such a thing is none."""
    with pytest.raises(BrokenFile):
        lessons.parsed(f"---\n{field}\nstatus: proposed\n---\n\nNever delete a migration.\n", "lesson.md")


def test_a_proposal_is_not_written_through_a_link(home, outside) -> None:
    """Where `proposals` is a link, nothing is proposed."""
    home.mkdir(exist_ok=True)
    os.symlink(outside, home / "proposals")
    with pytest.raises(Refused):
        Proposals(str(home)).put(Proposal("p1", "Never delete a migration.", Scope("global"), title="Never"))
    with pytest.raises(Refused):
        Proposals(str(home)).reject(["p1"], "no", AT)
    assert os.listdir(outside) == []
