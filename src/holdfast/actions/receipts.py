"""Receipts: what each session was given, rebuilt from the journal."""

from __future__ import annotations

from holdfast.actions.house import House
from holdfast.inject.receipts import KIND, receipt_of
from holdfast.records import Receipt


def receipts(house: House, session: str = "", *, limit: int | None = None) -> list[Receipt]:
    """Return the receipts, newest first; of the sessions whose id begins so, or of all."""
    if not house.enabled:
        return []
    found = [receipt_of(event) for event in house.journal.events(KIND)]
    wanted = [receipt for receipt in reversed(found) if receipt.session.startswith(session)]
    return wanted[:limit]
