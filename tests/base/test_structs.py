"""Swift records are records like the light ones, and nobody pays for them who does not ask for one."""

from __future__ import annotations

import pickle
import subprocess
import sys

import msgspec
import pytest

from holdfast import records
from holdfast.base.light_records import asdict, replace
from holdfast.base.structs import complete, dataclass, sparse_dataclass
from holdfast.records import Cost, Session, SessionEvent, Spend


@dataclass(frozen=True, slots=True)
class Point:
    """A record for these tests."""

    x: int
    y: int = 2

    @property
    def sum(self):
        return self.x + self.y


@sparse_dataclass(frozen=True, slots=True)
class Rare:
    """A record of which most fields are empty."""

    x: int = 0
    y: str = ""


def test_a_swift_record_is_frozen_and_equal_by_value():
    """No field can be set, none added; equal fields make equal records that hash alike; properties work."""
    assert (Point(1), hash(Point(1)), Point(1).sum) == (Point(1, 2), hash(Point(x=1, y=2)), 3)
    assert repr(Point(1)) == "Point(x=1, y=2)"
    for name in ("x", "new"):
        with pytest.raises(AttributeError):
            setattr(Point(1), name, 5)
    with pytest.raises(TypeError):
        Point(1, 2, 3)


def test_a_swift_record_is_copied_shown_and_sent_like_a_light_one():
    """It can be replaced in part, become plain values, also within another, and survive pickling."""
    session = Session("a", "b", cost=Cost(3), spends=(Spend("2026-01-01", "m", Cost(3)),))
    assert replace(session, id="c").name == "a/c"
    assert asdict(session)["spends"] == [{"day": "2026-01-01", "model": "m", "cost": asdict(Cost(3))}]
    assert pickle.loads(pickle.dumps(session)) == session


def test_only_a_sparse_record_leaves_out_what_is_empty():
    """As JSON a sparse record has only what differs from the defaults, any other record all of its fields."""
    assert msgspec.json.encode([Rare(y="a"), Rare()]) == b'[{"y":"a"},{}]'
    assert msgspec.json.encode(Point(1)) == b'{"x":1,"y":2}'


def test_a_record_that_nobody_saw_is_completed_in_place():
    """The field of a waiting event can be set by the one who made it."""
    event = SessionEvent(3, "tool")
    complete(event, "output", "done")
    assert event == SessionEvent(3, "tool", output="done")


def test_only_frozen_and_slotted_records_are_made():
    """Asking for another kind of class is an error."""
    for make in (dataclass, sparse_dataclass):
        with pytest.raises(TypeError):
            make(frozen=True, slots=False)


def test_records_of_sessions_are_loaded_when_they_are_asked_for():
    """Who loads the shared records loads no msgspec by that; an unknown name is an error as with any module."""
    text = (
        "import sys, holdfast.records as r; before = 'msgspec' in sys.modules; r.Session; "
        "print(before, 'msgspec' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ended.stdout == "False True\n"
    with pytest.raises(AttributeError):
        _ = records.Sessions
