"""A receipt survives the journal, and what somebody else wrote there does not break the reading."""

from __future__ import annotations

from holdfast.inject.receipts import event_of, receipt_of
from holdfast.records import Event, Given, Receipt, Scope, replace

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


def test_what_was_withheld_comes_back_too():
    """The share and whether it was withheld survive; a receipt of a time without a share does not mention them."""
    withheld = replace(RECEIPT, holdout=0.1, withheld=True)
    assert receipt_of(event_of(withheld)) == withheld
    assert not {"holdout", "withheld"} & event_of(RECEIPT).data.keys()
    strange = Event("2026-11-15T00:00:00Z", "receipt", {"holdout": 7, "withheld": "yes"})
    assert (receipt_of(strange).holdout, receipt_of(strange).withheld) == (0.0, False)


def test_strange_data_is_passed_over():
    """Rows and fields of another kind are left out."""
    event = Event(
        "2026-11-15T00:00:00Z", "receipt", {"agent": 7, "given": [["a"], "b"], "left_out": "x", "tokens": "y"}
    )
    assert receipt_of(event) == Receipt("2026-11-15T00:00:00Z", "", "", "")
