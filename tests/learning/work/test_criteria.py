"""ISC.json: its bound, its history by effort, ids that stay, and the shapes of other systems."""

from __future__ import annotations

import json
import os

import pytest

from holdfast.errors import BadInput, BrokenFile, NotFound, TooLarge
from holdfast.learning.work import criteria
from holdfast.learning.work.criteria import Criteria, added, marked, versioned


def of(*texts: str) -> Criteria:
    """Return criteria with these texts."""
    isc = Criteria(ideal="All is well")
    for text in texts:
        isc = added(isc, text, "ask")
    return isc


def test_written_and_read(tmp_path):
    """What is written comes back, with statuses, reasons and foreign fields."""
    isc = marked(added(of("one", "two"), "never this", "ask", anti=True), "c2", "SATISFIED", "tests passed")
    isc = criteria.replace(isc, more=(("owner", "Kim"),), version=3, updated_at="2026-05-04T10:00:00Z")
    criteria.write(str(tmp_path), isc)
    assert criteria.read(str(tmp_path)) == isc
    plain = json.loads((tmp_path / "ISC.json").read_text())
    assert plain["current"] == {"version": 3, "pending": 1, "partial": 0, "satisfied": 1, "failed": 0}
    assert plain["owner"] == "Kim" and plain["criteria"][1]["source_events"] == ["ask", "tests passed"]


def test_the_same_words_are_one_criterion():
    """A criterion that is there is not added again, whatever its capitals."""
    assert len(added(of("Tests pass"), "tests  PASS", "plan").criteria) == 1


def test_ids_are_never_given_twice():
    """The next id is behind the highest that is there."""
    isc = criteria.replace(of("one", "two", "three"), criteria=of("one", "two", "three").criteria[2:])
    assert [one.id for one in added(isc, "four", "ask").criteria] == ["c3", "c4"]


def test_bounds():
    """An empty criterion and one too many are refused; a criterion that is not there is told."""
    with pytest.raises(BadInput):
        added(Criteria(), "  ", "ask")
    with pytest.raises(TooLarge):
        of(*[f"number {n}" for n in range(criteria.MAX_GIVEN + 1)])
    with pytest.raises(NotFound):
        of("one").get("c9")


@pytest.mark.parametrize("letter", ["x", "ü", "界", "😀", '"', "\\"])
def test_always_below_ten_kilobytes(tmp_path, letter):
    """However long texts and history are, in whatever script, the file has less than 10 KB and every criterion."""
    isc = of(*[f"{n} " + f"{letter * 9} " * 40 for n in range(criteria.MAX_GIVEN)])
    for number in range(60):
        isc = versioned(isc, marked(isc, "c1", "PARTIAL", f"{letter * 100} {number}"), "2026", "deep", closed=False)
    written = criteria.write(str(tmp_path), isc)
    assert os.path.getsize(tmp_path / "ISC.json") < 10_000
    assert len(criteria.read(str(tmp_path)).criteria) == criteria.MAX_GIVEN == len(written.criteria)


def test_the_oldest_history_goes_first(tmp_path):
    """What makes room is the oldest version."""
    isc = of("one")
    for number in range(400):
        isc = versioned(
            isc, marked(isc, "c1", "PARTIAL", f"run {number}"), "2026-05-04T10:00:00Z", "deep", closed=False
        )
    kept = [one["version"] for one in criteria.write(str(tmp_path), isc).history]
    assert kept[-1] == 399 and kept[0] > 1 and kept == list(range(kept[0], 400))


@pytest.mark.parametrize(("effort", "kept"), [("quick", [3]), ("standard", [1, 3]), ("deep", [1, 2, 3])])
def test_depth_by_effort(effort, kept):
    """Quick work keeps its end, standard work beginning and end, deep work every version."""
    first = versioned(Criteria(), of("one"), "t1", effort, closed=False)
    second = versioned(first, marked(first, "c1", "PARTIAL", "ticked"), "t2", effort, closed=False)
    third = versioned(second, marked(second, "c1", "SATISFIED", "tests"), "t3", effort, closed=True)
    assert [one["version"] for one in third.history] == kept
    assert third.history[-1]["status"] == {"c1": "SATISFIED"}


def test_other_shapes_are_read():
    """The files of other systems are understood: their names of fields and of statuses."""
    isc = criteria.parsed(
        {
            "v": "0.1",
            "ideal": "It works",
            "criteria": [
                {"description": "a", "status": "DONE"},
                {"id": "7", "text": "b", "status": "in-progress", "sourceEventIds": ["e1"]},
                "c",
                {"status": "DONE"},
            ],
            "antiCriteria": [{"id": "x1", "text": "d"}],
            "updatedAt": "2026-05-04",
        }
    )
    assert [(one.id, one.text, one.status) for one in isc.criteria] == [
        ("c1", "a", "SATISFIED"),
        ("7", "b", "PENDING"),
        ("c3", "c", "PENDING"),
    ]
    assert isc.anti_criteria[0].text == "d" and isc.updated_at == "2026-05-04" and isc.more == ()


@pytest.mark.parametrize("text", ["{", "[]", "null", "[" * 100_000])
def test_a_broken_file_is_told(tmp_path, text):
    """A file that is no JSON object is not taken for an empty one."""
    (tmp_path / "ISC.json").write_text(text)
    with pytest.raises(BrokenFile):
        criteria.read(str(tmp_path))


def test_met():
    """Criteria are met when all are satisfied and nothing happened that must not; none at all are not met."""
    isc = marked(of("one"), "c1", "SATISFIED", "tests")
    assert isc.is_met() and not Criteria().is_met() and not of("one").is_met()
    barred = added(isc, "no deletes", "ask", anti=True)
    assert barred.is_met() and not marked(barred, "a1", "FAILED", "x was deleted").is_met()
