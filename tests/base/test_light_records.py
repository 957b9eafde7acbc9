from __future__ import annotations

import dataclasses
import pickle

import pytest

from holdfast.base.light_records import asdict, dataclass, replace
from holdfast.records import Event, Memory, Scope, Statement


@dataclass(frozen=True, slots=True)
class Point:
    """A record for these tests."""

    x: int
    y: int = 2

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    @property
    def sum(self):
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class Real:
    x: int
    y: int = 2


CALLS = [((1,), {}), ((1, 3), {}), ((), {"x": 1}), ((), {"y": 1, "x": 5}), ((1,), {"y": 4}), ((), {}), ((1, 2, 3), {})]
CALLS += [((), {"y": 1}), ((1,), {"z": 1}), ((1,), {"x": 1}), ((1, 2), {"y": 3})]


@pytest.mark.parametrize(("values", "named"), CALLS)
def test_a_record_is_made_as_a_dataclass_is(values, named):
    """Each call that makes a dataclass makes the same record; each that is an error is a TypeError."""
    try:
        real = Real(*values, **named)
    except TypeError:
        with pytest.raises(TypeError):
            Point(*values, **named)
        return
    point = Point(*values, **named)
    assert (point.x, point.y) == (real.x, real.y)
    assert repr(point) == repr(real).replace("Real", "Point")


def test_records_are_equal_by_value():
    """Records of one class with equal fields are equal and hash alike; of another class they are not equal."""
    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2)
    assert Point(1) != Real(1)
    assert Point(1) != (1, 2)
    assert len({Scope("global"), Scope("global"), Scope("project", "a")}) == 2


def test_a_record_is_frozen_and_slotted():
    """No field can be set or deleted, no other attribute added."""
    point = Point(1)
    for act in (lambda: setattr(point, "x", 2), lambda: setattr(point, "new", 2), lambda: delattr(point, "x")):
        with pytest.raises(AttributeError):
            act()
    assert not hasattr(point, "__dict__")
    assert point.x == 1


def test_methods_and_properties_work():
    """A record may have methods and properties of its own, and keeps its docstring and its name."""
    assert Point(1) + Point(1) == Point(2, 4)
    assert Point(1).sum == 3
    assert (Point.__name__, Point.__qualname__, Point.__doc__) == ("Point", "Point", "A record for these tests.")


def test_a_record_is_replaced_in_part():
    """A copy has the changed fields; an unknown field is a TypeError."""
    assert replace(Point(1), y=5) == Point(1, 5)
    with pytest.raises(TypeError):
        replace(Point(1), z=5)


def test_a_record_can_be_sent_to_another_process():
    """A record survives pickling, nested ones too."""
    memory = Memory("k", Scope("project", "a"), "T", "B", history=(Statement("x", "y"),))
    assert pickle.loads(pickle.dumps(memory)) == memory


def test_a_record_becomes_plain_values():
    """Records and tuples become dicts and lists, ready for JSON."""
    memory = Memory("k", Scope("global"), "T", "B", tags=("a",), history=(Statement("x", "y"),))
    plain = asdict(memory)
    assert plain["scope"] == {"kind": "global", "owner": ""}
    assert plain["tags"] == ["a"]
    assert plain["history"] == [{"text": "x", "at": "y"}]
    assert asdict(Event("now", "use", {"a": [1]})) == {"at": "now", "kind": "use", "data": {"a": [1]}}


def test_a_record_can_be_matched():
    """A record can stand in a match statement by its fields."""
    match Point(1, 5):
        case Point(x, 5):
            assert x == 1
        case _:
            pytest.fail("not matched")


def test_only_frozen_and_slotted_records_are_made():
    """Asking for another kind of class is an error."""
    with pytest.raises(TypeError):
        dataclass(frozen=False, slots=True)
