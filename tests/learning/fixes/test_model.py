"""The file of fixes and the tables by which they are found."""

from __future__ import annotations

import os
import threading

import pytest

from holdfast.errors import Refused, StoreUnavailable
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.model import Fix, id_of
from holdfast.records import replace

MARK = "0123456789abcdef"


def fix(session: str = "s1", at: str = "2026-05-04T10:00:00Z", *steps: str, **more: object) -> Fix:
    """Return a fix of one failure in the shop."""
    agent, mark = str(more.pop("agent", "some-agent")), str(more.pop("mark", MARK))
    one = Fix(mark, "npm test", "no such door", steps or ("ran `npm ci`",), agent, session, "shop", at)
    return replace(one, id=id_of(agent, session, mark), **more)


@pytest.fixture
def place(tmp_path) -> str:
    """A home."""
    return str(tmp_path)


def test_a_fix_is_written_once(place) -> None:
    """A fix is one line with agent, session, project and time, private to the person; the same again adds nothing."""
    assert fixes.add(place, fix()) and not fixes.add(place, fix(at="2026-06-01T00:00:00Z"))
    assert fixes.read(place) == [fix()]
    path = fixes.path_of(place)
    assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


def test_what_did_not_hold_is_withdrawn(place) -> None:
    """A fix after which the failure came again is offered no more, until something else fixed it."""
    assert not fixes.withdraw(place, fix())
    fixes.add(place, fix())
    assert fixes.withdraw(place, fix()) and fixes.read(place) == [] == fixes.lookup(place, ["shop"], MARK)
    other = fix("s1", "2026-05-04T12:00:00Z", "edited a.py")
    assert fixes.add(place, other)
    assert fixes.lookup(place, ["shop"], MARK) == [other]


def test_the_order(place) -> None:
    """What helped in more sessions comes first, then the latest."""
    fixes.add(place, fix("s1", "2026-05-01T10:00:00Z"))
    fixes.add(place, fix("s2", "2026-05-02T10:00:00Z", agent="other-agent"))
    fixes.add(place, fix("s3", "2026-05-03T10:00:00Z", "edited a.py"))
    fixes.add(place, fix("s4", "2026-05-04T10:00:00Z", "edited b.py"))
    found = [(one.steps[0], one.times, one.session) for one in fixes.lookup(place, ["shop"], MARK)]
    assert found == [("ran `npm ci`", 2, "s2"), ("edited b.py", 1, "s4"), ("edited a.py", 1, "s3")]


def test_never_across_projects(place) -> None:
    """A fix of one project is not found from another, whatever that is called."""
    fixes.add(place, fix())
    for project in ("shop2", "sho", "other", "SHOP"):
        assert fixes.lookup(place, [project], MARK) == []
    assert len(fixes.lookup(place, ["other", "shop"], MARK)) == 1, "an alias"


def test_a_session_can_be_forgotten(place) -> None:
    """Nothing of a forgotten session is left in the file or a table, and the others stay."""
    fixes.add(place, fix())
    fixes.add(place, fix("s2", "2026-05-05T10:00:00Z", "edited a.py"))
    fixes.lookup(place, ["shop"], MARK)
    assert fixes.forget(place, "some-agent", "s1") == 1 and fixes.forget(place, "some-agent", "s1") == 0
    assert [one.session for one in fixes.lookup(place, ["shop"], MARK)] == ["s2"]
    for folder, _, names in os.walk(place):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                assert b"npm ci" not in file.read()


def test_copies_of_earlier_versions_go(place) -> None:
    """Earlier versions kept copies of lines by project, which quote sessions; they go when a session is forgotten."""
    fixes.add(place, fix())
    copies = os.path.join(place, "state", "fixes")
    os.makedirs(copies)
    with open(os.path.join(copies, "shop"), "wb") as file:
        file.write(b'1 2\n{"steps": ["npm ci"]}')
    fixes.forget(place, "some-agent", "s1")
    assert os.listdir(copies) == []


def test_broken_lines_are_passed_over(place) -> None:
    """Lines that are no fixes take nothing away from the others."""
    fixes.add(place, fix())
    with open(fixes.path_of(place), "ab") as file:
        file.write(b'{"id": "x"}\nnonsense\n[1]\n\xff\xfe\n{"id": 1, "steps": 3}\n{"half')
    fixes.add(place, fix("s2"))
    assert [one.session for one in fixes.read(place)] == ["s1", "s2"]


def test_a_link_is_not_followed(place, tmp_path_factory) -> None:
    """A link in the place of the file is refused, and what it points to stays as it was."""
    outside = tmp_path_factory.mktemp("outside") / "theirs"
    outside.write_text("theirs\n")
    os.makedirs(os.path.dirname(fixes.path_of(place)))
    os.symlink(outside, fixes.path_of(place))
    with pytest.raises((Refused, StoreUnavailable)):
        fixes.add(place, fix())
    assert outside.read_text() == "theirs\n"


def test_many_write_at_once(place) -> None:
    """Fixes of several writers are all kept, each once."""
    writers = [threading.Thread(target=lambda: [fixes.add(place, fix(f"s{n}")) for n in range(20)]) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(one.session for one in fixes.read(place)) == sorted(f"s{n}" for n in range(20))
