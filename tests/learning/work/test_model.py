"""Work items on the disk: ids, META.yaml as people edit it, lists for a session's start, nesting, and no links."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import BadInput, Conflict, NotFound, Refused
from holdfast.learning.work import criteria
from holdfast.learning.work import model as work

PROJECT = "example.com--acme--shop"


def stamp(hours: float) -> str:
    """Return the time so many hours ago."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - hours * 3_600))


@pytest.fixture
def made(tmp_path):
    """Make a work item."""

    def make(title: str = "Move the uploads", hours: float = 1, project: str = PROJECT, **more) -> work.Work:
        at = more.pop("at", stamp(hours))
        new = work.Work("", title, project, created_at=at, updated_at=at, **more)
        return work.make(str(tmp_path), new, criteria.added(criteria.Criteria(), title, "test"))

    return make


def test_ids(made):
    """An id is the time and a slug of at most 50; two of one second with one title get two ids."""
    one = made("Über den Wolken: Straßen & more " * 4, at="2026-05-04T10:15:30Z")
    assert one.id.startswith("20260504-101530_ueber-den-wolken-strassen") and len(one.id.partition("_")[2]) <= 50
    two = made("Same", at="2026-05-04T10:15:30Z")
    three = made("Same", at="2026-05-04T10:15:30Z")
    assert two.id != three.id and work.is_work_id(three.id)
    assert made("仕事を片付ける", at="2026-05-04T10:15:30Z").id.partition("_")[2].startswith("w-")


def test_a_time_that_is_none_is_refused(made):
    """A work item without a time has no id."""
    with pytest.raises(BadInput):
        made(at="yesterday")


def test_what_is_written_is_read(made, tmp_path):
    """Every field comes back, also a title that YAML would take for something else."""
    lineage = work.Lineage(("Bash",), ("a, b.py", "c: d.py"), ("reviewer",), 12, 34)
    for title in ("yes: no # really", "- x", "[1, 2]", "'quoted'", "12:30"):
        one = replace(made(title), lineage=lineage, sessions=("claude-code/s1",), effort="deep", parent="p")
        work.write(one)
        assert work.read(one.path, PROJECT) == one


def test_what_a_person_wrote_survives(made):
    """Foreign names, comments, their order, other line ends and a document's first line stay as they are."""
    one = made()
    path = os.path.join(one.path, "META.yaml")
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read()
    text = "---\r\n# mine\r\nteam: [a, b]\r\n" + text.replace("\n", "\r\n") + "more:\r\n  nested: yes\r\n"
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(text)
    read = work.read(one.path, PROJECT)
    assert read is not None and read.title == one.title
    work.write(replace(read, status=work.COMPLETED))
    with open(path, newline="", encoding="utf-8") as file:
        after = file.read()
    assert after == text.replace("status: ACTIVE", "status: COMPLETED")


def test_a_file_without_a_meta_is_no_item(made, tmp_path):
    """A folder that somebody made, or whose META.yaml is a link or garbage, is passed over."""
    made()
    folder = tmp_path / "work" / PROJECT
    (folder / "20260504-101530_empty").mkdir()
    (folder / "notes").mkdir()
    linked = folder / "20260504-101531_linked"
    linked.mkdir()
    os.symlink("/etc/passwd", linked / "META.yaml")
    assert len(work.items(str(tmp_path), PROJECT)) == 1


def test_no_link_is_followed(made, tmp_path):
    """A project's folder that is a link is refused for reading and for writing."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "work" / PROJECT)
    with pytest.raises(Refused):
        made()
    with pytest.raises(Refused):
        work.items(str(tmp_path), PROJECT)
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_link_in_an_item_is_not_written_through(made, tmp_path):
    """A folder of an item that is a link gets no file."""
    one = made()
    os.symlink(tmp_path, os.path.join(one.path, "verification"))
    with pytest.raises(Refused):
        work.put(one, "verification", "x.md", "text")


def test_a_bad_project_is_refused(tmp_path):
    """An id that leads out of the folder is no project."""
    with pytest.raises(BadInput):
        work.items(str(tmp_path), "../x")


def test_find(made, tmp_path):
    """An item is found by its id, or by a unique beginning of it or of its words; anything else is told."""
    one, two = made("Move the uploads"), made("Move the downloads", 2)
    assert work.find(str(tmp_path), PROJECT, one.id).id == one.id
    assert work.find(str(tmp_path), PROJECT, "move-the-down").id == two.id
    with pytest.raises(BadInput):
        work.find(str(tmp_path), PROJECT, "move")
    for name in ("", "nothing", "../x"):
        with pytest.raises(NotFound):
            work.find(str(tmp_path), PROJECT, name)


def test_open_work(made, tmp_path):
    """A session's start asks for what was worked on lately."""
    fresh = made("Fresh", 3)
    made("Old one", 24 * 20)
    made("Closed", 1, status=work.COMPLETED)
    made("Elsewhere", 1, project="other")
    assert [one.id for one in work.open_work(str(tmp_path), PROJECT, 48)] == [fresh.id]
    assert work.open_work(str(tmp_path), "nobody", 48) == []


def test_open_work_among_many(made, tmp_path):
    """Among hundreds of items the open one that was worked on last is found."""
    for number in range(80):
        made(f"Item {number}", 400 - number, status=work.COMPLETED)
    one = made("The one", 2)
    assert [each.id for each in work.open_work(str(tmp_path), PROJECT, 48)] == [one.id]


def test_nesting(made, tmp_path):
    """A nested item lies in children/ of the other, is still found by its id, and cannot lie in itself."""
    parent, child = made("Parent", 2), made("Child", 1)
    moved = work.nest(child, parent)
    assert moved.path == os.path.join(parent.path, "children", child.id) and not os.path.exists(child.path)
    found = work.find(str(tmp_path), PROJECT, child.id)
    assert found.parent == parent.id and found.path == moved.path
    assert {one.id for one in work.open_work(str(tmp_path), PROJECT, 48)} == {parent.id, child.id}
    with pytest.raises(Conflict):
        work.nest(parent, moved)
    with pytest.raises(Conflict):
        work.nest(parent, parent)


def test_two_at_once_make_two(tmp_path):
    """Of two processes that make an item of the same title at once, each has its own."""

    def make(_: int) -> str:
        at = "2026-05-04T10:15:30Z"
        with work.lock(str(tmp_path), PROJECT):
            return work.make(str(tmp_path), work.Work("", "Same", PROJECT, created_at=at), criteria.Criteria()).id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(make, range(8)))) == 8


@pytest.mark.parametrize(
    ("files", "calls", "minutes", "effort"),
    [(1, 5, 3, "quick"), (3, 5, 3, "standard"), (1, 40, 3, "standard"), (20, 40, 3, "deep"), (1, 5, 200, "deep")],
)
def test_effort(files, calls, minutes, effort):
    """Effort comes from the counts of files, calls and minutes."""
    lineage = work.Lineage(files_changed=tuple(f"f{n}" for n in range(files)), calls=calls, seconds=minutes * 60)
    assert work.effort_of(lineage) == effort


def test_lineage_is_bounded():
    """Of more files than are kept the oldest go, and one that comes again counts once."""
    many = work.Lineage(files_changed=tuple(f"f{n}" for n in range(500)), calls=500)
    grown = work.extended(many, work.Lineage(files_changed=("f499", "new"), calls=2))
    assert len(grown.files_changed) == work.MAX_FILES and grown.files_changed[-1] == "new" and grown.calls == 502
