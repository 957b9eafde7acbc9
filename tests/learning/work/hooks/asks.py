"""What the person asks for in these tests, and how to look at what came of it."""

from __future__ import annotations

from holdfast.learning.work import criteria
from holdfast.learning.work import model as work

ASK = "Add a dark mode toggle to the settings page, make sure tests pass and don't touch billing.py"
OTHER = "Please write a migration that renames the customers table to clients"


def isc_of(one: work.Work) -> criteria.Criteria:
    """Return the criteria of a work item."""
    return criteria.read(one.path)
