"""Receipts: what each session was given, rebuilt from the journal."""

from __future__ import annotations

from holdfast.inject.receipts import KIND, receipt_of
from holdfast.records import Receipt
from holdfast.workspace import Workspace


def receipts(workspace: Workspace, session: str = "", *, limit: int | None = None) -> list[Receipt]:
    """Return the receipts, newest first; of the sessions whose id begins so, or of all."""
    if not workspace.enabled:
        return []
    found = [receipt_of(event) for event in workspace.journal.events(KIND)]
    wanted = [receipt for receipt in reversed(found) if receipt.session.startswith(session)]
    return wanted[:limit]
