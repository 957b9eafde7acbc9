"""A receipt survives the journal, and what somebody else wrote there does not break the reading."""

from __future__ import annotations

from holdfast.inject.receipts import event_of, receipt_of
from holdfast.records import Event, Given, Receipt, Scope

RECEIPT = Receipt(
    "2026-11-15T00:00:00Z",
    "agent",
    "s1",
    "start",
    (Given(Scope("project", "x"), "k", "d", "pinned", 12),),
    (("global/other", "no room"),),
    300,
    75,
)


def test_a_receipt_comes_back_as_it_was():
    """Written as an event and read again it is the same receipt."""
    assert receipt_of(event_of(RECEIPT)) == RECEIPT


def test_strange_data_is_passed_over():
    """Rows and fields of another kind are left out."""
    event = Event(
        "2026-11-15T00:00:00Z", "receipt", {"agent": 7, "given": [["a"], "b"], "left_out": "x", "tokens": "y"}
    )
    assert receipt_of(event) == Receipt("2026-11-15T00:00:00Z", "", "", "")
