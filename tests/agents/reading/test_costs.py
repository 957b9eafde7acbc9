"""What a session cost, by the day and the model of its messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.reading.base import Costs
from holdfast.records import Cost, Spend

REPORTS = st.tuples(
    st.sampled_from(["", "m1", "m2", "m3"]),
    st.lists(st.integers(-5, 99) | st.none() | st.floats() | st.booleans() | st.text(max_size=2), max_size=6),
    st.sampled_from(["", "2026-05-04T10:00:00.000Z", "2026-05-05T00:00:00.000Z"]),
    st.sampled_from(["", "a", "b"]),
)


def test_each_day_and_model_has_its_part() -> None:
    """A spend for each day and model, in order; a later report on a message belongs where its first one does."""
    costs = Costs()
    costs.add("m", 10, 1, at="2026-05-05T00:00:01.000Z", model="b")
    costs.add("m", 10, 4, 7, at="2026-05-06T00:00:01.000Z", model="a")
    costs.add("", 3, at="2026-05-04T23:59:59.000Z", model="b", dollars=0.5)
    first = Spend("2026-05-04", "b", Cost(3, dollars=0.5))
    assert costs.spends() == (first, Spend("2026-05-05", "b", Cost(10, 4, 7)))
    assert costs.total() == Cost(13, 4, 7, dollars=0.5)


def test_what_the_session_stands_at_is_taken_where_a_report_does_not_tell() -> None:
    """A report without a time or model has those at which the session stands."""
    costs = Costs()
    costs.at, costs.model = "2026-05-04T10:00:00.000Z", "a"
    costs.add("", 1)
    assert costs.spends() == (Spend("2026-05-04", "a", Cost(1)),)


def test_messages_of_another_session_are_not_counted() -> None:
    """What is to be skipped costs nothing here."""
    costs = Costs()
    costs.skip = frozenset({"copied"})
    costs.add("copied", 100)
    costs.add("own", 1)
    assert costs.total() == Cost(1)


def test_days_and_models_without_number_are_bounded() -> None:
    """Beyond the bound what was paid is counted still, without its day and model."""
    costs = Costs()
    for number in range(1_000):
        costs.add("", 1, model=f"m{number}")
    assert len(costs.spends()) < 300 and costs.total() == Cost(1_000)


@given(st.lists(REPORTS, max_size=12))
def test_the_parts_are_the_whole(reports: list[tuple[str, list[object], str, str]]) -> None:
    """Whatever is reported, the spends add up to the cost, and nothing is negative."""
    costs = Costs()
    for message, kinds, at, model in reports:
        costs.add(message, *kinds[:5], at=at, model=model)
    for kind in ("input", "output", "cache_read", "cache_write", "reasoning"):
        parts = [getattr(spend.cost, kind) for spend in costs.spends()]
        assert sum(parts) == getattr(costs.total(), kind) and all(part >= 0 for part in parts)
